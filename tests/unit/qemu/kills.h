/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A commit in a child process that is killed: swept over its duration, and at each named stop
 * point. The images live in work/, their old and new contents beside it as raw references.
 */
#ifndef GOLD_TESTS_QEMU_KILLS_H
#define GOLD_TESTS_QEMU_KILLS_H

#include "scratch.h"

#include <poll.h>
#include <signal.h>
#include <time.h>

#include "qemu/workset.h"

#define KILLS 30

struct kill_case {
    const char *format;
    unsigned n;            /* images: work/disk0, work/disk1 */
    bool readable_at_once; /* each path reads as old or new even before recovery */
};

static inline double
seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#define CHANGES \
    "-c 'write -P 2 4M 6M' -c 'write -P 3 30M 5M' -c 'write -z 2M 1M' -c 'write -P 7 60M 64k'"

/* Pristine images and both references, once for all kills. */
static inline void
make_references(const struct kill_case *c)
{
    must_sh("mkdir -p work pristine");
    for (unsigned i = 0; i < c->n; i++) {
        must_sh("qemu-img create -f %s pristine/disk%u 64M && "
                "qemu-io -f %s -c 'write -P %u 0 20M' pristine/disk%u && "
                "qemu-img convert -f %s -O raw pristine/disk%u old%u.raw && cp --sparse=always "
                "old%u.raw new%u.raw && "
                "qemu-io -f raw " CHANGES " new%u.raw",
                c->format, i, c->format, 16 + i, i, c->format, i, i, i, i, i);
    }
}

static inline void
restore(const struct kill_case *c)
{
    must_sh("rm -rf work && mkdir work");
    for (unsigned i = 0; i < c->n; i++)
        must_sh("cp --sparse=always pristine/disk%u work/disk%u", i, i);
}

/* In the child: everything up to the commit, a byte to say so, the commit. Never returns. */
static inline void __attribute__((noreturn))
commit_in_child(const struct kill_case *c, int ready, const char *stop_at)
{
    struct gold_workset_image images[2] = {{.path = at("work/disk0")},
                                           {.path = at("work/disk1")}};
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;

    images[0].rules.format = images[1].rules.format = c->format;
    struct gold_workset *ws = gold_workset_open(ctx, images, c->n, 0, &err);
    if (!ws)
        _exit(90);
    for (unsigned i = 0; i < c->n; i++)
        if (!sh("qemu-io -f qcow2 " CHANGES " '%s'", gold_workset_overlay(ws, i)))
            _exit(91);
    if (stop_at && setenv("GOLDSMITH_STOP_AT", stop_at, 1) < 0)
        _exit(92);
    if (write(ready, "r", 1) != 1)
        _exit(93);
    int r = gold_workset_commit(ws, &err);
    gold_workset_free(ws);
    gold_context_free(ctx);
    _exit(r == 0 ? 0 : 94);
}

static inline pid_t
start_commit(const struct kill_case *c, const char *stop_at)
{
    int fds[2];
    char byte;
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setpgid(0, 0);
        commit_in_child(c, fds[1], stop_at);
    }
    close(fds[1]);
    assert_int_equal(read(fds[0], &byte, 1), 1);
    close(fds[0]);
    return pid;
}

/* 'o', 'n', or 0: neither. A qemu-img that outlives its parent for a moment may hold the lock.
 */
static inline char
state_of(const struct kill_case *c, unsigned i)
{
    double end = seconds() + 5;
    do {
        if (sh("qemu-img compare -f %s -F raw work/disk%u old%u.raw", c->format, i, i))
            return 'o';
        if (sh("qemu-img compare -f %s -F raw work/disk%u new%u.raw", c->format, i, i))
            return 'n';
        if (!said("lock"))
            return 0;
    } while (seconds() < end);
    return 0;
}

static inline bool
only_images_left(const struct kill_case *c)
{
    unsigned n = 0;
    DIR *d = opendir(at("work"));
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.' || (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."));
    closedir(d);
    return n == c->n;
}

/* What must hold after a kill; returns the state. */
static inline char
judge(const struct kill_case *c)
{
    struct gold_error *err = NULL;
    bool done;
    char before[2] = {0}, after[2] = {0};

    for (unsigned i = 0; i < c->n && c->readable_at_once; i++) {
        before[i] = state_of(c, i);
        assert_true(before[i] == 'o' || before[i] == 'n');
    }
    double began = seconds();
    struct gold_context *ctx = new_context();
    /* From the last one: it must find its way to the record of the first. */
    for (unsigned i = c->n; i-- > 0;) {
        char name[32];
        snprintf(name, sizeof(name), "work/disk%u", i);
        int r = gold_workset_recover(ctx, at(name), &done, &err);
        no_error(err);
        assert_int_equal(r, 0);
    }
    while (!only_images_left(c) && seconds() < began + 5)
        poll(NULL, 0, 50);
    if (!only_images_left(c))
        (void)!system("ls -la /tmp/goldsmith-qemu-*/work >&2");
    assert_true(only_images_left(c));
    for (unsigned i = 0; i < c->n; i++) {
        after[i] = state_of(c, i);
        assert_true(after[i] == 'o' || after[i] == 'n');
        assert_int_equal(after[i], after[0]); /* all or none */
        if (c->readable_at_once && c->n == 1)
            assert_int_equal(after[i], before[i]);
        if (strcmp(c->format, "qcow2") == 0)
            must_sh("qemu-img check -f qcow2 work/disk%u", i);
    }
    /* And once more: there is nothing left to do. */
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), 0);
    assert_false(done);
    gold_context_free(ctx);
    return after[0];
}

static inline void
sweep(const struct kill_case *c, unsigned kills)
{
    unsigned olds = 0, news = 0;

    make_references(c);
    restore(c);
    pid_t pid = start_commit(c, NULL);
    double began = seconds();
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    double whole = seconds() - began;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(judge(c), 'n');
    for (unsigned k = 0; k < kills; k++) {
        restore(c);
        pid = start_commit(c, NULL);
        struct timespec delay = {0, (long)(whole * 1e9 * k / kills)};
        delay.tv_sec = delay.tv_nsec / 1000000000;
        delay.tv_nsec %= 1000000000;
        nanosleep(&delay, NULL);
        kill(-pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        char state = judge(c);
        olds += state == 'o';
        news += state == 'n';
    }
    print_message("%s: %u kills over %.0f ms: %u old, %u new\n", c->format, kills, whole * 1000,
                  olds, news);
    /* A whole sweep hits both sides, or it proves nothing. */
    if (kills == KILLS)
        assert_true(olds > 0 && news > 0);
}

static inline void
stop_at(const struct kill_case *c, const char *const *points, const char *states)
{
    int status;

    make_references(c);
    for (unsigned k = 0; points[k]; k++) {
        restore(c);
        pid_t pid = start_commit(c, points[k]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (!WIFSIGNALED(status))
            print_error("'%s' was not reached\n", points[k]);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        char state = judge(c);
        if (state != states[k])
            print_error("'%s': %c\n", points[k], state);
        assert_int_equal(state, states[k]);
    }
}

#endif
