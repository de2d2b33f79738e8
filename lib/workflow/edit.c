/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workflow/edit.h"

#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/replace.h"

void
gold_definition_edit_done(struct gold_definition_edit *e)
{
    gold_patch_done(&e->patch);
    free(e->text);
    gold_definition_free(e->after);
    *e = (struct gold_definition_edit){0};
}

int
gold_definition_edit_finish(const struct gold_definition *def, struct gold_definition_edit *e,
                            struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT;

    if (gold_patch_apply(&e->patch, def->text, def->text_len, &e->text, &e->len, err) < 0)
        return -1;
    e->after = gold_domain_parse(def->path, e->text, e->len, err);
    if (!e->after) {
        gold_error_prefix(err, "the edited definition would not be read back");
        return -1;
    }
    if (e->patch.n == 0)
        return 0;
    if (gold_patch_diff(&e->patch, def->text, def->text_len, def->path, def->path, &diff, err) <
        0)
        return -1;
    return gold_source_add_edit(src, def->path, gold_str_text(&diff), err);
}

int
gold_definition_edit_write(const struct gold_definition *def,
                           const struct gold_definition_edit *e, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *now = NULL;
    size_t now_len = 0;

    if (e->patch.n == 0)
        return 0;
    GOLD_CLEANUP_REPLACE struct gold_replace *r =
        gold_replace_begin(def->path, GOLD_REPLACE_MUST_EXIST, 0600, err);
    if (!r || gold_read_file(def->path, GOLD_LIMIT_DEFINITION, &now, &now_len, err) < 0)
        return -1;
    if (now_len != def->text_len || memcmp(now, def->text, now_len) != 0) {
        gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' was changed by somebody else meanwhile",
                       def->path);
        return -1;
    }
    if (gold_replace_write(r, e->text, e->len, err) < 0)
        return -1;
    return gold_replace_commit(r, err);
}

int
gold_select_disks(const struct gold_definition *def, const char *selector, bool *marks,
                  struct gold_error **err)
{
    const struct gold_disk *one = NULL;

    if (gold_streq(selector, "all")) {
        for (size_t i = 0; i < def->n_disks; i++)
            if (!gold_streq(def->disks[i].device, "cdrom") &&
                !gold_streq(def->disks[i].device, "floppy"))
                marks[i] = true;
        return 0;
    }
    if (gold_streq(selector, "boot")) {
        one = gold_definition_boot_disk(def);
        if (!one)
            gold_error_set(err, GOLD_ERROR_USAGE, "'%s' has no disk to boot from", def->path);
    } else {
        one = gold_definition_find_disk(def, selector, err);
    }
    if (!one)
        return -1;
    marks[one - def->disks] = true;
    return 0;
}

static int
want(const struct gold_template_iotune *entry, const char *path, struct gold_iotune *limits,
     struct gold_error **err)
{
    for (size_t k = 0; k < entry->n_settings; k++) {
        const struct gold_template_pair *p = &entry->settings[k];
        if (gold_iotune_set(limits, p->key, p->value, err) < 0) {
            gold_error_prefix(err, "%s:%u:%u", path, p->line, p->column);
            return -1;
        }
    }
    if (gold_iotune_check(limits, err) < 0) {
        gold_error_prefix(err, "%s:%u", path, entry->line);
        return -1;
    }
    return 0;
}

int
gold_wanted_limits(const struct gold_template *t, const struct gold_definition *def,
                   struct gold_wanted_limits *ret, struct gold_error **err)
{
    GOLD_CLEANUP_WANTED_LIMITS struct gold_wanted_limits w = {0};
    size_t n = def->n_disks;

    w.items = calloc(n ? n : 1, sizeof(*w.items));
    w.named = calloc(n ? n : 1, sizeof(*w.named));
    if (!w.items || !w.named)
        return gold_error_set_nomem(err);
    w.n = n;
    for (size_t i = 0; i < n; i++)
        if (gold_iotune_copy(&w.items[i], &def->disks[i].iotune, err) < 0)
            return -1;
    for (size_t e = 0; t && e < t->n_iotune; e++) {
        const struct gold_template_iotune *entry = &t->iotune[e];
        GOLD_CLEANUP_FREE bool *marks = calloc(n ? n : 1, sizeof(*marks));
        if (!marks)
            return gold_error_set_nomem(err);
        if (gold_select_disks(def, entry->disk, marks, err) < 0) {
            gold_error_prefix(err, "%s:%u", t->path, entry->line);
            return -1;
        }
        for (size_t i = 0; i < n; i++) {
            if (!marks[i])
                continue;
            w.named[i] = true;
            if (want(entry, t->path, &w.items[i], err) < 0)
                return -1;
        }
    }
    *ret = w;
    w = (struct gold_wanted_limits){0};
    return 0;
}

int
gold_set_limits(const struct gold_definition *def, const struct gold_wanted_limits *w,
                struct gold_patch *patch, struct gold_error **err)
{
    GOLD_CLEANUP_FREE struct gold_iotune_wish *wishes =
        calloc(w->n ? w->n : 1, sizeof(*wishes));
    size_t n = 0;

    if (!wishes)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < w->n; i++)
        if (w->named[i])
            wishes[n++] = (struct gold_iotune_wish){&def->disks[i], &w->items[i]};
    if (gold_domain_set_iotunes(def, wishes, n, patch, err) < 0) {
        gold_error_prefix(err, "'%s'", def->path);
        return -1;
    }
    return 0;
}

void
gold_wanted_limits_done(struct gold_wanted_limits *w)
{
    for (size_t i = 0; i < w->n; i++)
        gold_iotune_done(&w->items[i]);
    free(w->items);
    free(w->named);
    *w = (struct gold_wanted_limits){0};
}
