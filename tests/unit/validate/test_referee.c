/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rates from QEMU's counters: merged requests did not pass on their own, and one burst is not a
 * rate. */
#include "unit.h"

#include "core/result.h"
#include "validate/referee.h"

static void
test_rates(void **state)
{
    struct gold_referee r = {.target = "vda"};
    struct gold_block_counters c = {0};
    (void)state;

    for (int64_t s = 0; s <= 10; s++) {
        /* 1000 operations a second, of which 800 were merged into others; one burst of 100 at
         * the third second */
        c.read_operations = (uint64_t)(1000 * s + (s >= 3 ? 100 : 0));
        c.read_merged = (uint64_t)(800 * s);
        c.read_bytes = (uint64_t)(4096 * s);
        gold_referee_add(&r, &c, s * 1000);
    }
    assert_true(r.peak_read_ops > 199 && r.peak_read_ops <= 220.1);
    assert_true(r.peak_read_bytes > 4095.9 && r.peak_read_bytes < 4096.1);
    assert_true(r.peak_write_ops == 0 && r.peak_write_bytes == 0);
    gold_referee_done(&r);
}

static void
test_odd_counters(void **state)
{
    struct gold_referee r = {.target = "vda"};
    struct gold_block_counters c = {.read_operations = 100, .read_merged = 5000};
    (void)state;

    /* Counters that run backwards or disagree, and a clock that stands: no rate, no crash. */
    for (int64_t s = 0; s < 20; s++) {
        c.read_operations = s % 2 ? 0 : 100;
        gold_referee_add(&r, &c, s * 1000);
        gold_referee_add(&r, &c, s * 1000);
    }
    assert_int_equal(r.n, 20);
    assert_true(r.peak_read_ops == 0);
    gold_referee_done(&r);
}

static void
test_report(void **state)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("validate", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    struct gold_referee r = {.target = "vda"};
    struct gold_block_counters c = {.read_operations = 50, .read_merged = 20};
    (void)state;

    assert_non_null(gold_source_add_measurement(src, "iotune-limits", "vda", NULL, NULL));
    assert_non_null(gold_source_add_measurement(src, "iotune-limits", "vdb", NULL, NULL));
    assert_int_equal(gold_referee_report(&r, src, NULL), 0);
    assert_int_equal(src->measurements[0].n_metrics, 0);
    gold_referee_add(&r, &c, 1000);
    assert_int_equal(gold_referee_report(&r, src, NULL), 0);
    assert_int_equal(src->measurements[0].n_metrics, 2);
    assert_int_equal(src->measurements[1].n_metrics, 0);
    assert_string_equal(src->measurements[0].metrics[0].name, "host_read_operations");
    assert_true(src->measurements[0].metrics[0].samples[0] == 30);
    assert_int_equal(src->measurements[0].metrics[0].verdict, GOLD_VERDICT_NONE);
    gold_referee_done(&r);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_odd_counters),
        cmocka_unit_test(test_report),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
