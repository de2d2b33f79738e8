/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check: does everything that the boot waits for exist? */
#include <string.h>

#include "core/str.h"
#include "guest/checks.h"
#include "guest/filesystem.h"
#include "guest/fstab.h"

#define FINDINGS_MOST 50

static const char *const finding_ids[] = {"dead-references", NULL};

struct search {
    struct gold_scene *sc;
    struct gold_strv seen; /* "file\nspec": loaders repeat themselves */
    bool encrypted;        /* what is missing may be inside */
};

static bool
is_dead(struct search *s, const char *spec)
{
    const struct gold_filesystem *fs;
    return gold_guest_find_device(s->sc->guest, spec, &fs) == GOLD_DEVICE_MISSING;
}

static int
report(struct search *s, const char *file, unsigned line, const char *spec, bool fatal,
       const char *why, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *key = gold_format(err, "%s\n%s", file, spec);
    if (!key)
        return -1;
    if (s->seen.n >= FINDINGS_MOST || gold_strv_contains(&s->seen, key))
        return 0;
    if (gold_strv_add(&s->seen, key, err) < 0)
        return -1;
    return gold_scene_find(s->sc, "dead-references",
                           fatal && !s->encrypted ? GOLD_ERROR : GOLD_WARNING, GOLD_FIX_MANUAL,
                           file, line, spec, err, "%s names '%s', which no disk has%s", why,
                           spec, s->encrypted ? " (it may be inside an encrypted volume)" : "");
}

static int
look_at_table(struct search *s, const char *file, size_t column, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(s->sc, file, &text, &len, err) < 0)
        return -1;
    if (!text)
        return 0;
    GOLD_CLEANUP_FSTAB struct gold_fstab table = {0};
    if (gold_fstab_parse(text, len, &table, err) < 0)
        return -1;
    for (size_t i = 0; i < table.n; i++) {
        const struct gold_fstab_line *line = &table.lines[i];
        const char *options = line->field[3];
        if (gold_fstab_has_option(options, "nofail", NULL) ||
            gold_fstab_has_option(options, "noauto", NULL) || !is_dead(s, line->field[column]))
            continue;
        /* The boot waits for swap as well, but goes on after a time. */
        bool swap = column == 0 && strcmp(line->field[2], "swap") == 0;
        if (report(s, file, line->line, line->field[column], !swap,
                   swap ? "a swap line" : "a line without 'nofail'", err) < 0)
            return -1;
    }
    return 0;
}

/* Looks at each word of a line for root=, resume= and RESUME=. */
static int
look_at_words(struct search *s, const char *file, unsigned number, const char *p,
              const char *end, struct gold_error **err)
{
    static const char *const keys[] = {"root=", "resume=", "RESUME=", "rd.luks.uuid="};
    static const char separators[] = " \t\"'\r";
    while (p < end) {
        const char *word = p;
        while (p < end && !strchr(separators, *p))
            p++;
        size_t len = (size_t)(p - word);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            size_t key_len = strlen(keys[i]);
            if (len <= key_len || len > 300 || strncmp(word, keys[i], key_len) != 0)
                continue;
            GOLD_CLEANUP_FREE char *spec =
                gold_format(err, "%s%.*s", strcmp(keys[i], "rd.luks.uuid=") == 0 ? "UUID=" : "",
                            (int)(len - key_len), word + key_len);
            if (!spec)
                return -1;
            if (gold_str_has_prefix(spec, "UUID=luks-"))
                memmove(spec + 5, spec + 10, strlen(spec + 10) + 1);
            if (is_dead(s, spec) &&
                report(s, file, number, spec, true, "the boot configuration", err) < 0)
                return -1;
        }
        while (p < end && strchr(separators, *p))
            p++;
    }
    return 0;
}

static int
look_at_command_lines(struct search *s, const char *file, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(s->sc, file, &text, &len, err) < 0)
        return -1;
    unsigned number = 0;
    for (const char *p = text, *end = text ? text + len : NULL; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol)
            eol = end;
        number++;
        const char *start = p;
        while (start < eol && (*start == ' ' || *start == '\t'))
            start++;
        if (start < eol && *start != '#' && look_at_words(s, file, number, start, eol, err) < 0)
            return -1;
        p = eol + 1;
    }
    return 0;
}

static int
look_everywhere(struct search *s, struct gold_error **err)
{
    static const char *const patterns[] = {
        "/etc/kernel/cmdline",          "/etc/default/grub",
        "/etc/default/grub.d/*.cfg",    "/etc/initramfs-tools/conf.d/*",
        "/boot/grub/grub.cfg",          "/boot/grub2/grub.cfg",
        "/boot/loader/entries/*.conf",  "/efi/loader/entries/*.conf",
        "/boot/extlinux/extlinux.conf", "/boot/efi/loader/entries/*.conf"};
    if (look_at_table(s, "/etc/fstab", 0, err) < 0 ||
        look_at_table(s, "/etc/crypttab", 1, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        GOLD_CLEANUP_STRV struct gold_strv files = {0};
        if (gold_scene_glob(s->sc, patterns[i], &files, err) < 0)
            return -1;
        for (size_t k = 0; k < files.n && k < 256; k++)
            if (look_at_command_lines(s, files.items[k], err) < 0)
                return -1;
    }
    return 0;
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    struct search s = {.sc = sc};
    for (size_t i = 0; i < sc->guest->n_filesystems; i++)
        s.encrypted = s.encrypted || strcmp(sc->guest->filesystems[i].type, "crypto_LUKS") == 0;
    int r = look_everywhere(&s, err);
    gold_strv_done(&s.seen);
    return r;
}

const struct gold_check_entry gold_check_dead_references = {
    .about = {.name = "dead-references",
              .heading = "What the boot waits for exists",
              .description = "Compares the UUIDs, labels and partition UUIDs in fstab, "
                             "crypttab, boot loader entries, "
                             "kernel command lines (root=, resume=) and the initramfs "
                             "configuration with the file systems "
                             "that are there. A reference that no disk has lets the boot wait, "
                             "or end in an emergency shell. "
                             "Lines with nofail or noauto are left out; a missing swap device "
                             "is a warning, because the "
                             "boot goes on without it.",
              .notes = "All disks of the machine must be given. With an encrypted volume the "
                       "findings are warnings: what is "
                       "missing may be inside."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_MOUNTED,
    .run = run,
};
