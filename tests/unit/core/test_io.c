/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading and writing that finish, and parts of paths. Short counts and EINTR come from wrapped
 * system calls.
 */
#include "unit.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "core/io.h"
#include "scratch.h"

/* One byte at a time, and EINTR on every other call, once switched on. */
static bool nasty;
static unsigned calls;

ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
ssize_t __real_pwrite(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at);
ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __real_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t n, off_t at);
ssize_t __real_pread64(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread64(int fd, void *buf, size_t n, off_t at);

static bool
interrupted(void)
{
    if (!nasty || calls++ % 2)
        return false;
    errno = EINTR;
    return true;
}

static size_t
shortened(size_t n)
{
    return nasty && n > 1 ? 1 : n;
}

ssize_t
__wrap_write(int fd, const void *buf, size_t n)
{
    return interrupted() ? -1 : __real_write(fd, buf, shortened(n));
}

ssize_t
__wrap_pwrite64(int fd, const void *buf, size_t n, off_t at)
{
    return interrupted() ? -1 : __real_pwrite64(fd, buf, shortened(n), at);
}

ssize_t
__wrap_read(int fd, void *buf, size_t n)
{
    return interrupted() ? -1 : __real_read(fd, buf, shortened(n));
}

ssize_t
__wrap_pread64(int fd, void *buf, size_t n, off_t at)
{
    return interrupted() ? -1 : __real_pread64(fd, buf, shortened(n), at);
}

ssize_t
__wrap_pwrite(int fd, const void *buf, size_t n, off_t at)
{
    return interrupted() ? -1 : __real_pwrite(fd, buf, shortened(n), at);
}

ssize_t
__wrap_pread(int fd, void *buf, size_t n, off_t at)
{
    return interrupted() ? -1 : __real_pread(fd, buf, shortened(n), at);
}

static void
finishes(void **state)
{
    char *path = in_scratch(state, "f");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char buf[64] = "";

    nasty = true;
    calls = 0;
    assert_int_equal(gold_write_all(fd, "hello world", 11), 0);
    assert_int_equal(gold_pwrite_all(fd, "HELLO", 5, 0), 0);
    assert_int_equal(gold_pread_full(fd, buf, sizeof(buf), 0), 11);
    assert_memory_equal(buf, "HELLO world", 11);
    assert_int_equal(lseek(fd, 6, SEEK_SET), 6);
    assert_int_equal(gold_read_full(fd, buf, sizeof(buf)), 5);
    assert_memory_equal(buf, "world", 5);
    assert_int_equal(gold_pread_full(fd, buf, 4, 2), 4);
    assert_int_equal(gold_pread_full(fd, buf, 4, 100), 0);
    assert_true(calls > 60); /* the wrappers were there */
    nasty = false;
    close(fd);
    free(path);
}

static void
reports_errno(void **state)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    char buf[4];

    (void)state;
    assert_int_equal(gold_write_all(full, "x", 1), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(gold_write_all(full, "x", 0), 0);
    close(full);
    assert_int_equal(gold_write_all(-1, "x", 1), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(gold_read_full(-1, buf, 4), -1);
    assert_int_equal(gold_pread_full(-1, buf, 4, 0), -1);
    assert_int_equal(gold_pwrite_all(0, buf, 4, UINT64_MAX), -1);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(gold_pread_full(0, buf, 4, UINT64_MAX - 8), -1);
    assert_int_equal(errno, EOVERFLOW);
}

static void
opens_only_regular_files(void **state)
{
    char *file = in_scratch(state, "file"), *link = in_scratch(state, "link");
    char *fifo = in_scratch(state, "fifo"), *sock = in_scratch(state, "sock");
    char *none = in_scratch(state, "none");
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    struct gold_error *err = NULL;
    struct stat st;
    int fd, s = socket(AF_UNIX, SOCK_STREAM, 0);

    put_file(file, "abc", 3);
    assert_int_equal(symlink(file, link), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_true(strlen(sock) < sizeof(addr.sun_path));
    memcpy(addr.sun_path, sock, strlen(sock));
    assert_int_equal(bind(s, (struct sockaddr *)&addr, sizeof(addr)), 0);

    fd = gold_open_regular(link, &st, NULL);
    assert_true(fd >= 0);
    assert_int_equal(st.st_size, 3);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
    assert_int_equal(gold_open_regular(*state, NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "is a directory");
    assert_int_equal(gold_open_regular(fifo, NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "is a fifo");
    assert_int_equal(gold_open_regular(sock, NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "is a socket");
    assert_int_equal(gold_open_regular("/dev/null", NULL, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "'/dev/null' is a character device");
    assert_int_equal(gold_open_regular(none, NULL, &err), -1);
    assert_int_equal(gold_error_errno(err), ENOENT);
    assert_error(&err, GOLD_ERROR_IO, "none': No such file");
    close(s);
    free(file);
    free(link);
    free(fifo);
    free(sock);
    free(none);
}

static void
reads_whole_files(void **state)
{
    char *path = in_scratch(state, "f");
    struct gold_error *err = NULL;
    char *data = NULL, bytes[100];
    size_t len = 0;

    memset(bytes, 'x', sizeof(bytes));
    bytes[3] = '\0';
    for (size_t n = 0; n <= 100; n += 50) {
        put_file(path, bytes, n);
        assert_int_equal(gold_read_file(path, 100, &data, &len, NULL), 0);
        assert_int_equal(len, n);
        assert_memory_equal(data, bytes, n);
        assert_int_equal(data[n], 0);
        free(data);
    }
    put_file(path, bytes, 100);
    assert_int_equal(gold_read_file(path, 101, &data, NULL, NULL), 0);
    free(data);
    data = NULL;
    assert_int_equal(gold_read_file(path, 99, &data, &len, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "is larger than 99 bytes");
    assert_null(data);
    put_file(path, "", 0);
    assert_int_equal(gold_read_file(path, 0, &data, &len, NULL), 0);
    assert_string_equal(data, "");
    free(data);
    free(path);
}

/* The size in stat() is 0, or a pipe has none. */
static void
reads_files_without_a_size(void **state)
{
    struct gold_error *err = NULL;
    char *data = NULL;
    size_t len = 0;
    int fds[2];

    (void)state;
    assert_int_equal(gold_read_file("/proc/self/status", 65536, &data, &len, NULL), 0);
    assert_true(len > 500);
    free(data);
    assert_int_equal(gold_read_file("/proc/self/status", 100, &data, &len, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "larger than 100 bytes");
    assert_int_equal(pipe(fds), 0);
    data = calloc(1, 20000);
    assert_int_equal(gold_write_all(fds[1], data, 20000), 0);
    close(fds[1]);
    free(data);
    assert_int_equal(gold_read_fd(fds[0], "pipe", 20000, &data, &len, NULL), 0);
    assert_int_equal(len, 20000);
    free(data);
    close(fds[0]);
    assert_int_equal(gold_read_fd(-1, "gone", 10, &data, &len, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "'gone'");
}

static void
splits_paths(void **state)
{
    static const struct {
        const char *path, *dir, *base;
    } rows[] = {{"a/b", "a", "b"},   {"b", ".", "b"},    {"/b", "/", "b"},  {"/", "/", ""},
                {"a//b", "a", "b"},  {"a/b/", "a", ""},  {"//b", "/", "b"}, {"", ".", ""},
                {"/a/b", "/a", "b"}, {"../x", "..", "x"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *dir = gold_path_dirname(rows[i].path, NULL);

        assert_string_equal(dir, rows[i].dir);
        assert_string_equal(gold_path_basename(rows[i].path), rows[i].base);
        free(dir);
    }
}

static void
joins_paths(void **state)
{
    static const struct {
        const char *dir, *name, *want;
    } rows[] = {{"a", "b", "a/b"}, {"/", "b", "/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char *path = gold_path_join(rows[i].dir, rows[i].name, NULL);

        assert_string_equal(path, rows[i].want);
        free(path);
    }
}

static void
syncs_directories(void **state)
{
    char *path = in_scratch(state, "any"), *none = in_scratch(state, "none/any");
    struct gold_error *err = NULL;

    assert_int_equal(gold_fsync_parent(path, NULL), 0);
    assert_int_equal(gold_fsync_parent(none, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "none'");
    free(path);
    free(none);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(finishes),
        cmocka_unit_test(reports_errno),
        scratch_test(opens_only_regular_files),
        scratch_test(reads_whole_files),
        cmocka_unit_test(reads_files_without_a_size),
        cmocka_unit_test(splits_paths),
        cmocka_unit_test(joins_paths),
        scratch_test(syncs_directories),
    };

    return RUN_TESTS(tests);
}
