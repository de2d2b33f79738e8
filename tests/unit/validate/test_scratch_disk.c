/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scratch disks are allocated, and full of what nothing can make smaller. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "core/limits.h"
#include "validate/protocol.h"

static char path[64];

static int
set_up(void **state)
{
    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/gold-scratch-%ld.raw", (long)getpid());
    (void)unlink(path);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    (void)unlink(path);
    return 0;
}

static char *
content(size_t *ret_len)
{
    char *data = NULL;
    assert_int_equal(gold_read_file(path, 64 * GOLD_MIB, &data, ret_len, NULL), 0);
    return data;
}

static void
is_allocated(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(gold_scratch_disk_create(NULL, path, 9 * GOLD_MIB, NULL), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 9 * GOLD_MIB);
    assert_true((uint64_t)st.st_blocks * 512 >= 9 * GOLD_MIB);
}

/* Entropy of bytes close to 8 bits, and no block twice. */
static void
does_not_compress(void **state)
{
    (void)state;
    size_t len = 0, counts[256] = {0};
    double bits = 0;
    assert_int_equal(gold_scratch_disk_create(NULL, path, 9 * GOLD_MIB, NULL), 0);
    GOLD_CLEANUP_FREE char *data = content(&len);
    for (size_t i = 0; i < len; i++)
        counts[(unsigned char)data[i]]++;
    for (size_t i = 0; i < 256; i++) {
        double p = (double)counts[i] / (double)len;
        bits -= p * log2(p);
    }
    assert_true(bits > 7.9999);
    for (size_t i = 4096; i < len; i += 4096)
        assert_memory_not_equal(data, data + i, 4096);
}

static void
no_two_are_alike(void **state)
{
    (void)state;
    size_t len = 0;
    assert_int_equal(gold_scratch_disk_create(NULL, path, GOLD_MIB, NULL), 0);
    GOLD_CLEANUP_FREE char *a = content(&len);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(gold_scratch_disk_create(NULL, path, GOLD_MIB, NULL), 0);
    GOLD_CLEANUP_FREE char *b = content(&len);
    assert_memory_not_equal(a, b, 4096);
}

static void
refuses_odd_sizes(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 4095, 4097, UINT64_MAX, UINT64_MAX - 4095};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        assert_int_equal(gold_scratch_disk_create(NULL, path, sizes[i], NULL), -1);
        assert_int_equal(access(path, F_OK), -1);
    }
}

static void
a_size_beyond_the_file_system_leaves_nothing(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    assert_int_equal(gold_scratch_disk_create(NULL, path, 1ULL << 60, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_non_null(strstr(gold_error_message(err), path));
    gold_error_free(err);
    assert_int_equal(access(path, F_OK), -1);
}

static void
never_overwrites(void **state)
{
    (void)state;
    size_t len = 0;
    assert_int_equal(gold_scratch_disk_create(NULL, path, 4096, NULL), 0);
    GOLD_CLEANUP_FREE char *before = content(&len);
    assert_int_equal(gold_scratch_disk_create(NULL, path, 4096, NULL), -1);
    GOLD_CLEANUP_FREE char *after = content(&len);
    assert_memory_equal(before, after, 4096);
}

static void
stops_when_asked(void **state)
{
    (void)state;
    struct gold_context *ctx = gold_context_new();
    struct gold_error *err = NULL;
    assert_non_null(ctx);
    gold_cancel_request(ctx);
    assert_int_equal(gold_scratch_disk_create(ctx, path, 9 * GOLD_MIB, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CANCELLED);
    gold_error_free(err);
    assert_int_equal(access(path, F_OK), -1);
    gold_context_free(ctx);
}

#define on_disk(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        on_disk(is_allocated),
        on_disk(does_not_compress),
        on_disk(no_two_are_alike),
        on_disk(refuses_odd_sizes),
        on_disk(a_size_beyond_the_file_system_leaves_nothing),
        on_disk(never_overwrites),
        on_disk(stops_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
