/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * goldsmith-guard FD PID: outlives the process PID that started it, and then ends and removes
 * what was registered over FD (the lines are described in guard.c). It prints nothing, needs no
 * configuration and touches nothing that was not registered.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <time.h>

#include "core/io.h"
#include "core/number.h"
#include "core/procfs.h"
#include "core/vec.h"

/* Milliseconds after the end of the parent. All of it stays below 4 s. */
#define TERM_UNTIL   1500
#define KILL_UNTIL   2800
#define REMOVE_UNTIL 3600
#define PAUSE        100
#define MAX_LINE     ((size_t)64 * 1024)
#define MAX_CMDLINE  ((size_t)4 * 1024 * 1024)

struct process {
    pid_t pid;
    uint64_t started;
};

struct victim {
    pid_t pid;
    int pidfd;
    bool gone;
};

GOLD_VEC(processes, struct process);
GOLD_VEC(victims, struct victim);

struct guard {
    int fd;
    int parent_fd; /* pidfd */
    pid_t parent;
    bool orderly; /* the parent said Q and waits for us */
    bool done;
    struct gold_str input;
    struct processes processes;
    struct gold_strv files, trees;
    struct victims victims;
    int64_t start; /* ms, when the parent ended */
};

static int64_t
now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* --- registering --- */

static int
hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* In place. False: not what guard.c writes. */
static bool
decode(char *s)
{
    char *to = s;

    for (; *s; s++) {
        if (*s == '%') {
            int high = hex(s[1]), low = high < 0 ? -1 : hex(s[2]);

            if (low < 0)
                return false;
            *to++ = (char)(high * 16 + low);
            s += 2;
        } else {
            *to++ = *s;
        }
    }
    *to = '\0';
    return true;
}

static bool
parse_pid(const char *text, pid_t *ret)
{
    uint64_t v;

    if (gold_parse_u64_max(text, INT32_MAX, &v, NULL) < 0 || v <= 1)
        return false;
    *ret = (pid_t)v;
    return true;
}

static void
add_process(struct guard *g, char *text)
{
    struct process p;
    char *blank = strchr(text, ' ');

    if (!blank)
        return;
    *blank = '\0';
    if (!parse_pid(text, &p.pid) || gold_parse_u64(blank + 1, &p.started, NULL) < 0)
        return;
    (void)(processes_append(&g->processes, p, NULL) < 0);
}

static void
drop_process(struct guard *g, const char *text)
{
    pid_t pid;

    if (!parse_pid(text, &pid))
        return;
    for (size_t i = g->processes.n; i > 0; i--) {
        if (g->processes.items[i - 1].pid == pid)
            g->processes.items[i - 1] = g->processes.items[--g->processes.n];
    }
}

static void
drop_path(struct gold_strv *v, const char *path)
{
    for (size_t i = v->n; i > 0; i--) {
        if (gold_streq(v->items[i - 1], path)) {
            free(v->items[i - 1]);
            v->items[i - 1] = v->items[--v->n];
        }
    }
}

static void
handle_line(struct guard *g, char *line)
{
    char *text = line + 2;

    if (gold_streq(line, "Q")) {
        g->orderly = g->done = true;
        return;
    }
    if (!line[0] || line[1] != ' ')
        return;
    if (line[0] == 'P') {
        add_process(g, text);
        return;
    }
    if (line[0] == 'p') {
        drop_process(g, text);
        return;
    }
    if (!decode(text) || text[0] != '/')
        return;
    if (line[0] == 'F') {
        (void)(gold_strv_add(&g->files, text, NULL) < 0);
    } else if (line[0] == 'T') {
        (void)(gold_strv_add(&g->trees, text, NULL) < 0);
    } else if (line[0] == 'd') {
        drop_path(&g->files, text);
        drop_path(&g->trees, text);
    }
}

static void
handle_input(struct guard *g)
{
    char *line = g->input.data, *end;
    size_t rest;

    while ((end = memchr(line, '\n', g->input.len - (size_t)(line - g->input.data)))) {
        *end = '\0';
        handle_line(g, line);
        line = end + 1;
    }
    rest = g->input.len - (size_t)(line - g->input.data);
    memmove(g->input.data, line, rest);
    g->input.len = rest;
}

/* Reads what is there. */
static void
read_input(struct guard *g)
{
    char buf[4096];

    while (!g->done) {
        ssize_t n = read(g->fd, buf, sizeof(buf));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            g->done = true;
            return;
        }
        gold_str_append_len(&g->input, buf, (size_t)n);
        if (g->input.failed) {
            gold_str_clear(&g->input);
            continue;
        }
        handle_input(g);
    }
}

/* Until the parent ends, in whatever way. A child that it forked may hold its end of the socket
   longer than it lives, so the process itself is watched, too. */
static void
watch(struct guard *g)
{
    while (!g->done) {
        struct pollfd p[2] = {{.fd = g->fd, .events = POLLIN},
                              {.fd = g->parent_fd, .events = POLLIN}};
        bool parent_gone;

        if (poll(p, 2, -1) < 0) {
            if (errno != EINTR)
                return;
            continue;
        }
        parent_gone = (p[1].revents & POLLIN) != 0;
        read_input(g); /* also what it wrote just before its end */
        if (parent_gone)
            return;
    }
}

/* --- ending processes --- */

static bool
is_victim(const struct guard *g, pid_t pid)
{
    for (size_t i = 0; i < g->victims.n; i++) {
        if (g->victims.items[i].pid == pid && !g->victims.items[i].gone)
            return true;
    }
    return false;
}

/* Takes the pidfd. */
static void
add_victim(struct guard *g, pid_t pid, int pidfd, int signal)
{
    struct victim v = {.pid = pid, .pidfd = pidfd};

    (void)pidfd_send_signal(pidfd, signal, NULL, 0);
    if (victims_append(&g->victims, v, NULL) < 0)
        gold_close(&v.pidfd);
}

static void
take_registered(struct guard *g, int signal)
{
    for (size_t i = 0; i < g->processes.n; i++) {
        const struct process *p = &g->processes.items[i];
        uint64_t started;
        int pidfd;

        if (is_victim(g, p->pid) || p->pid == g->parent)
            continue;
        pidfd = pidfd_open(p->pid, 0);
        /* Looked at after pidfd_open(): from here on the descriptor cannot mean another one. */
        if (pidfd >= 0 && gold_proc_start_time(p->pid, &started) == 0 && started == p->started)
            add_victim(g, p->pid, pidfd, signal);
        else
            gold_close(&pidfd);
    }
}

static bool
continues_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-';
}

/* Does text hold path, not as a part of a longer name? */
static bool
mentions(const char *text, size_t len, const char *path)
{
    size_t n = strlen(path);
    const char *p = text, *end = text + len;

    while ((p = memmem(p, (size_t)(end - p), path, n))) {
        if ((p == text || (!continues_name(p[-1]) && p[-1] != '/')) &&
            (p + n == end || !continues_name(p[n])))
            return true;
        p++;
    }
    return false;
}

static bool
belongs_to_tree(const struct guard *g, pid_t pid)
{
    GOLD_CLEANUP_FREE char *path = gold_format(NULL, "/proc/%d/cmdline", (int)pid);
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;

    if (!path || gold_read_file(path, MAX_CMDLINE, &text, &len, NULL) < 0)
        return false;
    for (size_t i = 0; i < g->trees.n; i++) {
        if (mentions(text, len, g->trees.items[i]))
            return true;
    }
    return false;
}

/* How many processes of the trees were found that were not known yet. */
static size_t
take_by_tree(struct guard *g, int signal)
{
    GOLD_CLEANUP_DIR DIR *proc = NULL;
    struct dirent *entry;
    size_t found = 0;

    if (g->trees.n == 0 || !(proc = opendir("/proc")))
        return 0;
    while ((entry = readdir(proc))) {
        int pidfd;
        pid_t pid;

        if (!parse_pid(entry->d_name, &pid) || pid == getpid() || pid == g->parent ||
            is_victim(g, pid))
            continue;
        pidfd = pidfd_open(pid, 0);
        if (pidfd >= 0 && belongs_to_tree(g, pid)) {
            add_victim(g, pid, pidfd, signal);
            found++;
        } else {
            gold_close(&pidfd);
        }
    }
    return found;
}

/* Notes who has ended; the number of those who have not. */
static size_t
count_living(struct guard *g)
{
    size_t living = 0;

    for (size_t i = 0; i < g->victims.n; i++) {
        struct victim *v = &g->victims.items[i];
        struct pollfd p = {.fd = v->pidfd, .events = POLLIN};

        if (!v->gone && poll(&p, 1, 0) == 1) {
            v->gone = true;
            gold_close(&v->pidfd);
        }
        living += !v->gone;
    }
    return living;
}

static void
pause_ms(unsigned ms)
{
    (void)poll(NULL, 0, (int)ms);
}

static void
signal_victims(const struct guard *g, int signal)
{
    for (size_t i = 0; i < g->victims.n; i++) {
        if (!g->victims.items[i].gone)
            (void)pidfd_send_signal(g->victims.items[i].pidfd, signal, NULL, 0);
    }
}

/* Two quiet looks in a row: a child that was between its fork and its exec when the parent died
   shows its new command line only at the second. */
static void
end_processes(struct guard *g)
{
    int signal = SIGTERM;
    unsigned quiet = 0;

    take_registered(g, signal);
    for (;;) {
        int64_t age = now_ms() - g->start;
        size_t found = take_by_tree(g, signal);

        quiet = found == 0 && count_living(g) == 0 ? quiet + 1 : 0;
        if (quiet >= 2 || (quiet == 1 && (g->orderly || g->trees.n == 0)) || age >= KILL_UNTIL)
            return;
        if (signal == SIGTERM && age >= TERM_UNTIL) {
            signal = SIGKILL;
            signal_victims(g, signal);
        }
        pause_ms(g->victims.n && age < 500 ? PAUSE / 4 : PAUSE);
    }
}

/* --- removing files --- */

static bool
remove_all(const struct guard *g)
{
    bool ok = true;

    for (size_t i = 0; i < g->files.n; i++) {
        if (unlink(g->files.items[i]) < 0 && errno != ENOENT && errno != ENOTDIR)
            ok = false;
    }
    for (size_t i = 0; i < g->trees.n; i++) {
        if (gold_remove_tree(g->trees.items[i], NULL) < 0)
            ok = false;
    }
    return ok;
}

static void
ignore_signals(void)
{
    static const int signals[] = {SIGINT,  SIGQUIT, SIGHUP,  SIGTERM, SIGTSTP, SIGTTIN,
                                  SIGTTOU, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
    struct sigaction ign = {.sa_handler = SIG_IGN};

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &ign, NULL);
}

static void
guard_done(struct guard *g)
{
    for (size_t i = 0; i < g->victims.n; i++)
        gold_close(&g->victims.items[i].pidfd);
    victims_clear(&g->victims);
    processes_clear(&g->processes);
    gold_strv_done(&g->files);
    gold_strv_done(&g->trees);
    gold_str_done(&g->input);
    gold_close(&g->fd);
    gold_close(&g->parent_fd);
}

int
main(int argc, char **argv)
{
    GOLD_CLEANUP(guard_done) struct guard g = {.fd = -1, .parent_fd = -1};
    uint64_t fd;
    bool ok;

    if (argc != 3 || gold_parse_u64_max(argv[1], INT32_MAX, &fd, NULL) < 0 ||
        !parse_pid(argv[2], &g.parent))
        return 2;
    g.fd = (int)fd;
    g.input.limit = MAX_LINE;
    ignore_signals();
    /* The directory we were started in must stay unmountable. */
    if (chdir("/") < 0 || fcntl(g.fd, F_SETFD, FD_CLOEXEC) < 0 ||
        fcntl(g.fd, F_SETFL, O_NONBLOCK) < 0)
        return 2;
    g.parent_fd = pidfd_open(g.parent, 0);
    if (g.parent_fd < 0 || getppid() != g.parent)
        read_input(&g); /* it is gone already */
    else
        watch(&g);
    g.start = now_ms();
    end_processes(&g);
    ok = remove_all(&g);
    while (!ok && now_ms() - g.start < REMOVE_UNTIL) {
        pause_ms(PAUSE);
        ok = remove_all(&g);
    }
    return ok && count_living(&g) == 0 ? 0 : 1;
}
