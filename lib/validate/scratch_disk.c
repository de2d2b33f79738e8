/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The disk on which limits are measured: allocated and full of bytes that neither compress nor
 * deduplicate. A hole or a run of zeroes would be answered without touching the medium, and on
 * some paths without meeting the limit.
 */
#include <fcntl.h>
#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "validate/protocol.h"

#define CHUNK (4 * GOLD_MIB)

/* xorshift128+: as fast as memory, and good enough that no storage finds a pattern. */
static void
fill(uint64_t *words, size_t n, uint64_t state[2])
{
    uint64_t a = state[0], b = state[1];
    for (size_t i = 0; i < n; i++) {
        uint64_t x = a, y = b;
        a = y;
        x ^= x << 23;
        b = x ^ y ^ (x >> 17) ^ (y >> 26);
        words[i] = b + y;
    }
    state[0] = a;
    state[1] = b;
}

static int
write_all(struct gold_context *ctx, int fd, const char *path, uint64_t size,
          struct gold_error **err)
{
    uint64_t state[2] = {0x9E3779B97F4A7C15ULL, 1};
    char nonce[33];
    /* Not the same bytes on each disk, or deduplicating storage would keep them once. */
    if (gold_nonce(nonce, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE uint64_t *chunk = malloc(CHUNK);
    if (!chunk)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < 32; i++)
        state[i / 16] = state[i / 16] * 31 + (unsigned char)nonce[i];
    for (uint64_t at = 0; at < size; at += CHUNK) {
        size_t len = size - at < CHUNK ? (size_t)(size - at) : (size_t)CHUNK;
        fill(chunk, CHUNK / sizeof(*chunk), state);
        if (gold_check_cancelled(ctx, err) < 0)
            return -1;
        if (gold_pwrite_all(fd, chunk, len, at) < 0) {
            gold_error_set_errno(err, errno, "cannot write '%s'", path);
            return -1;
        }
    }
    /* Starts the writing out, so that it is over when the guest measures; who waits for it is
     * the guest's boot. */
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    return 0;
}

int
gold_scratch_disk_create(struct gold_context *ctx, const char *path, uint64_t size,
                         struct gold_error **err)
{
    if (size == 0 || size % 4096 != 0 || size > INT64_MAX) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s': a scratch disk cannot have %llu bytes",
                       path, (unsigned long long)size);
        return -1;
    }
    GOLD_CLEANUP_FD int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", path);
        return -1;
    }
    int rc = posix_fallocate(fd, 0, (off_t)size);
    if (rc != 0)
        gold_error_set_errno(err, rc, "cannot allocate %llu bytes for '%s'",
                             (unsigned long long)size, path);
    else
        rc = write_all(ctx, fd, path, size, err);
    if (rc == 0)
        return 0;
    (void)unlink(path);
    return -1;
}
