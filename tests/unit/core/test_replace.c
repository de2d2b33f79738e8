/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replacement of files: content, what is kept, what is refused. Failing system calls are in
 * tests/fault.
 */
#include "unit.h"

#include <sys/wait.h>
#include <sys/xattr.h>

#include "core/replace.h"
#include "scratch.h"

static void
creates(void **state)
{
    char *path = in_scratch(state, "new");
    struct gold_error *err = NULL;
    mode_t before = umask(077);
    struct stat st;

    assert_int_equal(gold_replace_file(path, "abc", 3, 0, 0644, NULL), 0);
    umask(before);
    assert_file(path, "abc", 3);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0644); /* as asked, whatever the umask */
    assert_int_equal(count_entries(*state), 1);
    assert_int_equal(gold_replace_file(path, "xyz", 3, GOLD_REPLACE_NO_CLOBBER, 0644, &err),
                     -1);
    assert_int_equal(gold_error_errno(err), EEXIST);
    assert_error(&err, GOLD_ERROR_IO, "new'");
    assert_file(path, "abc", 3);
    free(path);
}

static void
must_exist(void **state)
{
    char *path = in_scratch(state, "none"), *lost = in_scratch(state, "no/such/file");
    struct gold_error *err = NULL;

    assert_int_equal(gold_replace_file(path, "x", 1, GOLD_REPLACE_MUST_EXIST, 0644, &err), -1);
    assert_int_equal(gold_error_errno(err), ENOENT);
    assert_error(&err, GOLD_ERROR_IO, "none'");
    assert_int_equal(gold_replace_file(lost, "x", 1, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "no/such/file'");
    assert_int_equal(count_entries(*state), 0);
    put_file(path, "old", 3);
    assert_int_equal(gold_replace_file(path, "x", 1, GOLD_REPLACE_MUST_EXIST, 0644, &err), 0);
    assert_file(path, "x", 1);
    free(path);
    free(lost);
}

static void
refuses_what_is_no_file(void **state)
{
    char *fifo = in_scratch(state, "fifo"), *link = in_scratch(state, "link");
    char *slash = in_scratch(state, "x/"), *dots = in_scratch(state, "..");
    struct gold_error *err = NULL;

    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(symlink("nothing", link), 0);
    assert_int_equal(gold_replace_file(fifo, "x", 1, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "not a regular file");
    assert_int_equal(gold_replace_file(dots, "x", 1, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "not a regular file");
    assert_int_equal(gold_replace_file(link, "x", 1, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "link to nothing");
    assert_int_equal(gold_replace_file(slash, "x", 1, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_USAGE, "not the name of a file");
    assert_int_equal(gold_replace_file("", "x", 1, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_USAGE, "not the name of a file");
    assert_int_equal(count_entries(*state), 2);
    free(fifo);
    free(link);
    free(slash);
    free(dots);
}

static void
keeps_mode_owner_and_attributes(void **state)
{
    /* u::rw-, u:1234:r--, g::r--, m::r--, o::--- as the kernel stores it */
    static const unsigned char acl[] = {
        2, 0,    0,    0,    1,    0,    6,  0, 0xff, 0xff, 0xff, 0xff, 2,    0,   4,
        0, 0xd2, 4,    0,    0,    4,    0,  4, 0,    0xff, 0xff, 0xff, 0xff, 16,  0,
        4, 0,    0xff, 0xff, 0xff, 0xff, 32, 0, 0,    0,    0xff, 0xff, 0xff, 0xff};
    char *path = in_scratch(state, "f");
    char buf[64];
    struct stat st;
    bool root = geteuid() == 0;

    put_file(path, "old", 3);
    if (root)
        assert_int_equal(chown(path, 1234, 4321), 0);
    assert_int_equal(chmod(path, root ? 04640 : 0640), 0);
    assert_int_equal(setxattr(path, "user.note", "hi", 2, 0), 0);
    assert_int_equal(setxattr(path, "user.empty", "", 0, 0), 0);
    assert_int_equal(setxattr(path, "system.posix_acl_access", acl, sizeof(acl), 0), 0);
    if (root)
        assert_int_equal(setxattr(path, "security.label", "lab", 3, 0), 0);
    assert_int_equal(gold_replace_file(path, "new!", 4, 0, 0777, NULL), 0);
    assert_file(path, "new!", 4);
    assert_int_equal(stat(path, &st), 0);
    if (root) {
        assert_int_equal(st.st_uid, 1234);
        assert_int_equal(st.st_gid, 4321);
        assert_int_equal(getxattr(path, "security.label", buf, sizeof(buf)), 3);
    }
    assert_int_equal(st.st_mode & 07777, root ? 04640 : 0640);
    assert_int_equal(getxattr(path, "user.note", buf, sizeof(buf)), 2);
    assert_memory_equal(buf, "hi", 2);
    assert_int_equal(getxattr(path, "user.empty", buf, sizeof(buf)), 0);
    assert_int_equal(getxattr(path, "system.posix_acl_access", buf, sizeof(buf)), sizeof(acl));
    assert_memory_equal(buf, acl, sizeof(acl));
    assert_int_equal(count_entries(*state), 1);
    free(path);
}

/* A default ACL of the directory must not widen a file that had none. */
static void
inherits_no_acl(void **state)
{
    static const unsigned char acl[] = {
        2, 0,    0,    0,    1,    0,    7,  0, 0xff, 0xff, 0xff, 0xff, 2,    0,   6,
        0, 0xd2, 4,    0,    0,    4,    0,  5, 0,    0xff, 0xff, 0xff, 0xff, 16,  0,
        7, 0,    0xff, 0xff, 0xff, 0xff, 32, 0, 5,    0,    0xff, 0xff, 0xff, 0xff};
    char *path = in_scratch(state, "f");
    char buf[64];
    struct stat st;

    put_file(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(setxattr(*state, "system.posix_acl_default", acl, sizeof(acl), 0), 0);
    assert_int_equal(gold_replace_file(path, "new", 3, 0, 0777, NULL), 0);
    assert_int_equal(getxattr(path, "system.posix_acl_access", buf, sizeof(buf)), -1);
    assert_int_equal(errno, ENODATA);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    free(path);
}

static void
replaces_behind_links(void **state)
{
    char *file = in_scratch(state, "file"), *one = in_scratch(state, "one");
    char *two = in_scratch(state, "two"), *hard = in_scratch(state, "hard");
    struct gold_error *err = NULL;
    struct stat st;

    put_file(file, "old", 3);
    assert_int_equal(symlink("file", one), 0);
    assert_int_equal(symlink(one, two), 0);
    assert_int_equal(gold_replace_file(two, "new", 3, 0, 0644, NULL), 0);
    assert_file(file, "new", 3);
    assert_int_equal(lstat(two, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(link(file, hard), 0);
    assert_int_equal(gold_replace_file(file, "xyz", 3, 0, 0644, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "hard links");
    assert_file(hard, "new", 3);
    assert_int_equal(count_entries(*state), 4);
    free(file);
    free(one);
    free(two);
    free(hard);
}

enum meddling { REWRITE, RECREATE, VANISH, CHMOD, LINK, N_MEDDLINGS };

static void
notices_changes(void **state)
{
    char *path = in_scratch(state, "f"), *other = in_scratch(state, "other");
    struct gold_error *err = NULL;

    for (int m = 0; m < N_MEDDLINGS; m++) {
        struct gold_replace *r;

        (void)unlink(other);
        put_file(path, "old", 3);
        r = gold_replace_begin(path, 0, 0644, NULL);
        assert_non_null(r);
        assert_int_equal(gold_replace_old(r)->st_size, 3);
        assert_int_equal(gold_replace_write(r, "new", 3, NULL), 0);
        usleep(20000); /* times of files have the grain of the kernel's tick */
        switch (m) {
        case REWRITE:
            put_file(path, "odd", 3);
            break;
        case RECREATE:
            put_file(other, "odd", 3);
            assert_int_equal(rename(other, path), 0);
            break;
        case VANISH:
            assert_int_equal(unlink(path), 0);
            break;
        case CHMOD:
            assert_int_equal(chmod(path, 0600), 0);
            break;
        default:
            assert_int_equal(link(path, other), 0);
            break;
        }
        assert_int_equal(gold_replace_commit(r, &err), -1);
        assert_error(&err, GOLD_ERROR_CHANGED, "f' was changed");
        gold_replace_free(r);
        if (m != VANISH)
            assert_file(path, m == CHMOD || m == LINK ? "old" : "odd", 3);
        else
            assert_int_equal(access(path, F_OK), -1);
        assert_int_equal(count_entries(*state), m == LINK ? 2 : m == VANISH ? 0 : 1);
    }
    free(path);
    free(other);
}

static void
notices_creation(void **state)
{
    char *path = in_scratch(state, "f");
    struct gold_error *err = NULL;

    for (unsigned flags = 0; flags <= GOLD_REPLACE_NO_CLOBBER;
         flags += GOLD_REPLACE_NO_CLOBBER) {
        struct gold_replace *r = gold_replace_begin(path, flags, 0644, NULL);

        assert_non_null(r);
        assert_null(gold_replace_old(r));
        put_file(path, "odd", 3);
        assert_int_equal(gold_replace_commit(r, &err), -1);
        if (flags)
            assert_error(&err, GOLD_ERROR_IO, "File exists");
        else
            assert_error(&err, GOLD_ERROR_CHANGED, "f'");
        gold_replace_free(r);
        assert_file(path, "odd", 3);
        assert_int_equal(count_entries(*state), 1);
        assert_int_equal(unlink(path), 0);
    }
    free(path);
}

static void
forgets_without_commit(void **state)
{
    char *path = in_scratch(state, "f");
    struct gold_replace *r;

    put_file(path, "old", 3);
    r = gold_replace_begin(path, 0, 0644, NULL);
    assert_int_equal(gold_replace_write(r, "new", 3, NULL), 0);
    assert_true(gold_replace_fd(r) >= 0);
    assert_int_equal(fcntl(gold_replace_fd(r), F_GETFD), FD_CLOEXEC);
    gold_replace_free(r);
    gold_replace_free(NULL);
    assert_file(path, "old", 3);
    assert_int_equal(count_entries(*state), 1);
    free(path);
}

/* Somebody who may write the directory but not give files away cannot keep the owner: refused.
 */
static int
as_somebody(const char *path)
{
    struct gold_error *err = NULL;
    bool right;

    if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
        return 1;
    if (gold_replace_file(path, "new", 3, 0, 0644, &err) == 0)
        return 2;
    right = strstr(gold_error_message(err), "cannot keep the owner") != NULL;
    gold_error_free(err);
    return right ? 0 : 3;
}

static void
never_changes_the_owner(void **state)
{
    char *path = in_scratch(state, "f");
    int status;
    pid_t pid;

    if (geteuid() != 0) {
        free(path);
        print_message("SKIPPED: needs root to become somebody else\n");
        skip();
        return;
    }
    put_file(path, "old", 3);
    assert_int_equal(chmod(*state, 0777), 0);
    pid = fork();
    if (pid == 0) {
        status = as_somebody(path);
        free(path);
        _exit(status);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_file(path, "old", 3);
    assert_int_equal(count_entries(*state), 1);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(creates),
        scratch_test(must_exist),
        scratch_test(refuses_what_is_no_file),
        scratch_test(keeps_mode_owner_and_attributes),
        scratch_test(inherits_no_acl),
        scratch_test(replaces_behind_links),
        scratch_test(notices_changes),
        scratch_test(notices_creation),
        scratch_test(forgets_without_commit),
        scratch_test(never_changes_the_owner),
    };

    return RUN_TESTS(tests);
}
