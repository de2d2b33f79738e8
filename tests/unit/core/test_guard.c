/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guard: what was registered is gone soon after the end of the process that registered it,
 * even by SIGKILL; nothing else is touched.
 */
#include "unit.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "core/guard.h"
#include "core/number.h"
#include "core/procfs.h"
#include "scratch.h"

#define TOO_LONG 5.0 /* s: "nothing left" is judged then */

static double
seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool
alive(pid_t pid)
{
    uint64_t started;

    return gold_proc_start_time(pid, &started) == 0;
}

static bool
exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static struct gold_context *
new_context(const char *tmp)
{
    struct gold_context *ctx = gold_context_new();

    if (!ctx || gold_context_set_libexec_dir(ctx, GOLD_TEST_LIBEXEC) < 0 ||
        gold_context_set_tmp_dir(ctx, tmp) < 0)
        _exit(99);
    return ctx;
}

/* A process in a session of its own, like a QEMU that libvirt started; mark stands in its
   command line. It waits for input that never comes, so it has no children. Ignores SIGTERM
   when stubborn. */
static pid_t
start_sleeper(const char *mark, bool stubborn)
{
    int ready[2], never[2];
    pid_t pid;
    char c;

    if (pipe2(ready, O_CLOEXEC) < 0 || pipe(never) < 0)
        return -1;
    pid = fork();
    if (pid == 0) {
        setsid();
        dup2(never[0], 0);
        execl("/bin/sh", "sh", "-c", stubborn ? "trap '' TERM; read -r x" : "read -r x", mark,
              (char *)NULL);
        _exit(127);
    }
    close(never[0]);
    close(never[1]);
    close(ready[1]);
    (void)!read(ready[0], &c, 1); /* until exec has closed it */
    close(ready[0]);
    if (stubborn)
        usleep(200000); /* let it set its trap */
    return pid;
}

static void
end_sleeper(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

/* What the doomed parent tells us before it is killed. */
struct report {
    pid_t registered, stubborn, by_tree, neighbour;
    char run_dir[128];
};

static void
fill_tree(const char *dir)
{
    char *sub = gold_path_join(dir, "sub dir%", NULL),
         *file = gold_path_join(sub, "file\n", NULL);

    if (mkdir(sub, 0700) < 0)
        _exit(98);
    put_file(file, "x", 1);
    free(sub);
    free(file);
}

static void
doomed(void **state, int out)
{
    struct gold_context *ctx = new_context(*state);
    char *file = in_scratch(state, "odd\nname %"), *dropped = in_scratch(state, "dropped");
    char *inside;
    struct report report = {.registered = start_sleeper("a", false)};
    const char *dir;

    report.stubborn = start_sleeper("b", true);
    report.neighbour = start_sleeper("/tmp/somebody-else", false);
    put_file(file, "x", 1);
    put_file(dropped, "x", 1);
    if (gold_context_run_dir(ctx, &dir, NULL) < 0 || strlen(dir) >= sizeof(report.run_dir))
        _exit(97);
    memcpy(report.run_dir, dir, strlen(dir) + 1);
    fill_tree(dir);
    inside = gold_format(NULL, "file=%s/disk.qcow2,if=none", dir);
    report.by_tree = start_sleeper(inside, false); /* never registered */
    if (gold_guard_add_process(ctx, report.registered, NULL) < 0 ||
        gold_guard_add_process(ctx, report.stubborn, NULL) < 0 ||
        gold_guard_add_process(ctx, report.neighbour, NULL) < 0 ||
        gold_guard_add_file(ctx, file, NULL) < 0 || gold_guard_add_file(ctx, dropped, NULL) < 0)
        _exit(96);
    gold_guard_drop_process(ctx, report.neighbour);
    gold_guard_drop_path(ctx, dropped);
    (void)!write(out, &report, sizeof(report));
    kill(0, SIGKILL); /* the whole group: the guard must not be in it */
}

static void
cleans_up_after_sigkill(void **state)
{
    char *file = in_scratch(state, "odd\nname %"), *dropped = in_scratch(state, "dropped");
    struct report r = {0};
    int fds[2], status;
    double start;
    pid_t parent;

    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    parent = fork();
    if (parent == 0) {
        setpgid(0, 0);
        doomed(state, fds[1]);
        _exit(95);
    }
    close(fds[1]);
    assert_int_equal(gold_read_full(fds[0], &r, sizeof(r)), sizeof(r));
    close(fds[0]);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    start = seconds();
    while (seconds() - start < TOO_LONG &&
           (alive(r.registered) || alive(r.stubborn) || alive(r.by_tree) || exists(r.run_dir) ||
            exists(file)))
        usleep(20000);
    assert_false(alive(r.registered));
    assert_false(alive(r.stubborn));
    assert_false(alive(r.by_tree));
    assert_false(exists(r.run_dir));
    assert_false(exists(file));
    /* And what was not, or no longer, registered stays. */
    assert_true(alive(r.neighbour));
    assert_true(exists(dropped));
    assert_int_equal(kill(r.neighbour, SIGKILL), 0);
    free(file);
    free(dropped);
}

/* Forks a child that outlives us. `late`: a short while after our death it turns into a program
   with our run directory in its command line; else it holds all our descriptors and does
   nothing. */
static void
doomed_with_child(void **state, int out, bool late)
{
    struct gold_context *ctx = new_context(*state);
    struct report report = {0};
    pid_t parent = getpid();
    const char *dir;
    char *mark;

    if (gold_context_run_dir(ctx, &dir, NULL) < 0 || strlen(dir) >= sizeof(report.run_dir))
        _exit(97);
    memcpy(report.run_dir, dir, strlen(dir) + 1);
    mark = gold_format(NULL, "%s/monitor", dir);
    report.by_tree = fork();
    if (report.by_tree == 0) {
        setsid();
        while (late && getppid() == parent)
            usleep(1000);
        usleep(40000);
        if (late)
            execl("/bin/sh", "sh", "-c", "sleep 30", mark, (char *)NULL);
        sleep(30);
        _exit(0);
    }
    (void)!write(out, &report, sizeof(report));
    kill(getpid(), SIGKILL);
}

static void
lets_no_child_escape(void **state)
{
    for (int late = 0; late <= 1; late++) {
        struct report r = {0};
        int fds[2], status;
        double start;
        pid_t parent;

        assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
        parent = fork();
        if (parent == 0) {
            doomed_with_child(state, fds[1], late);
            _exit(95);
        }
        close(fds[1]);
        assert_int_equal(gold_read_full(fds[0], &r, sizeof(r)), sizeof(r));
        close(fds[0]);
        assert_int_equal(waitpid(parent, &status, 0), parent);
        start = seconds();
        while (seconds() - start < TOO_LONG &&
               (exists(r.run_dir) || (late && alive(r.by_tree))))
            usleep(20000);
        assert_false(exists(r.run_dir));
        assert_int_equal(alive(r.by_tree), !late); /* the idle one never was ours to end */
        (void)kill(-r.by_tree, SIGKILL);
    }
}

static void
cleans_up_in_order(void **state)
{
    struct gold_context *ctx = new_context(*state);
    pid_t pid = start_sleeper("x", false), other = start_sleeper("y", false);
    const char *dir, *again;
    struct stat st;
    char *copy;
    double start;

    assert_int_equal(gold_context_run_dir(ctx, &dir, NULL), 0);
    assert_int_equal(gold_context_run_dir(ctx, &again, NULL), 0);
    assert_ptr_equal(dir, again);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0711);
    copy = strdup(dir);
    fill_tree(dir);
    assert_int_equal(gold_guard_add_process(ctx, pid, NULL), 0);
    start = seconds();
    gold_context_free(ctx);
    assert_true(seconds() - start < TOO_LONG);
    assert_false(alive(pid));
    assert_true(alive(other));
    assert_int_equal(count_entries(*state), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(waitpid(-1, NULL, WNOHANG),
                     0); /* only the other is left, no zombie guard */
    end_sleeper(other);
    free(copy);
}

/* We are told in our own command line nothing about the tree, but a process that merely has a
   longer name of the same beginning, or the path inside another path, is a stranger. */
static void
knows_similar_paths_apart(void **state)
{
    struct gold_context *ctx = new_context(*state);
    const char *dir;
    char *mark[4];
    pid_t pid[4];

    assert_int_equal(gold_context_run_dir(ctx, &dir, NULL), 0);
    mark[0] = gold_format(NULL, "%s2/disk", dir);
    mark[1] = gold_format(NULL, "/var%s/disk", dir);
    mark[2] = gold_format(NULL, "%s", dir);
    mark[3] = gold_format(NULL, "unix:%s/sock,server", dir);
    for (int i = 0; i < 4; i++)
        pid[i] = start_sleeper(mark[i], false);
    gold_context_free(ctx);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(alive(pid[i]), i < 2);
        end_sleeper(pid[i]);
        free(mark[i]);
    }
}

/* The guard program by itself, told of a pid with another start time: somebody else's process.
 */
static void
spares_a_reused_pid(void **state)
{
    char line[128], number[16], self[16];
    pid_t victim = start_sleeper("x", false), guard;
    uint64_t started = 0;
    int fds[2], status;

    (void)state;
    assert_int_equal(gold_proc_start_time(victim, &started), 0);
    for (int right = 0; right <= 1; right++) {
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
        snprintf(number, sizeof(number), "%d", fds[1]);
        snprintf(self, sizeof(self), "%d", (int)getpid());
        guard = fork();
        if (guard == 0) {
            close(fds[0]);
            execl(GOLD_TEST_LIBEXEC "/goldsmith-guard", "goldsmith-guard", number, self,
                  (char *)NULL);
            _exit(127);
        }
        close(fds[1]);
        /* Nonsense first: it must be passed over. */
        snprintf(line, sizeof(line),
                 "X\n\nP\nP 1 1\nP -5 x\nF relative\nF /%%zz\nT\nP %d %llu\n", (int)victim,
                 (unsigned long long)started + !right);
        assert_int_equal(gold_write_all(fds[0], line, strlen(line)), 0);
        close(fds[0]);
        assert_int_equal(waitpid(guard, &status, 0), guard);
        assert_int_equal(status, 0);
        assert_int_equal(alive(victim), !right);
    }
    end_sleeper(victim);
}

static void
is_quiet_without_anything_to_do(void **state)
{
    struct gold_context *ctx = new_context(*state);
    pid_t pid = start_sleeper("x", false);

    gold_guard_stop(ctx);
    gold_guard_drop_process(ctx, 4711);
    gold_guard_drop_path(ctx, "/nowhere");
    assert_null(ctx->guard);
    end_sleeper(pid);
    assert_int_equal(gold_guard_add_process(ctx, pid, NULL),
                     0); /* has ended: nothing to guard */
    assert_null(ctx->guard);
    gold_context_free(ctx);
}

static void
refuses_nonsense(void **state)
{
    struct gold_context *ctx = new_context(*state);
    struct gold_error *err = NULL;

    assert_int_equal(gold_guard_add_process(ctx, 1, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "process 1");
    assert_int_equal(gold_guard_add_file(ctx, "relative", &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "'relative': not an absolute path");
    assert_int_equal(gold_guard_add_tree(ctx, "/", &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "not a run directory");
    assert_int_equal(gold_guard_add_tree(ctx, "//tmp/", &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "not a run directory");
    assert_int_equal(gold_guard_add_tree(ctx, "/tmp/x/../..", &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "not a run directory");
    assert_null(ctx->guard);
    gold_context_free(ctx);
}

static void
says_when_it_cannot_start(void **state)
{
    struct gold_context *ctx = new_context(*state);
    struct gold_error *err = NULL;
    const char *dir = NULL;

    assert_int_equal(gold_context_set_libexec_dir(ctx, "/nonexistent"), 0);
    assert_int_equal(gold_context_run_dir(ctx, &dir, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "cannot start the guard: cannot run '/nonexistent/");
    assert_null(dir);
    assert_int_equal(count_entries(*state), 0);
    gold_context_free(ctx);
}

/* The pid of our one child. */
static pid_t
only_child(void)
{
    char *path = gold_format(NULL, "/proc/self/task/%d/children", (int)getpid()), *text = NULL;
    uint64_t pid = 0;

    assert_int_equal(gold_read_file(path, 4096, &text, NULL, NULL), 0);
    text[strcspn(text, " ")] = '\0';
    assert_int_equal(gold_parse_u64_max(text, INT32_MAX, &pid, NULL), 0);
    free(path);
    free(text);
    return (pid_t)pid;
}

static unsigned warnings;

static void
on_log(void *opaque, enum gold_log_level level, const char *message)
{
    (void)opaque;
    if (level == GOLD_LOG_WARNING && strstr(message, ", ignoring"))
        warnings++;
}

/* Somebody kills the guard: registering says so, dropping warns, and nobody gets SIGPIPE. */
static void
notices_a_dead_guard(void **state)
{
    struct gold_context *ctx = new_context(*state);
    char *file = in_scratch(state, "f");
    struct gold_error *err = NULL;
    int pid = 0;

    gold_context_set_log(ctx, on_log, NULL, GOLD_LOG_WARNING);
    assert_int_equal(gold_guard_add_file(ctx, file, NULL), 0);
    pid = only_child();
    assert_int_equal(getsid(pid), pid); /* in a session of its own */
    assert_int_equal(kill(pid, SIGINT), 0);
    assert_int_equal(kill(pid, SIGHUP), 0);
    assert_int_equal(kill(pid, SIGTERM), 0);
    usleep(100000);
    assert_true(alive(pid));
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (alive(pid))
        usleep(1000);
    warnings = 0;
    gold_guard_drop_path(ctx, file);
    assert_int_equal(warnings, 1);
    assert_int_equal(gold_guard_add_file(ctx, file, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "cannot reach the guard");
    gold_context_free(ctx);
    assert_int_equal(warnings, 2);
    free(file);
}

/* It holds nothing of ours: no descriptors beyond its own, no directory. */
static void
holds_nothing(void **state)
{
    struct gold_context *ctx = new_context(*state);
    int leak = open("/dev/zero", O_RDONLY), count = 0, pid = 0;
    char *file = in_scratch(state, "f"), path[64], target[64];
    struct dirent *entry;
    DIR *dir;

    assert_int_equal(gold_guard_add_file(ctx, file, NULL), 0);
    pid = only_child();
    usleep(200000);
    snprintf(path, sizeof(path), "/proc/%d/fd", pid);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

        if (n <= 0)
            continue;
        target[n] = '\0';
        count++;
        assert_string_not_equal(target, "/dev/zero");
    }
    closedir(dir);
    assert_int_equal(count, 5); /* 0, 1, 2, the socket, the pidfd */
    snprintf(path, sizeof(path), "/proc/%d/cwd", pid);
    assert_int_equal(readlink(path, target, sizeof(target)), 1);
    close(leak);
    gold_context_free(ctx);
    free(file);
}

static void
reads_start_times(void **state)
{
    pid_t pid = start_sleeper("x", false);
    uint64_t a = 0, b = 0;

    (void)state;
    assert_int_equal(gold_proc_start_time(pid, &a), 0);
    assert_int_equal(gold_proc_start_time(getpid(), &b), 0);
    assert_true(a >= b && b > 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    for (int i = 0; i < 500 && gold_proc_start_time(pid, &a) == 0; i++)
        usleep(10000);
    assert_int_equal(gold_proc_start_time(pid, &a), -1); /* a zombie counts as gone */
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(gold_proc_start_time(pid, &a), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        scratch_test(cleans_up_after_sigkill), scratch_test(lets_no_child_escape),
        scratch_test(cleans_up_in_order),      scratch_test(knows_similar_paths_apart),
        scratch_test(spares_a_reused_pid),     scratch_test(is_quiet_without_anything_to_do),
        scratch_test(refuses_nonsense),        scratch_test(says_when_it_cannot_start),
        scratch_test(notices_a_dead_guard),    scratch_test(holds_nothing),
        cmocka_unit_test(reads_start_times),
    };

    return RUN_TESTS(tests);
}
