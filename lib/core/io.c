/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading and writing that finish, whole files, and parts of paths. Copying is in copy.c,
 * removing trees in tree.c, replacing files in replace.c.
 */
#include <fcntl.h>
#include <string.h>

#include "core/checked.h"
#include "core/io.h"
#include "core/limits.h"

int
gold_write_all(int fd, const void *bytes, size_t len)
{
    const char *p = bytes;

    while (len > 0) {
        ssize_t n = write(fd, p, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = EIO;
            return -1;
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int
gold_pwrite_all(int fd, const void *bytes, size_t len, uint64_t offset)
{
    const char *p = bytes;

    while (len > 0) {
        off_t at;
        ssize_t n;

        if (!gold_narrow(offset, &at)) {
            errno = EFBIG;
            return -1;
        }
        n = pwrite(fd, p, len, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            if (n == 0)
                errno = EIO;
            return -1;
        }
        p += n;
        len -= (size_t)n;
        offset += (uint64_t)n;
    }
    return 0;
}

ssize_t
gold_read_full(int fd, void *buf, size_t len)
{
    size_t got = 0;

    while (got < len) {
        ssize_t n = read(fd, (char *)buf + got, len - got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

ssize_t
gold_pread_full(int fd, void *buf, size_t len, uint64_t offset)
{
    size_t got = 0;

    while (got < len) {
        off_t at;
        ssize_t n;

        if (!gold_narrow(offset + got, &at)) {
            errno = EOVERFLOW;
            return -1;
        }
        n = pread(fd, (char *)buf + got, len - got, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    return (ssize_t)got;
}

static const char *
kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFCHR:
        return "a character device";
    case S_IFBLK:
        return "a block device";
    case S_IFIFO:
        return "a fifo";
    case S_IFSOCK:
        return "a socket";
    default:
        return "of an unknown kind";
    }
}

int
gold_open_regular(const char *path, struct stat *ret_st, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = -1;
    struct stat st;

    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        int why = errno;

        /* A socket cannot be opened at all; say what it is rather than ENXIO. */
        if (why == ENXIO && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
            gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is %s, not a regular file", path,
                           kind_of(st.st_mode));
        else
            gold_error_set_errno(err, why, "cannot open '%s'", path);
        return -1;
    }
    if (fstat(fd, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot examine '%s'", path);
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is %s, not a regular file", path,
                       kind_of(st.st_mode));
        return -1;
    }
    if (ret_st)
        *ret_st = st;
    return gold_steal_fd(&fd);
}

int
gold_read_fd(int fd, const char *name, size_t limit, char **ret_data, size_t *ret_len,
             struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *data = NULL;
    size_t len = 0, cap = 0;
    struct stat st;

    /* The size is a hint: files in /proc have none, and others may grow. */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        cap = (uint64_t)st.st_size < limit ? (size_t)st.st_size + 1 : limit + 1;
    else
        cap = limit < 4096 ? limit + 1 : 4096;
    for (;;) {
        char *grown = realloc(data, cap + 1);
        ssize_t n;

        if (!grown)
            return gold_error_set_nomem(err);
        data = grown;
        n = gold_read_full(fd, data + len, cap - len);
        if (n < 0) {
            gold_error_set_errno(err, errno, "cannot read '%s'", name);
            return -1;
        }
        len += (size_t)n;
        if (len > limit) {
            gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is larger than %zu bytes", name,
                           limit);
            return -1;
        }
        if (len < cap)
            break;
        cap = cap < limit / 2 ? cap * 2 : limit + 1;
    }
    data[len] = '\0';
    *ret_data = gold_steal_ptr(&data);
    if (ret_len)
        *ret_len = len;
    return 0;
}

int
gold_read_file(const char *path, size_t limit, char **ret_data, size_t *ret_len,
               struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = gold_open_regular(path, NULL, err);

    return fd < 0 ? -1 : gold_read_fd(fd, path, limit, ret_data, ret_len, err);
}

int
gold_next_data(int fd, uint64_t pos, uint64_t end, struct gold_extent *ret)
{
    off_t data, hole;

    *ret = (struct gold_extent){.start = end, .end = end, .sought = true};
    if (pos >= end)
        return 0;
    data = lseek(fd, (off_t)pos, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        return 0;
    if (data >= 0 && (uint64_t)data >= end)
        return 0;
    hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
    if (hole < 0) {
        /* Devices and some file systems do not know: all of it counts as data. */
        if (errno != EINVAL && errno != ESPIPE && errno != ENXIO && errno != EOPNOTSUPP)
            return -1;
        *ret = (struct gold_extent){.start = pos, .end = end, .sought = false};
        return 0;
    }
    ret->start = (uint64_t)data;
    ret->end = (uint64_t)hole < end ? (uint64_t)hole : end;
    return 0;
}

int
gold_fsync_parent(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(path, err);
    GOLD_CLEANUP_FD int fd = -1;

    if (!dir)
        return -1;
    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* EINVAL: a file system that does not sync directories. */
    if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL)) {
        gold_error_set_errno(err, errno, "cannot sync directory '%s'", dir);
        return -1;
    }
    return 0;
}

char *
gold_path_dirname(const char *path, struct gold_error **err)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    if (n == 0)
        return gold_strdup(".", err);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return gold_strndup(path, n, err);
}

const char *
gold_path_basename(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *
gold_path_join(const char *dir, const char *name, struct gold_error **err)
{
    if (!dir[0])
        return gold_strdup(name, err);
    return gold_format(err, "%s%s%s", dir, gold_str_has_suffix(dir, "/") ? "" : "/", name);
}
