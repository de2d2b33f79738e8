/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Child programs: what they get, what is collected, and each limit. */
#include "unit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "core/limits.h"
#include "core/number.h"
#include "core/process.h"
#include "scratch.h"

static int
run_shell(const char *script, const struct gold_process_spec *base,
          struct gold_process_result *r, struct gold_error **err)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct gold_process_spec spec = base ? *base : (struct gold_process_spec){0};

    spec.argv = argv;
    return gold_process_run(NULL, &spec, r, err);
}

static double
seconds(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
collects(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    struct gold_process_spec spec = {.input = "in\0put", .input_len = 6};

    (void)state;
    assert_int_equal(run_shell("cat; echo oops >&2; exit 7", &spec, &r, NULL), 0);
    assert_int_equal(r.exit_status, 7);
    assert_int_equal(r.signal, 0);
    assert_int_equal(r.out.len, 6);
    assert_memory_equal(r.out.data, "in\0put", 6);
    assert_string_equal(gold_str_text(&r.err), "oops\n");
}

static void
collects_much_and_a_signal(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};

    (void)state;
    assert_int_equal(run_shell("head -c 3000000 /dev/zero; kill -TERM $$", NULL, &r, NULL), 0);
    assert_int_equal(r.exit_status, -1);
    assert_int_equal(r.signal, SIGTERM);
    assert_int_equal(r.out.len, 3000000);
}

/* No environment of ours, no descriptors, no terminal, a group of its own. */
static void
isolates(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    const char *const env[] = {"EXTRA=yes", NULL};
    struct gold_process_spec spec = {.env = env};
    int leak = open("/dev/null", O_RDONLY); /* not close-on-exec */

    (void)state;
    assert_int_equal(setenv("SECRET", "x", 1), 0);
    assert_int_equal(run_shell("env | sort; ls /proc/self/fd | tr '\\n' ' '; "
                               "read -r line; echo \"[$line]\"",
                               &spec, &r, NULL),
                     0);
    assert_non_null(strstr(gold_str_text(&r.out), "EXTRA=yes\nLC_ALL=C\nPATH="));
    assert_null(strstr(gold_str_text(&r.out), "SECRET"));
    assert_non_null(strstr(gold_str_text(&r.out), "0 1 2 3 []")); /* 3 is ls looking */
    close(leak);
}

static void
is_leader_of_its_group(void **state)
{
    const char *const argv[] = {"sleep", "100", NULL};
    struct gold_process_spec spec = {.argv = argv};
    sigset_t usr1;
    pid_t pid;
    int status;

    (void)state;
    /* Neither what we block nor what we ignore reaches the child. */
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    signal(SIGUSR1, SIG_IGN);
    assert_int_equal(gold_process_spawn(&spec, -1, -1, -1, &pid, NULL), 0);
    assert_int_equal(getpgid(pid), pid);
    assert_int_equal(kill(pid, SIGUSR1), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGUSR1);
    signal(SIGUSR1, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
}

static void
hands_over_descriptors(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    char *path = in_scratch(state, "f"), script[64];
    struct gold_process_spec spec = {.n_keep_fd = 1};
    struct gold_error *err = NULL;
    int fd;

    put_file(path, "content", 7);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    spec.keep_fd[0] = fd;
    snprintf(script, sizeof(script), "cat <&%d", fd);
    assert_int_equal(run_shell(script, &spec, &r, NULL), 0);
    assert_string_equal(gold_str_text(&r.out), "content");
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC); /* still ours alone */
    gold_process_result_done(&r);
    spec.keep_fd[0] = 1;
    assert_int_equal(run_shell("true", &spec, &r, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "descriptor 1");
    close(fd);
    free(path);
}

static void
works_with_closed_stdio(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    int saved[3], result;

    (void)state;
    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
        close(i);
    }
    result = run_shell("echo out; echo err >&2", NULL, &r, NULL);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    assert_int_equal(result, 0);
    assert_string_equal(gold_str_text(&r.out), "out\n");
    assert_string_equal(gold_str_text(&r.err), "err\n");
}

static void
cannot_start(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    char *path = in_scratch(state, "not-executable");
    const char *const none[] = {"no-such-program-anywhere", NULL}, *const bad[] = {path, NULL};
    struct gold_process_spec spec = {.argv = none};
    struct gold_error *err = NULL;

    put_file(path, "x", 1);
    assert_int_equal(gold_process_run(NULL, &spec, &r, &err), -1);
    assert_int_equal(gold_error_errno(err), ENOENT);
    assert_error(&err, GOLD_ERROR_IO, "cannot run 'no-such-program-anywhere'");
    spec.argv = bad;
    assert_int_equal(gold_process_run(NULL, &spec, &r, &err), -1);
    assert_int_equal(gold_error_errno(err), EACCES);
    assert_error(&err, GOLD_ERROR_IO, "not-executable'");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
    free(path);
}

static void
caps_output(void **state)
{
    for (int n = 99; n <= 101; n++) {
        for (int stream = 1; stream <= 2; stream++) {
            GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
            struct gold_process_spec spec = {.max_output = 100};
            struct gold_error *err = NULL;
            char script[64];
            int result;

            (void)state;
            snprintf(script, sizeof(script), "head -c %d /dev/zero >&%d", n, stream);
            result = run_shell(script, &spec, &r, &err);
            assert_int_equal(result, n <= 100 ? 0 : -1);
            if (result < 0)
                assert_error(&err, GOLD_ERROR_UNSUPPORTED, "'sh' wrote more than 100 bytes");
            else
                assert_int_equal(stream == 1 ? r.out.len : r.err.len, n);
        }
    }
    {
        GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
        struct gold_error *err = NULL;

        assert_int_equal(run_shell("exec cat /dev/zero", NULL, &r, &err), -1);
        assert_error(&err, GOLD_ERROR_UNSUPPORTED, "wrote more than 16777216 bytes");
    }
}

static void
limits_time(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    struct gold_process_spec spec = {.timeout_ms = 300};
    struct gold_error *err = NULL;
    double start = seconds();

    (void)state;
    assert_int_equal(run_shell("sleep 60 & sleep 60", &spec, &r, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "did not end within 300 ms");
    assert_true(seconds() - start < 10);
    assert_int_equal(run_shell("true", &spec, &r, NULL), 0);
}

/* A child of the child that keeps the pipes open must not hold us up, and ends with its group.
 */
static void
does_not_wait_for_grandchildren(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    double start = seconds();
    uint64_t number = 0;
    pid_t pid;

    (void)state;
    assert_int_equal(run_shell("sleep 60 & echo $!", NULL, &r, NULL), 0);
    assert_true(seconds() - start < 10);
    assert_true(r.out.len > 1);
    r.out.data[r.out.len - 1] = '\0'; /* the newline */
    assert_int_equal(gold_parse_u64_max(r.out.data, INT32_MAX, &number, NULL), 0);
    pid = (pid_t)number;
    for (int i = 0; i < 100; i++) {
        char path[64], text[64] = "";
        int fd;

        snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
        fd = open(path, O_RDONLY);
        if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || strcmp(text, "sleep") != 0) {
            if (fd >= 0)
                close(fd);
            return;
        }
        close(fd);
        usleep(20000);
    }
    fail_msg("process %d lives on", (int)pid);
}

static void
limits_memory(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    const char *const argv[] = {"dd",      "if=/dev/zero", "of=/dev/null",
                                "bs=256M", "count=1",      NULL};
    struct gold_process_spec spec = {.argv = argv};

    (void)state;
    assert_int_equal(gold_process_run(NULL, &spec, &r, NULL), 0);
    assert_int_equal(r.exit_status, 0);
    gold_process_result_done(&r);
    spec.max_memory = 64 * GOLD_MIB;
    assert_int_equal(gold_process_run(NULL, &spec, &r, NULL), 0);
    assert_int_not_equal(r.exit_status, 0);
    assert_non_null(strstr(gold_str_text(&r.err), "memory"));
}

static struct gold_context *to_cancel;

static void
on_alarm(int sig)
{
    (void)sig;
    gold_cancel_request(to_cancel); /* NOLINT(bugprone-signal-handler): made for this */
}

static void
is_cancelled(void **state)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {0};
    const char *const argv[] = {"sleep", "60", NULL};
    struct gold_process_spec spec = {.argv = argv};
    struct gold_error *err = NULL;
    double start = seconds();

    (void)state;
    to_cancel = gold_context_new();
    signal(SIGALRM, on_alarm);
    alarm(1);
    assert_int_equal(gold_process_run(to_cancel, &spec, &r, &err), -1);
    assert_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    assert_true(seconds() - start < 10);
    assert_int_equal(gold_process_run(to_cancel, &spec, &r, &err), -1); /* not even started */
    assert_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    gold_context_free(to_cancel);
}

/* The parent dies by SIGKILL; its child must follow. */
static void
dies_with_its_parent(void **state)
{
    int fds[2], status;
    pid_t parent, child = 0;
    char c;

    (void)state;
    assert_int_equal(pipe(fds), 0);
    parent = fork();
    if (parent == 0) {
        const char *const argv[] = {"sleep", "60", NULL};
        struct gold_process_spec spec = {.argv = argv};

        /* The write end stays open in the child as its stdout. */
        if (gold_process_spawn(&spec, -1, fds[1], -1, &child, NULL) < 0)
            _exit(1);
        kill(getpid(), SIGKILL);
    }
    close(fds[1]);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_true(WIFSIGNALED(status));
    alarm(20);
    signal(SIGALRM, SIG_DFL);
    assert_int_equal(read(fds[0], &c, 1), 0); /* end of file: nobody holds it */
    alarm(0);
    close(fds[0]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collects),
        cmocka_unit_test(collects_much_and_a_signal),
        cmocka_unit_test(isolates),
        cmocka_unit_test(is_leader_of_its_group),
        scratch_test(hands_over_descriptors),
        cmocka_unit_test(works_with_closed_stdio),
        scratch_test(cannot_start),
        cmocka_unit_test(caps_output),
        cmocka_unit_test(limits_time),
        cmocka_unit_test(does_not_wait_for_grandchildren),
        cmocka_unit_test(limits_memory),
        cmocka_unit_test(is_cancelled),
        cmocka_unit_test(dies_with_its_parent),
    };

    return RUN_TESTS(tests);
}
