/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers: tables of what is accepted and refused, and a locale with a comma. */
#include "unit.h"

#include <locale.h>
#include <math.h>

#include "core/number.h"
#include "core/process.h"
#include "scratch.h"

static void
parses_whole_numbers(void **state)
{
    static const struct {
        const char *text;
        uint64_t v;
    } good[] = {
        {"0", 0}, {"7", 7}, {"0930", 930}, {"007", 7}, {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {"",     " ",   "-1",  "+1",  " 1",       "1 ",  "1x",
                                      "0x10", "1.0", "1e3", "10M", "\xD9\xA1", "1\n", "-0"};
    struct gold_error *err = NULL;
    uint64_t v = 42;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(gold_parse_u64(good[i].text, &v, NULL), 0);
        assert_true(v == good[i].v);
    }
    v = 42;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(gold_parse_u64(bad[i], &v, &err), -1);
        assert_error(&err, GOLD_ERROR_FORMAT, "not a whole number");
    }
    assert_int_equal(gold_parse_u64("18446744073709551616", &v, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "'18446744073709551616': larger than 64 bits");
    assert_int_equal(gold_parse_u64("99999999999999999999999", &v, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "larger than 64 bits");
    assert_int_equal(gold_parse_u64_max("255", 255, &v, NULL), 0);
    assert_int_equal(v, 255);
    assert_int_equal(gold_parse_u64_max("256", 255, &v, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "'256': larger than 255");
    assert_int_equal(gold_parse_u64_max("x", 255, &v, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "not a whole number");
    assert_int_equal(v, 255);
}

static void
parses_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t v;
    } good[] = {{"0", 0},
                {"512", 512},
                {"512B", 512},
                {"1KiB", 1024},
                {"1.5KiB", 1536},
                {"10MiB", 10485760},
                {"1GiB", 1073741824},
                {"2TiB", 2199023255552},
                {"10MB", 10000000},
                {"1kB", 1000},
                {"1KB", 1000},
                {"1.25MB", 1250000},
                {"2.000GB", 2000000000},
                {"1TB", 1000000000000},
                {"1.0", 1},
                {"0.5GiB", 536870912},
                {"16777215TiB", 16777215ULL << 40},
                {"16777215.5TiB", (16777215ULL << 40) + (1ULL << 39)},
                {"18446744073709551615", UINT64_MAX}};
    static const struct {
        const char *text, *why;
    } bad[] = {{"10M", "ambiguous"},
               {"10k", "ambiguous"},
               {"1G", "ambiguous"},
               {"1t", "ambiguous"},
               {"", "not a size"},
               {"MiB", "not a size"},
               {"-1MiB", "not a size"},
               {"+1", "not a size"},
               {" 1", "not a size"},
               {"1 MiB", "not a size"},
               {"1MiB ", "not a size"},
               {"1mib", "not a size"},
               {"1Mib", "not a size"},
               {"1.", "not a size"},
               {"1.MiB", "not a size"},
               {".5MiB", "not a size"},
               {"1.5.5MiB", "not a size"},
               {"0x10", "not a size"},
               {"1e3", "not a size"},
               {"1,5MiB", "not a size"},
               {"1PiB", "not a size"},
               {"1.5", "whole number of bytes"},
               {"1.5B", "whole number of bytes"},
               {"0.3KiB", "whole number of bytes"},
               {"1.0000000000000000001TiB", "whole number of bytes"},
               {"16777216TiB", "64 bits"},
               {"18446744073709551616", "64 bits"},
               {"18446744073709551615.5KiB", "64 bits"},
               {"99999999999999999999999B", "64 bits"}};
    struct gold_error *err = NULL;
    uint64_t v = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (gold_parse_size(good[i].text, &v, NULL) < 0 || v != good[i].v)
            fail_msg("'%s' gave %llu", good[i].text, (unsigned long long)v);
    }
    v = 42;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (gold_parse_size(bad[i].text, &v, &err) == 0)
            fail_msg("'%s' gave %llu", bad[i].text, (unsigned long long)v);
        assert_error(&err, GOLD_ERROR_USAGE, bad[i].why);
    }
    assert_int_equal(v, 42);
    assert_int_equal(gold_parse_size("10m", &v, &err), -1);
    assert_string_equal(gold_error_hint_text(err),
                        "write MiB for powers of 1024 or MB for powers of 1000");
    gold_error_free(err);
}

static void
check_doubles(void)
{
    static const struct {
        const char *text;
        double v;
    } good[] = {{"0", 0},       {"3", 3},       {"-2.5", -2.5}, {"1e3", 1000},
                {"1E-2", 0.01}, {"1.5e+1", 15}, {"0.1", 0.1},   {"1e-400", 0}};
    static const char *const bad[] = {"",    "-",   "+1",    ".5", "1.", "1,5",  "1e", "1e+",
                                      "inf", "nan", "0x1p3", " 1", "1 ", "1.5x", "--1"};
    struct gold_error *err = NULL;
    double v = 42;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(gold_parse_double(good[i].text, &v, NULL), 0);
        assert_true(v == good[i].v);
    }
    v = 42;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(gold_parse_double(bad[i], &v, &err), -1);
        assert_error(&err, GOLD_ERROR_FORMAT, "not a number");
    }
    assert_int_equal(gold_parse_double("1e400", &v, &err), -1);
    assert_error(&err, GOLD_ERROR_FORMAT, "too large");
    assert_true(v == 42);
}

static void
check_printed(double v, unsigned decimals, const char *want)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    gold_str_append(&s, "<");
    gold_append_double(&s, v, decimals);
    gold_str_append(&s, ">");
    assert_string_equal(gold_str_text(&s), want);
}

static void
check_printing(void)
{
    check_printed(1234567.891, 2, "<1234567.89>");
    check_printed(0.5, 0, "<0>");
    check_printed(-1.25, 1, "<-1.2>");
    check_printed(-0.001, 2, "<0.00>");
    check_printed(-0.0, 0, "<0>");
    check_printed(-0.01, 2, "<-0.01>");
    check_printed(INFINITY, 2, "<inf>");
}

static void
handles_doubles(void **state)
{
    GOLD_CLEANUP_STR struct gold_str full = {.limit = 2};

    (void)state;
    check_doubles();
    check_printing();
    gold_append_double(&full, 1.5, 1);
    assert_true(full.failed);
    gold_append_double(&full, -0.0, 1);
    assert_true(full.failed);
}

static void
ignores_the_locale(void **state)
{
    char *dir = in_scratch(state, "de");
    const char *const argv[] = {"localedef", "-i",           "de_DE", "-f",
                                "UTF-8",     "--no-archive", dir,     NULL};
    struct gold_process_spec spec = {.argv = argv, .timeout_ms = 60000};
    struct gold_process_result r;
    bool made = gold_process_run(NULL, &spec, &r, NULL) == 0;
    double v;

    if (made)
        gold_process_result_done(&r);
    if (!made || setenv("LOCPATH", *state, 1) < 0 || !setlocale(LC_ALL, "de")) {
        free(dir);
        print_message("SKIPPED: localedef cannot make a locale with a decimal comma here\n");
        skip();
        return;
    }
    free(dir);
    assert_string_equal(localeconv()->decimal_point, ",");
    check_doubles();
    check_printing();
    assert_true(strtod("1,5", NULL) == 1.5); /* the locale of the program is still its own */
    assert_int_equal(gold_parse_double("1.5", &v, NULL), 0);
    assert_true(v == 1.5);
    assert_non_null(setlocale(LC_ALL, "C"));
}

static void
prints_sizes(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } rows[] = {{0, "0 B"},
                {512, "512 B"},
                {1023, "1023 B"},
                {1024, "1 KiB"},
                {1025, "1.0 KiB"},
                {1536, "1.5 KiB"},
                {10485760, "10 MiB"},
                {10485761, "10.0 MiB"},
                {1610612736, "1.5 GiB"},
                {1048575, "1.0 MiB"},
                {(1ULL << 40) - 1, "1.0 TiB"},
                {3ULL << 40, "3 TiB"},
                {UINT64_MAX, "16777216.0 TiB"}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

        gold_append_size(&s, rows[i].bytes);
        assert_string_equal(gold_str_text(&s), rows[i].text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_whole_numbers), cmocka_unit_test(parses_sizes),
        cmocka_unit_test(handles_doubles),      scratch_test(ignores_the_locale),
        cmocka_unit_test(prints_sizes),
    };

    return RUN_TESTS(tests);
}
