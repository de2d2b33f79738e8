/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commit of a single qcow2 image. The original gets a second name, .NAME.base; the overlay,
 * made to stand on that name, is renamed onto NAME, and from that instant the path reads as
 * sealed. Then the overlay's clusters are put into the original, which is renamed back: it
 * keeps its inode, owner, mode and attributes.
 *
 * Several images are committed by the journal instead, so that all or none of them are changed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/io.h"
#include "core/str.h"
#include "qemu/image_internal.h"
#include "qemu/lock.h"
#include "qemu/workset_internal.h"

static const char finish_hint[] =
    "'%s' reads as the new state; the next goldsmith command that opens it completes "
    "the commit";

static char *
base_backing_name(const char *image, struct gold_error **err)
{
    return gold_format(err, "./.%s" GOLD_BASE_SUFFIX, gold_path_basename(image));
}

/* While the overlay has the image's name, it should look like the image. Not vital: QEMU's
   users are root or the owner. */
static void
copy_owner(const struct gold_workset_disk *disk)
{
    if (fchown(disk->overlay_fd, disk->st.st_uid, disk->st.st_gid) == 0)
        (void)fchmod(disk->overlay_fd, disk->st.st_mode & 07777);
}

/* Steps after the commit point; recovery runs them again. */
static int
finish(struct gold_context *ctx, const char *image, const char *base, bool again,
       struct gold_error **err)
{
    if (gold_overlay_commit(image, image, err) < 0)
        return -1;
    /* The interrupted attempt may have left clusters that nothing refers to. */
    if (again)
        gold_repair(ctx, base, GOLD_IMAGE_QCOW2, "leaks");
    if (gold_fsync_path(base, err) < 0)
        return -1;
    gold_stop_point("commit.written");
    if (rename(base, image) < 0) {
        gold_error_set_errno(err, errno, "cannot rename '%s' to '%s'", base, image);
        return -1;
    }
    if (gold_fsync_parent(image, err) < 0)
        return -1;
    gold_stop_point("commit.done");
    return 0;
}

static bool
no_hard_links(int errnum)
{
    return errnum == EPERM || errnum == EOPNOTSUPP || errnum == ENOSYS || errnum == EMLINK;
}

/* link and rename; after the rename the overlay is the image. */
static int
swap(struct gold_workset *ws, struct gold_workset_disk *disk, const char *base,
     struct gold_error **err)
{
    if (link(disk->path, base) < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", base);
        return -1;
    }
    gold_stop_point("commit.linked");
    struct stat st;
    if (stat(base, &st) < 0 || st.st_ino != disk->st.st_ino || st.st_size != disk->st.st_size ||
        st.st_mtim.tv_sec != disk->st.st_mtim.tv_sec ||
        st.st_mtim.tv_nsec != disk->st.st_mtim.tv_nsec) {
        gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' changed while it was worked on",
                       disk->path);
        (void)unlink(base);
        return -1;
    }
    gold_workset_unguard(ws, disk);
    if (rename(disk->overlay, disk->path) < 0) {
        gold_error_set_errno(err, errno, "cannot rename '%s' to '%s'", disk->overlay,
                             disk->path);
        (void)unlink(base);
        return -1;
    }
    free(gold_steal_ptr(&disk->overlay));
    return 0;
}

int
gold_commit_by_rename(struct gold_workset *ws, struct gold_workset_disk *disk,
                      bool *ret_unsupported, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *base = gold_beside(disk->path, GOLD_BASE_SUFFIX, err);
    GOLD_CLEANUP_FREE char *backing = base_backing_name(disk->path, err);
    GOLD_CLEANUP_FREE char *own = gold_format(err, "./%s", gold_path_basename(disk->path));
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;

    if (!base || !backing || !own)
        return -1;
    gold_progress(ws->ctx, "commit", -1, "%s", disk->path);
    /* The overlay names .NAME.base before that exists: nothing opens it in between. */
    if (gold_overlay_point_at(disk, backing, err) < 0)
        return -1;
    copy_owner(disk);
    gold_stop_point("commit.rebased");
    if (swap(ws, disk, base, &failure) < 0) {
        if (no_hard_links(gold_error_errno(failure))) {
            gold_debug(ws->ctx, "%s, using a journal", gold_error_message(failure));
            *ret_unsupported = true;
            return gold_overlay_point_at(disk, own, err);
        }
        gold_error_move(err, &failure);
        return -1;
    }
    *ret_unsupported = false;
    if (gold_fsync_parent(disk->path, err) < 0) {
        gold_error_hint(err, finish_hint, disk->path);
        return -1;
    }
    gold_stop_point("commit.renamed");
    gold_lock_release_to_qemu(disk->fd);
    if (finish(ws->ctx, disk->path, base, false, err) < 0) {
        gold_error_hint(err, finish_hint, disk->path);
        return -1;
    }
    return 0;
}

/* Root must not be talked into writing other users' files by a link that somebody put there. */
static int
check_pair(const char *image, const char *base, const struct stat *image_st,
           const struct stat *base_st, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *backing = base_backing_name(image, err);
    bool pair = false;

    if (!backing)
        return -1;
    bool trusted = S_ISREG(image_st->st_mode) && S_ISREG(base_st->st_mode) &&
                   (image_st->st_uid == base_st->st_uid || image_st->st_uid == geteuid());
    if (trusted && gold_overlay_has_backing(image, backing, &pair, err) < 0)
        return -1;
    if (pair)
        return 0;
    gold_error_set(err, GOLD_ERROR_CHANGED,
                   "'%s' is left from an interrupted commit, but '%s' does not belong to it",
                   base, image);
    gold_error_hint(err, "look at both; remove '%s' when it is not needed any more", base);
    return -1;
}

int
gold_recover_rename(struct gold_context *ctx, const char *image, const char *base_path,
                    struct gold_error **err)
{
    struct stat image_st, base_st, now;
    GOLD_CLEANUP_FD int fd = open(base_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 || fstat(fd, &base_st) < 0) {
        gold_error_set_errno(err, errno,
                             "cannot complete the interrupted commit of '%s': cannot open '%s'",
                             image, base_path);
        return -1;
    }
    if (gold_lock_take_over(fd, image, GOLD_RECOVER_WAIT_MS, err) < 0)
        return -1;
    /* Whoever held the lock may have completed it. */
    if (lstat(base_path, &now) < 0)
        return 0;
    if (lstat(image, &image_st) < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", image);
        return -1;
    }
    if (now.st_ino == image_st.st_ino && now.st_dev == image_st.st_dev) {
        /* It had not begun. */
        if (unlink(base_path) < 0) {
            gold_error_set_errno(err, errno, "cannot remove '%s'", base_path);
            return -1;
        }
        return gold_fsync_parent(image, err);
    }
    if (now.st_ino != base_st.st_ino)
        return 0;
    if (check_pair(image, base_path, &image_st, &base_st, err) < 0)
        return -1;
    gold_info(ctx, "completing the interrupted commit of '%s'", image);
    if (finish(ctx, image, base_path, true, err) < 0) {
        gold_error_hint(err, finish_hint, image);
        return -1;
    }
    return 0;
}
