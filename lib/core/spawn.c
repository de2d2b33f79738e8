/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fork and exec. The process that calls us has threads (libvirt's), so everything is prepared
 * before fork() and the child makes only system calls until exec.
 */
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "core/io.h"
#include "core/spawn.h"
#include "core/str.h"

/* What the child needs, all of it ready. */
struct child {
    const char *path;
    char *const *argv;
    char *const *env;
    int stdio[3]; /* each 3 or above */
    const struct gold_spawn *spawn;
    int status_fd;
    pid_t parent;
};

/* Descriptors 0 to 2 are overwritten in the child, so the sources must lie above. */
static int
dup_high(int fd, struct gold_error **err)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (copy < 0)
        gold_error_set_errno(err, errno, "cannot duplicate descriptor %d", fd);
    return copy;
}

static char *
find_program(const char *name, struct gold_error **err)
{
    const char *dir = GOLD_SPAWN_PATH;

    if (strchr(name, '/'))
        return gold_strdup(name, err);
    while (*dir) {
        size_t n = strcspn(dir, ":");
        GOLD_CLEANUP_FREE char *path = gold_format(err, "%.*s/%s", (int)n, dir, name);
        struct stat st;

        if (!path)
            return NULL;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
            return gold_steal_ptr(&path);
        dir += n + (dir[n] == ':');
    }
    gold_error_set_errno(err, ENOENT, "cannot run '%s'", name);
    return NULL;
}

static void __attribute__((noreturn)) give_up(const struct child *c)
{
    int why = errno;
    ssize_t n = write(c->status_fd, &why, sizeof(why));

    _exit(n == (ssize_t)sizeof(why) ? 126 : 127);
}

static bool
is_request_to_end(int sig)
{
    return sig == SIGHUP || sig == SIGINT || sig == SIGQUIT || sig == SIGTERM ||
           sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Between fork and exec: only async-signal-safe calls. */
static void __attribute__((noreturn)) run_child(const struct child *c)
{
    struct sigaction dfl = {.sa_handler = SIG_DFL}, ign = {.sa_handler = SIG_IGN};
    struct rlimit no_core = {0, 0};
    sigset_t none;

    if (c->spawn->own_session) {
        if (setsid() < 0)
            give_up(c);
    } else {
        if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
            give_up(c);
        /* The parent may have died before prctl() took effect. */
        if (getppid() != c->parent)
            _exit(127);
    }
    /* Handlers of the parent must not run here, and what it ignores is not ours to inherit.
       What is to survive us must not be open to a signal between exec and its first line
       either. */
    for (int sig = 1; sig < NSIG; sig++) {
        bool ignored = c->spawn->own_session && is_request_to_end(sig);

        (void)sigaction(sig, ignored ? &ign : &dfl, NULL);
    }
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) < 0)
        give_up(c);
    for (int i = 0; i < 3; i++) {
        if (dup2(c->stdio[i], i) < 0)
            give_up(c);
    }
    if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
        give_up(c);
    for (unsigned i = 0; i < c->spawn->n_keep_fd; i++) {
        if (fcntl(c->spawn->keep_fd[i], F_SETFD, 0) < 0)
            give_up(c);
    }
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (c->spawn->max_memory) {
        struct rlimit as = {c->spawn->max_memory, c->spawn->max_memory};

        if (setrlimit(RLIMIT_AS, &as) < 0)
            give_up(c);
    }
    execve(c->path, c->argv, c->env);
    give_up(c);
}

/* fork() with all signals blocked, so that no handler of ours runs in the child. */
static pid_t
fork_quietly(const struct child *c)
{
    sigset_t all, before;
    pid_t pid;
    int saved;

    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return -1;
    pid = fork();
    if (pid == 0)
        run_child(c);
    saved = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return pid;
}

static int
check_keep(const struct gold_spawn *spawn, struct gold_error **err)
{
    for (unsigned i = 0; i < spawn->n_keep_fd; i++) {
        if (i >= GOLD_SPAWN_MAX_KEEP || spawn->keep_fd[i] < 3) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "cannot hand descriptor %d to '%s'",
                           i < GOLD_SPAWN_MAX_KEEP ? spawn->keep_fd[i] : -1, spawn->argv[0]);
            return -1;
        }
    }
    return 0;
}

static int
fork_and_wait_for_exec(struct child *c, pid_t *ret_pid, struct gold_error **err)
{
    GOLD_CLEANUP_FD int read_end = -1;
    GOLD_CLEANUP_FD int write_end = -1;
    int fds[2], why = 0;
    ssize_t n;
    pid_t pid;

    if (pipe2(fds, O_CLOEXEC) < 0) {
        gold_error_set_errno(err, errno, "cannot make a pipe");
        return -1;
    }
    read_end = fds[0];
    write_end = dup_high(fds[1], err);
    gold_close(&fds[1]);
    if (write_end < 0)
        return -1;
    c->status_fd = write_end;
    c->parent = getpid();
    pid = fork_quietly(c);
    if (pid < 0) {
        gold_error_set_errno(err, errno, "cannot start '%s'", c->argv[0]);
        return -1;
    }
    gold_close(&write_end);
    n = gold_read_full(read_end, &why, sizeof(why));
    if (n != 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        gold_error_set_errno(err, n == (ssize_t)sizeof(why) ? why : EIO, "cannot run '%s'",
                             c->path);
        return -1;
    }
    *ret_pid = pid;
    return 0;
}

int
gold_spawn(const struct gold_spawn *spawn, pid_t *ret_pid, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *path = NULL;
    GOLD_CLEANUP_FD int null = -1;
    struct child c = {.spawn = spawn, .stdio = {-1, -1, -1}};
    int result = -1;

    if (check_keep(spawn, err) < 0)
        return -1;
    path = find_program(spawn->argv[0], err);
    if (!path)
        return -1;
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) {
        gold_error_set_errno(err, errno, "cannot open '/dev/null'");
        return -1;
    }
    c.path = path;
    c.argv = (char *const *)spawn->argv;
    c.env = (char *const *)spawn->env;
    for (int i = 0; i < 3; i++) {
        c.stdio[i] = dup_high(spawn->stdio[i] >= 0 ? spawn->stdio[i] : null, err);
        if (c.stdio[i] < 0)
            goto out;
    }
    result = fork_and_wait_for_exec(&c, ret_pid, err);
out:
    for (int i = 0; i < 3; i++)
        gold_close(&c.stdio[i]);
    return result;
}
