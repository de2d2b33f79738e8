/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every system call that replacing and copying a file makes is made to fail, and in a second
 * sweep to be the last thing that the process does. At each of them the target holds the old or
 * the new bytes, and after a failure nothing else lies about.
 */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "core/replace.h"
#include "core/scratch.h"
#include "core/str.h"

enum mode { OFF, FAIL, KILL };
static enum mode mode;
static unsigned count, chosen;
static bool no_tmpfile; /* as on a file system without O_TMPFILE */
static int failure;     /* errno */

static struct gold_str journal; /* the names of the calls */
static const char *tripped;     /* which of them failed */

/* Is this the call to fail? */
static bool
trip(const char *name)
{
    if (mode == OFF)
        return false;
    gold_str_printf(&journal, "%s ", name);
    if (++count != chosen)
        return false;
    tripped = name;
    if (mode == KILL)
        (void)kill(getpid(), SIGKILL);
    errno = failure;
    return true;
}

#define WRAPPED(type, name, params, args)                   \
    type __real_##name params;                              \
    type __wrap_##name params;                              \
    type __wrap_##name params                               \
    {                                                       \
        return trip(#name) ? (type)-1 : __real_##name args; \
    }

WRAPPED(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
WRAPPED(ssize_t, pwrite64, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at))
WRAPPED(ssize_t, pread64, (int fd, void *p, size_t n, off_t at), (fd, p, n, at))
WRAPPED(int, fsync, (int fd), (fd))
WRAPPED(int, fchmod, (int fd, mode_t m), (fd, m))
WRAPPED(int, fchown, (int fd, uid_t u, gid_t g), (fd, u, g))
WRAPPED(int, ftruncate64, (int fd, off_t n), (fd, n))
WRAPPED(int, fsetxattr, (int fd, const char *a, const void *v, size_t n, int f),
        (fd, a, v, n, f))
WRAPPED(ssize_t, flistxattr, (int fd, char *p, size_t n), (fd, p, n))
WRAPPED(ssize_t, fgetxattr, (int fd, const char *a, void *v, size_t n), (fd, a, v, n))
WRAPPED(int, linkat, (int a, const char *f, int b, const char *t, int flags),
        (a, f, b, t, flags))
WRAPPED(int, renameat, (int a, const char *f, int b, const char *t), (a, f, b, t))
WRAPPED(int, renameat2, (int a, const char *f, int b, const char *t, unsigned flags),
        (a, f, b, t, flags))
WRAPPED(ssize_t, copy_file_range, (int a, off_t *i, int b, off_t *o, size_t n, unsigned f),
        (a, i, b, o, n, f))

/* A failing close() closes all the same. */
int __real_close(int fd);
int __wrap_close(int fd);

int
__wrap_close(int fd)
{
    bool fails = trip("close");
    int result = __real_close(fd);

    if (!fails)
        return result;
    errno = failure;
    return -1;
}

int __real_openat64(int at, const char *name, int flags, ...);
int __wrap_openat64(int at, const char *name, int flags, ...);

int
__wrap_openat64(int at, const char *name, int flags, ...)
{
    if (trip(flags & (O_TMPFILE & ~O_DIRECTORY) ? "O_TMPFILE" : "openat"))
        return -1;
    if (no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_openat64(at, name, flags, 0600);
}

#define OLD "old content"
#define NEW "the new content, which is longer"

enum scenario { EDIT, CREATE, CREATE_NEW, COPY, N_SCENARIOS };

static int
act(enum scenario s, const char *path, int src, struct gold_error **err)
{
    GOLD_CLEANUP_REPLACE struct gold_replace *r = NULL;

    switch (s) {
    case EDIT:
        return gold_replace_file(path, NEW, strlen(NEW), GOLD_REPLACE_MUST_EXIST, 0644, err);
    case CREATE:
        return gold_replace_file(path, NEW, strlen(NEW), 0, 0644, err);
    case CREATE_NEW:
        return gold_replace_file(path, NEW, strlen(NEW), GOLD_REPLACE_NO_CLOBBER, 0644, err);
    default:
        r = gold_replace_begin(path, 0, 0644, err);
        if (!r ||
            gold_copy_sparse(NULL, "copy", src, gold_replace_fd(r), strlen(NEW), NULL, err) < 0)
            return -1;
        return gold_replace_commit(r, err);
    }
}

static void
prepare(enum scenario s, const char *path)
{
    (void)unlink(path);
    if (s != EDIT && s != COPY)
        return;
    put_file(path, OLD, strlen(OLD));
    assert_int_equal(chmod(path, 0640), 0);
    if (geteuid() == 0)
        assert_int_equal(chown(path, 1234, 1234), 0);
    assert_int_equal(setxattr(path, "user.note", "x", 1, 0), 0);
}

/* 'o': old, 'n': new; anything else fails the test. */
static char
what_is_there(enum scenario s, const char *path)
{
    char *data = NULL;
    struct stat st;
    char what = '?';

    if (gold_read_file(path, 4096, &data, NULL, NULL) < 0)
        return s == CREATE || s == CREATE_NEW ? 'o' : '?';
    if (strcmp(data, OLD) == 0)
        what = 'o';
    else if (strcmp(data, NEW) == 0)
        what = 'n';
    free(data);
    assert_int_equal(stat(path, &st), 0);
    if (s == EDIT || s == COPY) {
        assert_int_equal(st.st_mode & 07777, 0640);
        assert_int_equal(getxattr(path, "user.note", NULL, 0), 1);
        if (geteuid() == 0)
            assert_int_equal(st.st_uid, 1234);
    }
    return what;
}

static int
source(void **state)
{
    char *path = in_scratch(state, "src");
    int fd;

    put_file(path, NEW, strlen(NEW));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)unlink(path);
    free(path);
    return fd;
}

/* Some calls may fail without harm: closing what was only read, the fast ways that have a slow
   one behind them. */
static bool
may_fail(const char *name)
{
    static const char *const names[] = {"close", "O_TMPFILE", "copy_file_range", "fgetxattr"};

    for (size_t i = 0; i < 4; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static void
check_failure(enum scenario s, const struct gold_error *err, char there)
{
    assert_non_null(err);
    /* Only when the directory cannot be synced is the new file already there. */
    if (there != 'o')
        assert_non_null(strstr(gold_error_message(err), "directory cannot be synced"));
    assert_non_null(strstr(gold_error_message(err), s == COPY ? "" : "target'"));
}

static void
sweep_failures(enum scenario s, void **state, int src, const char *path)
{
    unsigned closes = 0, reads = 0;
    bool ended = false;

    for (chosen = 1; !ended; chosen++) {
        struct gold_error *err = NULL;
        size_t fds = count_entries("/proc/self/fd");
        char there;
        int result;

        assert_true(chosen < 200);
        prepare(s, path);
        count = 0;
        tripped = "";
        mode = FAIL;
        result = act(s, path, src, &err);
        mode = OFF;
        ended = count < chosen;
        there = what_is_there(s, path);
        if (result == 0) {
            assert_int_equal(there, 'n');
            assert_null(err);
            if (!ended && !may_fail(tripped))
                fail_msg("a failing %s() went unnoticed", tripped);
        } else {
            assert_false(ended);
            check_failure(s, err, there);
            gold_error_free(err);
            closes += strcmp(tripped, "close") == 0;
            reads += strcmp(tripped, "fgetxattr") == 0;
        }
        assert_int_equal(count_entries(*state), access(path, F_OK) == 0 ? 1 : 0);
        assert_int_equal(count_entries("/proc/self/fd"), fds);
    }
    assert_int_equal(closes, 1); /* that of the file that was written */
    assert_int_equal(reads > 0, s == EDIT || s == COPY);
}

/* Each name occurs in the journal behind the one before. */
static void
assert_order(const char *const *names)
{
    const char *p = gold_str_text(&journal);

    for (; *names; names++) {
        p = strstr(p, *names);
        if (!p) {
            fail_msg("no %s() at its place in: %s", *names, gold_str_text(&journal));
            return;
        }
        p += strlen(*names);
    }
}

static void
keeps_the_order(void **state)
{
    static const char *const edit[] = {"openat",     "write ", "fchown ", "fchmod ",
                                       "fsetxattr ", "fsync ", "linkat ", "close ",
                                       "renameat ",  "fsync ", NULL};
    static const char *const create[] = {"write ", "fchmod ",    "fsync ", "linkat ",
                                         "close ", "renameat2 ", "fsync ", NULL};
    char *path = in_scratch(state, "target");

    chosen = 0;
    for (int s = EDIT; s <= CREATE_NEW; s++) {
        gold_str_clear(&journal);
        prepare((enum scenario)s, path);
        mode = FAIL;
        assert_int_equal(act((enum scenario)s, path, -1, NULL), 0);
        mode = OFF;
        assert_order(s != EDIT ? create : geteuid() == 0 ? edit : create);
    }
    gold_str_done(&journal);
    free(path);
}

static void
survives_failures(void **state)
{
    static const int kinds[] = {EIO, ENOSPC, EPERM};
    char *path = in_scratch(state, "target");
    int src = source(state);

    for (int s = 0; s < N_SCENARIOS; s++) {
        for (size_t k = 0; k < 3; k++) {
            failure = kinds[k];
            for (int tmpfile = 0; tmpfile < 2; tmpfile++) {
                no_tmpfile = !tmpfile;
                sweep_failures((enum scenario)s, state, src, path);
            }
        }
    }
    no_tmpfile = false;
    gold_str_done(&journal);
    close(src);
    free(path);
}

/* How many names other than the target are there; these are removed. */
static size_t
leftovers(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    size_t n = 0;

    assert_non_null(d);
    while ((entry = readdir(d))) {
        if (strncmp(entry->d_name, ".gold-", 6) != 0)
            continue;
        assert_int_equal(unlinkat(dirfd(d), entry->d_name, 0), 0);
        n++;
    }
    closedir(d);
    return n;
}

static void
survives_kills(void **state)
{
    char *path = in_scratch(state, "target");
    int src = source(state);

    for (int s = 0; s < N_SCENARIOS; s++) {
        bool ended = false;
        unsigned left = 0;

        for (unsigned n = 1; !ended; n++) {
            int status;
            pid_t pid;

            assert_true(n < 200);
            prepare((enum scenario)s, path);
            pid = fork();
            assert_true(pid >= 0);
            if (pid == 0) {
                count = 0;
                chosen = n;
                mode = KILL;
                _exit(act((enum scenario)s, path, src, NULL) == 0 ? 0 : 1);
            }
            assert_int_equal(waitpid(pid, &status, 0), pid);
            ended = WIFEXITED(status);
            if (ended)
                assert_int_equal(WEXITSTATUS(status), 0);
            assert_int_not_equal(what_is_there((enum scenario)s, path), '?');
            left += leftovers(*state);
        }
        /* A name is there only between linkat() and rename(): at the close and at the rename.
         */
        assert_true(left <= 2);
    }
    close(src);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(keeps_the_order),
        scratch_test(survives_failures),
        scratch_test(survives_kills),
    };

    return RUN_TESTS(tests);
}
