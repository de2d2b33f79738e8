/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replaces the names that a kernel gives to disks in the order in which it finds them
 * ("/dev/vda1") by UUIDs, so that a clone boots on another bus or with another order of disks.
 * A name that cannot be resolved for sure is left and reported. Does not touch LVM, md, device
 * mapper, optical and floppy names, nor an initramfs.
 */
#include <string.h>

#include "guest/bootconf.h"
#include "guest/devname.h"
#include "guest/operations.h"
#include "guest/stores.h"

enum purpose { PURPOSE_COUNT, PURPOSE_RUN, PURPOSE_VERIFY };

struct walk {
    enum purpose purpose;
    struct gold_devmap map;
    bool initramfs; /* one is there, to look for UUIDs before the root is mounted */
    size_t hits;
    /* of the file in hand: */
    const char *path;
    struct gold_text_edits edits;
    struct gold_str detail;
};

static void
walk_done(struct walk *w)
{
    gold_devmap_done(&w->map);
    gold_text_edits_done(&w->edits);
    gold_str_done(&w->detail);
}
#define CLEANUP_WALK GOLD_CLEANUP(walk_done)

/* One place where a device is named. */
struct place {
    struct gold_span name;
    enum gold_devuse use;
    const char *type; /* of fstab */
    bool partuuid_only;
    bool optional; /* the boot goes on without it */
};

static int
report(struct gold_scene *sc, const struct walk *w, const struct place *p, const char *name,
       const char *reference, const char *why, struct gold_error **err)
{
    if (reference)
        return gold_scene_find(
            sc, "kernel-device-names", GOLD_ERROR, GOLD_FIX_SAFE, w->path, p->name.line, name,
            err, "'%s' depends on the bus and the order of the disks; %s does not", name,
            reference);
    return gold_scene_find(sc, "kernel-device-names", p->optional ? GOLD_WARNING : GOLD_ERROR,
                           GOLD_FIX_MANUAL, w->path, p->name.line, name, err,
                           "'%s' depends on the bus and the order of the disks, and cannot be "
                           "replaced for sure: %s",
                           name, why);
}

static int
visit(struct gold_scene *sc, struct walk *w, const char *text, const struct place *p,
      struct gold_error **err)
{
    struct gold_devname name;
    const char *why = NULL;
    if (!gold_devname_parse(text + p->name.offset, p->name.len, &name))
        return 0;
    w->hits++;
    if (w->purpose == PURPOSE_COUNT)
        return 0;
    GOLD_CLEANUP_FREE char *reference = NULL;
    GOLD_CLEANUP_FREE char *copy = gold_strndup(text + p->name.offset, p->name.len, err);
    if (!copy || gold_devmap_resolve(&w->map, &name, p->use, p->type, p->partuuid_only,
                                     &reference, &why, err) < 0)
        return -1;
    if (w->purpose == PURPOSE_VERIFY)
        return report(sc, w, p, copy, reference, why, err);
    if (!reference)
        return 0;
    gold_str_printf(&w->detail, "%s%s -> %s", w->detail.len > 0 ? ", " : "", copy, reference);
    return gold_text_edits_add(&w->edits, p->name.offset, p->name.len, reference, err);
}

/* Begins and ends a file. */
static void
begin(struct walk *w, const char *path)
{
    gold_text_edits_done(&w->edits);
    gold_str_clear(&w->detail);
    w->path = path;
}

static int
fstab_line(struct gold_scene *sc, struct walk *w, const char *text, const struct gold_fields *f,
           struct gold_error **err)
{
    if (f->n < 3)
        return 0;
    GOLD_CLEANUP_FREE char *type = gold_strndup(text + f->f[2].offset, f->f[2].len, err);
    if (!type)
        return -1;
    struct place p = {.name = f->f[0], .use = GOLD_DEVUSE_FS, .type = type};
    if (gold_span_is(text, &f->f[1], "/"))
        p.use = GOLD_DEVUSE_ROOT;
    else if (gold_streq(type, "swap"))
        p.use = GOLD_DEVUSE_SWAP;
    if (f->n > 3)
        p.optional = gold_options_have(text, &f->f[3], "nofail") ||
                     gold_options_have(text, &f->f[3], "noauto");
    return visit(sc, w, text, &p, err);
}

static int
crypttab_line(struct gold_scene *sc, struct walk *w, const char *text,
              const struct gold_fields *f, struct gold_error **err)
{
    if (f->n < 2)
        return 0;
    /* With a key that is thrown away the device is written anew at each boot, any UUID on it
     * with it. */
    bool plain = f->n > 2 && (gold_span_is(text, &f->f[2], "/dev/urandom") ||
                              gold_span_is(text, &f->f[2], "/dev/random"));
    struct place p = {.name = f->f[1]};
    if (f->n > 3) {
        const struct gold_span *o = &f->f[3];
        plain |= gold_options_have(text, o, "plain") || gold_options_have(text, o, "swap") ||
                 gold_options_have(text, o, "tmp");
        p.optional =
            gold_options_have(text, o, "nofail") || gold_options_have(text, o, "noauto");
    }
    p.use = plain ? GOLD_DEVUSE_PLAIN : GOLD_DEVUSE_LUKS;
    return visit(sc, w, text, &p, err);
}

typedef int line_fn(struct gold_scene *sc, struct walk *w, const char *text,
                    const struct gold_fields *f, struct gold_error **err);

static int
table(struct gold_scene *sc, struct walk *w, const char *path, line_fn *fn,
      struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL, *edited = NULL;
    size_t len = 0, edited_len;
    struct gold_lines lines = {0};
    struct gold_fields f;
    if (gold_scene_read(sc, path, &text, &len, err) < 0)
        return -1;
    if (!text)
        return 0;
    begin(w, path);
    while (gold_fields_next(text, len, &lines, &f))
        if (fn(sc, w, text, &f, err) < 0)
            return -1;
    if (w->edits.n == 0)
        return 0;
    edited = gold_text_edits_apply(&w->edits, text, len, &edited_len, err);
    if (!edited || gold_str_finish(&w->detail, "effect", err) < 0)
        return -1;
    return gold_scene_rewrite(sc, path, edited, edited_len, "edited", gold_str_text(&w->detail),
                              err);
}

/* Parameters that name a device, and what stands behind the name in them. */
static const struct {
    const char *key;
    enum gold_devuse use;
    char end; /* of the name within the value */
} device_keys[] = {
    {"root", GOLD_DEVUSE_ROOT, 0},      {"resume", GOLD_DEVUSE_SWAP, 0},
    {"RESUME", GOLD_DEVUSE_SWAP, 0},    {"mount.usr", GOLD_DEVUSE_FS, 0},
    {"cryptroot", GOLD_DEVUSE_LUKS, 0}, {"cryptdevice", GOLD_DEVUSE_LUKS, ':'},
};

static bool
find_place(const char *text, const struct gold_span *param, struct place *ret)
{
    for (size_t i = 0; i < sizeof(device_keys) / sizeof(device_keys[0]); i++) {
        struct gold_span value;
        if (!gold_cmdline_value(text, param, device_keys[i].key, &value))
            continue;
        const char *end = device_keys[i].end
                              ? memchr(text + value.offset, device_keys[i].end, value.len)
                              : NULL;
        if (end)
            value.len = (size_t)(end - text) - value.offset;
        *ret = (struct place){.name = value, .use = device_keys[i].use};
        return true;
    }
    return false;
}

static int
boot_file(struct gold_scene *sc, const struct gold_bootconf *file, void *opaque,
          struct gold_error **err)
{
    struct walk *w = opaque;
    begin(w, file->path);
    for (size_t i = 0; i < file->params->n; i++) {
        struct place p;
        if (!find_place(file->text, &file->params->items[i], &p))
            continue;
        p.partuuid_only = !w->initramfs;
        if (visit(sc, w, file->text, &p, err) < 0)
            return -1;
    }
    if (w->edits.n > 0 && gold_str_finish(&w->detail, "effect", err) < 0)
        return -1;
    return gold_bootconf_write(sc, file, &w->edits, gold_str_text(&w->detail), err);
}

/* The kernel parameter tells what the guest calls its root where fstab does not. */
static int
pin_roots(struct gold_scene *sc, const struct gold_bootconf *file, void *opaque,
          struct gold_error **err)
{
    struct walk *w = opaque;
    (void)sc;
    for (size_t i = 0; i < file->params->n; i++) {
        struct place p;
        struct gold_devname name;
        if (find_place(file->text, &file->params->items[i], &p) && p.use == GOLD_DEVUSE_ROOT &&
            gold_devname_parse(file->text + p.name.offset, p.name.len, &name) &&
            gold_devmap_pin_root(&w->map, &name, err) < 0)
            return -1;
    }
    return 0;
}

static int
find_initramfs(struct gold_scene *sc, bool *ret, struct gold_error **err)
{
    static const char *const patterns[] = {"/boot/init*", "/boot/*/initrd*",
                                           "/boot/*/*/initrd*", "/boot/efi/*/*/initrd*",
                                           "/efi/*/*/initrd*"};
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    if (gold_scene_glob_all(sc, patterns, sizeof(patterns) / sizeof(patterns[0]), &paths, err) <
        0)
        return -1;
    *ret = paths.n > 0;
    return 0;
}

static int
walk_all(struct gold_scene *sc, enum purpose purpose, size_t *ret_hits, struct gold_error **err)
{
    CLEANUP_WALK struct walk w = {.purpose = purpose};
    GOLD_CLEANUP_FREE char *fstab = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, "/etc/fstab", &fstab, &len, err) < 0 ||
        gold_devmap_init(&w.map, sc->guest, sc->root, fstab, len, err) < 0 ||
        gold_bootconf_each(sc, pin_roots, &w, err) < 0 ||
        find_initramfs(sc, &w.initramfs, err) < 0)
        return -1;
    if (table(sc, &w, "/etc/fstab", fstab_line, err) < 0 ||
        table(sc, &w, "/etc/crypttab", crypttab_line, err) < 0 ||
        gold_bootconf_each(sc, boot_file, &w, err) < 0)
        return -1;
    if (ret_hits)
        *ret_hits = w.hits;
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    size_t hits;
    if (walk_all(sc, PURPOSE_COUNT, &hits, err) < 0)
        return -1;
    if (hits > 0)
        return 1;
    *ret_reason = gold_strdup("no disk is named by its place", err);
    return *ret_reason ? 0 : -1;
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    return walk_all(sc, PURPOSE_RUN, NULL, err);
}

/* update-grub would write names again. */
static int
report_grub_habit(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    struct gold_lines lines = {0};
    struct gold_span line;
    if (gold_scene_read(sc, "/etc/default/grub", &text, &len, err) < 0)
        return -1;
    while (text && gold_lines_next(text, len, &lines, &line)) {
        line = gold_span_trim(text, line);
        if (!gold_span_is(text, &line, "GRUB_DISABLE_LINUX_UUID=true") &&
            !gold_span_is(text, &line, "GRUB_DISABLE_LINUX_UUID=\"true\""))
            continue;
        if (gold_scene_find(
                sc, "kernel-device-names", GOLD_WARNING, GOLD_FIX_MANUAL, "/etc/default/grub",
                line.line, "GRUB_DISABLE_LINUX_UUID=true", err,
                "the next update of the boot configuration names the root by its place again") <
            0)
            return -1;
    }
    return 0;
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    if (walk_all(sc, PURPOSE_VERIFY, NULL, err) < 0)
        return -1;
    return report_grub_habit(sc, err);
}

static const char *const finding_ids[] = {"kernel-device-names", NULL};

const struct gold_operation gold_operation_kernel_device_names = {
    .about = {.name = "kernel-device-names",
              .heading = "Name disks by UUID instead of by their place",
              .description = "Replaces names such as /dev/sda1 or /dev/vda2 in fstab, in "
                             "crypttab and in the boot configuration\n"
                             "(root=, resume= and their like) by UUID=, or by PARTUUID= where "
                             "the file system has none or where\n"
                             "no initramfs would look for it. Everything else in these files "
                             "stays byte for byte.",
              .notes = "With several disks a name is replaced only when one file system alone "
                       "can be meant; otherwise it\n"
                       "stays and is reported."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
