/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copying the content of a file so that its holes stay holes. Owner, mode, times and syncing
 * are the caller's business.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core/checked.h"
#include "core/io.h"
#include "core/limits.h"

#define BUFFER     ((size_t)256 * 1024) /* read and written at once */
#define GRAIN      4096                 /* zeroes are looked for in pieces of this size */
#define CRFR_CHUNK ((size_t)16 * 1024 * 1024)

struct copy {
    struct gold_context *ctx;
    const char *phase;
    int src, dst;
    uint64_t len;
    struct gold_hash *tap;
    char *buffer;
    bool no_kernel_copy; /* copy_file_range() does not work between these two */
};

static bool
is_zero(const char *p, size_t n)
{
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

static int
step(const struct copy *c, uint64_t done, struct gold_error **err)
{
    if (gold_check_cancelled(c->ctx, err) < 0)
        return -1;
    gold_progress(c->ctx, c->phase, c->len ? (double)done / (double)c->len : 1, NULL);
    return 0;
}

/* Writes what is not zero of n bytes that belong at offset. */
static int
write_sparse(const struct copy *c, size_t n, uint64_t offset)
{
    size_t pos = 0;

    while (pos < n) {
        size_t end = pos;

        while (end < n && !is_zero(c->buffer + end, n - end < GRAIN ? n - end : GRAIN))
            end += n - end < GRAIN ? n - end : GRAIN;
        if (end > pos && gold_pwrite_all(c->dst, c->buffer + pos, end - pos, offset + pos) < 0)
            return -1;
        if (end < n)
            end += n - end < GRAIN ? n - end : GRAIN;
        pos = end;
    }
    return 0;
}

/* Through our own hands. */
static int
copy_by_hand(struct copy *c, uint64_t pos, uint64_t end, struct gold_error **err)
{
    while (pos < end) {
        size_t want = end - pos < BUFFER ? (size_t)(end - pos) : BUFFER;
        ssize_t n;

        if (step(c, pos, err) < 0)
            return -1;
        n = gold_pread_full(c->src, c->buffer, want, pos);
        if (n < 0) {
            gold_error_set_errno(err, errno, "cannot read");
            return -1;
        }
        if ((size_t)n < want) {
            gold_error_set(err, GOLD_ERROR_CHANGED,
                           "the file became shorter while it was read");
            return -1;
        }
        if (c->tap && gold_hash_update(c->tap, c->buffer, want, err) < 0)
            return -1;
        if (write_sparse(c, want, pos) < 0) {
            gold_error_set_errno(err, errno, "cannot write");
            return -1;
        }
        pos += want;
    }
    return 0;
}

/* Inside the kernel as far as that goes; *pos says how far. */
static int
copy_in_kernel(struct copy *c, uint64_t *pos, uint64_t end, struct gold_error **err)
{
    while (*pos < end && !c->no_kernel_copy) {
        off_t in = (off_t)*pos, out = (off_t)*pos;
        size_t want = end - *pos < CRFR_CHUNK ? (size_t)(end - *pos) : CRFR_CHUNK;
        ssize_t n;

        if (step(c, *pos, err) < 0)
            return -1;
        n = copy_file_range(c->src, &in, c->dst, &out, want, 0);
        if (n > 0) {
            *pos += (uint64_t)n;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 &&
                   (errno == ENOSPC || errno == EDQUOT || errno == EIO || errno == EFBIG)) {
            gold_error_set_errno(err, errno, "cannot copy");
            return -1;
        } else {
            c->no_kernel_copy = true; /* reading will find out about the end of a file */
        }
    }
    return 0;
}

static int
tap_zeroes(const struct copy *c, uint64_t n, struct gold_error **err)
{
    if (!c->tap || n == 0)
        return 0;
    memset(c->buffer, 0, BUFFER);
    while (n > 0) {
        size_t now = n < BUFFER ? (size_t)n : BUFFER;

        if (gold_check_cancelled(c->ctx, err) < 0 ||
            gold_hash_update(c->tap, c->buffer, now, err) < 0)
            return -1;
        n -= now;
    }
    return 0;
}

static int
copy_extents(struct copy *c, struct gold_error **err)
{
    uint64_t pos = 0;

    while (pos < c->len) {
        struct gold_extent data;

        if (gold_next_data(c->src, pos, c->len, &data) < 0) {
            gold_error_set_errno(err, errno, "cannot look for data");
            return -1;
        }
        if (tap_zeroes(c, data.start - pos, err) < 0)
            return -1;
        pos = data.start;
        if (data.sought && !c->tap && copy_in_kernel(c, &pos, data.end, err) < 0)
            return -1;
        if (copy_by_hand(c, pos, data.end, err) < 0)
            return -1;
        pos = data.end;
    }
    return 0;
}

int
gold_copy_sparse(struct gold_context *ctx, const char *phase, int src, int dst, uint64_t len,
                 struct gold_hash *tap, struct gold_error **err)
{
    struct copy c = {
        .ctx = ctx, .phase = phase, .src = src, .dst = dst, .len = len, .tap = tap};
    GOLD_CLEANUP_FREE char *buffer = NULL;
    struct stat st, st_dst;
    off_t size;

    if (fstat(src, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot examine");
        return -1;
    }
    if (!gold_narrow(len, &size) || (S_ISREG(st.st_mode) && st.st_size < size)) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "the file is shorter than %llu bytes",
                       (unsigned long long)len);
        return -1;
    }
    /* What stands in the holes of dst would stay there. */
    if (fstat(dst, &st_dst) < 0 || (S_ISREG(st_dst.st_mode) && st_dst.st_size > 0)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "the file to copy to is not empty");
        return -1;
    }
    if (step(&c, 0, err) < 0)
        return -1;
    /* A reflink takes the whole file, so only when the whole file is wanted. Any failure leaves
       dst as it was: then it is copied. */
    if (tap || !S_ISREG(st.st_mode) || st.st_size != size || ioctl(dst, FICLONE, src) < 0) {
        buffer = malloc(BUFFER);
        if (!buffer)
            return gold_error_set_nomem(err);
        c.buffer = buffer;
        if (copy_extents(&c, err) < 0)
            return -1;
        if (ftruncate(dst, size) < 0) {
            gold_error_set_errno(err, errno, "cannot set the size");
            return -1;
        }
    }
    gold_progress(ctx, phase, 1, NULL);
    return 0;
}
