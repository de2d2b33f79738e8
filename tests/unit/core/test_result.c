/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results: what is stored is a copy, in order, as UTF-8. Under ASan: all of it is released. */
#include "unit.h"

#include "core/result.h"
#include "core/str.h"
#include "scratch.h"

static void
starts_empty(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("check", NULL);

    (void)state;
    assert_string_equal(doc->command, "check");
    assert_true(strlen(doc->version) > 0);
    assert_int_equal(strlen(doc->started), strlen("2026-01-01T00:00:00Z"));
    assert_int_equal(doc->started[19], 'Z');
    assert_int_equal(doc->fail_on, GOLD_ERROR);
    assert_int_equal(doc->n_sources, 0);
    gold_document_free(NULL);
}

static void
keeps_everything(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("validate", NULL);
    char text[] = "first";
    struct gold_source_result *src;
    struct gold_measurement *m;
    struct gold_clone_result *clone;

    (void)state;
    assert_non_null(gold_document_add_source(doc, text, NULL));
    text[0] = 'X';
    for (int i = 0; i < 20; i++)
        assert_non_null(gold_document_add_source(doc, "more", NULL));
    src = &doc->sources[0];
    assert_string_equal(src->source, "first");
    assert_int_equal(doc->n_sources, 21);
    for (int i = 0; i < 20; i++) {
        struct gold_finding *f =
            gold_source_add_finding(src, "machine-id-set", GOLD_WARNING,
                                    i ? "/etc/machine-id" : NULL, NULL, "number %d", i);
        assert_non_null(f);
        f->line = (unsigned)i;
        assert_int_equal(
            gold_source_add_effect(src, "op", "/p", "removed", i ? "why" : NULL, NULL), 0);
        assert_int_equal(gold_source_add_step(src, "op", GOLD_STEP_SKIPPED, "why", NULL), 0);
        assert_int_equal(gold_source_add_edit(src, "f", "diff", NULL), 0);
        assert_int_equal(gold_facts_add(&src->facts, i % 2 ? "os" : "disk", "v", NULL), 0);
    }
    assert_int_equal(
        src->n_findings + src->n_effects + src->n_steps + src->n_edits + src->facts.n, 100);
    assert_string_equal(src->findings[13].message, "number 13");
    assert_int_equal(src->findings[13].line, 13);
    assert_int_equal(src->findings[13].severity, GOLD_WARNING);
    assert_null(src->findings[0].file);
    assert_string_equal(src->findings[1].file, "/etc/machine-id");
    assert_null(src->effects[0].detail);
    assert_string_equal(src->effects[1].detail, "why");
    assert_int_equal(src->steps[0].status, GOLD_STEP_SKIPPED);
    assert_string_equal(src->edits[19].diff, "diff");

    m = gold_source_add_measurement(src, "iotune-limits", "vda", NULL, NULL);
    assert_non_null(m);
    assert_null(m->clone);
    for (int i = 0; i < 5; i++) {
        struct gold_metric *metric = gold_measurement_add_metric(m, "read_iops", "1/s", NULL);

        for (int k = 0; k < 5; k++)
            assert_int_equal(gold_metric_add_sample(metric, k + 0.5, NULL), 0);
        assert_int_equal(metric->n_samples, 5);
        assert_true(metric->samples[4] == 4.5);
    }
    clone = gold_source_add_clone(src, "clone-1", NULL);
    assert_non_null(clone);
    assert_int_equal(gold_facts_add(&clone->identity, "mac", "52:54:00:00:00:01", NULL), 0);
    assert_int_equal(gold_facts_add(&clone->identity, "mac", "52:54:00:00:00:02", NULL), 0);
    assert_string_equal(gold_facts_get(&clone->identity, "mac"), "52:54:00:00:00:01");
    assert_null(gold_facts_get(&clone->identity, "hostname"));
}

static void
makes_text_utf8(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("check", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "bad\xFF", NULL);
    struct gold_finding *f;

    (void)state;
    assert_string_equal(src->source, "bad\xEF\xBF\xBD");
    f = gold_source_add_finding(src, "x", GOLD_INFO, "/\xC3", NULL, "saw '%s'", "\xED\xA0\x80");
    assert_true(gold_utf8_valid(f->file, strlen(f->file)));
    assert_true(gold_utf8_valid(f->message, strlen(f->message)));
    assert_int_equal(gold_facts_add(&src->facts, "hostname", "\x80", NULL), 0);
    assert_string_equal(gold_facts_get(&src->facts, "hostname"), "\xEF\xBF\xBD");
}

static void
records_failures(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("check", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    struct gold_error *err = NULL;

    (void)state;
    gold_source_fail(src, NULL);
    assert_null(src->error);
    assert_int_equal(src->error_code, 0);
    gold_error_set(&err, GOLD_ERROR_BUSY, "in use");
    gold_error_hint(&err, "stop it");
    gold_source_fail(src, err);
    assert_string_equal(src->error, "in use");
    assert_string_equal(src->hint, "stop it");
    assert_int_equal(src->error_code, GOLD_ERROR_BUSY);
    err = NULL;
    gold_error_set(&err, GOLD_ERROR_IO, "worse");
    gold_source_fail(src, err); /* the last one counts */
    assert_string_equal(src->error, "worse");
    assert_null(src->hint);
    gold_source_result_done(src);
    assert_null(src->source);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty),
        cmocka_unit_test(keeps_everything),
        cmocka_unit_test(makes_text_utf8),
        cmocka_unit_test(records_failures),
    };

    return RUN_TESTS(tests);
}
