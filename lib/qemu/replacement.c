/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For formats that do not survive a killed writer: QEMU may refuse to write a VHDX ever after,
 * and gives a block of a VDI away twice. The overlay is committed into a copy of the image,
 * which keeps identifiers and layout as a conversion would not. The image itself is not touched
 * here; journal.c puts the copy in its place.
 */
#include <fcntl.h>
#include <string.h>

#include "core/attributes.h"
#include "core/guard.h"
#include "core/io.h"
#include "core/str.h"
#include "qemu/workset_internal.h"

static int
copy_image(struct gold_workset *ws, const struct gold_workset_disk *disk, const char *copy,
           int *ret_fd, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd =
        open(copy, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", copy);
        return -1;
    }
    if (gold_copy_sparse(ws->ctx, "commit", disk->fd, fd, (uint64_t)disk->st.st_size, NULL,
                         err) < 0 ||
        gold_copy_attributes(disk->fd, fd, copy, err) < 0) {
        gold_error_prefix(err, "cannot copy '%s'", disk->path);
        return -1;
    }
    *ret_fd = gold_steal_fd(&fd);
    return 0;
}

static int
commit_into_copy(const struct gold_workset_disk *disk, const char *copy, int fd,
                 struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *backing = gold_format(err, "./%s", gold_path_basename(copy));

    if (!backing || gold_overlay_point_at(disk, backing, err) < 0 ||
        gold_overlay_commit(disk->overlay, disk->path, err) < 0)
        return -1;
    if (fsync(fd) < 0) {
        gold_error_set_errno(err, errno, "cannot sync '%s'", copy);
        return -1;
    }
    return 0;
}

int
gold_make_replacement(struct gold_workset *ws, struct gold_workset_disk *disk,
                      struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *copy = gold_work_name(disk->path, ".new", err);
    GOLD_CLEANUP_FD int fd = -1;
    struct stat st;

    if (!copy || gold_guard_add_file(ws->ctx, copy, err) < 0)
        return -1;
    if (copy_image(ws, disk, copy, &fd, err) < 0 || commit_into_copy(disk, copy, fd, err) < 0) {
        (void)unlink(copy);
        gold_guard_drop_path(ws->ctx, copy);
        return -1;
    }
    if (fstat(fd, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", copy);
        return -1;
    }
    (void)unlink(disk->overlay);
    gold_workset_unguard(ws, disk);
    free(disk->overlay);
    disk->overlay = gold_steal_ptr(&copy);
    disk->guarded = true;
    disk->new_inode = st.st_ino;
    gold_close(&disk->overlay_fd);
    disk->overlay_fd = gold_steal_fd(&fd);
    return 0;
}
