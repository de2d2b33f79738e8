/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Median, spread and interval, with values worked out by hand. */
#include "unit.h"

#include <float.h>
#include <math.h>

#include "validate/statistics.h"

static double
median_of(const double *v, size_t n)
{
    double m = NAN;
    assert_int_equal(gold_median(v, n, &m, NULL), 0);
    return m;
}

static void
finds_the_median(void **state)
{
    (void)state;
    assert_true(median_of((const double[]){7}, 1) == 7);
    assert_true(median_of((const double[]){3, 1, 2}, 3) == 2);
    assert_true(median_of((const double[]){4, 1, 3, 2}, 4) == 2.5);
    assert_true(median_of((const double[]){-5, -1, 100}, 3) == -1);
    assert_true(median_of((const double[]){2, 2, 2, 1e9}, 4) == 2);
    assert_true(isfinite(median_of((const double[]){DBL_MAX, DBL_MAX}, 2)));
}

static void
leaves_the_samples_alone(void **state)
{
    (void)state;
    double v[] = {3, 1, 2};
    assert_true(median_of(v, 3) == 2);
    assert_true(v[0] == 3 && v[1] == 1 && v[2] == 2);
}

static void
finds_the_spread(void **state)
{
    (void)state;
    double mad = NAN;
    assert_int_equal(gold_mad((const double[]){1, 1, 2, 2, 4, 6, 9}, 7, &mad, NULL), 0);
    assert_true(mad == 1);
    assert_int_equal(gold_mad((const double[]){5, 5, 5}, 3, &mad, NULL), 0);
    assert_true(mad == 0);
}

static void
refuses_what_is_no_sample(void **state)
{
    (void)state;
    const double bad[][3] = {{1, NAN, 2}, {1, INFINITY, 2}, {-INFINITY, 1, 2}};
    double a = 42, b = 42;
    struct gold_error *err = NULL;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(gold_median(bad[i], 3, &a, NULL), -1);
        assert_int_equal(gold_mad(bad[i], 3, &a, NULL), -1);
        assert_int_equal(gold_bootstrap_median(bad[i], 3, 0.95, 100, &a, &b, NULL), -1);
    }
    assert_int_equal(gold_median(bad[0], 0, &a, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    gold_error_free(err);
    assert_true(a == 42 && b == 42);
}

static void
gives_an_interval(void **state)
{
    (void)state;
    const double v[] = {98, 99, 100, 101, 102, 100, 99.5, 100.5, 101.5, 98.5};
    double low = NAN, high = NAN, low2 = NAN, high2 = NAN;
    assert_int_equal(gold_bootstrap_median(v, 10, 0.95, 10000, &low, &high, NULL), 0);
    assert_true(low >= 98 && low < 100 && high > 100 && high <= 102);
    /* The same again: a report can be made twice. */
    assert_int_equal(gold_bootstrap_median(v, 10, 0.95, 10000, &low2, &high2, NULL), 0);
    assert_true(low == low2 && high == high2);
    /* Less certainty, no wider interval. */
    assert_int_equal(gold_bootstrap_median(v, 10, 0.5, 10000, &low2, &high2, NULL), 0);
    assert_true(low2 >= low && high2 <= high);
    assert_true(high2 - low2 < high - low);
}

static void
refuses_senseless_intervals(void **state)
{
    (void)state;
    const double v[] = {1, 2, 3};
    double low, high;
    assert_int_equal(gold_bootstrap_median(v, 3, 0, 100, &low, &high, NULL), -1);
    assert_int_equal(gold_bootstrap_median(v, 3, 1, 100, &low, &high, NULL), -1);
    assert_int_equal(gold_bootstrap_median(v, 3, NAN, 100, &low, &high, NULL), -1);
    assert_int_equal(gold_bootstrap_median(v, 3, 0.9, 0, &low, &high, NULL), -1);
    assert_int_equal(gold_bootstrap_median(v, 3, 0.9, 1000000, &low, &high, NULL), -1);
    assert_int_equal(gold_bootstrap_median(v, 3, 0.9, 1, &low, &high, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_median),  cmocka_unit_test(leaves_the_samples_alone),
        cmocka_unit_test(finds_the_spread),  cmocka_unit_test(refuses_what_is_no_sample),
        cmocka_unit_test(gives_an_interval), cmocka_unit_test(refuses_senseless_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
