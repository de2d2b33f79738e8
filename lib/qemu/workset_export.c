/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing an image with its overlay to a new file. The source is only read; a target that
 * exists is never touched. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/guard.h"
#include "core/io.h"
#include "core/str.h"
#include "qemu/workset_internal.h"

/* The target in absolute form; its directory must exist, itself it must not. */
static int
absolute_target(const char *target, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(target, err), *real = NULL;
    struct stat st;

    if (!dir)
        return -1;
    if (lstat(target, &st) == 0) {
        gold_error_set_errno(err, EEXIST, "cannot create '%s'", target);
        return -1;
    }
    real = realpath(dir, NULL);
    if (!real) {
        gold_error_set_errno(err, errno, "cannot create '%s'", target);
        return -1;
    }
    *ret = gold_path_join(real, gold_path_basename(target), err);
    return *ret ? 0 : -1;
}

/* NFS and others have no RENAME_NOREPLACE; a hard link does not replace either. */
static int
rename_without_replacing(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (link(from, to) < 0)
        return -1;
    (void)unlink(from);
    return 0;
}

static int
publish(const char *temp, const char *target, mode_t mode, struct gold_error **err)
{
    if (gold_fsync_path(temp, err) < 0)
        return -1;
    if (chmod(temp, mode & 0666) < 0 || rename_without_replacing(temp, target) < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", target);
        return -1;
    }
    return gold_fsync_parent(target, err);
}

int
gold_workset_export(struct gold_workset *ws, size_t i, const char *target,
                    enum gold_image_format format, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *path = NULL, *temp = NULL;

    if (absolute_target(target, &path, err) < 0)
        return -1;
    temp = gold_work_name(path, ".tmp", err);
    if (!temp || gold_guard_add_file(ws->ctx, temp, err) < 0)
        return -1;
    gold_progress(ws->ctx, "export", -1, "%s", target);
    int r =
        gold_image_convert(ws->ctx, ws->disks[i].overlay, GOLD_IMAGE_QCOW2, temp, format, err);
    if (r == 0)
        r = publish(temp, path, ws->disks[i].st.st_mode, err);
    if (r < 0)
        (void)unlink(temp);
    gold_guard_drop_path(ws->ctx, temp);
    return r;
}
