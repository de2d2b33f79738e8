/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Talking to the guard. A line once sent is read by it even when we die the next moment, so
 * nothing is acknowledged. What the guard does with the lines is in guard_main.c:
 *
 *   P PID START   process       p PID    no more
 *   F PATH        file          d PATH   file or tree: no more
 *   T PATH        tree          Q        clean up now, this is an orderly end
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "core/guard.h"
#include "core/io.h"
#include "core/procfs.h"
#include "core/spawn.h"
#include "core/str.h"

#define STOP_TIMEOUT_MS 10000 /* the guard itself gives up after 4 s */

struct gold_guard {
    int fd;
    pid_t pid;
};

/* A socket rather than a pipe, because send() can be told not to raise SIGPIPE. */
static int
make_ends(int *ret_ours, int *ret_theirs, struct gold_error **err)
{
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0) {
        gold_error_set_errno(err, errno, "cannot reach the guard");
        return -1;
    }
    *ret_ours = fds[0];
    *ret_theirs = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
    gold_close(&fds[1]);
    if (*ret_theirs < 0) {
        gold_error_set_errno(err, errno, "cannot reach the guard");
        return -1;
    }
    return 0;
}

static int
start(struct gold_context *ctx, struct gold_error **err)
{
    static const char *const env[] = {"LC_ALL=C", NULL};
    GOLD_CLEANUP_FREE struct gold_guard *guard = calloc(1, sizeof(*guard));
    GOLD_CLEANUP_FREE char *program = gold_path_join(ctx->libexec_dir, "goldsmith-guard", err);
    GOLD_CLEANUP_FREE char *fd_text = NULL;
    GOLD_CLEANUP_FREE char *pid_text = NULL;
    GOLD_CLEANUP_FD int ours = -1;
    GOLD_CLEANUP_FD int theirs = -1;
    struct gold_spawn spawn = {.env = env, .stdio = {-1, -1, -1}, .own_session = true};

    if (!program)
        return -1;
    if (!guard)
        return gold_error_set_nomem(err);
    if (make_ends(&ours, &theirs, err) < 0)
        return -1;
    fd_text = gold_format(err, "%d", theirs);
    if (!fd_text)
        return -1;
    pid_text = gold_format(err, "%d", (int)getpid());
    if (!pid_text)
        return -1;
    spawn.argv = (const char *const[]){program, fd_text, pid_text, NULL};
    spawn.keep_fd[spawn.n_keep_fd++] = theirs;
    if (gold_spawn(&spawn, &guard->pid, err) < 0) {
        gold_error_prefix(err, "cannot start the guard");
        return -1;
    }
    guard->fd = gold_steal_fd(&ours);
    ctx->guard = gold_steal_ptr(&guard);
    return 0;
}

static int
send_line(const struct gold_guard *guard, const struct gold_str *line)
{
    const char *p = line->data;
    size_t left = line->len;

    while (left > 0) {
        ssize_t n = send(guard->fd, p, left, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        p += n;
        left -= (size_t)n;
    }
    return 0;
}

/* One line is one thing: nothing in a path may end it early. */
static void
append_encoded(struct gold_str *s, const char *path)
{
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        if (*p <= ' ' || *p == '%' || *p >= 0x7F)
            gold_str_printf(s, "%%%02X", (unsigned)*p);
        else
            gold_str_append_char(s, (char)*p);
    }
}

static int
tell(struct gold_context *ctx, const struct gold_str *line, struct gold_error **err)
{
    if (gold_str_finish(line, "message to the guard", err) < 0)
        return -1;
    if (!ctx->guard && start(ctx, err) < 0)
        return -1;
    if (send_line(ctx->guard, line) < 0) {
        gold_error_set_errno(err, errno, "cannot reach the guard");
        return -1;
    }
    return 0;
}

static void
drop(struct gold_context *ctx, const struct gold_str *line)
{
    if (ctx->guard && (line->failed || send_line(ctx->guard, line) < 0))
        gold_warning(ctx, "cannot reach the guard, ignoring");
}

int
gold_guard_add_process(struct gold_context *ctx, pid_t pid, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;
    uint64_t started;

    if (pid <= 1) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "process %d is not ours to guard",
                       (int)pid);
        return -1;
    }
    if (gold_proc_start_time(pid, &started) < 0) {
        gold_debug(ctx, "process %d has ended before it was guarded, ignoring", (int)pid);
        return 0;
    }
    gold_str_printf(&line, "P %d %llu\n", (int)pid, (unsigned long long)started);
    return tell(ctx, &line, err);
}

static int
add_path(struct gold_context *ctx, char kind, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;

    if (path[0] != '/') {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "cannot guard '%s': not an absolute path",
                       path);
        return -1;
    }
    gold_str_printf(&line, "%c ", kind);
    append_encoded(&line, path);
    gold_str_append_char(&line, '\n');
    return tell(ctx, &line, err);
}

int
gold_guard_add_file(struct gold_context *ctx, const char *path, struct gold_error **err)
{
    return add_path(ctx, 'F', path, err);
}

int
gold_guard_add_tree(struct gold_context *ctx, const char *path, struct gold_error **err)
{
    const char *rest = path + strspn(path, "/");

    /* A last line of defence: nothing at the top of the file system is a run directory. */
    rest += strcspn(rest, "/");
    if (!rest[strspn(rest, "/")] || strstr(path, "/../")) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "cannot guard '%s': not a run directory",
                       path);
        return -1;
    }
    return add_path(ctx, 'T', path, err);
}

void
gold_guard_drop_process(struct gold_context *ctx, pid_t pid)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;

    gold_str_printf(&line, "p %d\n", (int)pid);
    drop(ctx, &line);
}

void
gold_guard_drop_path(struct gold_context *ctx, const char *path)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;

    gold_str_append(&line, "d ");
    append_encoded(&line, path);
    gold_str_append_char(&line, '\n');
    drop(ctx, &line);
}

/* A guard that hangs must not hang us. */
static void
wait_for_end(struct gold_context *ctx, pid_t pid)
{
    GOLD_CLEANUP_FD int pidfd = pidfd_open(pid, 0);
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    int n, status = 0;

    do {
        n = pidfd < 0 ? 1 : poll(&p, 1, STOP_TIMEOUT_MS);
    } while (n < 0 && errno == EINTR);
    if (n == 0) {
        gold_warning(ctx, "the guard did not end in time, ignoring");
        (void)kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return;
    }
    if (n != 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        gold_warning(ctx, "the guard could not clean up everything, ignoring");
}

void
gold_guard_stop(struct gold_context *ctx)
{
    GOLD_CLEANUP_FREE struct gold_guard *guard = gold_steal_ptr(&ctx->guard);
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;

    if (!guard)
        return;
    /* Said, besides closed: a child that somebody forked without exec may still hold our end.
     */
    gold_str_append(&line, "Q\n");
    if (line.failed || send_line(guard, &line) < 0)
        gold_debug(ctx, "cannot reach the guard, ignoring");
    gold_close(&guard->fd);
    wait_for_end(ctx, guard->pid);
}
