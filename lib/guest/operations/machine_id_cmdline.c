/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes the machine-id from kernel command lines, where it wins over any file and would give
 * every clone the template's id again. A unified kernel image is signed as a whole, so what is
 * inside one is only reported.
 */
#include <string.h>

#include "guest/bootconf.h"
#include "guest/machine_id.h"
#include "guest/operations.h"

#define PARAMETER "systemd.machine_id"

/* Lines "machine-id ID" of a boot loader entry; they name whose entry it is. */
static bool
is_entry_line(const struct gold_bootconf *file, struct gold_span line)
{
    struct gold_span word;
    return file->kind == GOLD_CMDLINE_BLS && gold_span_word(file->text, &line, &word) &&
           gold_span_is(file->text, &word, "machine-id");
}

static int
count(struct gold_scene *sc, const struct gold_bootconf *file, void *opaque,
      struct gold_error **err)
{
    size_t *n = opaque;
    struct gold_span value, line;
    struct gold_lines walk = {0};
    (void)sc;
    (void)err;
    for (size_t i = 0; i < file->params->n; i++)
        *n += gold_cmdline_value(file->text, &file->params->items[i], PARAMETER, &value);
    while (gold_lines_next(file->text, file->len, &walk, &line))
        *n += is_entry_line(file, line);
    return 0;
}

/* Lines and parameters in the order in which they stand, as edits want them. */
static int
strip(struct gold_scene *sc, const struct gold_bootconf *file, void *opaque,
      struct gold_error **err)
{
    GOLD_CLEANUP_TEXT_EDITS struct gold_text_edits edits = {0};
    struct gold_lines walk = {0};
    struct gold_span value, line;
    size_t next = 0;
    (void)opaque;
    while (gold_lines_next(file->text, file->len, &walk, &line)) {
        if (is_entry_line(file, line)) {
            if (gold_text_edits_add(&edits, line.offset, walk.pos - line.offset, "", err) < 0)
                return -1;
            continue;
        }
        for (; next < file->params->n && file->params->items[next].offset < walk.pos; next++)
            if (gold_cmdline_value(file->text, &file->params->items[next], PARAMETER, &value) &&
                gold_text_edits_drop_word(&edits, file->text, file->len,
                                          &file->params->items[next], err) < 0)
                return -1;
    }
    return gold_bootconf_write(sc, file, &edits, "machine-id taken out", err);
}

static int
report_one(struct gold_scene *sc, const struct gold_bootconf *file, const struct gold_span *id,
           const char *what, struct gold_error **err)
{
    char shortened[16];
    gold_machine_id_shorten(file->text + id->offset, id->len, shortened);
    return gold_scene_find(sc, "machine-id-cmdline", GOLD_ERROR, GOLD_FIX_SAFE, file->path,
                           id->line, shortened, err,
                           "%s gives every clone the machine-id of the template", what);
}

static int
report(struct gold_scene *sc, const struct gold_bootconf *file, void *opaque,
       struct gold_error **err)
{
    struct gold_lines walk = {0};
    struct gold_span value, line, word;
    (void)opaque;
    for (size_t i = 0; i < file->params->n; i++)
        if (gold_cmdline_value(file->text, &file->params->items[i], PARAMETER, &value) &&
            report_one(sc, file, &value, "a kernel parameter", err) < 0)
            return -1;
    while (gold_lines_next(file->text, file->len, &walk, &line)) {
        if (!is_entry_line(file, line))
            continue;
        gold_span_word(file->text, &line, &word);
        line = gold_span_trim(file->text, line);
        if (report_one(sc, file, &line, "a boot loader entry", err) < 0)
            return -1;
    }
    return 0;
}

static int
report_images(struct gold_scene *sc, struct gold_error **err)
{
    for (size_t i = 0; gold_uki_patterns[i]; i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (gold_scene_glob(sc, gold_uki_patterns[i], &paths, err) < 0)
            return -1;
        for (size_t k = 0; k < paths.n; k++) {
            GOLD_CLEANUP_FREE char *text = NULL;
            size_t len = 0;
            if (gold_uki_cmdline(sc, paths.items[k], &text, &len, err) < 0)
                return -1;
            if (text && memmem(text, len, PARAMETER "=", strlen(PARAMETER "=")) &&
                gold_scene_find(sc, "machine-id-cmdline", GOLD_ERROR, GOLD_FIX_MANUAL,
                                paths.items[k], 0, NULL, err,
                                "the command line inside this unified kernel image gives every "
                                "clone the machine-id of the "
                                "template; build the image without it") < 0)
                return -1;
        }
    }
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    size_t n = 0;
    if (gold_bootconf_each(sc, count, &n, err) < 0)
        return -1;
    if (n > 0)
        return 1;
    *ret_reason = gold_strdup("no boot configuration holds a machine-id", err);
    return *ret_reason ? 0 : -1;
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    return gold_bootconf_each(sc, strip, NULL, err);
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    if (gold_bootconf_each(sc, report, NULL, err) < 0)
        return -1;
    return report_images(sc, err);
}

static const char *const finding_ids[] = {"machine-id-cmdline", NULL};

const struct gold_operation gold_operation_machine_id_cmdline = {
    .about =
        {.name = "machine-id-cmdline",
         .heading = "Take the machine-id out of the boot configuration",
         .description =
             "Removes " PARAMETER
             "= from boot loader entries, from the configuration of GRUB and extlinux and\n"
             "from /etc/kernel/cmdline, and the machine-id lines of boot loader entries. As a "
             "kernel parameter\n"
             "the id wins over every file, so a clone would always boot with the template's.",
         .notes = "Unified kernel images are signed as a whole: an id inside one is reported, "
                  "not removed."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
