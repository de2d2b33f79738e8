/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words, the worst verdict, and the exit status for every kind of outcome and their pairs. */
#include "unit.h"

#include "core/result.h"
#include "core/str.h"
#include "scratch.h"

static void
words_go_both_ways(void **state)
{
    (void)state;
    for (int v = GOLD_INFO; v <= GOLD_ERROR; v++)
        assert_int_equal(gold_severity_parse(gold_severity_name((enum gold_severity)v)), v);
    for (int v = GOLD_FIX_NONE; v <= GOLD_FIX_SAFE; v++)
        assert_int_equal(gold_fix_parse(gold_fix_name((enum gold_fix)v)), v);
    for (int v = GOLD_VERDICT_PASS; v <= GOLD_VERDICT_ERROR; v++)
        assert_int_equal(gold_verdict_parse(gold_verdict_name((enum gold_verdict)v)), v);
    for (int v = GOLD_STEP_UNCHANGED; v <= GOLD_STEP_FAILED; v++)
        assert_int_equal(
            gold_step_status_parse(gold_step_status_name((enum gold_step_status)v)), v);
    assert_null(gold_verdict_name(GOLD_VERDICT_NONE));
    assert_null(gold_verdict_name((enum gold_verdict)99));
    assert_string_equal(gold_severity_name(GOLD_ERROR), "error");
    assert_string_equal(gold_fix_name(GOLD_FIX_SAFE), "safe");
    assert_int_equal(gold_severity_parse("Error"), -1);
    assert_int_equal(gold_severity_parse(""), -1);
    assert_int_equal(gold_verdict_parse(NULL), -1);
    assert_int_equal(gold_fix_parse("x"), -1);
    assert_int_equal(gold_step_status_parse("x"), -1);
}

static void
ranks_verdicts(void **state)
{
    static const enum gold_verdict order[] = {GOLD_VERDICT_NONE, GOLD_VERDICT_SKIPPED,
                                              GOLD_VERDICT_PASS, GOLD_VERDICT_INCONCLUSIVE,
                                              GOLD_VERDICT_FAIL, GOLD_VERDICT_ERROR};

    (void)state;
    for (size_t a = 0; a < 6; a++) {
        for (size_t b = 0; b < 6; b++)
            assert_int_equal(gold_verdict_worst(order[a], order[b]), order[a > b ? a : b]);
    }
}

struct outcome {
    int code; /* enum gold_code */
    enum gold_verdict verdict;
    int finding; /* severity, -1: none */
    int status;
};

static const struct outcome outcomes[] = {
    {GOLD_ERROR_CANCELLED, GOLD_VERDICT_NONE, -1, 130},
    {GOLD_ERROR_CHANGED, GOLD_VERDICT_NONE, -1, 5},
    {GOLD_ERROR_IO, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_USAGE, GOLD_VERDICT_NONE, -1, 2},
    {0, GOLD_VERDICT_FAIL, -1, 3},
    {0, GOLD_VERDICT_INCONCLUSIVE, -1, 4},
    {0, GOLD_VERDICT_PASS, -1, 0},
};

static const struct outcome same_status[] = {
    {GOLD_ERROR_FORMAT, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_UNSUPPORTED, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_BUSY, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_GUEST, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_HYPERVISOR, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_CHECK, GOLD_VERDICT_NONE, -1, 1},
    {GOLD_ERROR_NOMEM, GOLD_VERDICT_NONE, -1, 1},
    {0, GOLD_VERDICT_ERROR, -1, 1},
    {0, GOLD_VERDICT_SKIPPED, -1, 0},
    {0, GOLD_VERDICT_NONE, -1, 0},
    {0, GOLD_VERDICT_NONE, GOLD_ERROR, 3},
    {0, GOLD_VERDICT_NONE, GOLD_WARNING, 0},
    {GOLD_ERROR_GUEST, GOLD_VERDICT_NONE, GOLD_ERROR, 1},
};

static void
add(struct gold_document *doc, const struct outcome *o)
{
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);

    assert_non_null(src);
    src->error_code = o->code;
    src->verdict = o->verdict;
    if (o->finding >= 0)
        assert_non_null(gold_source_add_finding(src, "id", (enum gold_severity)o->finding, NULL,
                                                NULL, "message"));
}

static void
ranks_outcomes(void **state)
{
    (void)state;
    for (size_t a = 0; a < 7; a++) {
        for (size_t b = 0; b < 7; b++) {
            GOLD_CLEANUP_DOCUMENT struct gold_document *doc =
                gold_document_new("validate", NULL);

            add(doc, &outcomes[a]);
            add(doc, &outcomes[b]);
            assert_int_equal(gold_document_exit_status(doc), outcomes[a < b ? a : b].status);
        }
    }
    for (size_t i = 0; i < sizeof(same_status) / sizeof(same_status[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("check", NULL);

        assert_int_equal(gold_document_exit_status(doc), 0);
        add(doc, &same_status[i]);
        assert_int_equal(gold_document_exit_status(doc), same_status[i].status);
    }
}

/* An error without a code, as when a document is read back, still is a failure. */
static void
counts_an_error_without_code(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("seal", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);

    (void)state;
    assert_int_equal(gold_str_replace(&src->error, "lost", NULL), 0);
    assert_int_equal(gold_document_exit_status(doc), 1);
}

static void
counts_findings(void **state)
{
    static const char *const commands[] = {"check", "prepare", "inspect", "seal"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new(commands[i], NULL);
        struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
        struct gold_finding *f =
            gold_source_add_finding(src, "a", GOLD_WARNING, NULL, NULL, "message");

        assert_int_equal(gold_source_count_findings(src, GOLD_INFO), 1);
        assert_int_equal(gold_source_count_findings(src, GOLD_WARNING), 1);
        assert_int_equal(gold_source_count_findings(src, GOLD_ERROR), 0);
        assert_int_equal(gold_document_exit_status(doc), 0);
        doc->fail_on = GOLD_WARNING;
        assert_int_equal(gold_document_exit_status(doc), i < 2 ? 3 : 0);
        f->waived = true;
        assert_int_equal(gold_source_count_findings(src, GOLD_INFO), 0);
        assert_int_equal(gold_document_exit_status(doc), 0);
    }
}

static void
sums_up_verdicts(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("validate", NULL);

    (void)state;
    assert_int_equal(gold_document_verdict(doc), GOLD_VERDICT_NONE);
    add(doc, &outcomes[6]);
    assert_int_equal(gold_document_verdict(doc), GOLD_VERDICT_PASS);
    add(doc, &outcomes[4]);
    add(doc, &outcomes[5]);
    assert_int_equal(gold_document_verdict(doc), GOLD_VERDICT_FAIL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_go_both_ways), cmocka_unit_test(ranks_verdicts),
        cmocka_unit_test(ranks_outcomes),     cmocka_unit_test(counts_an_error_without_code),
        cmocka_unit_test(counts_findings),    cmocka_unit_test(sums_up_verdicts),
    };

    return RUN_TESTS(tests);
}
