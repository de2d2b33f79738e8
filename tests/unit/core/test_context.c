/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context: defaults, directories, messages, progress, cancellation, stop points. */
#include "unit.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/context.h"
#include "scratch.h"

static void
has_defaults(void **state)
{
    struct gold_context *ctx = gold_context_new();
    char cache[64];

    (void)state;
    snprintf(cache, sizeof(cache), "/tmp/goldsmith-cache-%u", (unsigned)geteuid());
    assert_string_equal(ctx->tmp_dir, "/tmp");
    assert_string_equal(ctx->cache_dir, cache);
    assert_true(ctx->libexec_dir[0] == '/');
    assert_null(ctx->run_dir);
    assert_int_equal(gold_context_set_tmp_dir(ctx, NULL), -1);
    assert_int_equal(gold_context_set_cache_dir(ctx, NULL), -1);
    assert_int_equal(gold_context_set_libexec_dir(ctx, NULL), -1);
    assert_string_equal(ctx->tmp_dir, "/tmp");
    ctx->accel_decided = GOLD_ACCEL_TCG;
    gold_context_set_accel(ctx, GOLD_ACCEL_KVM);
    assert_int_equal(ctx->accel, GOLD_ACCEL_KVM);
    assert_int_equal(ctx->accel_decided, GOLD_ACCEL_AUTO);
    gold_context_free(ctx);
    gold_context_free(NULL);
}

static void
makes_cache_directories(void **state)
{
    struct gold_context *ctx = gold_context_new();
    char *cache = in_scratch(state, "a/b/cache"), *dir = NULL, *want;
    struct stat st;

    assert_int_equal(gold_context_set_cache_dir(ctx, cache), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gold_context_cache_subdir(ctx, "qemu/x", &dir, NULL), 0);
        want = in_scratch(state, "a/b/cache/qemu/x");
        assert_string_equal(dir, want);
        free(want);
        assert_int_equal(stat(dir, &st), 0);
        assert_true(S_ISDIR(st.st_mode));
        assert_int_equal(st.st_mode & 07777, 0700);
        free(dir);
    }
    gold_context_free(ctx);
    free(cache);
}

static void
distrusts_foreign_caches(void **state)
{
    struct gold_context *ctx = gold_context_new();
    char *cache = in_scratch(state, "cache"), *file = in_scratch(state, "file"), *dir = NULL;
    char *link = in_scratch(state, "link");
    struct gold_error *err = NULL;

    put_file(file, "x", 1);
    assert_int_equal(gold_context_set_cache_dir(ctx, file), 0);
    assert_int_equal(gold_context_cache_subdir(ctx, "x", &dir, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "Not a directory");
    assert_int_equal(mkdir(cache, 0700), 0);
    assert_int_equal(chmod(cache, 0777), 0);
    assert_int_equal(gold_context_set_cache_dir(ctx, cache), 0);
    assert_int_equal(gold_context_cache_subdir(ctx, "x", &dir, &err), -1);
    assert_error(&err, GOLD_ERROR_UNSUPPORTED, "others may write");
    assert_int_equal(chmod(cache, 0700), 0);
    assert_int_equal(symlink(cache, link), 0);
    assert_int_equal(gold_context_set_cache_dir(ctx, link), 0);
    assert_int_equal(gold_context_cache_subdir(ctx, "x", &dir, NULL), 0); /* a link of ours */
    free(dir);
    dir = NULL;
    if (geteuid() == 0) {
        assert_int_equal(lchown(link, 65534, 65534), 0);
        assert_int_equal(gold_context_cache_subdir(ctx, "x", &dir, &err), -1);
        assert_error(&err, GOLD_ERROR_UNSUPPORTED, "another user");
    }
    assert_int_equal(gold_context_set_cache_dir(ctx, "/proc/nowhere/x"), 0);
    assert_int_equal(gold_context_cache_subdir(ctx, "x", &dir, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "cannot make directory");
    assert_int_equal(gold_context_cache_subdir(ctx, "x", &dir, NULL), -1);
    assert_null(dir);
    gold_context_free(ctx);
    free(cache);
    free(file);
    free(link);
}

static void
needs_a_place_for_runs(void **state)
{
    struct gold_context *ctx = gold_context_new();
    char *none = in_scratch(state, "none");
    struct gold_error *err = NULL;
    const char *dir = NULL;

    assert_int_equal(gold_context_set_tmp_dir(ctx, none), 0);
    assert_int_equal(gold_context_run_dir(ctx, &dir, &err), -1);
    assert_error(&err, GOLD_ERROR_IO, "none'");
    assert_null(dir);
    gold_context_free(ctx);
    free(none);
}

struct heard {
    unsigned n;
    enum gold_log_level level;
    char message[64];
};

static void
on_log(void *opaque, enum gold_log_level level, const char *message)
{
    struct heard *h = opaque;

    h->n++;
    h->level = level;
    snprintf(h->message, sizeof(h->message), "%s", message);
}

static void
passes_messages_on(void **state)
{
    struct gold_context *ctx = gold_context_new();
    struct heard h = {0};

    (void)state;
    gold_warning(ctx, "nobody listens");
    gold_debug(NULL, "nobody at all");
    gold_context_set_log(ctx, on_log, &h, GOLD_LOG_INFO);
    gold_debug(ctx, "too low");
    assert_int_equal(h.n, 0);
    gold_info(ctx, "number %d\nof\r%s", 1, "many");
    assert_int_equal(h.n, 1);
    assert_int_equal(h.level, GOLD_LOG_INFO);
    assert_string_equal(h.message, "number 1 of many");
    gold_warning(ctx, "w");
    assert_int_equal(h.level, GOLD_LOG_WARNING);
    gold_context_set_log(ctx, on_log, &h, GOLD_LOG_DEBUG);
    gold_debug(ctx, "d");
    assert_int_equal(h.n, 3);
    gold_context_free(ctx);
}

struct seen {
    unsigned n;
    struct gold_progress_event event;
    char detail[64];
};

static void
on_progress(void *opaque, const struct gold_progress_event *event)
{
    struct seen *s = opaque;

    s->n++;
    s->event = *event;
    snprintf(s->detail, sizeof(s->detail), "%s", event->detail ? event->detail : "(none)");
}

static void
passes_progress_on(void **state)
{
    struct gold_context *ctx = gold_context_new();
    struct seen s = {0};

    (void)state;
    gold_progress(NULL, "x", 0, NULL);
    gold_progress(ctx, "x", 0, NULL);
    gold_context_set_progress(ctx, on_progress, &s);
    ctx->progress_source = "web.qcow2";
    gold_progress(ctx, "seal", 0.5, "step %d", 3);
    assert_string_equal(s.event.source, "web.qcow2");
    assert_string_equal(s.event.phase, "seal");
    assert_string_equal(s.detail, "step 3");
    assert_true(s.event.fraction == 0.5);
    gold_progress(ctx, "boot", -1, NULL);
    assert_string_equal(s.detail, "(none)");
    assert_true(s.event.fraction < 0);
    gold_progress(ctx, "boot", 1.5, NULL);
    assert_true(s.event.fraction == 1);
    assert_int_equal(s.n, 3);
    gold_context_free(ctx);
}

static void
is_cancelled(void **state)
{
    struct gold_context *ctx = gold_context_new();
    struct pollfd p = {.fd = ctx->cancel_fd, .events = POLLIN};
    struct gold_error *err = NULL;

    (void)state;
    assert_false(gold_cancelled(NULL));
    assert_false(gold_cancelled(ctx));
    assert_int_equal(gold_check_cancelled(ctx, &err), 0);
    assert_int_equal(gold_check_cancelled(NULL, &err), 0);
    assert_int_equal(poll(&p, 1, 0), 0);
    errno = 4711;
    gold_cancel_request(ctx);
    gold_cancel_request(ctx);
    assert_int_equal(errno, 4711);
    assert_true(gold_cancelled(ctx));
    assert_int_equal(poll(&p, 1, 0), 1);
    assert_int_equal(gold_check_cancelled(ctx, &err), -1);
    assert_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    gold_context_free(ctx);
}

static void
stops_only_where_told(void **state)
{
#ifdef GOLDSMITH_TEST_HOOKS
    int status;
    pid_t pid;

    (void)state;
    gold_stop_point("here");
    pid = fork();
    if (pid == 0) {
        setenv("GOLDSMITH_STOP_AT", "here", 1);
        gold_stop_point("there");
        gold_stop_point("here-too");
        gold_stop_point("here");
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    pid = fork();
    if (pid == 0) {
        setenv("GOLDSMITH_STOP_AT", "here", 1);
        gold_stop_point("there");
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
#else
    (void)state;
    print_message("SKIPPED: built without test hooks\n");
    skip();
#endif
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_defaults),         scratch_test(makes_cache_directories),
        scratch_test(distrusts_foreign_caches), scratch_test(needs_a_place_for_runs),
        cmocka_unit_test(passes_messages_on),   cmocka_unit_test(passes_progress_on),
        cmocka_unit_test(is_cancelled),         cmocka_unit_test(stops_only_where_told),
    };

    return RUN_TESTS(tests);
}
