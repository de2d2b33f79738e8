/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child programs with limits. What they print is collected, never interpreted here.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/process.h"
#include "core/spawn.h"
#include "core/vec.h"

GOLD_VEC(words, const char *);

static int
fill_spawn(const struct gold_process_spec *spec, struct words *env, struct gold_spawn *ret,
           struct gold_error **err)
{
    if (words_append(env, "LC_ALL=C", err) < 0 ||
        words_append(env, "PATH=" GOLD_SPAWN_PATH, err) < 0)
        return -1;
    for (const char *const *p = spec->env; p && *p; p++) {
        if (words_append(env, *p, err) < 0)
            return -1;
    }
    if (words_append(env, NULL, err) < 0)
        return -1;
    *ret = (struct gold_spawn){.argv = spec->argv,
                               .env = env->items,
                               .stdio = {-1, -1, -1},
                               .max_memory = spec->max_memory};
    for (unsigned i = 0; i < spec->n_keep_fd && i < GOLD_SPAWN_MAX_KEEP; i++) {
        if (spec->keep_fd[i] < 0)
            break;
        ret->keep_fd[ret->n_keep_fd++] = spec->keep_fd[i];
    }
    return 0;
}

int
gold_process_spawn(const struct gold_process_spec *spec, int in_fd, int out_fd, int err_fd,
                   pid_t *ret_pid, struct gold_error **err)
{
    GOLD_CLEANUP(words_clear) struct words env = {0};
    struct gold_spawn spawn;

    if (fill_spawn(spec, &env, &spawn, err) < 0)
        return -1;
    spawn.stdio[0] = in_fd;
    spawn.stdio[1] = out_fd;
    spawn.stdio[2] = err_fd;
    return gold_spawn(&spawn, ret_pid, err);
}

void
gold_process_result_done(struct gold_process_result *r)
{
    gold_str_done(&r->out);
    gold_str_done(&r->err);
}

/* A running child and our ends of its pipes. */
struct run {
    struct gold_context *ctx;
    const struct gold_process_spec *spec;
    pid_t pid; /* 0 once reaped */
    int pidfd;
    int fd[2]; /* stdout, stderr; -1 after the end of file */
    struct gold_str text[2];
    int64_t deadline; /* ms, -1: none */
    bool exited;
};

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Also on every early return: the group is killed and the child reaped. */
static void
run_done(struct run *r)
{
    if (r->pid > 0) {
        (void)kill(-r->pid, SIGKILL);
        while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    gold_close(&r->pidfd);
    for (int i = 0; i < 2; i++) {
        gold_close(&r->fd[i]);
        gold_str_done(&r->text[i]);
    }
}

/* The whole input in a file without a name: no pipe that has to be fed, no SIGPIPE. */
static int
input_fd(const struct gold_process_spec *spec, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = memfd_create("input", MFD_CLOEXEC);

    if (fd < 0 || gold_write_all(fd, spec->input, spec->input_len) < 0 ||
        lseek(fd, 0, SEEK_SET) < 0) {
        gold_error_set_errno(err, errno, "cannot prepare the input of '%s'", spec->argv[0]);
        return -1;
    }
    return gold_steal_fd(&fd);
}

static int
make_pipe(int *ret_read, int *ret_write, struct gold_error **err)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0) {
        gold_error_set_errno(err, errno, "cannot make a pipe");
        return -1;
    }
    *ret_read = fds[0];
    *ret_write = fds[1];
    if (fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0) {
        gold_error_set_errno(err, errno, "cannot set up a pipe");
        return -1;
    }
    return 0;
}

static int
start(struct run *r, struct gold_error **err)
{
    GOLD_CLEANUP_FD int in = -1;
    GOLD_CLEANUP_FD int out_end = -1;
    GOLD_CLEANUP_FD int err_end = -1;

    if (r->spec->input) {
        in = input_fd(r->spec, err);
        if (in < 0)
            return -1;
    }
    if (make_pipe(&r->fd[0], &out_end, err) < 0 || make_pipe(&r->fd[1], &err_end, err) < 0 ||
        gold_process_spawn(r->spec, in, out_end, err_end, &r->pid, err) < 0)
        return -1;
    r->pidfd = pidfd_open(r->pid, 0);
    if (r->pidfd < 0) {
        gold_error_set_errno(err, errno, "cannot watch '%s'", r->spec->argv[0]);
        return -1;
    }
    return 0;
}

/* Takes what stream i has now. */
static int
drain(struct run *r, int i, struct gold_error **err)
{
    char buf[16 * 1024];

    while (r->fd[i] >= 0) {
        ssize_t n = read(r->fd[i], buf, sizeof(buf));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return 0;
        if (n < 0) {
            gold_error_set_errno(err, errno, "cannot read from '%s'", r->spec->argv[0]);
            return -1;
        }
        if (n == 0)
            gold_close(&r->fd[i]);
        gold_str_append_len(&r->text[i], buf, (size_t)n);
        if (r->text[i].over) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' wrote more than %zu bytes",
                           r->spec->argv[0], r->text[i].limit);
            return -1;
        }
        if (r->text[i].failed)
            return gold_error_set_nomem(err);
    }
    return 0;
}

/* One turn of waiting. Sets r->exited. */
static int
turn(struct run *r, struct gold_error **err)
{
    struct pollfd p[4] = {{.fd = r->fd[0], .events = POLLIN},
                          {.fd = r->fd[1], .events = POLLIN},
                          {.fd = r->pidfd, .events = POLLIN},
                          {.fd = r->ctx ? r->ctx->cancel_fd : -1, .events = POLLIN}};
    int timeout = -1;

    if (gold_check_cancelled(r->ctx, err) < 0)
        return -1;
    if (r->deadline >= 0) {
        int64_t left = r->deadline - now_ms();

        if (left <= 0) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' did not end within %u ms",
                           r->spec->argv[0], r->spec->timeout_ms);
            return -1;
        }
        timeout = left < 60000 ? (int)left : 60000;
    }
    if (poll(p, 4, timeout) < 0 && errno != EINTR) {
        gold_error_set_errno(err, errno, "cannot wait for '%s'", r->spec->argv[0]);
        return -1;
    }
    for (int i = 0; i < 2; i++) {
        if ((p[i].revents & (POLLIN | POLLHUP | POLLERR)) && drain(r, i, err) < 0)
            return -1;
    }
    r->exited = (p[2].revents & POLLIN) != 0;
    return 0;
}

static int
reap(struct run *r, struct gold_process_result *ret, struct gold_error **err)
{
    int status;

    /* What it left in its group ends with it; its pid is still ours, as it is not reaped yet.
     */
    (void)kill(-r->pid, SIGKILL);
    for (int i = 0; i < 2; i++) {
        if (drain(r, i, err) < 0)
            return -1;
    }
    while (waitpid(r->pid, &status, 0) < 0) {
        if (errno != EINTR) {
            gold_error_set_errno(err, errno, "cannot wait for '%s'", r->spec->argv[0]);
            r->pid = 0;
            return -1;
        }
    }
    r->pid = 0;
    *ret = (struct gold_process_result){.exit_status = -1};
    if (WIFEXITED(status))
        ret->exit_status = WEXITSTATUS(status);
    else
        ret->signal = WTERMSIG(status);
    ret->out = r->text[0];
    ret->err = r->text[1];
    memset(r->text, 0, sizeof(r->text));
    return 0;
}

int
gold_process_run(struct gold_context *ctx, const struct gold_process_spec *spec,
                 struct gold_process_result *ret, struct gold_error **err)
{
    GOLD_CLEANUP(run_done)
    struct run r = {.ctx = ctx, .spec = spec, .pidfd = -1, .fd = {-1, -1}, .deadline = -1};

    for (int i = 0; i < 2; i++)
        r.text[i].limit = spec->max_output ? spec->max_output : (size_t)GOLD_LIMIT_CHILD_OUTPUT;
    if (gold_check_cancelled(ctx, err) < 0)
        return -1;
    if (spec->timeout_ms)
        r.deadline = now_ms() + spec->timeout_ms;
    if (start(&r, err) < 0)
        return -1;
    while (!r.exited) {
        if (turn(&r, err) < 0)
            return -1;
    }
    return reap(&r, ret, err);
}
