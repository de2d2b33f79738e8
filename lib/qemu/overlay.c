/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* New image files made by qemu-img: overlays and copies. Nothing here overwrites a file that
 * was there before. */
#include "qemu/image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/str.h"
#include "qemu/qemu_img.h"

#define CREATE_TIMEOUT_MS 60000

/* qemu-img would overwrite; so the name is taken first, readable for nobody else until we know
 * better. */
static int
reserve(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd >= 0)
        return 0;
    gold_error_set_errno(err, errno, "cannot create '%s'", path);
    return -1;
}

/* Whoever may read the base may read the overlay, as a clone's QEMU under another user must.
 * Not vital. */
static void
copy_access(const char *from, const char *to)
{
    struct stat st;

    if (stat(from, &st) < 0)
        return;
    if (chown(to, st.st_uid, st.st_gid) < 0 && chown(to, (uid_t)-1, st.st_gid) < 0)
        return; /* another owner with the base's mode could be more open than the base */
    (void)chmod(to, (st.st_mode & 0666) | 0600);
}

/* A base beside the overlay is named relatively, so that the pair can be moved while a commit
   is unfinished. The
   "./" keeps a colon in the name from being taken for a protocol. */
static int
backing_name(const char *overlay, const char *base, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *a = gold_path_dirname(overlay, err);
    if (!a)
        return -1;
    GOLD_CLEANUP_FREE char *b = gold_path_dirname(base, err);
    if (!b)
        return -1;
    if (gold_streq(a, b))
        *ret = gold_format(err, "./%s", gold_path_basename(base));
    else
        *ret = gold_strdup(base, err);
    return *ret ? 0 : -1;
}

int
gold_overlay_create(struct gold_context *ctx, const char *overlay, const char *base,
                    enum gold_image_format base_format, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *backing = NULL;

    if (overlay[0] != '/' || base[0] != '/') {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' over '%s': not absolute paths", overlay,
                       base);
        return -1;
    }
    if (backing_name(overlay, base, &backing, err) < 0 || reserve(overlay, err) < 0)
        return -1;
    const char *argv[] = {
        "qemu-img", "create", "-q",    "-f", "qcow2", "-F", gold_image_format_name(base_format),
        "-b",       backing,  overlay, NULL};
    if (gold_qemu_img(ctx, argv, CREATE_TIMEOUT_MS, "create an overlay of", base, err) < 0) {
        (void)unlink(overlay);
        return -1;
    }
    copy_access(base, overlay);
    return 0;
}

int
gold_image_convert(struct gold_context *ctx, const char *source,
                   enum gold_image_format source_format, const char *target,
                   enum gold_image_format format, struct gold_error **err)
{
    const char *argv[] = {"qemu-img",
                          "convert",
                          "-q",
                          "-f",
                          gold_image_format_name(source_format),
                          "-O",
                          gold_image_format_name(format),
                          source,
                          target,
                          NULL};

    if (source[0] != '/' || target[0] != '/') {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' to '%s': not absolute paths", source,
                       target);
        return -1;
    }
    if (reserve(target, err) < 0)
        return -1;
    if (gold_qemu_img(ctx, argv, 0, "write", target, err) < 0) {
        (void)unlink(target);
        return -1;
    }
    return 0;
}
