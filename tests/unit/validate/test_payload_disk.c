/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The payload disk as debugfs sees it: content, modes, features; and what is left behind by
 * failures. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "core/process.h"
#include "core/str.h"
#include "validate/protocol.h"

#define PLAN \
    "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdef\nwait 240\nidentity\nend\n"

struct scene {
    struct gold_context *ctx;
    char dir[32], path[64], stage[80];
};

static int
set_up(void **state)
{
    struct scene *s = calloc(1, sizeof(*s));
    if (!s)
        return -1;
    (void)snprintf(s->dir, sizeof(s->dir), "/tmp/gold-payload-XXXXXX");
    s->ctx = gold_context_new();
    if (!s->ctx || !mkdtemp(s->dir) ||
        gold_context_set_libexec_dir(s->ctx, GOLD_TEST_LIBEXEC) < 0)
        return -1;
    (void)snprintf(s->path, sizeof(s->path), "%s/payload.img", s->dir);
    (void)snprintf(s->stage, sizeof(s->stage), "%s.d", s->path);
    *state = s;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *s = *state;
    assert_int_equal(gold_remove_tree(s->dir, NULL), 0);
    gold_context_free(s->ctx);
    free(s);
    return 0;
}

/* What debugfs answers. */
static char *
ask(const struct scene *s, const char *request)
{
    const char *const argv[] = {"debugfs", "-R", request, s->path, NULL};
    const struct gold_process_spec spec = {.argv = argv, .timeout_ms = 20000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {0};
    if (gold_process_run(NULL, &spec, &result, NULL) < 0 || result.exit_status != 0)
        fail_msg("debugfs does not run");
    return gold_str_steal(&result.out, NULL, NULL);
}

static void
create(const struct scene *s)
{
    struct gold_error *err = NULL;
    if (gold_payload_disk_create(s->ctx, s->path, PLAN, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
holds_agent_and_plan(void **state)
{
    struct scene *s = *state;
    create(s);
    GOLD_CLEANUP_FREE char *plan = ask(s, "cat plan");
    assert_string_equal(plan, PLAN);
    GOLD_CLEANUP_FREE char *agent = ask(s, "stat agent");
    assert_non_null(strstr(agent, "Mode:  0755"));
    GOLD_CLEANUP_FREE char *mode = ask(s, "stat plan");
    assert_non_null(strstr(mode, "Mode:  0644"));
    struct stat st;
    GOLD_CLEANUP_FREE char *size = gold_format(
        NULL, "Size: %lld",
        stat(GOLD_TEST_LIBEXEC "/" GOLD_AGENT_PROGRAM, &st) == 0 ? (long long)st.st_size
                                                                 : -1LL);
    assert_non_null(strstr(agent, size));
}

/* Old kernels must mount it, and read-only media take no journal. */
static void
has_only_old_features(void **state)
{
    struct scene *s = *state;
    create(s);
    GOLD_CLEANUP_FREE char *features = ask(s, "features");
    assert_non_null(strstr(features, "filetype"));
    static const char *const no[] = {"has_journal", "64bit",   "metadata_csum",
                                     "orphan_file", "flex_bg", "needs_recovery"};
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
        if (strstr(features, no[i]))
            fail_msg("'%s' is in: %s", no[i], features);
    }
    GOLD_CLEANUP_FREE char *stats = ask(s, "stats -h");
    assert_non_null(strstr(stats, GOLD_PAYLOAD_LABEL));
}

static void
leaves_nothing_but_the_disk(void **state)
{
    struct scene *s = *state;
    create(s);
    assert_int_equal(access(s->path, R_OK), 0);
    assert_int_equal(access(s->stage, F_OK), -1);
}

static void
fails_without_an_agent(void **state)
{
    struct scene *s = *state;
    struct gold_error *err = NULL;
    assert_int_equal(gold_context_set_libexec_dir(s->ctx, "/nonexistent"), 0);
    assert_int_equal(gold_payload_disk_create(s->ctx, s->path, PLAN, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "/nonexistent/" GOLD_AGENT_PROGRAM));
    gold_error_free(err);
    assert_int_equal(access(s->path, F_OK), -1);
    assert_int_equal(access(s->stage, F_OK), -1);
}

static void
fails_where_nothing_can_be_written(void **state)
{
    struct scene *s = *state;
    struct gold_error *err = NULL;
    assert_int_equal(gold_payload_disk_create(s->ctx, "/nonexistent/p.img", PLAN, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    gold_error_free(err);
    /* A directory in the image's place: mke2fs refuses, and we say so. */
    err = NULL;
    assert_int_equal(mkdir(s->path, 0700), 0);
    assert_int_equal(gold_payload_disk_create(s->ctx, s->path, PLAN, &err), -1);
    assert_non_null(strstr(gold_error_message(err), s->path));
    gold_error_free(err);
    assert_int_equal(access(s->stage, F_OK), -1);
}

static void
stops_when_asked(void **state)
{
    struct scene *s = *state;
    struct gold_error *err = NULL;
    gold_cancel_request(s->ctx);
    assert_int_equal(gold_payload_disk_create(s->ctx, s->path, PLAN, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CANCELLED);
    gold_error_free(err);
    assert_int_equal(access(s->path, F_OK), -1);
    assert_int_equal(access(s->stage, F_OK), -1);
}

#define in_scene(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        in_scene(holds_agent_and_plan),
        in_scene(has_only_old_features),
        in_scene(leaves_nothing_but_the_disk),
        in_scene(fails_without_an_agent),
        in_scene(fails_where_nothing_can_be_written),
        in_scene(stops_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
