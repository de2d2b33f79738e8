/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owner, mode and extended attributes of one file for another. The owner comes first, because a
 * change of owner clears the set-id bits and file capabilities. Times are not copied.
 */
#include <string.h>
#include <sys/xattr.h>

#include "core/attributes.h"
#include "core/cleanup.h"
#include "core/str.h"

#define ACL "system.posix_acl_access"

/* The kernel computes these from the content itself; the old value would be wrong. */
static bool
belongs_to_content(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static bool
unsupported(int why)
{
    return why == ENOTSUP || why == ENOSYS;
}

/* All names, each with its NUL; NULL with errno when they cannot be read. */
static char *
list_names(int fd, size_t *ret_len)
{
    GOLD_CLEANUP_FREE char *names = NULL;
    ssize_t n;

    for (;;) {
        char *grown;
        ssize_t room = flistxattr(fd, NULL, 0);

        if (room < 0 && !unsupported(errno))
            return NULL;
        room = room < 0 ? 0 : room;
        grown = realloc(names, (size_t)room + 1);
        if (!grown)
            return NULL;
        names = grown;
        n = room ? flistxattr(fd, names, (size_t)room) : 0;
        if (n >= 0)
            break;
        if (errno != ERANGE)
            return NULL;
    }
    names[n] = '\0';
    *ret_len = (size_t)n;
    return gold_steal_ptr(&names);
}

/* The value; NULL with errno. Never NULL for an empty one. */
static char *
get_value(int fd, const char *name, size_t *ret_len)
{
    GOLD_CLEANUP_FREE char *value = NULL;
    ssize_t n;

    for (;;) {
        char *grown;
        ssize_t room = fgetxattr(fd, name, NULL, 0);

        if (room < 0)
            return NULL;
        grown = realloc(value, (size_t)room + 1);
        if (!grown)
            return NULL;
        value = grown;
        n = fgetxattr(fd, name, value, (size_t)room + 1);
        if (n >= 0)
            break;
        if (errno != ERANGE)
            return NULL;
    }
    *ret_len = (size_t)n;
    return gold_steal_ptr(&value);
}

static int
copy_one(int old_fd, int new_fd, const char *name)
{
    size_t old_len = 0, new_len = 0;
    GOLD_CLEANUP_FREE char *old = get_value(old_fd, name, &old_len);
    GOLD_CLEANUP_FREE char *new = NULL;

    if (!old)
        return errno == ENODATA ? 0 : -1;
    /* Setting a label needs privileges even when the file was born with that label. */
    new = get_value(new_fd, name, &new_len);
    if (new &&new_len == old_len && memcmp(new, old, old_len) == 0)
        return 0;
    return fsetxattr(new_fd, name, old, old_len, 0);
}

static int
copy_xattrs(int old_fd, int new_fd, const char *file, struct gold_error **err)
{
    size_t len = 0;
    GOLD_CLEANUP_FREE char *names = list_names(old_fd, &len);
    bool acl = false;

    if (!names) {
        if (errno == ENOMEM)
            return gold_error_set_nomem(err);
        gold_error_set_errno(err, errno, "cannot read the attributes of '%s'", file);
        return -1;
    }
    for (const char *name = names; name < names + len; name += strlen(name) + 1) {
        if (belongs_to_content(name))
            continue;
        acl = acl || strcmp(name, ACL) == 0;
        if (copy_one(old_fd, new_fd, name) < 0) {
            if (errno == ENOMEM)
                return gold_error_set_nomem(err);
            gold_error_set_errno(err, errno, "cannot keep attribute '%s' of '%s'", name, file);
            return -1;
        }
    }
    /* The directory's default ACL may have given the new file one that the old file does not
     * have. */
    if (!acl && fremovexattr(new_fd, ACL) < 0 && errno != ENODATA && !unsupported(errno)) {
        gold_error_set_errno(err, errno, "cannot remove the inherited ACL for '%s'", file);
        return -1;
    }
    return 0;
}

int
gold_copy_attributes(int old_fd, int new_fd, const char *name, struct gold_error **err)
{
    struct stat old, new;

    if (fstat(old_fd, &old) < 0 || fstat(new_fd, &new) < 0) {
        gold_error_set_errno(err, errno, "cannot examine '%s'", name);
        return -1;
    }
    if ((old.st_uid != new.st_uid || old.st_gid != new.st_gid) &&
        fchown(new_fd, old.st_uid, old.st_gid) < 0) {
        gold_error_set_errno(err, errno, "cannot keep the owner of '%s'", name);
        return -1;
    }
    if (fchmod(new_fd, old.st_mode & 07777) < 0) {
        gold_error_set_errno(err, errno, "cannot keep the mode of '%s'", name);
        return -1;
    }
    if (copy_xattrs(old_fd, new_fd, name, err) < 0)
        return -1;
    /* An ACL may change the mode, and some file systems accept a chown without doing it. */
    if (fstat(new_fd, &new) < 0 || new.st_uid != old.st_uid || new.st_gid != old.st_gid ||
        (new.st_mode & 07777) != (old.st_mode & 07777)) {
        gold_error_set(err, GOLD_ERROR_IO, "cannot keep owner and mode of '%s'", name);
        return -1;
    }
    return 0;
}
