/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON rendering: golden documents, which also are validated against the schema, and what
 * the format promises. */
#include "unit.h"

#include <math.h>

#include "core/str.h"
#include "golden.h"
#include "report/render.h"
#include "sample.h"

static char *
render(const struct gold_document *doc)
{
    return golden_render(doc, GOLD_REPORT_JSON, NULL);
}

static void
goldens(void **state)
{
    static const struct {
        const char *name;
        struct gold_document *(*make)(void);
    } samples[] = {
        {"pass.json", sample_pass},       {"fail.json", sample_fail},
        {"check.json", sample_check},     {"dry-run.json", sample_dry_run},
        {"inspect.json", sample_inspect}, {"empty.json", sample_empty},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = samples[i].make();
        golden_compare(doc, GOLD_REPORT_JSON, NULL, samples[i].name);
    }
}

static void
hostile_golden(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc =
        sample_hostile("</script>\"\\\n\x1b[31m\x07 \xff\xfe \xe2\x80\xae \xc2\x9b"
                       "2J {a}");
    golden_compare(doc, GOLD_REPORT_JSON, NULL, "hostile.json");
}

/* A terminal must not be able to tell that a guest wrote control characters. */
static void
only_plain_ascii(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc =
        sample_hostile("\x1b]0;x\x07\xc2\x9b\xe2\x80\xae\xff\xc0\xaf");
    GOLD_CLEANUP_FREE char *text = render(doc);
    for (const char *p = text; *p; p++)
        assert_true(*p == '\n' || (*p >= ' ' && *p < 127));
    assert_non_null(strstr(text, "\\u001B]0;x\\u0007"));
    assert_non_null(strstr(text, "\\uFFFD"));
}

static void
numbers(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_empty();
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    struct gold_measurement *m = gold_source_add_measurement(src, "p", NULL, NULL, NULL);
    struct gold_metric *metric = gold_measurement_add_metric(m, "n", "s", NULL);
    metric->has_expected = true;
    metric->expected = 200;
    metric->tolerance = 0.03;
    assert_int_equal(gold_metric_add_sample(metric, NAN, NULL), 0);
    assert_int_equal(gold_metric_add_sample(metric, INFINITY, NULL), 0);
    assert_int_equal(gold_metric_add_sample(metric, 0.1, NULL), 0);
    metric->median = -INFINITY;
    GOLD_CLEANUP_FREE char *text = render(doc);
    assert_non_null(strstr(text, "\"expected\": 200,"));
    assert_non_null(strstr(text, "\"tolerance\": 0.03,"));
    assert_non_null(strstr(text, "null,\n                null,\n                0.1\n"));
    assert_non_null(strstr(text, "\"median\": null"));
}

static void
members_that_are_absent(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_empty();
    assert_non_null(gold_document_add_source(doc, "x", NULL));
    GOLD_CLEANUP_FREE char *text = render(doc);
    static const char *const absent[] = {"started",    "dry_run", "fail_on", "effects",
                                         "operations", "edits",   "results", "clones",
                                         "facts",      "code",    "hint",    "waived"};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        assert_null(strstr(text, absent[i]));
    assert_non_null(strstr(text, "\"findings\": []"));
    assert_non_null(strstr(text, "\"kind\": null"));
    assert_non_null(strstr(text, "\"error\": null"));
}

static void
codes(void **state)
{
    (void)state;
    for (int code = GOLD_ERROR_USAGE; code <= GOLD_ERROR_NOMEM; code++) {
        assert_non_null(gold_report_code_name(code));
        assert_int_equal(gold_report_code_parse(gold_report_code_name(code)), code);
    }
    assert_null(gold_report_code_name(0));
    assert_null(gold_report_code_name(-1));
    assert_null(gold_report_code_name(GOLD_ERROR_NOMEM + 1));
    assert_int_equal(gold_report_code_parse("nonsense"), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),
        cmocka_unit_test(hostile_golden),
        cmocka_unit_test(only_plain_ascii),
        cmocka_unit_test(numbers),
        cmocka_unit_test(members_that_are_absent),
        cmocka_unit_test(codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
