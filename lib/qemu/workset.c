/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a set of images behind overlays, and giving it up again. How overlays get into the
 * images is in commit_rename.c and journal.c, how a crashed commit is completed in recover.c.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/checked.h"
#include "core/guard.h"
#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "qemu/image_internal.h"
#include "qemu/lock.h"
#include "qemu/workset_internal.h"

/* A guest's own logs and the appliance's changes need some room at least. */
#define LEAST_FREE (64 * GOLD_MIB)

static bool
is_in_place(const struct gold_workset *ws)
{
    return !(ws->flags & (GOLD_WORKSET_READ_ONLY | GOLD_WORKSET_KEEP_SOURCE));
}

void
gold_workset_unguard(struct gold_workset *ws, struct gold_workset_disk *disk)
{
    if (disk->guarded)
        gold_guard_drop_path(ws->ctx, disk->overlay);
    disk->guarded = false;
}

static void
disk_done(struct gold_workset *ws, struct gold_workset_disk *disk)
{
    if (disk->overlay) {
        (void)unlink(disk->overlay);
        gold_workset_unguard(ws, disk);
    }
    gold_close(&disk->overlay_fd);
    gold_close(&disk->fd);
    gold_image_facts_done(&disk->facts);
    free(disk->overlay);
    free(disk->path);
}

void
gold_workset_free(struct gold_workset *ws)
{
    if (!ws)
        return;
    for (size_t i = 0; i < ws->n; i++)
        disk_done(ws, &ws->disks[i]);
    free(ws->disks);
    free(ws);
}

static int
check_single(const struct gold_workset_disk *disk, struct gold_error **err)
{
    if (disk->st.st_nlink <= 1)
        return 0;
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' has %ju names (hard links)", disk->path,
                   (uintmax_t)disk->st.st_nlink);
    gold_error_hint(err,
                    "the other names would not show the change; write to a new file with -o");
    return -1;
}

static int
check_space(const char *path, uint64_t need, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(path, err);
    struct statvfs vfs;
    uint64_t avail;

    if (!dir)
        return -1;
    if (statvfs(dir, &vfs) < 0)
        return 0; /* a hint only; the writes themselves are checked */
    if (!gold_mul_u64(vfs.f_bavail, vfs.f_frsize, &avail) || avail >= need)
        return 0;
    gold_error_set_errno(
        err, ENOSPC, "'%s': %" PRIu64 " MiB are needed beside it, %" PRIu64 " are free", path,
        (uint64_t)((need + GOLD_MIB - 1) / GOLD_MIB), (uint64_t)(avail / GOLD_MIB));
    return -1;
}

/* The longest name that we shall make beside it must be possible, and a journal can only hold
 * UTF-8. */
static int
check_name(const struct gold_workset_disk *disk, struct gold_error **err)
{
    const char *path = disk->path;
    size_t len = strlen(gold_path_basename(path));

    if (disk->facts.format != GOLD_IMAGE_QCOW2 && !gold_utf8_valid(path, strlen(path))) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s': the name is not valid UTF-8", path);
        gold_error_hint(err, "rename it");
        return -1;
    }
    if (len + sizeof(".") + sizeof(GOLD_WORK_INFIX) + 16 + sizeof(".qcow2") <= NAME_MAX)
        return 0;
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s': the name is too long to work beside it",
                   path);
    return -1;
}

static int
check_in_place(const struct gold_workset_disk *disk, struct gold_error **err)
{
    if (gold_image_check_writable(disk->path, &disk->facts, err) < 0 ||
        check_single(disk, err) < 0 || check_name(disk, err) < 0 ||
        gold_image_check_not_backing(disk->path, err) < 0)
        return -1;
    return check_space(disk->path, LEAST_FREE, err);
}

static int
open_disk_file(struct gold_workset *ws, struct gold_workset_disk *disk, struct gold_error **err)
{
    bool write = is_in_place(ws);

    disk->fd =
        open(disk->path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (disk->fd < 0 || fstat(disk->fd, &disk->st) < 0) {
        gold_error_set_errno(err, errno, "cannot open '%s'%s", disk->path,
                             write ? " for writing" : "");
        if (write)
            gold_error_hint(err, "write to a new file with -o");
        return -1;
    }
    return gold_lock_hold(disk->fd, disk->path, write ? GOLD_LOCK_WRITE : GOLD_LOCK_READ, err);
}

/* Overlays that are committed must be on the image's file system; others live and die with this
 * run. */
static int
make_overlay(struct gold_workset *ws, struct gold_workset_disk *disk, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *overlay = NULL, *anchor = NULL;
    const char *run_dir = NULL;

    if (is_in_place(ws)) {
        overlay = gold_work_name(disk->path, ".qcow2", err);
    } else {
        if (gold_context_run_dir(ws->ctx, &run_dir, err) < 0)
            return -1;
        anchor = gold_path_join(run_dir, "image", err);
        overlay = anchor ? gold_work_name(anchor, ".qcow2", err) : NULL;
    }
    if (!overlay)
        return -1;
    /* Registered before it exists: there is no instant at which it can be forgotten. */
    if (gold_guard_add_file(ws->ctx, overlay, err) < 0)
        return -1;
    disk->guarded = true;
    disk->overlay = gold_steal_ptr(&overlay);
    if (gold_overlay_create(ws->ctx, disk->overlay, disk->path, disk->facts.format, err) < 0)
        return -1;
    disk->overlay_fd = open(disk->overlay, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (disk->overlay_fd < 0) {
        gold_error_set_errno(err, errno, "cannot open '%s'", disk->overlay);
        return -1;
    }
    return 0;
}

static int
check_not_twice(const struct gold_workset *ws, size_t i, struct gold_error **err)
{
    for (size_t k = 0; k < i; k++) {
        if (ws->disks[k].st.st_dev != ws->disks[i].st.st_dev ||
            ws->disks[k].st.st_ino != ws->disks[i].st.st_ino)
            continue;
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is given twice", ws->disks[i].path);
        return -1;
    }
    return 0;
}

static int
open_disk(struct gold_workset *ws, size_t i, const struct gold_workset_image *image,
          struct gold_error **err)
{
    struct gold_workset_disk *disk = &ws->disks[i];
    bool completed = false;
    struct stat st;

    if (gold_workset_recover(ws->ctx, image->path, &completed, err) < 0)
        return -1;
    disk->path = realpath(image->path, NULL);
    if (!disk->path) {
        gold_error_set_errno(err, errno, "cannot open '%s'", image->path);
        return -1;
    }
    /* By the name that was given, for messages; refuses what is no regular file before it is
     * opened for writing. */
    if (gold_image_open_facts(image->path, &image->rules, &disk->facts, err) < 0)
        return -1;
    if (is_in_place(ws) && gold_image_check_writable(image->path, &disk->facts, err) < 0)
        return -1;
    if (open_disk_file(ws, disk, err) < 0 || check_not_twice(ws, i, err) < 0 ||
        (is_in_place(ws) && check_in_place(disk, err) < 0))
        return -1;
    if (make_overlay(ws, disk, err) < 0)
        return -1;
    /* The header was read before the lock was taken. */
    if ((uint64_t)disk->st.st_size != disk->facts.file_size || stat(disk->path, &st) < 0 ||
        st.st_ino != disk->st.st_ino || st.st_dev != disk->st.st_dev) {
        gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' changed while it was opened",
                       image->path);
        return -1;
    }
    return 0;
}

struct gold_workset *
gold_workset_open(struct gold_context *ctx, const struct gold_workset_image *images, size_t n,
                  unsigned flags, struct gold_error **err)
{
    if (n == 0 || n > GOLD_LIMIT_DISKS) {
        gold_error_set(err, GOLD_ERROR_USAGE, "%zu images at once; it must be 1 to %d", n,
                       GOLD_LIMIT_DISKS);
        return NULL;
    }
    GOLD_CLEANUP_WORKSET struct gold_workset *ws = calloc(1, sizeof(*ws));
    if (!ws || !(ws->disks = calloc(n, sizeof(*ws->disks)))) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    ws->ctx = ctx;
    ws->flags = flags;
    for (size_t i = 0; i < n; i++) {
        ws->disks[i].fd = ws->disks[i].overlay_fd = -1;
        ws->n = i + 1;
        if (gold_check_cancelled(ctx, err) < 0 || open_disk(ws, i, &images[i], err) < 0)
            return NULL;
    }
    return gold_steal_ptr(&ws);
}

size_t
gold_workset_count(const struct gold_workset *ws)
{
    return ws->n;
}

const char *
gold_workset_image(const struct gold_workset *ws, size_t i)
{
    return ws->disks[i].path;
}

const char *
gold_workset_overlay(const struct gold_workset *ws, size_t i)
{
    return ws->disks[i].overlay;
}

const struct gold_image_facts *
gold_workset_facts(const struct gold_workset *ws, size_t i)
{
    return &ws->disks[i].facts;
}

static bool
same_times(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int
gold_workset_check_unchanged(struct gold_workset *ws, struct gold_error **err)
{
    for (size_t i = 0; i < ws->n; i++) {
        const struct gold_workset_disk *disk = &ws->disks[i];
        struct stat st;
        const char *what = NULL;
        if (lstat(disk->path, &st) < 0)
            what = "is gone";
        else if (st.st_dev != disk->st.st_dev || st.st_ino != disk->st.st_ino)
            what = "was replaced by another file";
        else if (st.st_size != disk->st.st_size || !same_times(&st, &disk->st))
            what = "was changed by somebody else";
        if (!what)
            continue;
        gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' %s while it was worked on", disk->path,
                       what);
        return -1;
    }
    return 0;
}

/* Stored clusters of the overlay may all become new ones in the image. */
static int
check_commit_space(const struct gold_workset *ws, struct gold_error **err)
{
    for (size_t i = 0; i < ws->n; i++) {
        const struct gold_workset_disk *disk = &ws->disks[i];
        struct stat overlay, image;
        if (fstat(disk->overlay_fd, &overlay) < 0 || fstat(disk->fd, &image) < 0) {
            gold_error_set_errno(err, errno, "cannot read '%s'", disk->path);
            return -1;
        }
        uint64_t need = (uint64_t)overlay.st_blocks * 512;
        if (gold_needs_replacement(disk->facts.format)) {
            need += (uint64_t)image.st_blocks * 512; /* it is copied */
        } else if (disk->facts.format == GOLD_IMAGE_RAW) {
            /* A raw image grows by its holes at most. */
            uint64_t stored = (uint64_t)image.st_blocks * 512, size = (uint64_t)image.st_size;
            uint64_t holes = stored < size ? size - stored : 0;
            need = need < holes ? need : holes;
        }
        if (check_space(disk->path, need, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_workset_commit(struct gold_workset *ws, struct gold_error **err)
{
    bool unsupported = true;

    if (!is_in_place(ws)) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is open for reading only",
                       ws->disks[0].path);
        return -1;
    }
    if (gold_check_cancelled(ws->ctx, err) < 0 || check_commit_space(ws, err) < 0 ||
        gold_workset_check_unchanged(ws, err) < 0)
        return -1;
    for (size_t i = 0; i < ws->n; i++) {
        struct gold_workset_disk *disk = &ws->disks[i];
        if (gold_lock_probe(disk->fd, disk->path, GOLD_LOCK_WRITE, err) < 0 ||
            gold_lock_probe(disk->overlay_fd, disk->overlay, GOLD_LOCK_WRITE, err) < 0)
            return -1;
    }
    if (ws->n == 1 && ws->disks[0].facts.format == GOLD_IMAGE_QCOW2) {
        if (gold_commit_by_rename(ws, &ws->disks[0], &unsupported, err) < 0)
            return -1;
        if (!unsupported)
            return 0;
    }
    return gold_commit_by_journal(ws, err);
}
