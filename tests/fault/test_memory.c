/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every allocation is made to fail in turn. The error is "out of memory", nothing leaks (run
 * under ASan), and what was being filled is as it was before.
 */
#include "unit.h"

#include "core/context.h"
#include "core/number.h"
#include "core/replace.h"
#include "core/result.h"
#include "core/scratch.h"
#include "core/str.h"
#include "core/vec.h"

static bool active;
static unsigned count, chosen;

static bool
trip(void)
{
    if (!active || ++count != chosen)
        return false;
    errno = ENOMEM;
    return true;
}

#define WRAPPED(type, name, params, args, failed)    \
    type __real_##name params;                       \
    type __wrap_##name params;                       \
    type __wrap_##name params                        \
    {                                                \
        return trip() ? failed : __real_##name args; \
    }

WRAPPED(void *, malloc, (size_t n), (n), NULL)
WRAPPED(void *, calloc, (size_t n, size_t m), (n, m), NULL)
WRAPPED(void *, realloc, (void *p, size_t n), (p, n), NULL)
WRAPPED(char *, strdup, (const char *s), (s), NULL)
WRAPPED(char *, strndup, (const char *s, size_t n), (s, n), NULL)
int GOLD_PRINTF(2, 0) __real_vasprintf(char **ret, const char *fmt, va_list args);
int GOLD_PRINTF(2, 0) __wrap_vasprintf(char **ret, const char *fmt, va_list args);
WRAPPED(int, vasprintf, (char **ret, const char *fmt, va_list args), (ret, fmt, args), -1)
int GOLD_PRINTF(3, 0)
    __real___vasprintf_chk(char **ret, int flag, const char *fmt, va_list args);
int GOLD_PRINTF(3, 0)
    __wrap___vasprintf_chk(char **ret, int flag, const char *fmt, va_list args);
WRAPPED(int, __vasprintf_chk, (char **ret, int flag, const char *fmt, va_list args),
        (ret, flag, fmt, args), -1)

typedef int scenario(void **state, struct gold_error **err);

static int
build_strings(void **state, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    GOLD_CLEANUP_STRV struct gold_strv v = {0};
    GOLD_CLEANUP_FREE char *text = NULL;
    GOLD_CLEANUP_FREE char *kept = NULL;

    (void)state;
    for (int i = 0; i < 50; i++) {
        gold_str_printf(&s, "%d ", i);
        gold_str_append_xml(&s, "<a & b>");
        gold_append_double(&s, i / 3.0, 2);
    }
    text = gold_str_steal(&s, NULL, err);
    if (!text)
        return -1;
    for (int i = 0; i < 20; i++) {
        if (gold_strv_add(&v, text, err) < 0) {
            assert_int_equal(v.n, i);
            return -1;
        }
    }
    if (gold_str_replace(&kept, "one", err) < 0)
        return -1;
    if (gold_str_replace(&kept, "two", err) < 0) {
        assert_string_equal(kept, "one");
        return -1;
    }
    free(gold_steal_ptr(&text));
    text = gold_format(err, "%s/%s", "a", "b");
    return text ? 0 : -1;
}

static int
build_results(void **state, struct gold_error **err)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("check", err);
    struct gold_source_result *src;
    struct gold_measurement *m;
    struct gold_metric *metric;
    struct gold_clone_result *clone;

    (void)state;
    if (!doc || !(src = gold_document_add_source(doc, "web.qcow2", err)))
        return -1;
    for (size_t i = 0; i < 5; i++) {
        if (!gold_source_add_finding(src, "id", GOLD_ERROR, "/file", err, "number %zu", i)) {
            assert_int_equal(src->n_findings, i);
            return -1;
        }
        if (gold_source_add_effect(src, "op", "/path", "removed", "detail", err) < 0) {
            assert_int_equal(src->n_effects, i);
            return -1;
        }
        if (gold_source_add_step(src, "op", GOLD_STEP_FAILED, "reason", err) < 0) {
            assert_int_equal(src->n_steps, i);
            return -1;
        }
        if (gold_source_add_edit(src, "file", "diff", err) < 0) {
            assert_int_equal(src->n_edits, i);
            return -1;
        }
        if (gold_facts_add(&src->facts, "os", "debian", err) < 0) {
            assert_int_equal(src->facts.n, i);
            return -1;
        }
        m = gold_source_add_measurement(src, "payload", "vda", "clone-1", err);
        if (!m || !(metric = gold_measurement_add_metric(m, "iops", "1/s", err)) ||
            gold_metric_add_sample(metric, 1, err) < 0)
            return -1;
        clone = gold_source_add_clone(src, "clone-1", err);
        if (!clone || gold_facts_add(&clone->identity, "mac", "x", err) < 0)
            return -1;
    }
    return 0;
}

static int
replace_file(void **state, struct gold_error **err)
{
    char path[128];
    char *data = NULL;
    int result;
    bool was_active = active;

    snprintf(path, sizeof(path), "%s/target", (const char *)*state);
    active = false;
    put_file(path, "old", 3);
    active = was_active;
    result = gold_replace_file(path, "new", 3, 0, 0644, err);
    active = false;
    assert_int_equal(gold_read_file(path, 10, &data, NULL, NULL), 0);
    assert_string_equal(data, result == 0 ? "new" : "old");
    free(data);
    assert_int_equal(count_entries(*state), 1);
    active = was_active;
    return result;
}

static int
use_context(void **state, struct gold_error **err)
{
    struct gold_context *ctx = gold_context_new();
    char cache[128], *dir = NULL;
    int result = -1;

    if (!ctx)
        return gold_error_set_nomem(err);
    snprintf(cache, sizeof(cache), "%s/a/b", (const char *)*state);
    if (gold_context_set_cache_dir(ctx, cache) < 0)
        (void)gold_error_set_nomem(err);
    else
        result = gold_context_cache_subdir(ctx, "c/d", &dir, err);
    free(dir);
    gold_context_free(ctx);
    return result;
}

static int
read_and_hash(void **state, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *data = NULL;
    char hex[GOLD_HASH_HEX_MAX];
    GOLD_CLEANUP_FD int fd = -1;

    (void)state;
    if (gold_read_file("/proc/self/status", 65536, &data, NULL, err) < 0)
        return -1;
    fd = gold_open_regular("/proc/self/exe", NULL, err);
    return fd < 0 ? -1 : gold_hash_fd(NULL, GOLD_HASH_SHA1, fd, "exe", hex, err);
}

static void
sweep(scenario *run, void **state)
{
    unsigned failures = 0;
    bool ended = false;

    for (chosen = 1; !ended; chosen++) {
        struct gold_error *err = NULL;
        int result;

        count = 0;
        active = true;
        result = run(state, &err);
        active = false;
        ended = count < chosen;
        if (result == 0) {
            assert_null(err);
            continue;
        }
        failures++;
        assert_false(ended);
        assert_error(&err, GOLD_ERROR_NOMEM, "out of memory");
    }
    assert_true(failures >= 3);
    assert_int_equal(run(state, NULL), 0); /* and unhindered it works */
}

static void
strings(void **state)
{
    sweep(build_strings, state);
}

static void
results(void **state)
{
    sweep(build_results, state);
}

static void
replacement(void **state)
{
    sweep(replace_file, state);
}

static void
contexts(void **state)
{
    sweep(use_context, state);
}

static void
reading(void **state)
{
    sweep(read_and_hash, state);
}

/* An error that cannot be built is still an error; one that is there survives a prefix that is
 * not. */
static void
errors(void **state)
{
    (void)state;
    for (chosen = 1; chosen <= 4; chosen++) {
        struct gold_error *err = NULL;

        count = 0;
        active = true;
        gold_error_set(&err, GOLD_ERROR_BUSY, "'%s' is in use", "x"); /* two allocations */
        gold_error_prefix(&err, "disk");
        gold_error_hint(&err, "stop it");
        active = false;
        assert_non_null(err);
        if (chosen <= 2) {
            assert_error(&err, GOLD_ERROR_NOMEM, "out of memory");
        } else {
            assert_non_null(strstr(gold_error_message(err), "'x' is in use"));
            gold_error_free(err);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings), cmocka_unit_test(results), scratch_test(replacement),
        scratch_test(contexts),    cmocka_unit_test(reading), cmocka_unit_test(errors),
    };

    return RUN_TESTS(tests);
}
