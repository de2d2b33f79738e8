/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telling sources apart: by what the file starts with, never by its name. Only what a command
 * can work on passes; everything else is refused by its own name, so that an OVA is not taken
 * for a raw disk.
 */
#include "workflow/target.h"

#include <limits.h>
#include <string.h>

#include "core/io.h"
#include "core/limits.h"

struct magic {
    size_t offset;
    const char *bytes;
    size_t len;
    const char *what, *hint;
};

/* Containers that would pass as raw disks because QEMU's raw format accepts anything. */
static const struct magic containers[] = {
    {257, "ustar", 5, "a tar archive (an OVA package?)",
     "unpack it and name the disk image or the definition"},
    {0, "\x1f\x8b", 2, "gzip-compressed data", "uncompress it first"},
    {0,
     "\xfd"
     "7zXZ",
     5, "xz-compressed data", "uncompress it first"},
    {0, "\x28\xb5\x2f\xfd", 4, "zstd-compressed data", "uncompress it first"},
    {0, "PK\x03\x04", 4, "a zip archive", "unpack it first"},
    {0,
     "\x7f"
     "ELF",
     4, "a program", NULL},
};

static int
refuse_container(const char *source, const char *head, size_t len, struct gold_error **err)
{
    for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
        const struct magic *m = &containers[i];
        if (len < m->offset + m->len || memcmp(head + m->offset, m->bytes, m->len) != 0)
            continue;
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' is %s, not a disk image or a definition", source, m->what);
        if (m->hint)
            gold_error_hint(err, "%s", m->hint);
        return -1;
    }
    return 0;
}

static char *
absolute_path(const char *path, struct gold_error **err)
{
    char *real = realpath(path, NULL);
    if (!real)
        gold_error_set_errno(err, errno, "cannot open '%s'", path);
    return real;
}

static int
add_image(struct gold_target *t, const char *path, const char *format, bool allow_backing,
          const struct gold_disk *disk, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *real = absolute_path(path, err);
    if (!real)
        return -1;
    size_t n = t->n_images;
    struct gold_workset_image *images = realloc(t->images, (n + 1) * sizeof(*images));
    if (!images)
        return gold_error_set_nomem(err);
    t->images = images;
    const struct gold_disk **disks = realloc(t->disks, (n + 1) * sizeof(*disks));
    if (!disks)
        return gold_error_set_nomem(err);
    t->disks = disks;
    if (gold_strv_add(&t->paths, real, err) < 0)
        return -1;
    images[n] = (struct gold_workset_image){
        .path = t->paths.items[n], .rules = {.format = format, .allow_backing = allow_backing}};
    disks[n] = disk;
    t->n_images = n + 1;
    return 0;
}

/* A disk that seal must reach but cannot is an error; others go on without it (check reports it
 * by itself). */
static int
skip_disk(const struct gold_definition *def, const struct gold_disk *disk,
          enum gold_target_use use, const char *why, struct gold_error **err)
{
    if (use == GOLD_TARGET_READ)
        return 0;
    gold_error_set(err, GOLD_ERROR_IO, "%s:%u: disk '%s': %s", def->path, disk->line,
                   disk->target, why);
    gold_error_hint(err, "--images no works on the definition alone");
    return -1;
}

/* A relative source is meant relative to the definition: packages of definition and images get
 * moved about. */
static char *
disk_path(const struct gold_definition *def, const struct gold_disk *disk,
          struct gold_error **err)
{
    if (disk->source[0] == '/')
        return gold_strdup(disk->source, err);
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(def->path, err);
    if (!dir)
        return NULL;
    return gold_path_join(dir, disk->source, err);
}

static int
add_disk(struct gold_target *t, const struct gold_disk *disk,
         const struct gold_image_options *opts, enum gold_target_use use,
         struct gold_error **err)
{
    const struct gold_definition *def = t->definition;
    bool removable = gold_streq(disk->device, "cdrom") || gold_streq(disk->device, "floppy");
    if (removable || disk->readonly)
        return 0;
    if (!disk->source || !gold_streq(disk->type, "file"))
        return skip_disk(def, disk, use, "it is not an image file", err);
    GOLD_CLEANUP_FREE char *path = disk_path(def, disk, err);
    if (!path)
        return -1;
    struct stat st;
    if (stat(path, &st) < 0 && errno == ENOENT && opts->images != GOLD_IMAGES_REQUIRE) {
        GOLD_CLEANUP_FREE char *why = gold_format(err, "its image '%s' does not exist", path);
        return why ? skip_disk(def, disk, use, why, err) : -1;
    }
    /* libvirt takes a disk without a driver type for raw, whatever the file starts with. */
    const char *format = disk->format ? disk->format : "raw";
    if (add_image(t, path, format, opts->allow_backing, disk, err) < 0) {
        gold_error_prefix(err, "%s:%u: disk '%s'", def->path, disk->line, disk->target);
        return -1;
    }
    return 0;
}

static int
open_definition(struct gold_target *t, const struct gold_image_options *opts,
                enum gold_target_use use, struct gold_error **err)
{
    t->definition = gold_domain_read(t->source, err);
    if (!t->definition)
        return -1;
    if (opts->images == GOLD_IMAGES_NO)
        return 0;
    if (t->definition->n_disks > GOLD_LIMIT_DISKS) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' has more than %d disks", t->source,
                       GOLD_LIMIT_DISKS);
        return -1;
    }
    for (size_t i = 0; i < t->definition->n_disks; i++)
        if (add_disk(t, &t->definition->disks[i], opts, use, err) < 0)
            return -1;
    return 0;
}

int
gold_target_open(struct gold_context *ctx, const char *source,
                 const struct gold_image_options *opts, enum gold_target_use use,
                 struct gold_target *ret, struct gold_source_result *src,
                 struct gold_error **err)
{
    GOLD_CLEANUP_TARGET struct gold_target t = {.source = source};
    char head[4096];

    (void)ctx;
    if (gold_str_has_prefix(source, "libvirt:")) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s': defined domains are not read by this version", source);
        gold_error_hint(
            err,
            "write its definition to a file: virsh dumpxml --inactive --security-info NAME");
        return -1;
    }
    GOLD_CLEANUP_FD int fd = gold_open_regular(source, NULL, err);
    if (fd < 0)
        return -1;
    ssize_t len = gold_pread_full(fd, head, sizeof(head), 0);
    if (len < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", source);
        return -1;
    }
    if (!opts->format && len > 0 && gold_domain_probe(head, (size_t)len)) {
        if (gold_str_replace(&src->kind, "definition", err) < 0 ||
            open_definition(&t, opts, use, err) < 0)
            return -1;
    } else {
        if (!opts->format && refuse_container(source, head, (size_t)len, err) < 0)
            return -1;
        if (gold_str_replace(&src->kind, "image", err) < 0 ||
            add_image(&t, source, opts->format, opts->allow_backing, NULL, err) < 0)
            return -1;
    }
    *ret = t;
    t = (struct gold_target){0};
    return 0;
}

void
gold_target_done(struct gold_target *t)
{
    gold_definition_free(t->definition);
    gold_strv_done(&t->paths);
    free(t->images);
    free(t->disks);
    *t = (struct gold_target){0};
}

int
gold_target_session_disks(const struct gold_workset *ws, bool readonly,
                          struct gold_session_disk **ret, struct gold_error **err)
{
    size_t n = gold_workset_count(ws);
    struct gold_session_disk *disks = calloc(n ? n : 1, sizeof(*disks));
    if (!disks)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < n; i++)
        disks[i] = (struct gold_session_disk){
            .path = gold_workset_overlay(ws, i), .format = "qcow2", .readonly = readonly};
    *ret = disks;
    return 0;
}
