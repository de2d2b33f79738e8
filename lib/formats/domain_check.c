/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings about a libvirt domain definition: what libvirt accepts when the domain is defined
 * and then ignores without a word, or what QEMU refuses when it starts. The images behind the
 * disks are not opened.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "formats/domain_tree.h"

static const struct gold_about about = {
    .name = "definition",
    .heading = "Limits and devices of a libvirt domain are what they seem to be",
    .description =
        "Looks in the definition for what libvirt accepts when the domain is defined and then "
        "ignores "
        "without a word (misspelt, doubled or unit-carrying limits, limits on disks that are "
        "never "
        "throttled), for what QEMU refuses when the domain starts (limits that contradict each "
        "other), "
        "and for legal limits that are seldom meant: very small ones, bursts without a length, "
        "operations without a size.",
    .notes = "The images behind the disks are not opened."};

static const char *const finding_ids[] = {"iotune-unknown-element",
                                          "iotune-attribute",
                                          "iotune-duplicate",
                                          "iotune-not-integer",
                                          "iotune-conflict",
                                          "iotune-ignored",
                                          "iotune-small",
                                          "iotune-bucket",
                                          "iotune-long-burst",
                                          "iotune-iops-size",
                                          "definition-disk-missing",
                                          "definition-duplicate-target",
                                          "definition-boot-order",
                                          "definition-duplicate-mac",
                                          "definition-undeclared-prefix",
                                          NULL};

const struct gold_listing gold_domain_check_listing = {
    .about = &about, .enabled_by_default = true, .finding_ids = finding_ids};

struct check {
    const struct gold_definition *def;
    const struct gold_xml *x;
    struct gold_source_result *src;
    struct gold_error **err;
};

static int report(const struct check *c, const char *id, enum gold_severity severity,
                  unsigned line, const char *fmt, ...) GOLD_PRINTF(5, 6);

static int
report(const struct check *c, const char *id, enum gold_severity severity, unsigned line,
       const char *fmt, ...)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    va_list args;

    va_start(args, fmt);
    gold_str_vprintf(&s, fmt, args);
    va_end(args);
    if (gold_str_finish(&s, "a finding", c->err) < 0)
        return -1;
    struct gold_finding *f = gold_source_add_finding(c->src, id, severity, c->def->path, c->err,
                                                     "%s", gold_str_text(&s));
    if (!f)
        return -1;
    f->line = line;
    f->fix = severity == GOLD_INFO ? GOLD_FIX_NONE : GOLD_FIX_MANUAL;
    return 0;
}

static unsigned
line_of(const struct check *c, const xmlNode *node)
{
    const struct gold_xml_span *span = gold_xml_span_of(c->x, node);
    return span ? span->line : 0;
}

static const char *
target_of(const struct gold_disk *d)
{
    return d->target ? d->target : "?";
}

/* ---- the text of <iotune> ---- */

static int
check_number(const struct check *c, const struct gold_disk *d, const xmlNode *child)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    const char *name = (const char *)child->name;
    uint64_t v;

    if (gold_xml_text(child, &text, c->err) < 0)
        return -1;
    if (!*text)
        return report(c, "iotune-not-integer", GOLD_ERROR, line_of(c, child),
                      "disk '%s': <%s> is empty: libvirt drops it and the disk is not limited",
                      target_of(d), name);
    if (gold_domain_parse_limit(text, &v, NULL) < 0)
        return report(c, "iotune-not-integer", GOLD_ERROR, line_of(c, child),
                      "disk '%s': <%s> is '%s', which is not a whole number", target_of(d),
                      name, text);
    return 0;
}

static int
check_child(const struct check *c, const struct gold_disk *d, const xmlNode *child, bool *seen)
{
    const char *name = (const char *)child->name;
    int key = gold_domain_iotune_key(child);

    if (key < 0)
        return report(c, "iotune-unknown-element", GOLD_ERROR, line_of(c, child),
                      "disk '%s': libvirt does not know <%s> in <iotune> and drops it",
                      target_of(d), name);
    if (seen[key])
        return report(c, "iotune-duplicate", GOLD_ERROR, line_of(c, child),
                      "disk '%s': <%s> stands there twice; libvirt takes the first",
                      target_of(d), name);
    seen[key] = true;
    if (child->properties &&
        report(c, "iotune-attribute", GOLD_ERROR, line_of(c, child),
               "disk '%s': libvirt ignores the attribute '%s' of <%s>; the value counts in "
               "bytes or operations",
               target_of(d), (const char *)child->properties->name, name) < 0)
        return -1;
    return key < GOLD_IOTUNE_NUMBERS ? check_number(c, d, child) : 0;
}

static int
check_text(const struct check *c, const struct gold_disk *d, const xmlNode *disk)
{
    bool seen[GOLD_IOTUNE_NUMBERS + 1] = {false};

    for (const xmlNode *i = gold_xml_child(disk, "iotune"); i; i = gold_xml_next(i, "iotune")) {
        for (const xmlNode *child = gold_xml_child(i, NULL); child;
             child = gold_xml_next(child, NULL)) {
            if (check_child(c, d, child, seen) < 0)
                return -1;
        }
    }
    return 0;
}

/* ---- the values ---- */

static bool
has_values(const struct gold_iotune *t)
{
    for (unsigned i = 0; i < GOLD_IOTUNE_NUMBERS; i++) {
        if (t->value[i] > 0)
            return true;
    }
    return false;
}

/* The first disk of the group that says what its limits are. */
static const struct gold_disk *
group_leader(const struct gold_definition *def, const char *group)
{
    for (size_t i = 0; i < def->n_disks; i++) {
        const struct gold_iotune *t = &def->disks[i].iotune;
        if (gold_streq(t->group_name, group) && has_values(t))
            return &def->disks[i];
    }
    return NULL;
}

static int
check_rules(const struct check *c, const struct gold_disk *d, const xmlNode *disk,
            unsigned line)
{
    const struct gold_iotune *t = &d->iotune;
    GOLD_CLEANUP_ERROR struct gold_error *refusal = NULL;
    const struct gold_disk *leader = t->group_name ? group_leader(c->def, t->group_name) : NULL;

    if (gold_xml_child(disk, "throttlefilters") &&
        report(c, "iotune-conflict", GOLD_ERROR, line,
               "disk '%s': <iotune> and <throttlefilters> cannot be used at the same time",
               target_of(d)) < 0)
        return -1;
    if (leader && leader != d && has_values(t) && !gold_iotune_equal(t, &leader->iotune))
        return report(c, "iotune-conflict", GOLD_ERROR, line,
                      "disks '%s' and '%s' are in group '%s' but have different limits",
                      target_of(leader), target_of(d), t->group_name);
    if (leader && !has_values(t))
        return 0; /* it takes part in the group as it is */
    if (gold_iotune_check(t, &refusal) < 0) {
        if (gold_error_code(refusal) == GOLD_ERROR_NOMEM) {
            gold_error_move(c->err, &refusal);
            return -1;
        }
        return report(c, "iotune-conflict", GOLD_ERROR, line, "disk '%s': %s", target_of(d),
                      gold_error_message(refusal));
    }
    return 0;
}

static int
check_sense(const struct check *c, const struct gold_disk *d, unsigned line)
{
    const struct gold_iotune *t = &d->iotune;

    for (unsigned base = 0; base <= GOLD_WRITE_IOPS_SEC; base++) {
        const char *name = gold_iotune_name(base);
        if (gold_iotune_small(t, base) &&
            report(c, "iotune-small", GOLD_WARNING, line,
                   "disk '%s': %s is %llu, so low that a guest may hang", target_of(d), name,
                   (unsigned long long)t->value[base]) < 0)
            return -1;
        if (gold_iotune_bucket(t, base) && report(c, "iotune-bucket", GOLD_WARNING, line,
                                                  "disk '%s': %s_max without %s_max_length is "
                                                  "an amount that passes at once, not a rate",
                                                  target_of(d), name, name) < 0)
            return -1;
        if (gold_iotune_long_burst(t, base) &&
            report(c, "iotune-long-burst", GOLD_WARNING, line,
                   "disk '%s': %s_max_length is longer than an hour", target_of(d), name) < 0)
            return -1;
    }
    if (gold_iotune_unsized(t))
        return report(c, "iotune-iops-size", GOLD_WARNING, line,
                      "disk '%s': operations are limited without size_iops_sec or a limit of "
                      "bytes: one large request "
                      "counts as one operation",
                      target_of(d));
    return 0;
}

static int
check_disk_iotune(const struct check *c, const struct gold_disk *d, const xmlNode *disk)
{
    const xmlNode *iotune = gold_xml_child(disk, "iotune");

    if (!iotune)
        return 0;
    unsigned line = line_of(c, iotune);
    const char *why = gold_domain_unthrottled(disk);
    if (why)
        return report(c, "iotune-ignored", GOLD_ERROR, line,
                      "disk '%s': its limits do not hold: %s", target_of(d), why);
    if (gold_streq(d->device, "cdrom") && !d->source &&
        report(c, "iotune-ignored", GOLD_WARNING, line,
               "disk '%s' is an empty drive: nothing is limited", target_of(d)) < 0)
        return -1;
    if (check_text(c, d, disk) < 0 || check_rules(c, d, disk, line) < 0)
        return -1;
    return check_sense(c, d, line);
}

/* <iotune> anywhere but in a disk; <metadata> may hold what it likes. */
static int
check_strays(const struct check *c, const xmlNode *node, bool in_devices)
{
    for (const xmlNode *e = gold_xml_child(node, NULL); e; e = gold_xml_next(e, NULL)) {
        if (gold_xml_is(e, "iotune") &&
            report(c, "iotune-ignored", GOLD_ERROR, line_of(c, e),
                   "libvirt ignores <iotune> in <%s>: only a <disk> can be limited",
                   (const char *)node->name) < 0)
            return -1;
        if (gold_xml_is(e, "metadata") || (in_devices && gold_xml_is(e, "disk"))) {
            /* <disk><driver><iotune/></driver></disk> is a stray; a child of the disk itself is
             * not. */
            for (const xmlNode *s = gold_xml_is(e, "disk") ? gold_xml_child(e, NULL) : NULL; s;
                 s = gold_xml_next(s, NULL)) {
                if (check_strays(c, s, false) < 0)
                    return -1;
            }
            continue;
        }
        if (check_strays(c, e, gold_xml_is(e, "devices")) < 0)
            return -1;
    }
    return 0;
}

/* ---- the rest of the definition ---- */

/* Is the disk's image there? libvirt wants absolute paths; a relative one is looked for beside
 * the definition. */
static int
check_image(const struct check *c, const struct gold_disk *d)
{
    GOLD_CLEANUP_FREE char *dir = NULL;
    GOLD_CLEANUP_FREE char *path = NULL;
    struct stat st;

    if (!d->source || (!gold_streq(d->type, "file") && !gold_streq(d->type, "block")))
        return 0;
    if (d->source[0] != '/') {
        dir = gold_path_dirname(c->def->path, c->err);
        path = dir ? gold_path_join(dir, d->source, c->err) : NULL;
        if (!path)
            return -1;
    }
    if (stat(path ? path : d->source, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
        return 0;
    return report(c, "definition-disk-missing", GOLD_INFO, d->line,
                  "disk '%s': its image '%s' is not there", target_of(d), d->source);
}

static int
check_disks(const struct check *c)
{
    const struct gold_definition *def = c->def;

    for (size_t i = 0; i < def->n_disks; i++) {
        const struct gold_disk *d = &def->disks[i];
        if (check_image(c, d) < 0)
            return -1;
        for (size_t j = 0; j < i; j++) {
            const struct gold_disk *other = &def->disks[j];
            if (d->target && gold_streq(d->target, other->target) &&
                report(c, "definition-duplicate-target", GOLD_ERROR, d->line,
                       "two disks have the target '%s'", d->target) < 0)
                return -1;
            if (d->boot_order && d->boot_order == other->boot_order &&
                report(c, "definition-boot-order", GOLD_ERROR, d->line,
                       "disks '%s' and '%s' have the boot order %u", target_of(other),
                       target_of(d), d->boot_order) < 0)
                return -1;
        }
    }
    return 0;
}

static int
check_boot(const struct check *c)
{
    const xmlNode *boot = gold_xml_child(gold_xml_child(gold_domain_root(c->x), "os"), "boot");

    for (size_t i = 0; boot && i < c->def->n_disks; i++) {
        if (c->def->disks[i].boot_order)
            return report(
                c, "definition-boot-order", GOLD_ERROR, line_of(c, boot),
                "<boot> in <os> cannot be used together with a boot order of disk '%s'",
                target_of(&c->def->disks[i]));
    }
    return 0;
}

static int
check_nics(const struct check *c)
{
    const struct gold_definition *def = c->def;

    for (size_t i = 0; i < def->n_nics; i++) {
        for (size_t j = 0; def->nics[i].mac && j < i; j++) {
            if (gold_streq(def->nics[i].mac, def->nics[j].mac) &&
                report(c, "definition-duplicate-mac", GOLD_WARNING, def->nics[i].line,
                       "two interfaces have the MAC address '%s'", def->nics[i].mac) < 0)
                return -1;
        }
    }
    return 0;
}

/* <qemu:commandline> without its namespace is dropped by libvirt, without a word. */
static int
check_prefixes(const struct check *c)
{
    const xmlNode *root = gold_domain_root(c->x);

    for (const xmlNode *e = gold_xml_child(root, NULL); e; e = gold_xml_next(e, NULL)) {
        if (!e->ns && strchr((const char *)e->name, ':') &&
            report(c, "definition-undeclared-prefix", GOLD_WARNING, line_of(c, e),
                   "the namespace of <%s> is not declared: libvirt drops the element",
                   (const char *)e->name) < 0)
            return -1;
    }
    return 0;
}

int
gold_domain_check(const struct gold_definition *def, struct gold_source_result *src,
                  struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x =
        gold_domain_open(def->path, def->text, def->text_len, err);

    if (!x)
        return -1;
    const struct check c = {.def = def, .x = x, .src = src, .err = err};
    const xmlNode *disk = gold_xml_child(gold_domain_devices(x), "disk");
    for (size_t i = 0; disk && i < def->n_disks; i++, disk = gold_xml_next(disk, "disk")) {
        if (check_disk_iotune(&c, &def->disks[i], disk) < 0)
            return -1;
    }
    if (check_strays(&c, gold_domain_root(x), false) < 0 || check_disks(&c) < 0 ||
        check_boot(&c) < 0 || check_nics(&c) < 0)
        return -1;
    return check_prefixes(&c);
}
