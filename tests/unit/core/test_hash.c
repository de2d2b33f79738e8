/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests: the published vectors, files with holes, cancellation. */
#include "unit.h"

#include "core/hash.h"
#include "scratch.h"

static void
knows_the_vectors(void **state)
{
    static const struct {
        enum gold_hash_alg alg;
        const char *text, *hex;
    } rows[] = {
        {GOLD_HASH_SHA1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {GOLD_HASH_SHA1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {GOLD_HASH_SHA256, "",
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {GOLD_HASH_SHA256, "abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {GOLD_HASH_SHA512, "abc",
         "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
         "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
    };
    char hex[GOLD_HASH_HEX_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            gold_hash_bytes(rows[i].alg, rows[i].text, strlen(rows[i].text), hex, NULL), 0);
        assert_string_equal(hex, rows[i].hex);
    }
}

static void
refuses_an_unknown_algorithm(void **state)
{
    struct gold_error *err = NULL;

    (void)state;
    assert_null(gold_hash_new((enum gold_hash_alg)77, &err));
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "libcrypto");
    gold_hash_free(NULL);
}

static int
sparse_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "abc", 3, 1000000), 3);
    assert_int_equal(pwrite(fd, "xyz", 3, 5000000), 3);
    assert_int_equal(ftruncate(fd, 9000001), 0);
    return fd;
}

static void
hashes_files(void **state)
{
    char *path = in_scratch(state, "sparse");
    char *bytes = calloc(1, 9000001);
    char want[GOLD_HASH_HEX_MAX], got[GOLD_HASH_HEX_MAX];
    int fd = sparse_file(path);

    assert_non_null(bytes);
    for (int i = 0; i < 3; i++) {
        bytes[1000000 + i] = "abc"[i];
        bytes[5000000 + i] = "xyz"[i];
    }
    assert_int_equal(gold_hash_bytes(GOLD_HASH_SHA256, bytes, 9000001, want, NULL), 0);
    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA256, fd, "f", got, NULL), 0);
    assert_string_equal(got, want);
    assert_int_equal(pwrite(fd, "\1", 1, 9000000), 1);
    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA256, fd, "f", got, NULL), 0);
    assert_string_not_equal(got, want);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA1, fd, "f", got, NULL), 0);
    assert_string_equal(got, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    close(fd);
    free(bytes);
    free(path);
}

static double last_fraction;

static void
on_progress(void *opaque, const struct gold_progress_event *event)
{
    struct gold_context *ctx = opaque;

    assert_string_equal(event->phase, "hash");
    assert_true(event->fraction >= last_fraction);
    last_fraction = event->fraction;
    if (ctx)
        gold_cancel_request(ctx);
}

static void
reports_and_stops(void **state)
{
    struct gold_context *ctx = gold_context_new();
    char *path = in_scratch(state, "sparse");
    int fd = sparse_file(path);
    struct gold_error *err = NULL;
    char hex[GOLD_HASH_HEX_MAX];

    gold_context_set_progress(ctx, on_progress, NULL);
    assert_int_equal(gold_hash_fd(ctx, GOLD_HASH_SHA1, fd, "f", hex, &err), 0);
    assert_true(last_fraction == 1);
    last_fraction = 0;
    gold_context_set_progress(ctx, on_progress, ctx);
    assert_int_equal(gold_hash_fd(ctx, GOLD_HASH_SHA1, fd, "f", hex, &err), -1);
    assert_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    assert_true(last_fraction < 0.5);
    gold_context_free(ctx);
    close(fd);
    free(path);
}

static void
names_the_unreadable(void **state)
{
    struct gold_error *err = NULL;
    char hex[GOLD_HASH_HEX_MAX];
    int fd = open(*state, O_RDONLY | O_DIRECTORY);

    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA1, fd, "f.img", hex, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "'f.img'");
    close(fd);
    fd = open("/dev/zero", O_RDONLY); /* a digest of nothing would be a lie */
    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA1, fd, "f.img", hex, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "'f.img' is not a file with a size");
    close(fd);
    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA1, -1, "f.img", hex, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "'f.img'");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_vectors), cmocka_unit_test(refuses_an_unknown_algorithm),
        scratch_test(hashes_files),          scratch_test(reports_and_stops),
        scratch_test(names_the_unreadable),
    };

    return RUN_TESTS(tests);
}
