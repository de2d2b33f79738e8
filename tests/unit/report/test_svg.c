/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plots: what is drawn, what is not, and that odd numbers do not break the picture. */
#include "unit.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "core/io.h"
#include "core/process.h"
#include "core/result.h"
#include "report/render.h"

static char name[] = "read_iops", per_second[] = "1/s", bytes[] = "B/s";

static struct gold_metric
metric(double *samples, size_t n, double median)
{
    struct gold_metric m = {.name = name,
                            .unit = per_second,
                            .has_expected = true,
                            .expected = 200,
                            .tolerance = 0.03};
    m.samples = samples;
    m.n_samples = n;
    m.median = median;
    return m;
}

static size_t
count(const struct gold_str *s, const char *what)
{
    size_t n = 0;
    for (const char *p = strstr(gold_str_text(s), what); p; p = strstr(p + 1, what))
        n++;
    return n;
}

static void
draws_what_is_there(void **state)
{
    (void)state;
    double samples[] = {199, 200, 201, 250};
    struct gold_metric m = metric(samples, 4, 200);
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_report_svg(&s, &m, "p1");
    assert_int_equal(count(&s, "class=\"dot\""), 3);
    assert_int_equal(count(&s, "class=\"out\""), 1);
    assert_int_equal(count(&s, "class=\"band\""), 1);
    assert_int_equal(count(&s, "class=\"expected\""), 1);
    assert_int_equal(count(&s, "class=\"median\""), 1);
    assert_int_equal(count(&s, "aria-labelledby=\"p1\""), 1);
    assert_int_equal(count(&s, "<title id=\"p1\">read_iops: 4 samples, median 200 /s, expected "
                               "200 /s within 3 %</title>"),
                     1);
    assert_true(count(&s, "class=\"label\"") >= 4);
}

static void
draws_no_band_without_expectation(void **state)
{
    (void)state;
    double samples[] = {1, 2};
    struct gold_metric m = metric(samples, 2, 1.5);
    m.has_expected = false;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_report_svg(&s, &m, "p");
    assert_int_equal(count(&s, "class=\"dot\""), 2);
    assert_int_equal(count(&s, "class=\"band\""), 0);
}

static void
counts_are_not_plotted(void **state)
{
    (void)state;
    double samples[] = {2};
    struct gold_metric m = metric(samples, 1, 2);
    m.expected = 2;
    m.tolerance = 0;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    assert_false(gold_report_has_plot(&m));
    gold_report_svg(&s, &m, "p");
    assert_string_equal(gold_str_text(&s), "");
    m.tolerance = 0.1;
    assert_true(gold_report_has_plot(&m));
    m.n_samples = 0;
    assert_false(gold_report_has_plot(&m));
}

static void
odd_numbers(void **state)
{
    (void)state;
    double values[] = {0,   -1,       1e-300,    1e300, DBL_MAX, -DBL_MAX, DBL_MIN,
                       NAN, INFINITY, -INFINITY, 200,   1e16,    5e-324};
    size_t n = sizeof(values) / sizeof(values[0]);
    for (size_t i = 0; i < n * n * n; i++) {
        double samples[] = {values[i % n], values[i / n % n]};
        struct gold_metric m = metric(samples, 2, samples[0]);
        m.expected = values[i / n / n];
        m.unit = i % 2 ? bytes : per_second;
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        gold_report_svg(&s, &m, "p");
        assert_false(s.failed);
        assert_int_equal(count(&s, "nan") + count(&s, "inf\""), 0);
        assert_true(s.len < 20000);
    }
}

static void
many_samples_are_thinned(void **state)
{
    (void)state;
    static double samples[10001];
    for (size_t i = 0; i < 10001; i++)
        samples[i] = 195 + (double)(i % 10);
    struct gold_metric m = metric(samples, 10001, 200);
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_report_svg(&s, &m, "p");
    assert_true(count(&s, "class=\"dot\"") <= 400);
    assert_true(count(&s, "class=\"dot\"") > 300);
    assert_int_equal(count(&s, "not every sample is drawn"), 1);
}

static void
no_locale(void **state)
{
    (void)state;
    double samples[] = {199.5, 200.25};
    struct gold_metric m = metric(samples, 2, 199.9);
    char dir[] = "/tmp/gold-svg-XXXXXX";
    assert_non_null(mkdtemp(dir));
    GOLD_CLEANUP_FREE char *locale = gold_format(NULL, "%s/de", dir);
    const char *const argv[] = {"localedef", "-i",           "de_DE", "-f",
                                "UTF-8",     "--no-archive", locale,  NULL};
    const struct gold_process_spec spec = {.argv = argv, .timeout_ms = 60000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {.exit_status = -1};
    bool made = gold_process_run(NULL, &spec, &r, NULL) == 0 && setenv("LOCPATH", dir, 1) == 0 &&
                setlocale(LC_ALL, "de");
    assert_int_equal(gold_remove_tree(dir, NULL), 0);
    if (!made) {
        print_message("SKIPPED: localedef cannot make a locale with a decimal comma here\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    GOLD_CLEANUP_STR struct gold_str de = GOLD_STR_INIT;
    gold_report_svg(&de, &m, "p");
    setlocale(LC_ALL, "C");
    GOLD_CLEANUP_STR struct gold_str c = GOLD_STR_INIT;
    gold_report_svg(&c, &m, "p");
    assert_string_equal(gold_str_text(&c), gold_str_text(&de));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_what_is_there),
        cmocka_unit_test(draws_no_band_without_expectation),
        cmocka_unit_test(counts_are_not_plotted),
        cmocka_unit_test(odd_numbers),
        cmocka_unit_test(many_samples_are_thinned),
        cmocka_unit_test(no_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
