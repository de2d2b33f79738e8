/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which accesses show which limit, and the rate that QEMU's throttle then gives. */
#include "unit.h"

#include <math.h>

#include "core/limits.h"
#include "validate/limit_plan.h"

static size_t
plan(const uint64_t (*set)[2], size_t n_set, unsigned ramp, struct gold_limit_metric *m)
{
    struct gold_iotune t = {.group_name = NULL};
    for (size_t i = 0; i < n_set; i++)
        t.value[set[i][0]] = set[i][1];
    return gold_limit_plan(&t, ramp, m);
}
#define PLAN(m, ramp, ...)                   \
    plan((const uint64_t[][2]){__VA_ARGS__}, \
         sizeof((const uint64_t[][2]){__VA_ARGS__}) / sizeof(uint64_t[2]), ramp, m)

static void
no_limits_no_metrics(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    assert_int_equal(PLAN(m, 2, {GOLD_SIZE_IOPS_SEC, 0}), 0);
    /* What limits nothing by itself. */
    assert_int_equal(PLAN(m, 2, {GOLD_SIZE_IOPS_SEC, 4096}), 0);
}

/* 10 MiB/s, 200 read and 180 write IOPS: each is tested alone. */
static void
the_limited_storage_template(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    assert_int_equal(PLAN(m, 2, {GOLD_TOTAL_BYTES_SEC, 10 * GOLD_MIB},
                          {GOLD_READ_IOPS_SEC, 200}, {GOLD_WRITE_IOPS_SEC, 180}),
                     4);
    static const char *const wires[] = {"read_bytes", "write_bytes", "read_iops", "write_iops"};
    static const double expected[] = {10485760, 10485760, 200, 180};
    static const uint64_t sizes[] = {262144, 262144, 4096, 4096};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(m[i].wire, wires[i]);
        assert_true(m[i].expected == expected[i]);
        assert_int_equal(m[i].size, sizes[i]);
        assert_int_equal(m[i].depth, 1);
        assert_int_equal(m[i].ramp, 2);
        assert_int_equal(m[i].binding_key, -1);
    }
    assert_int_equal(m[0].key, GOLD_TOTAL_BYTES_SEC);
    assert_int_equal(m[3].key, GOLD_WRITE_IOPS_SEC);
}

static void
one_direction_only(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    assert_int_equal(PLAN(m, 2, {GOLD_WRITE_BYTES_SEC, 5000000}), 1);
    assert_string_equal(m[0].wire, "write_bytes");
    assert_string_equal(m[0].name, "write_bytes_sec");
    assert_string_equal(m[0].unit, "B/s");
}

/* Sizes move so that the limit under test is the one that binds. */
static void
sizes_isolate_the_limit(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    /* 256 KiB at 30 a second is less than 10 MiB/s: larger requests are needed. */
    assert_int_equal(PLAN(m, 0, {GOLD_READ_BYTES_SEC, 10 * GOLD_MIB}, {GOLD_READ_IOPS_SEC, 30}),
                     2);
    assert_int_equal(m[0].size, 512 * GOLD_KIB);
    assert_int_equal(m[0].binding_key, -1);
    assert_true(m[0].expected == 10485760);
    /* 4 KiB at 1000 a second is more than 2 MB/s: smaller ones. */
    assert_int_equal(PLAN(m, 0, {GOLD_READ_BYTES_SEC, 2000000}, {GOLD_READ_IOPS_SEC, 1000}), 2);
    assert_int_equal(m[1].size, 512);
    assert_true(m[1].expected == 1000);
}

static void
tells_when_a_limit_can_never_bind(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    /* 10 operations a second move at most 10 MiB/s however large: 100 MB/s is out of reach. */
    assert_int_equal(PLAN(m, 0, {GOLD_READ_BYTES_SEC, 100000000}, {GOLD_READ_IOPS_SEC, 10}), 2);
    assert_int_equal(m[0].binding_key, GOLD_READ_IOPS_SEC);
    assert_true(m[0].expected == 10.0 * (double)m[0].size);
    /* And 512 bytes at 1e6 a second are 512 MB/s: 1 MB/s binds. */
    assert_int_equal(PLAN(m, 0, {GOLD_READ_BYTES_SEC, 1000000}, {GOLD_READ_IOPS_SEC, 1000000}),
                     2);
    assert_int_equal(m[1].binding_key, GOLD_READ_BYTES_SEC);
    assert_true(fabs(m[1].expected - 1000000.0 / (double)m[1].size) < 1e-9);
}

static void
larger_operations_are_charged_as_several(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    assert_int_equal(PLAN(m, 0, {GOLD_TOTAL_IOPS_SEC, 100}, {GOLD_SIZE_IOPS_SEC, 4096}), 2);
    assert_int_equal(m[0].size, 4096);
    assert_true(m[0].expected == 100);
    assert_int_equal(PLAN(m, 0, {GOLD_TOTAL_IOPS_SEC, 100}, {GOLD_SIZE_IOPS_SEC, 1024}), 2);
    assert_true(m[0].expected == 25 && m[0].size == 4096);
    /* A size of operations makes the number of them a limit on bytes too: 100 * 4096 B/s. */
    assert_int_equal(PLAN(m, 0, {GOLD_TOTAL_BYTES_SEC, 10 * GOLD_MIB},
                          {GOLD_TOTAL_IOPS_SEC, 100}, {GOLD_SIZE_IOPS_SEC, 4096}),
                     4);
    assert_int_equal(m[0].binding_key, GOLD_TOTAL_IOPS_SEC);
    assert_true(m[0].expected == 409600);
}

static void
fast_limits_need_several_requests_in_flight(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    assert_int_equal(PLAN(m, 0, {GOLD_READ_IOPS_SEC, 3000}), 1);
    assert_int_equal(m[0].depth, 6);
    assert_int_equal(PLAN(m, 0, {GOLD_READ_IOPS_SEC, 1000000}), 1);
    assert_int_equal(m[0].depth, 8);
    assert_int_equal(PLAN(m, 0, {GOLD_READ_BYTES_SEC, 200 * GOLD_MIB}), 1);
    assert_int_equal(m[0].size, GOLD_MIB);
    assert_int_equal(m[0].depth, 2);
}

static void
bursts_lengthen_the_ramp(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    /* L * M / (M - A) = 5 * 4 / 3 = 6.67 s */
    assert_int_equal(PLAN(m, 2, {GOLD_READ_BYTES_SEC, GOLD_MIB},
                          {GOLD_READ_BYTES_SEC_MAX, 4 * GOLD_MIB},
                          {GOLD_READ_BYTES_SEC_MAX_LENGTH, 5}),
                     1);
    assert_int_equal(m[0].ramp, 2 + 7);
    assert_false(m[0].burst_too_long);
    assert_true(m[0].burst_units == 20.0 * 1048576 && m[0].burst_rate == 4.0 * 1048576);
    /* Without a length the maximum is a bucket, passed at any rate. */
    assert_int_equal(PLAN(m, 2, {GOLD_READ_IOPS_SEC, 100}, {GOLD_READ_IOPS_SEC_MAX, 400}), 1);
    assert_int_equal(m[0].ramp, 2 + 4);
    assert_true(m[0].burst_units == 400 && m[0].burst_rate == 0);
    /* Hardly above the limit for long: hours until it holds. */
    assert_int_equal(PLAN(m, 2, {GOLD_READ_IOPS_SEC, 100}, {GOLD_READ_IOPS_SEC_MAX, 101},
                          {GOLD_READ_IOPS_SEC_MAX_LENGTH, 600}),
                     1);
    assert_true(m[0].burst_too_long);
    /* Equal to the limit: no end. */
    assert_int_equal(PLAN(m, 2, {GOLD_READ_IOPS_SEC, 100}, {GOLD_READ_IOPS_SEC_MAX, 100},
                          {GOLD_READ_IOPS_SEC_MAX_LENGTH, 2}),
                     1);
    assert_true(m[0].burst_too_long);
}

static void
extreme_values_are_harmless(void **state)
{
    (void)state;
    struct gold_limit_metric m[GOLD_LIMIT_METRICS];
    struct gold_iotune t = {.group_name = NULL};
    static const uint64_t values[] = {0, 1, 512, 1000000000000000ULL, UINT64_MAX};
    for (size_t a = 0; a < 5; a++) {
        for (unsigned i = 0; i < GOLD_IOTUNE_NUMBERS; i++)
            t.value[i] = values[(a + i) % 5];
        size_t n = gold_limit_plan(&t, 60, m);
        assert_true(n <= GOLD_LIMIT_METRICS);
        for (size_t i = 0; i < n; i++) {
            assert_true(isfinite(m[i].expected) && m[i].expected > 0);
            assert_in_range(m[i].depth, 1, 8);
            assert_true(m[i].ramp <= 60 + GOLD_LIMIT_BURN_MAX);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_limits_no_metrics),
        cmocka_unit_test(the_limited_storage_template),
        cmocka_unit_test(one_direction_only),
        cmocka_unit_test(sizes_isolate_the_limit),
        cmocka_unit_test(tells_when_a_limit_can_never_bind),
        cmocka_unit_test(larger_operations_are_charged_as_several),
        cmocka_unit_test(fast_limits_need_several_requests_in_flight),
        cmocka_unit_test(bursts_lengthen_the_ramp),
        cmocka_unit_test(extreme_values_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
