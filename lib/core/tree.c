/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removing a directory tree. It works on descriptors, never follows a symbolic link and never
 * enters another mount. What can be removed is removed even when something else cannot; the
 * first failure is what is reported.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"
#include "core/io.h"

#define MAX_DEPTH 200 /* each level holds a descriptor */

static void
note(struct gold_error **err, int why, const char *path)
{
    if (err && !*err)
        gold_error_set_errno(err, why, "cannot remove '%s'", path);
}

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)

/* Also one that we own but may not read: its mode is changed through a descriptor, so that
   nothing that took its place meanwhile is hit. */
static int
open_dir(int at, const char *name)
{
    GOLD_CLEANUP_FREE char *self = NULL;
    GOLD_CLEANUP_FD int path_fd = -1;
    int fd = openat(at, name, DIR_FLAGS);

    if (fd >= 0 || errno != EACCES)
        return fd;
    path_fd = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (path_fd < 0)
        return -1;
    self = gold_format(NULL, "/proc/self/fd/%d", path_fd);
    if (!self) {
        errno = ENOMEM;
        return -1;
    }
    if (chmod(self, 0700) < 0)
        return -1;
    return openat(path_fd, ".", DIR_FLAGS);
}

/* Another device, or the root of a bind mount of the same one: to be left alone. */
static bool
is_mount(int fd, dev_t dev)
{
    struct statx sx;
    struct stat st;

    if (fstat(fd, &st) < 0 || st.st_dev != dev)
        return true;
    return statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &sx) == 0 &&
           (sx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
           (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Empties the directory fd, which is consumed. The walk goes on after a failure. */
static int
empty_dir(int fd, dev_t dev, unsigned depth, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_DIR DIR *dir = fdopendir(fd);
    struct dirent *entry;
    int result = 0;

    if (!dir) {
        note(err, errno, path);
        gold_close(&fd);
        return -1;
    }
    while (errno = 0, (entry = readdir(dir))) {
        int sub;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(dir), entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        if (errno != EISDIR && errno != EPERM) {
            note(err, errno, path);
            result = -1;
            continue;
        }
        sub = open_dir(dirfd(dir), entry->d_name);
        if (sub < 0 && errno == ENOENT)
            continue;
        if (sub < 0 || depth >= MAX_DEPTH || is_mount(sub, dev)) {
            note(err, sub < 0 ? errno : depth >= MAX_DEPTH ? ELOOP : EXDEV, path);
            gold_close(&sub);
            result = -1;
            continue;
        }
        if (empty_dir(sub, dev, depth + 1, path, err) < 0)
            result = -1;
        else if (unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
            note(err, errno, path);
            result = -1;
        }
    }
    if (errno) {
        note(err, errno, path);
        result = -1;
    }
    return result;
}

int
gold_remove_tree(const char *path, struct gold_error **err)
{
    struct gold_error *first = NULL;
    struct stat st;
    int fd, result;

    if (unlink(path) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM) {
        gold_error_set_errno(err, errno, "cannot remove '%s'", path);
        return -1;
    }
    fd = open_dir(AT_FDCWD, path);
    if (fd < 0 || fstat(fd, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot remove '%s'", path);
        gold_close(&fd);
        return -1;
    }
    result = empty_dir(fd, st.st_dev, 0, path, &first);
    if (result < 0) {
        gold_error_move(err, &first);
        return -1;
    }
    if (rmdir(path) < 0 && errno != ENOENT) {
        gold_error_set_errno(err, errno, "cannot remove '%s'", path);
        return -1;
    }
    return 0;
}
