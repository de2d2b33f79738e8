/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time, small files, and programs of the guest run on a leash. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

double
gold_agent_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void
gold_agent_sleep(double seconds)
{
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&t, &t) < 0 && errno == EINTR)
        continue;
}

void
gold_agent_say(const char *fmt, ...)
{
    va_list args;
    (void)fputs("goldsmith-agent: ", stderr);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

bool
gold_agent_number(const char *text, uint64_t max, uint64_t *ret)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
            return false;
    }
    if (value > max)
        return false;
    *ret = value;
    return true;
}

int
gold_agent_read_file(const char *path, char *ret, size_t cap)
{
    /* O_NONBLOCK: a fifo planted in a guest must not hang us. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    size_t len = 0;
    ssize_t n = 0;
    if (fd < 0)
        return -1;
    while (len + 1 < cap) {
        n = read(fd, ret + len, cap - 1 - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    (void)close(fd);
    ret[len] = '\0';
    return n < 0 ? -1 : (int)len;
}

bool
gold_agent_read_line(const char *path, char *ret, size_t cap)
{
    if (gold_agent_read_file(path, ret, cap) <= 0)
        return false;
    size_t skip = strspn(ret, " \t");
    size_t len = strcspn(ret + skip, "\r\n");
    while (len > 0 && (ret[skip + len - 1] == ' ' || ret[skip + len - 1] == '\t'))
        len--;
    memmove(ret, ret + skip, len);
    ret[len] = '\0';
    return len > 0;
}

/* In the child; never returns. */
static void
become(const char *const *argv, int out)
{
    static const char *const folders[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin"};
    char variable_c[] = "LC_ALL=C", variable_path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
    char *env[] = {variable_c, variable_path, NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;
    /* We ignore the signals of a shutdown; what we run must not inherit that. */
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGHUP, SIG_DFL);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    if (null >= 0) {
        (void)dup2(null, 0);
        (void)dup2(null, 2);
    }
    (void)dup2(out >= 0 ? out : null, 1);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        char path[256];
        int len = snprintf(path, sizeof(path), "%s/%s", folders[i], argv[0]);
        if (len > 0 && (size_t)len < sizeof(path))
            (void)execve(path, (char *const *)(uintptr_t)argv, env);
    }
    _exit(127);
}

/* Reads until the other end closes, the time is over, or nothing more fits (the rest is read
 * and dropped). */
static void
drain(int fd, double until, char *ret, size_t cap)
{
    size_t len = 0;
    for (;;) {
        double left = until - gold_agent_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        char waste[512];
        if (left <= 0 || poll(&p, 1, (int)(left * 1000) + 1) == 0)
            break;
        bool full = len + 1 >= cap;
        ssize_t n = read(fd, full ? waste : ret + len, full ? sizeof(waste) : cap - 1 - len);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            break;
        if (!full)
            len += (size_t)n;
    }
    ret[len] = '\0';
}

static int
wait_for(pid_t pid, double until)
{
    int status = 0;
    for (;;) {
        pid_t done = waitpid(pid, &status, WNOHANG);
        if (done == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (done < 0 && errno != EINTR)
            return -1;
        if (gold_agent_now() >= until)
            break;
        gold_agent_sleep(0.02);
    }
    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL);
    /* One that is stuck in the kernel is left behind. */
    for (int i = 0; i < 50 && waitpid(pid, &status, WNOHANG) == 0; i++)
        gold_agent_sleep(0.02);
    return -1;
}

int
gold_agent_run(const char *const *argv, double seconds, char *ret, size_t cap)
{
    double until = gold_agent_now() + seconds;
    int ends[2] = {-1, -1};
    if (ret) {
        ret[0] = '\0';
        if (pipe2(ends, O_CLOEXEC) < 0)
            return -1;
    }
    pid_t pid = fork();
    if (pid == 0)
        become(argv, ends[1]);
    if (ends[1] >= 0)
        (void)close(ends[1]);
    if (pid > 0 && ret)
        drain(ends[0], until, ret, cap);
    if (ends[0] >= 0)
        (void)close(ends[0]);
    return pid > 0 ? wait_for(pid, until) : -1;
}
