/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting the limits of disks in libvirt domain XML. What is there stays where it is: a changed
 * value is replaced in its text, a value that goes takes its line along, a new one is put in
 * libvirt's order. Unknown children of <iotune> are left alone; gold_domain_check() reports
 * them.
 */
#include <string.h>

#include "core/number.h"
#include "formats/domain_tree.h"
#include "formats/xml_edit.h"

/* One disk's <iotune> while it is edited. */
struct edit {
    const struct gold_xml *x;
    const xmlNode *disk;
    const xmlNode *child[GOLD_IOTUNE_NUMBERS + 1]; /* the first of each name */
    const struct gold_iotune *wish;
    struct gold_patch *patch;
};

static bool
wants(const struct gold_iotune *t, unsigned key)
{
    return key < GOLD_IOTUNE_NUMBERS ? t->value[key] > 0 : t->group_name != NULL;
}

/* ---- what is refused ---- */

/* The caller knows file and disk and says so in front. */
static int
check_disk(const xmlNode *e, const struct gold_iotune *t, struct gold_error **err)
{
    if (gold_iotune_empty(t))
        return 0;
    const char *why = gold_domain_unthrottled(e);
    if (why) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "limits would not hold: %s", why);
        return -1;
    }
    if (gold_xml_child(e, "throttlefilters")) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "its <throttlefilters> cannot stand beside <iotune>");
        return -1;
    }
    return gold_iotune_check(t, err);
}

static void
name_disk(const struct gold_iotune_wish *wish, size_t n, struct gold_error **err)
{
    if (n > 1)
        gold_error_prefix(err, "disk '%s'", wish->disk->target ? wish->disk->target : "?");
}

static const struct gold_iotune *
after_edit(const struct gold_definition *def, size_t i, const struct gold_iotune_wish *wishes,
           size_t n)
{
    for (size_t w = 0; w < n; w++) {
        if (wishes[w].disk == &def->disks[i])
            return wishes[w].iotune;
    }
    return &def->disks[i].iotune;
}

static bool
only_group(const struct gold_iotune *t)
{
    for (unsigned i = 0; i < GOLD_IOTUNE_NUMBERS; i++) {
        if (t->value[i] > 0)
            return false;
    }
    return t->group_name != NULL;
}

/* Disks of one group must agree; one that only names the group takes part without values of its
 * own. */
static int
check_groups(const struct gold_definition *def, const struct gold_iotune_wish *wishes, size_t n,
             struct gold_error **err)
{
    for (size_t w = 0; w < n; w++) {
        const struct gold_iotune *mine = wishes[w].iotune;
        if (!mine->group_name)
            continue;
        for (size_t i = 0; i < def->n_disks; i++) {
            const struct gold_iotune *other = after_edit(def, i, wishes, n);
            if (!gold_streq(mine->group_name, other->group_name) || only_group(other) ||
                gold_iotune_equal(mine, other))
                continue;
            gold_error_set(
                err, GOLD_ERROR_USAGE,
                "disks '%s' and '%s' are in group '%s' but would have different limits",
                wishes[w].disk->target ? wishes[w].disk->target : "?",
                def->disks[i].target ? def->disks[i].target : "?", mine->group_name);
            gold_error_hint(err, "set the limits of all disks of the group together");
            return -1;
        }
    }
    return 0;
}

/* ---- the edit ---- */

static int
value_text(const struct gold_iotune *t, unsigned key, char **ret, struct gold_error **err)
{
    *ret = key < GOLD_IOTUNE_NUMBERS
               ? gold_format(err, "%llu", (unsigned long long)t->value[key])
               : gold_strdup(t->group_name, err);
    return *ret ? 0 : -1;
}

/* Appends <name>value</name>. */
static int
append_element(const struct gold_xml *x, const struct gold_iotune *t, unsigned key,
               struct gold_str *s, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *value = NULL;

    if (value_text(t, key, &value, err) < 0)
        return -1;
    gold_str_printf(s, "<%s>", gold_iotune_name(key));
    gold_xml_append_escaped(x, s, value);
    gold_str_printf(s, "</%s>", gold_iotune_name(key));
    return 0;
}

/* Appends all wanted children, each on a line of its own unless the style is in the row. */
static int
append_children(const struct edit *e, const struct gold_xml_style *style, const char *indent,
                struct gold_str *s, struct gold_error **err)
{
    bool first = true;

    for (unsigned key = 0; key <= GOLD_IOTUNE_NUMBERS; key++) {
        if (!wants(e->wish, key))
            continue;
        if (!first && indent)
            gold_str_printf(s, "%s%s", style->eol, indent);
        first = false;
        if (append_element(e->x, e->wish, key, s, err) < 0)
            return -1;
    }
    return gold_str_finish(s, "<iotune>", err);
}

/* The last of the elements that libvirt writes before <iotune>. */
static const xmlNode *
place_in_disk(const xmlNode *disk)
{
    static const char *const before[] = {"driver",       "auth",          "source",
                                         "backingStore", "backenddomain", "geometry",
                                         "blockio",      "mirror",        "target"};
    const xmlNode *last = NULL;

    for (const xmlNode *c = gold_xml_child(disk, NULL); c; c = gold_xml_next(c, NULL)) {
        for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
            if (gold_xml_is(c, before[i]))
                last = c;
        }
    }
    return last;
}

static int
add_iotune(const struct edit *e, struct gold_error **err)
{
    GOLD_CLEANUP_XML_STYLE struct gold_xml_style style = {0};
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *inner = NULL;

    if (gold_xml_child_style(e->x, e->disk, &style, err) < 0)
        return -1;
    gold_str_append(&s, "<iotune>");
    if (style.indent) {
        inner = gold_format(err, "%s%s", style.indent, style.unit);
        if (!inner)
            return -1;
        gold_str_printf(&s, "%s%s", style.eol, inner);
    }
    if (append_children(e, &style, inner, &s, err) < 0)
        return -1;
    if (style.indent)
        gold_str_printf(&s, "%s%s", style.eol, style.indent);
    gold_str_append(&s, "</iotune>");
    if (gold_str_finish(&s, "<iotune>", err) < 0)
        return -1;
    return gold_xml_insert(e->x, e->disk, place_in_disk(e->disk), NULL, gold_str_text(&s),
                           e->patch, err);
}

static int
drop_iotune(const struct edit *e, struct gold_error **err)
{
    for (const xmlNode *i = gold_xml_child(e->disk, "iotune"); i;
         i = gold_xml_next(i, "iotune")) {
        if (gold_xml_delete(e->x, i, e->patch, err) < 0)
            return -1;
    }
    return 0;
}

static bool
same_value(const struct gold_iotune *a, const struct gold_iotune *b, unsigned key)
{
    return key < GOLD_IOTUNE_NUMBERS ? a->value[key] == b->value[key]
                                     : gold_streq(a->group_name, b->group_name);
}

/* Replaces the values of children that stay, removes the others and any copies. */
static int
edit_child(struct edit *e, const xmlNode *c, const struct gold_iotune *now,
           struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *value = NULL;
    int key = gold_domain_iotune_key(c);

    if (key < 0)
        return 0; /* not ours */
    if (e->child[key] || !wants(e->wish, (unsigned)key))
        return gold_xml_delete(e->x, c, e->patch, err);
    e->child[key] = c;
    if (same_value(now, e->wish, (unsigned)key))
        return 0;
    /* An attribute such as unit='MiB' means nothing to libvirt and would now lie. */
    if (value_text(e->wish, (unsigned)key, &value, err) < 0 ||
        gold_xml_drop_attributes(e->x, c, e->patch, err) < 0)
        return -1;
    return gold_xml_set_text(e->x, c, value, e->patch, err);
}

/* A new child goes behind its nearest predecessor that stays, else before its nearest
 * successor. */
static int
add_child(const struct edit *e, unsigned key, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    const xmlNode *after = NULL, *before = NULL;

    for (unsigned k = 0; k < key; k++)
        after = e->child[k] ? e->child[k] : after;
    for (unsigned k = GOLD_IOTUNE_NUMBERS + 1; k-- > key + 1;)
        before = e->child[k] ? e->child[k] : before;
    if (append_element(e->x, e->wish, key, &s, err) < 0 ||
        gold_str_finish(&s, "<iotune>", err) < 0)
        return -1;
    return gold_xml_insert(e->x, NULL, after, before, gold_str_text(&s), e->patch, err);
}

static int
change_iotune(struct edit *e, const xmlNode *iotune, const struct gold_iotune *now,
              struct gold_error **err)
{
    bool kept = false;

    for (const xmlNode *i = iotune; i; i = gold_xml_next(i, "iotune")) {
        for (const xmlNode *c = gold_xml_child(i, NULL); c; c = gold_xml_next(c, NULL)) {
            if (edit_child(e, c, now, err) < 0)
                return -1;
        }
    }
    for (unsigned key = 0; key <= GOLD_IOTUNE_NUMBERS; key++)
        kept = kept || e->child[key];
    if (kept) {
        for (unsigned key = 0; key <= GOLD_IOTUNE_NUMBERS; key++) {
            if (wants(e->wish, key) && !e->child[key] && add_child(e, key, err) < 0)
                return -1;
        }
        return 0;
    }

    GOLD_CLEANUP_XML_STYLE struct gold_xml_style style = {0};
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    if (gold_xml_child_style(e->x, iotune, &style, err) < 0 ||
        append_children(e, &style, style.indent, &s, err) < 0)
        return -1;
    return gold_xml_insert(e->x, iotune, NULL, NULL, gold_str_text(&s), e->patch, err);
}

static int
set_one(const struct gold_xml *x, const xmlNode *disk, const struct gold_iotune *wish,
        struct gold_patch *patch, struct gold_error **err)
{
    struct gold_iotune now = {0};
    struct edit e = {.x = x, .disk = disk, .wish = wish, .patch = patch};
    const xmlNode *iotune = gold_xml_child(disk, "iotune");
    int r;

    if (gold_domain_read_iotune(disk, &now, err) < 0)
        return -1;
    if (gold_iotune_equal(&now, wish) && (iotune == NULL || !gold_iotune_empty(wish)))
        r = 0;
    else if (gold_iotune_empty(wish))
        r = drop_iotune(&e, err);
    else if (!iotune)
        r = add_iotune(&e, err);
    else
        r = change_iotune(&e, iotune, &now, err);
    gold_iotune_done(&now);
    return r;
}

int
gold_domain_set_iotunes(const struct gold_definition *def,
                        const struct gold_iotune_wish *wishes, size_t n,
                        struct gold_patch *patch, struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x =
        gold_domain_open(def->path, def->text, def->text_len, err);

    if (!x)
        return -1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t w = 0; w < n; w++) {
            size_t index = 0;
            if (gold_domain_disk_index(def, wishes[w].disk, &index, err) < 0)
                return -1;
            const xmlNode *e = gold_domain_disk_element(x, index);
            if (!e) {
                gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' no longer has its disk %zu",
                               def->path, index + 1);
                return -1;
            }
            /* First everything is judged, so that a refusal leaves the patch set alone. */
            if ((pass == 0 ? check_disk(e, wishes[w].iotune, err)
                           : set_one(x, e, wishes[w].iotune, patch, err)) < 0) {
                name_disk(&wishes[w], n, err);
                return -1;
            }
        }
        if (pass == 0 && check_groups(def, wishes, n, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_domain_set_iotune(const struct gold_definition *def, const struct gold_disk *disk,
                       const struct gold_iotune *t, struct gold_patch *patch,
                       struct gold_error **err)
{
    const struct gold_iotune_wish wish = {.disk = disk, .iotune = t};

    return gold_domain_set_iotunes(def, &wish, 1, patch, err);
}
