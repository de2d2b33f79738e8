/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing trees: everything inside, nothing outside. */
#include "unit.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "core/io.h"
#include "scratch.h"

/* Called between the moment a directory was found and the moment it is opened. */
static void (*meddle)(const char *name);

int __real_openat64(int at, const char *name, int flags, ...);
int __wrap_openat64(int at, const char *name, int flags, ...);

int
__wrap_openat64(int at, const char *name, int flags, ...)
{
    if (meddle)
        meddle(name);
    return __real_openat64(at, name, flags);
}

static const char *swapped, *swapped_by;

static void
swap(const char *name)
{
    if (strcmp(name, "swapped") != 0)
        return;
    meddle = NULL;
    assert_int_equal(rmdir(swapped), 0);
    assert_int_equal(symlink(swapped_by, swapped), 0);
}

static void
is_not_lured_outside(void **state)
{
    char *out = in_scratch(state, "outside"), *kept = in_scratch(state, "outside/kept");
    char *top = in_scratch(state, "top"), *victim = in_scratch(state, "top/swapped");
    struct gold_error *err = NULL;

    assert_int_equal(mkdir(out, 0700), 0);
    put_file(kept, "x", 1);
    assert_int_equal(mkdir(top, 0700), 0);
    assert_int_equal(mkdir(victim, 0700), 0);
    swapped = victim;
    swapped_by = out;
    meddle = swap;
    assert_int_equal(gold_remove_tree(top, &err), -1);
    assert_null(meddle);
    gold_error_clear(&err);
    assert_file(kept, "x", 1);
    assert_int_equal(gold_remove_tree(top, NULL), 0);
    free(out);
    free(kept);
    free(top);
    free(victim);
}

static void
vanish(const char *name)
{
    if (strcmp(name, "swapped") != 0)
        return;
    meddle = NULL;
    assert_int_equal(rmdir(swapped), 0);
}

/* Somebody else removes it at the same time: as good. */
static void
does_not_mind_help(void **state)
{
    char *top = in_scratch(state, "top"), *victim = in_scratch(state, "top/swapped");

    assert_int_equal(mkdir(top, 0700), 0);
    assert_int_equal(mkdir(victim, 0700), 0);
    swapped = victim;
    meddle = vanish;
    assert_int_equal(gold_remove_tree(top, NULL), 0);
    assert_null(meddle);
    free(top);
    free(victim);
}

static void
removes_everything(void **state)
{
    char *top = in_scratch(state, "top"), *sub = in_scratch(state, "top/a/b");
    char *file = in_scratch(state, "top/a/file"), *odd = in_scratch(state, "top/a/b/\xFF\n");
    char *mid = in_scratch(state, "top/a"), *fifo = in_scratch(state, "top/fifo");

    assert_int_equal(mkdir(top, 0700), 0);
    assert_int_equal(mkdir(mid, 0700), 0);
    assert_int_equal(mkdir(sub, 0700), 0);
    put_file(file, "x", 1);
    put_file(odd, "x", 1);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(chmod(sub, 0), 0);
    assert_int_equal(gold_remove_tree(top, NULL), 0);
    assert_int_equal(count_entries(*state), 0);
    assert_int_equal(gold_remove_tree(top, NULL), 0); /* absent */
    free(top);
    free(sub);
    free(file);
    free(odd);
    free(mid);
    free(fifo);
}

static void
does_not_follow_links(void **state)
{
    char *out = in_scratch(state, "outside"), *kept = in_scratch(state, "outside/kept");
    char *top = in_scratch(state, "top"), *link = in_scratch(state, "top/link");
    char *direct = in_scratch(state, "direct");

    assert_int_equal(mkdir(out, 0700), 0);
    put_file(kept, "x", 1);
    assert_int_equal(mkdir(top, 0700), 0);
    assert_int_equal(symlink(out, link), 0);
    assert_int_equal(symlink(out, direct), 0);
    assert_int_equal(gold_remove_tree(top, NULL), 0);
    assert_int_equal(gold_remove_tree(direct, NULL), 0);
    assert_int_equal(count_entries(*state), 1);
    assert_file(kept, "x", 1);
    free(out);
    free(kept);
    free(top);
    free(link);
    free(direct);
}

static void
removes_a_file_and_names_failures(void **state)
{
    char *file = in_scratch(state, "file"), *under = in_scratch(state, "file/x");
    struct gold_error *err = NULL;

    put_file(file, "x", 1);
    assert_int_equal(gold_remove_tree(under, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "file/x'");
    assert_int_equal(gold_remove_tree(file, NULL), 0);
    assert_int_equal(count_entries(*state), 0);
    free(file);
    free(under);
}

/* In a mount namespace of its own, so that nothing stays mounted whatever happens. */
static int
with_mounts(const char *top, const char *mnt, const char *bind, const char *outside)
{
    char *in_mnt = gold_path_join(mnt, "kept", NULL);
    struct gold_error *err = NULL;

    if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("none", mnt, "tmpfs", 0, NULL) < 0 ||
        mount(outside, bind, NULL, MS_BIND, NULL) < 0)
        return 77;
    put_file(in_mnt, "x", 1);
    if (gold_remove_tree(top, &err) == 0)
        return 1;
    gold_error_free(err);
    if (access(in_mnt, F_OK) < 0)
        return 2;
    free(in_mnt);
    return 0;
}

static void
stays_on_its_mount(void **state)
{
    char *top = in_scratch(state, "top"), *mnt = in_scratch(state, "top/mnt");
    char *bind = in_scratch(state, "top/bind"), *outside = in_scratch(state, "outside");
    char *kept = in_scratch(state, "outside/kept"), *file = in_scratch(state, "top/file");
    int status;
    pid_t pid;

    assert_int_equal(mkdir(top, 0700), 0);
    assert_int_equal(mkdir(mnt, 0700), 0);
    assert_int_equal(mkdir(bind, 0700), 0);
    assert_int_equal(mkdir(outside, 0700), 0);
    put_file(kept, "x", 1);
    put_file(file, "x", 1);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(with_mounts(top, mnt, bind, outside));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    free(top);
    free(mnt);
    free(bind);
    free(outside);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        free(kept);
        free(file);
        print_message("SKIPPED: mounting needs privileges\n");
        skip();
        return;
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_file(kept, "x", 1);
    assert_int_equal(access(file, F_OK), -1); /* the rest went all the same */
    free(kept);
    free(file);
}

static void
is_not_lost_in_the_deep(void **state)
{
    char *top = in_scratch(state, "deep");
    struct gold_error *err = NULL;
    int fd, depth = 0;

    assert_int_equal(mkdir(top, 0700), 0);
    fd = open(top, O_RDONLY | O_DIRECTORY);
    for (depth = 0; depth < 300; depth++) {
        int sub;

        assert_int_equal(mkdirat(fd, "d", 0700), 0);
        sub = openat(fd, "d", O_RDONLY | O_DIRECTORY);
        assert_true(sub >= 0);
        close(fd);
        fd = sub;
    }
    close(fd);
    assert_int_equal(gold_remove_tree(top, &err), -1); /* a clear end, not a crash */
    assert_error(&err, GOLD_ERROR_IO, "deep'");
    /* The lower half first: then both are short enough. */
    {
        char *half = strdup(top);

        for (int i = 0; i < 150; i++) {
            char *longer = gold_path_join(half, "d", NULL);

            free(half);
            half = longer;
        }
        assert_int_equal(gold_remove_tree(half, NULL), 0);
        free(half);
    }
    assert_int_equal(gold_remove_tree(top, NULL), 0);
    free(top);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(removes_everything),
        scratch_test(does_not_follow_links),
        scratch_test(is_not_lured_outside),
        scratch_test(does_not_mind_help),
        scratch_test(removes_a_file_and_names_failures),
        scratch_test(stays_on_its_mount),
        scratch_test(is_not_lost_in_the_deep),
    };

    return RUN_TESTS(tests);
}
