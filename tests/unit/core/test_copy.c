/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sparse copies, each by every way there is: reflink where the file system has it, inside the
 * kernel, and by hand when wrapped calls say that the kernel cannot.
 */
#include "unit.h"

#include <sys/ioctl.h>

#include "core/io.h"
#include "core/limits.h"
#include "scratch.h"

enum way { KERNEL, BY_HAND, NO_SEEKING, TAPPED };
static enum way way;
static unsigned kernel_copies;

ssize_t __real_copy_file_range(int in, off_t *in_at, int out, off_t *out_at, size_t n,
                               unsigned flags);
ssize_t __wrap_copy_file_range(int in, off_t *in_at, int out, off_t *out_at, size_t n,
                               unsigned flags);
off_t __real_lseek64(int fd, off_t at, int whence);
off_t __wrap_lseek64(int fd, off_t at, int whence);
off_t __real_lseek(int fd, off_t at, int whence);
off_t __wrap_lseek(int fd, off_t at, int whence);

ssize_t
__wrap_copy_file_range(int in, off_t *in_at, int out, off_t *out_at, size_t n, unsigned flags)
{
    if (way != KERNEL) {
        errno = EXDEV;
        return -1;
    }
    kernel_copies++;
    return __real_copy_file_range(in, in_at, out, out_at, n, flags);
}

off_t
__wrap_lseek64(int fd, off_t at, int whence)
{
    if (way == NO_SEEKING && (whence == SEEK_DATA || whence == SEEK_HOLE)) {
        errno = EINVAL;
        return -1;
    }
    return __real_lseek64(fd, at, whence);
}

off_t
__wrap_lseek(int fd, off_t at, int whence)
{
    if (way == NO_SEEKING && (whence == SEEK_DATA || whence == SEEK_HOLE)) {
        errno = EINVAL;
        return -1;
    }
    return __real_lseek(fd, at, whence);
}

#define SIZE (256 * GOLD_MIB)

/* 256 MiB with three pieces of data, one at an odd place and one at the very end. */
static int
sparse_source(void **state)
{
    char *path = in_scratch(state, "src");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char *data = malloc(300000);

    assert_true(fd >= 0 && data);
    memset(data, 'd', 300000);
    assert_int_equal(gold_pwrite_all(fd, data, 300000, 12345), 0);
    assert_int_equal(gold_pwrite_all(fd, data, 70000, 100 * GOLD_MIB), 0);
    assert_int_equal(gold_pwrite_all(fd, "end", 3, SIZE - 3), 0);
    free(data);
    free(path);
    return fd;
}

static int
new_file(void **state, const char *name)
{
    char *path = in_scratch(state, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    free(path);
    return fd;
}

static void
keeps_content_and_holes(void **state)
{
    int src = sparse_source(state);
    char want[GOLD_HASH_HEX_MAX], got[GOLD_HASH_HEX_MAX];
    struct stat in, out;

    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA256, src, "src", want, NULL), 0);
    assert_int_equal(fstat(src, &in), 0);
    for (way = KERNEL; way <= TAPPED; way++) {
        GOLD_CLEANUP_HASH struct gold_hash *tap =
            way == TAPPED ? gold_hash_new(GOLD_HASH_SHA256, NULL) : NULL;
        int dst = new_file(state, "dst");

        /* Without SEEK_DATA all of it is read: a smaller piece will do. */
        if (way == NO_SEEKING) {
            char a[20000], b[20000];

            assert_int_equal(
                gold_copy_sparse(NULL, "copy", src, dst, 20 * GOLD_MIB, NULL, NULL), 0);
            assert_int_equal(fstat(dst, &out), 0);
            assert_int_equal(out.st_size, 20 * GOLD_MIB);
            assert_int_equal(gold_pread_full(src, a, sizeof(a), 12000), sizeof(a));
            assert_int_equal(gold_pread_full(dst, b, sizeof(b), 12000), sizeof(b));
            assert_memory_equal(a, b, sizeof(a));
            assert_true(out.st_blocks < 800);
            close(dst);
            continue;
        }
        assert_int_equal(gold_copy_sparse(NULL, "copy", src, dst, SIZE, tap, NULL), 0);
        assert_int_equal(fstat(dst, &out), 0);
        assert_int_equal(out.st_size, SIZE);
        assert_true(out.st_blocks <= in.st_blocks + 64);
        assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA256, dst, "dst", got, NULL), 0);
        assert_string_equal(got, want);
        if (tap) {
            assert_int_equal(gold_hash_finish(tap, got, NULL), 0);
            assert_string_equal(got, want);
        }
        close(dst);
    }
    way = KERNEL;
    close(src);
}

/* Zeroes that the source wrote out become holes when they pass through us. */
static void
makes_holes_of_zeroes(void **state)
{
    int src = new_file(state, "src"), dst = new_file(state, "dst");
    char *zeroes = calloc(1, 4 * GOLD_MIB);
    struct stat st;

    assert_non_null(zeroes);
    zeroes[GOLD_MIB + 17] = 'x';
    assert_int_equal(gold_write_all(src, zeroes, 4 * GOLD_MIB), 0);
    way = BY_HAND;
    assert_int_equal(gold_copy_sparse(NULL, "copy", src, dst, 4 * GOLD_MIB, NULL, NULL), 0);
    way = KERNEL;
    assert_int_equal(fstat(dst, &st), 0);
    assert_int_equal(st.st_size, 4 * GOLD_MIB);
    assert_true(st.st_blocks <= 128);
    assert_int_equal(gold_pread_full(dst, zeroes, 2, GOLD_MIB + 16), 2);
    assert_int_equal(zeroes[1], 'x');
    free(zeroes);
    close(src);
    close(dst);
}

static void
copies_odd_lengths(void **state)
{
    static const size_t lengths[] = {0, 1, 4095, 4096, 4097, 262143, 262144, 262145, 300001};
    int src = new_file(state, "src");
    char *in = malloc(300001), *out = malloc(300001);

    assert_true(in && out);
    for (size_t i = 0; i < 300001; i++)
        in[i] = i % 9000 < 4500 ? 0 : (char)(i * 7 + 1);
    assert_int_equal(gold_write_all(src, in, 300001), 0);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        for (way = KERNEL; way <= NO_SEEKING; way++) {
            int dst = new_file(state, "dst");
            struct stat st;

            assert_int_equal(gold_copy_sparse(NULL, "copy", src, dst, lengths[i], NULL, NULL),
                             0);
            assert_int_equal(fstat(dst, &st), 0);
            assert_int_equal(st.st_size, lengths[i]);
            assert_int_equal(gold_pread_full(dst, out, 300001, 0), lengths[i]);
            assert_memory_equal(in, out, lengths[i]);
            close(dst);
        }
    }
    way = KERNEL;
    assert_true(kernel_copies > 0);
    free(in);
    free(out);
    close(src);
}

static void
refuses_what_does_not_fit(void **state)
{
    int src = new_file(state, "src"), dst = new_file(state, "dst");
    struct gold_error *err = NULL;
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

    assert_int_equal(gold_write_all(src, "0123456789", 10), 0);
    assert_int_equal(gold_copy_sparse(NULL, "copy", src, dst, 11, NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "shorter than 11 bytes");
    assert_int_equal(gold_copy_sparse(NULL, "copy", src, dst, UINT64_MAX, NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "shorter than");
    assert_int_equal(gold_copy_sparse(NULL, "copy", src, full, 10, NULL, &err), -1);
    assert_int_equal(gold_error_errno(err), ENOSPC);
    assert_error(&err, GOLD_ERROR_IO, "cannot write");
    assert_int_equal(gold_write_all(dst, "x", 1), 0);
    assert_int_equal(gold_copy_sparse(NULL, "copy", src, dst, 10, NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "not empty");
    close(full);
    close(src);
    close(dst);
}

struct watcher {
    struct gold_context *ctx;
    double last;
    bool cancel;
};

static void
on_progress(void *opaque, const struct gold_progress_event *event)
{
    struct watcher *w = opaque;

    assert_string_equal(event->phase, "clone");
    assert_true(event->fraction >= w->last && event->fraction <= 1);
    w->last = event->fraction;
    if (w->cancel && event->fraction > 0)
        gold_cancel_request(w->ctx);
}

static void
reports_and_stops(void **state)
{
    struct watcher w = {.ctx = gold_context_new()};
    int src = sparse_source(state);
    struct gold_error *err = NULL;

    gold_context_set_progress(w.ctx, on_progress, &w);
    for (way = KERNEL; way <= TAPPED; way += BY_HAND) {
        int dst = new_file(state, "dst");

        if (way == NO_SEEKING) {
            close(dst);
            continue;
        }
        w.last = 0;
        assert_int_equal(gold_copy_sparse(w.ctx, "clone", src, dst, SIZE - 1, NULL, &err), 0);
        assert_true(w.last == 1);
        close(dst);
    }
    w.cancel = true;
    w.last = 0;
    way = BY_HAND;
    {
        int dst = new_file(state, "dst");

        assert_int_equal(gold_copy_sparse(w.ctx, "clone", src, dst, SIZE - 1, NULL, &err), -1);
        assert_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
        assert_true(w.last < 1);
        close(dst);
    }
    way = KERNEL;
    gold_context_free(w.ctx);
    close(src);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(keeps_content_and_holes), scratch_test(makes_holes_of_zeroes),
        scratch_test(copies_odd_lengths),      scratch_test(refuses_what_does_not_fit),
        scratch_test(reports_and_stops),
    };

    return RUN_TESTS(tests);
}
