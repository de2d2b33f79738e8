/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unit.h"

#include "core/str.h"
#include "workflow/run.h"

static int
fake(struct gold_context *ctx, const char *source, const void *opts,
     struct gold_source_result *src, struct gold_error **err)
{
    (void)opts;
    if (gold_streq(source, "bad")) {
        gold_error_set(err, GOLD_ERROR_IO, "cannot read 'bad'");
        return -1;
    }
    if (gold_streq(source, "stop"))
        gold_cancel_request(ctx);
    src->verdict = GOLD_VERDICT_PASS;
    return 0;
}

static struct gold_document *
run(const char *const *sources, size_t n)
{
    struct gold_context *ctx = gold_context_new();
    struct gold_document *doc = NULL;
    assert_non_null(ctx);
    assert_int_equal(
        gold_run_sources(ctx, "check", sources, n, GOLD_ERROR, false, fake, NULL, &doc, NULL),
        0);
    gold_context_free(ctx);
    return doc;
}

static void
test_one_bad_source_does_not_stop_the_others(void **state)
{
    static const char *const sources[] = {"a", "bad", "b"};
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = run(sources, 3);
    (void)state;
    assert_int_equal(doc->n_sources, 3);
    assert_null(doc->sources[0].error);
    assert_string_equal(doc->sources[1].error, "cannot read 'bad'");
    assert_string_equal(doc->sources[2].source, "b");
    assert_null(doc->sources[2].error);
    assert_int_equal(gold_document_exit_status(doc), 1);
    assert_non_null(doc->started);
}

static void
test_interruption_stops_the_rest(void **state)
{
    static const char *const sources[] = {"a", "stop", "b"};
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = run(sources, 3);
    (void)state;
    assert_null(doc->sources[1].error);
    assert_int_equal(doc->sources[2].error_code, GOLD_ERROR_CANCELLED);
    assert_int_equal(gold_document_exit_status(doc), 130);
}

static void
test_absorb(void **state)
{
    struct gold_source_result to = {0}, from = {0};
    (void)state;
    assert_non_null(gold_source_add_finding(&to, "a-a", GOLD_INFO, NULL, NULL, "first"));
    for (int i = 0; i < 5; i++)
        assert_non_null(
            gold_source_add_finding(&from, "b-b", GOLD_ERROR, "/etc/x", NULL, "number %d", i));
    assert_int_equal(gold_source_add_effect(&from, "op", "/p", "removed", NULL, NULL), 0);
    assert_int_equal(gold_facts_add(&from.facts, "os.id", "debian", NULL), 0);
    assert_int_equal(gold_source_absorb(&to, &from, NULL), 0);
    assert_int_equal(to.n_findings, 6);
    assert_string_equal(to.findings[0].id, "a-a");
    assert_string_equal(to.findings[5].message, "number 4");
    assert_int_equal(to.n_effects, 1);
    assert_string_equal(gold_facts_get(&to.facts, "os.id"), "debian");
    assert_int_equal(from.n_findings, 0);
    assert_null(from.findings);
    gold_source_result_done(&to);
    gold_source_result_done(&from);
}

static void
test_refuse_findings(void **state)
{
    struct gold_source_result src = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    (void)state;
    assert_non_null(gold_source_add_finding(&src, "small", GOLD_WARNING, NULL, NULL, "w"));
    assert_int_equal(gold_refuse_findings(&src, "not sealed", &err), 0);
    struct gold_finding *f = gold_source_add_finding(&src, "machine-id-set", GOLD_ERROR,
                                                     "/etc/machine-id", NULL, "e");
    assert_non_null(f);
    f->waived = true;
    assert_int_equal(gold_refuse_findings(&src, "not sealed", &err), 0);
    src.findings[1].waived = false;
    assert_int_equal(gold_refuse_findings(&src, "not sealed", &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CHECK);
    assert_string_equal(gold_error_message(err),
                        "not sealed: 1 finding (machine-id-set in /etc/machine-id)");
    gold_source_result_done(&src);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_bad_source_does_not_stop_the_others),
        cmocka_unit_test(test_interruption_stops_the_rest),
        cmocka_unit_test(test_absorb),
        cmocka_unit_test(test_refuse_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
