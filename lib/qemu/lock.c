/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * QEMU locks byte 100+n of an image while it uses permission n, and byte 200+n while it does
 * not let others use it; all locks are shared ones, a conflict is found by testing. Our own
 * byte is beyond both ranges.
 */
#include "qemu/lock.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>

/* Permissions by number: 0 consistent read, 1 write, 2 write unchanged, 3 resize. */
#define QEMU_USED      100
#define QEMU_REFUSED   200
#define QEMU_RANGE_LEN 64
#define PERM_READ      0
#define PERM_WRITE     1
#define PERM_RESIZE    3
#define OUR_BYTE       300

static bool
locks_unsupported(int errnum)
{
    return errnum == ENOLCK || errnum == EOPNOTSUPP || errnum == ENOSYS || errnum == EINVAL;
}

/* Has anybody else a lock of any kind in the range? -1 with errno. */
static int
locked_by_others(int fd, off_t start, off_t len)
{
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = start, .l_len = len};

    if (fcntl(fd, F_OFD_GETLK, &fl) < 0)
        return locks_unsupported(errno) ? 0 : -1;
    return fl.l_type != F_UNLCK;
}

static int
set_lock(int fd, short type, off_t start)
{
    struct flock fl = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = 1};

    if (fcntl(fd, F_OFD_SETLK, &fl) == 0 || locks_unsupported(errno))
        return 0;
    return -1;
}

static int
busy(struct gold_error **err, const char *path, const char *who, const char *hint)
{
    gold_error_set(err, GOLD_ERROR_BUSY, "'%s' is in use by %s", path, who);
    gold_error_hint(err, "%s", hint);
    return -1;
}

static int
check_range(int fd, const char *path, off_t start, off_t len, const char *who, const char *hint,
            struct gold_error **err)
{
    int locked = locked_by_others(fd, start, len);

    if (locked < 0) {
        gold_error_set_errno(err, errno, "cannot test the locks of '%s'", path);
        return -1;
    }
    return locked ? busy(err, path, who, hint) : 0;
}

int
gold_lock_probe(int fd, const char *path, enum gold_lock_use use, struct gold_error **err)
{
    static const char writer[] = "another process that writes it, perhaps a running VM";
    static const char stop_vm[] = "shut the VM down first";

    if (check_range(fd, path, QEMU_USED + PERM_WRITE, 1, writer, stop_vm, err) < 0 ||
        check_range(fd, path, QEMU_USED + PERM_RESIZE, 1, writer, stop_vm, err) < 0 ||
        check_range(fd, path, QEMU_REFUSED + PERM_READ, 1, writer, stop_vm, err) < 0)
        return -1;
    if (use == GOLD_LOCK_READ)
        return 0;
    if (check_range(fd, path, OUR_BYTE, 1, "another goldsmith", "wait until it is done", err) <
        0)
        return -1;
    return check_range(fd, path, QEMU_USED, QEMU_REFUSED + QEMU_RANGE_LEN - QEMU_USED,
                       "another process, perhaps as the backing file of a running VM's disk",
                       "shut the VM down first, or write to a new file with -o", err);
}

static int
hold_byte(int fd, const char *path, short type, off_t byte, struct gold_error **err)
{
    if (set_lock(fd, type, byte) == 0)
        return 0;
    if (errno == EAGAIN || errno == EACCES)
        return busy(err, path, "another goldsmith", "wait until it is done");
    gold_error_set_errno(err, errno, "cannot lock '%s'", path);
    return -1;
}

int
gold_lock_hold(int fd, const char *path, enum gold_lock_use use, struct gold_error **err)
{
    /* As QEMU does: first the locks, then the test, so that of two at once at least one sees
     * the other. */
    if (hold_byte(fd, path, use == GOLD_LOCK_WRITE ? F_WRLCK : F_RDLCK, OUR_BYTE, err) < 0 ||
        hold_byte(fd, path, F_RDLCK, QEMU_USED + PERM_READ, err) < 0 ||
        hold_byte(fd, path, F_RDLCK, QEMU_REFUSED + PERM_WRITE, err) < 0 ||
        hold_byte(fd, path, F_RDLCK, QEMU_REFUSED + PERM_RESIZE, err) < 0)
        return -1;
    return gold_lock_probe(fd, path, use, err);
}

void
gold_lock_release_to_qemu(int fd)
{
    (void)set_lock(fd, F_UNLCK, QEMU_USED + PERM_READ);
    (void)set_lock(fd, F_UNLCK, QEMU_REFUSED + PERM_WRITE);
    (void)set_lock(fd, F_UNLCK, QEMU_REFUSED + PERM_RESIZE);
}

int
gold_lock_take_over(int fd, const char *path, unsigned wait_ms, struct gold_error **err)
{
    for (unsigned waited = 0;; waited += GOLD_LOCK_RETRY_MS) {
        GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
        if (hold_byte(fd, path, F_WRLCK, OUR_BYTE, &failure) == 0 &&
            gold_lock_probe(fd, path, GOLD_LOCK_WRITE, &failure) == 0)
            return 0;
        if (waited >= wait_ms || gold_error_code(failure) != GOLD_ERROR_BUSY) {
            gold_error_move(err, &failure);
            return -1;
        }
        (void)poll(NULL, 0, GOLD_LOCK_RETRY_MS);
    }
}
