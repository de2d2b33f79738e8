/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a crashed run left beside an image is completed or taken back here, before anything else
 * opens the image; and the small steps that commit and recovery share.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

#include "core/io.h"
#include "core/str.h"
#include "core/vec.h"
#include "qemu/image_internal.h"
#include "qemu/lock.h"
#include "qemu/qemu_img.h"
#include "qemu/workset_internal.h"

#define REBASE_TIMEOUT_MS  60000
#define OVERLAY_HEAD_BYTES (64 * 1024)

char *
gold_beside(const char *image, const char *suffix, struct gold_error **err)
{
    const char *name = gold_path_basename(image);

    return gold_format(err, "%.*s.%s%s", (int)(name - image), image, name, suffix);
}

char *
gold_work_name(const char *image, const char *suffix, struct gold_error **err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[10];
    char random[sizeof(bytes) + 1] = {0};

    if (getentropy(bytes, sizeof(bytes)) < 0) {
        gold_error_set_errno(err, errno, "cannot get random bytes");
        return NULL;
    }
    for (size_t i = 0; i < sizeof(bytes); i++)
        random[i] = letters[bytes[i] % 32];
    GOLD_CLEANUP_FREE char *tail = gold_format(err, GOLD_WORK_INFIX "%s%s", random, suffix);
    return tail ? gold_beside(image, tail, err) : NULL;
}

int
gold_fsync_path(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd >= 0 && fsync(fd) == 0)
        return 0;
    gold_error_set_errno(err, errno, "cannot sync '%s'", path);
    return -1;
}

int
gold_overlay_commit(const char *overlay, const char *image, struct gold_error **err)
{
    /* -d: the overlay is not emptied. Until the very end it is what makes the state whole. */
    const char *argv[] = {"qemu-img", "commit", "-q", "-d", "-f", "qcow2", overlay, NULL};

    /* A qemu-img of a run that was killed a moment ago may still hold a lock, on the image or
     * on the overlay, while it dies.
     */
    for (int waited = 0;; waited += GOLD_LOCK_RETRY_MS) {
        GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;

        if (gold_qemu_img(NULL, argv, 0, "commit into", image, &failure) == 0)
            return 0;
        if (gold_error_code(failure) != GOLD_ERROR_BUSY || waited >= GOLD_RECOVER_WAIT_MS) {
            gold_error_move(err, &failure);
            return -1;
        }
        (void)poll(NULL, 0, GOLD_LOCK_RETRY_MS);
    }
}

int
gold_overlay_point_at(const struct gold_workset_disk *disk, const char *backing,
                      struct gold_error **err)
{
    const char *format = gold_image_format_name(disk->facts.format);
    const char *argv[] = {"qemu-img", "rebase", "-q", "-u",    "-f",          "qcow2",
                          "-F",       format,   "-b", backing, disk->overlay, NULL};

    if (gold_qemu_img(NULL, argv, REBASE_TIMEOUT_MS, "prepare the commit of", disk->path, err) <
        0)
        return -1;
    if (fsync(disk->overlay_fd) < 0) {
        gold_error_set_errno(err, errno, "cannot sync '%s'", disk->overlay);
        return -1;
    }
    return 0;
}

void
gold_repair(struct gold_context *ctx, const char *path, enum gold_image_format format,
            const char *mode)
{
    const char *argv[] = {
        "qemu-img", "check", "-q", "-r", mode, "-f", gold_image_format_name(format),
        path,       NULL};
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;

    if (gold_qemu_img(NULL, argv, 0, "repair", path, &failure) < 0)
        gold_warning(ctx, "%s, ignoring", gold_error_message(failure));
}

int
gold_overlay_has_backing(const char *path, const char *backing, bool *ret,
                         struct gold_error **err)
{
    GOLD_CLEANUP_IMAGE_FACTS struct gold_image_facts facts = {0};
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
    struct stat st;
    GOLD_CLEANUP_FD int fd = gold_open_regular(path, &st, err);

    if (fd < 0)
        return -1;
    *ret = gold_image_facts_from_fd(fd, path, (uint64_t)st.st_size, OVERLAY_HEAD_BYTES,
                                    GOLD_IMAGE_QCOW2, &facts, &failure) == 0 &&
           gold_streq(facts.backing_file, backing) && !facts.data_file;
    return 0;
}

/* The .NAME.gold-* of this image. A directory that cannot be listed has none that we could
 * remove. */
static int
list_stale(const char *image, struct gold_strv *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(image, err);
    GOLD_CLEANUP_FREE char *prefix =
        gold_format(err, ".%s" GOLD_WORK_INFIX, gold_path_basename(image));

    if (!dir || !prefix)
        return -1;
    GOLD_CLEANUP_DIR DIR *d = opendir(dir);
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        if (!gold_str_has_prefix(e->d_name, prefix))
            continue;
        GOLD_CLEANUP_FREE char *path = gold_path_join(dir, e->d_name, err);
        if (!path || gold_strv_add(ret, path, err) < 0)
            return -1;
    }
    return 0;
}

/* Somebody who works on the image holds it exclusively; when nobody does, its work files are
 * orphans. */
static void
sweep_stale(struct gold_context *ctx, const char *image, const struct gold_strv *stale,
            bool *ret_done)
{
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
    GOLD_CLEANUP_FD int image_fd = open(image, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (image_fd < 0 || gold_lock_take_over(image_fd, image, 0, &failure) < 0)
        return;
    for (size_t i = 0; i < stale->n; i++) {
        GOLD_CLEANUP_ERROR struct gold_error *used = NULL;
        GOLD_CLEANUP_FD int fd =
            open(stale->items[i], O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0 || gold_lock_probe(fd, stale->items[i], GOLD_LOCK_WRITE, &used) < 0)
            continue;
        if (unlink(stale->items[i]) == 0) {
            gold_debug(ctx, "removed '%s', left from an interrupted run", stale->items[i]);
            *ret_done = true;
        }
    }
}

static bool
is_there(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0;
}

int
gold_workset_recover(struct gold_context *ctx, const char *image, bool *ret_done,
                     struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv stale = {0};
    GOLD_CLEANUP_FREE char *path = realpath(image, NULL);
    bool done = false;

    if (!path) {
        gold_error_set_errno(err, errno, "cannot open '%s'", image);
        return -1;
    }
    GOLD_CLEANUP_FREE char *base = gold_beside(path, GOLD_BASE_SUFFIX, err);
    GOLD_CLEANUP_FREE char *journal = gold_beside(path, GOLD_JOURNAL_SUFFIX, err);
    if (!base || !journal)
        return -1;
    if (is_there(base)) {
        if (gold_recover_rename(ctx, path, base, err) < 0)
            return -1;
        done = true;
    }
    if (is_there(journal)) {
        if (gold_recover_journal(ctx, path, journal, err) < 0)
            return -1;
        done = true;
    }
    if (list_stale(path, &stale, err) < 0)
        return -1;
    if (stale.n)
        sweep_stale(ctx, path, &stale, &done);
    *ret_done = done;
    return 0;
}
