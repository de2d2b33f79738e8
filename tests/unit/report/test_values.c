/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers as people read them. */
#include "unit.h"

#include <math.h>

#include "report/render.h"

static void
values(void **state)
{
    static const struct {
        double v;
        const char *unit, *text;
    } cases[] = {
        {200, "1/s", "200 /s"},
        {200.26, "1/s", "200.3 /s"},
        {19.876, "1/s", "19.88 /s"},
        {1.23456, "s", "1.235 s"},
        {0.012345, "s", "0.01235 s"},
        {123456.7, "1/s", "123457 /s"},
        {10485760, "B/s", "10 MiB/s"},
        {10485000, "B/s", "10.0 MiB/s"},
        {512, "B", "512 B"},
        {2, "1", "2"},
        {2, NULL, "2"},
        {2.5, "", "2.500"},
        {-3, "B/s", "-3 B/s"},
        {NAN, "s", "–"},
        {INFINITY, "B/s", "–"},
        {0, "s", "0 s"},
        {2, "<unit>", "2 <unit>"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        gold_report_append_value(&s, cases[i].v, cases[i].unit);
        assert_string_equal(gold_str_text(&s), cases[i].text);
    }
}

static void
deviations(void **state)
{
    static const struct {
        bool has;
        double expected, median;
        const char *text;
    } cases[] = {
        {true, 200, 200, "0.00 %"},
        {true, 200, 201, "+0.50 %"},
        {true, 200, 199, "-0.50 %"},
        {true, 200, NAN, "–"},
        {true, 0, 5, "–"},
        {false, 200, 201, "–"},
        {true, 180, 7688, "+4171 %"},
        {true, 200, 199.9999, "0.00 %"},
        {true, 200, 0, "-100 %"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        struct gold_metric m = {.has_expected = cases[i].has,
                                .expected = cases[i].expected,
                                .median = cases[i].median};
        gold_report_append_deviation(&s, &m);
        assert_string_equal(gold_str_text(&s), cases[i].text);
    }
}

static void
tolerances(void **state)
{
    (void)state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    struct gold_metric m = {.tolerance = 0.03};
    gold_report_append_tolerance(&s, &m);
    m.tolerance = 0.025;
    gold_report_append_tolerance(&s, &m);
    m.tolerance = 0;
    gold_report_append_tolerance(&s, &m);
    m.tolerance = NAN;
    gold_report_append_tolerance(&s, &m);
    assert_string_equal(gold_str_text(&s), " ± 3 % ± 2.5 % ± –");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(deviations),
                                       cmocka_unit_test(tolerances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
