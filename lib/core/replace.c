/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic replacement of a file. The new bytes are in a file without a name where the file
 * system can do that, so that even SIGKILL leaves nothing behind; it gets a random name only
 * for the moment between linkat() and rename(). Everything happens relative to the descriptor
 * of the directory, which may be moved about meanwhile.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "core/attributes.h"
#include "core/io.h"
#include "core/replace.h"
#include "core/str.h"

struct gold_replace {
    char *path; /* as given, for messages */
    char *name; /* in dir_fd */
    char *temp; /* in dir_fd; NULL while it has no name */
    int dir_fd, old_fd, fd;
    bool had_old;
    struct stat old;
    unsigned flags;
    mode_t mode;
};

/* Splits path, symbolic links resolved, into directory and name. */
static int
resolve(struct gold_replace *r, char **ret_dir, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *real = realpath(r->path, NULL);
    GOLD_CLEANUP_FREE char *parent = NULL;
    const char *name;
    struct stat st;

    if (real) {
        r->name = gold_strdup(gold_path_basename(real), err);
        *ret_dir = gold_path_dirname(real, err);
        return r->name && *ret_dir ? 0 : -1;
    }
    if (errno != ENOENT) {
        gold_error_set_errno(err, errno, "cannot resolve '%s'", r->path);
        return -1;
    }
    if (lstat(r->path, &st) == 0 && S_ISLNK(st.st_mode)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is a symbolic link to nothing",
                       r->path);
        return -1;
    }
    name = gold_path_basename(r->path);
    if (!name[0] || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is not the name of a file", r->path);
        return -1;
    }
    parent = gold_path_dirname(r->path, err);
    r->name = gold_strdup(name, err);
    if (!parent || !r->name)
        return -1;
    *ret_dir = realpath(parent, NULL);
    if (!*ret_dir) {
        gold_error_set_errno(err, errno, "cannot create '%s'", r->path);
        return -1;
    }
    return 0;
}

static int
open_old(struct gold_replace *r, struct gold_error **err)
{
    r->old_fd =
        openat(r->dir_fd, r->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (r->old_fd < 0 && errno == ENOENT) {
        if (!(r->flags & GOLD_REPLACE_MUST_EXIST))
            return 0;
        gold_error_set_errno(err, ENOENT, "cannot open '%s'", r->path);
        return -1;
    }
    if (r->flags & GOLD_REPLACE_NO_CLOBBER) {
        gold_error_set_errno(err, EEXIST, "cannot create '%s'", r->path);
        return -1;
    }
    if (r->old_fd < 0 || fstat(r->old_fd, &r->old) < 0) {
        gold_error_set_errno(err, errno, "cannot open '%s'", r->path);
        return -1;
    }
    if (!S_ISREG(r->old.st_mode)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is not a regular file", r->path);
        return -1;
    }
    if (r->old.st_nlink > 1) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' has several hard links, and only one of them would be replaced",
                       r->path);
        return -1;
    }
    r->had_old = true;
    return 0;
}

/* A name that nobody can guess. */
static char *
random_name(struct gold_error **err)
{
    unsigned char b[8];

    if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b)) {
        gold_error_set_errno(err, errno, "cannot get random bytes");
        return NULL;
    }
    return gold_format(err, ".gold-%02x%02x%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3],
                       b[4], b[5], b[6], b[7]);
}

static int
open_temp(struct gold_replace *r, struct gold_error **err)
{
    /* Giving the file a name later goes through /proc. */
    if (faccessat(AT_FDCWD, "/proc/self/fd", F_OK, 0) == 0)
        r->fd = openat(r->dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    for (int tries = 0; r->fd < 0; tries++) {
        free(r->temp);
        r->temp = random_name(err);
        if (!r->temp)
            return -1;
        r->fd = openat(r->dir_fd, r->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       0600);
        if (r->fd < 0 && (errno != EEXIST || tries > 100)) {
            gold_error_set_errno(err, errno, "cannot create a file beside '%s'", r->path);
            free(gold_steal_ptr(&r->temp));
            return -1;
        }
    }
    return 0;
}

struct gold_replace *
gold_replace_begin(const char *path, unsigned flags, mode_t mode, struct gold_error **err)
{
    GOLD_CLEANUP_REPLACE struct gold_replace *r = calloc(1, sizeof(*r));
    GOLD_CLEANUP_FREE char *dir = NULL;

    if (!r) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    r->dir_fd = r->old_fd = r->fd = -1;
    r->flags = flags;
    r->mode = mode;
    r->path = gold_strdup(path, err);
    if (!r->path || resolve(r, &dir, err) < 0)
        return NULL;
    r->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->dir_fd < 0) {
        gold_error_set_errno(err, errno, "cannot open directory '%s'", dir);
        return NULL;
    }
    if (open_old(r, err) < 0 || open_temp(r, err) < 0)
        return NULL;
    return gold_steal_ptr(&r);
}

int
gold_replace_fd(const struct gold_replace *r)
{
    return r->fd;
}

const struct stat *
gold_replace_old(const struct gold_replace *r)
{
    return r->had_old ? &r->old : NULL;
}

int
gold_replace_write(struct gold_replace *r, const void *bytes, size_t len,
                   struct gold_error **err)
{
    if (gold_write_all(r->fd, bytes, len) < 0) {
        gold_error_set_errno(err, errno, "cannot write the new '%s'", r->path);
        return -1;
    }
    return 0;
}

static bool
same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static int
check_unchanged(const struct gold_replace *r, struct gold_error **err)
{
    struct stat st;
    int found = fstatat(r->dir_fd, r->name, &st, AT_SYMLINK_NOFOLLOW);

    if (found < 0 && errno != ENOENT) {
        gold_error_set_errno(err, errno, "cannot examine '%s'", r->path);
        return -1;
    }
    if (!r->had_old && found < 0)
        return 0;
    if (!r->had_old && (r->flags & GOLD_REPLACE_NO_CLOBBER)) {
        gold_error_set_errno(err, EEXIST, "cannot create '%s'", r->path);
        return -1;
    }
    if (r->had_old && found == 0 && st.st_dev == r->old.st_dev && st.st_ino == r->old.st_ino &&
        st.st_size == r->old.st_size && st.st_nlink == r->old.st_nlink &&
        same_time(st.st_mtim, r->old.st_mtim) && same_time(st.st_ctim, r->old.st_ctim))
        return 0;
    gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' was changed by somebody else meanwhile",
                   r->path);
    return -1;
}

/* Names the temp file, if it has none yet. */
static int
link_temp(struct gold_replace *r, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *self = NULL;

    if (r->temp)
        return 0;
    self = gold_format(err, "/proc/self/fd/%d", r->fd);
    if (!self)
        return -1;
    for (int tries = 0;; tries++) {
        GOLD_CLEANUP_FREE char *name = random_name(err);

        if (!name)
            return -1;
        if (linkat(AT_FDCWD, self, r->dir_fd, name, AT_SYMLINK_FOLLOW) == 0) {
            r->temp = gold_steal_ptr(&name);
            return 0;
        }
        if (errno != EEXIST || tries > 100) {
            gold_error_set_errno(err, errno, "cannot create a file beside '%s'", r->path);
            return -1;
        }
    }
}

/* Puts the temp file where nothing must be. */
static int
rename_noreplace(struct gold_replace *r)
{
    if (renameat2(r->dir_fd, r->temp, r->dir_fd, r->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* This file system does not know the flag, but link() never replaces either. */
    if (linkat(r->dir_fd, r->temp, r->dir_fd, r->name, 0) < 0)
        return -1;
    (void)unlinkat(r->dir_fd, r->temp, 0);
    return 0;
}

static int
move_into_place(struct gold_replace *r, struct gold_error **err)
{
    int done;

    if (r->had_old)
        done = renameat(r->dir_fd, r->temp, r->dir_fd, r->name);
    else
        done = rename_noreplace(r);
    if (done < 0) {
        if (errno == EEXIST && !(r->flags & GOLD_REPLACE_NO_CLOBBER))
            gold_error_set(err, GOLD_ERROR_CHANGED,
                           "'%s' was created by somebody else meanwhile", r->path);
        else
            gold_error_set_errno(err, errno, "cannot put the new '%s' in place", r->path);
        return -1;
    }
    free(gold_steal_ptr(&r->temp));
    return 0;
}

int
gold_replace_commit(struct gold_replace *r, struct gold_error **err)
{
    if (r->had_old) {
        if (gold_copy_attributes(r->old_fd, r->fd, r->path, err) < 0)
            return -1;
    } else if (fchmod(r->fd, r->mode) < 0) {
        gold_error_set_errno(err, errno, "cannot set the mode of '%s'", r->path);
        return -1;
    }
    if (fsync(r->fd) < 0) {
        gold_error_set_errno(err, errno, "cannot sync the new '%s'", r->path);
        return -1;
    }
    if (link_temp(r, err) < 0)
        return -1;
    /* A delayed write error shows here at the latest; never closed twice. */
    if (close(gold_steal_fd(&r->fd)) < 0) {
        gold_error_set_errno(err, errno, "cannot close the new '%s'", r->path);
        return -1;
    }
    if (check_unchanged(r, err) < 0 || move_into_place(r, err) < 0)
        return -1;
    if (fsync(r->dir_fd) < 0 && errno != EINVAL) {
        gold_error_set_errno(err, errno, "'%s' is replaced, but its directory cannot be synced",
                             r->path);
        return -1;
    }
    return 0;
}

void
gold_replace_free(struct gold_replace *r)
{
    if (!r)
        return;
    if (r->temp)
        (void)unlinkat(r->dir_fd, r->temp, 0);
    gold_close(&r->fd);
    gold_close(&r->old_fd);
    gold_close(&r->dir_fd);
    free(r->temp);
    free(r->name);
    free(r->path);
    free(r);
}

int
gold_replace_file(const char *path, const void *bytes, size_t len, unsigned flags, mode_t mode,
                  struct gold_error **err)
{
    GOLD_CLEANUP_REPLACE struct gold_replace *r = gold_replace_begin(path, flags, mode, err);

    if (!r || gold_replace_write(r, bytes, len, err) < 0)
        return -1;
    return gold_replace_commit(r, err);
}
