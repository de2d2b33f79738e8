/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which limits may stand together: every rule with a case on each side of it. */
#include "unit.h"

#include <stdio.h>

#include "formats/iotune.h"

/* "read_iops_sec=5 ..." */
static struct gold_iotune
limits(const char *spec)
{
    struct gold_iotune t = {0};
    char copy[256], *save = NULL;

    (void)snprintf(copy, sizeof(copy), "%s", spec);
    for (char *item = strtok_r(copy, " ", &save); item; item = strtok_r(NULL, " ", &save)) {
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        char *eq = strchr(item, '=');
        assert_non_null(eq);
        *eq = '\0';
        if (gold_iotune_set(&t, item, eq + 1, &err) < 0)
            fail_msg("%s", gold_error_message(err));
    }
    return t;
}

static void
good(const char *spec)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = limits(spec);
    if (gold_iotune_check(&t, &err) < 0)
        fail_msg("%s: %s", spec, gold_error_message(err));
    gold_iotune_done(&t);
}

static void
bad(const char *spec, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = limits(spec);
    assert_int_equal(gold_iotune_check(&t, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    assert_string_equal(gold_error_message(err), message);
    gold_iotune_done(&t);
}

static void
test_total_and_parts(void **state)
{
    (void)state;
    good("");
    good("total_bytes_sec=5000000 total_iops_sec=100");
    good("total_bytes_sec=5000000 read_iops_sec=200 write_iops_sec=180");
    good("total_bytes_sec=0 read_bytes_sec=5 write_bytes_sec=6");
    bad("total_bytes_sec=5 read_bytes_sec=5",
        "'total_bytes_sec' and 'read_bytes_sec' cannot be set at the same time");
    bad("total_bytes_sec=5 write_bytes_sec=5",
        "'total_bytes_sec' and 'write_bytes_sec' cannot be set at the same time");
    bad("total_iops_sec=5 write_iops_sec=5",
        "'total_iops_sec' and 'write_iops_sec' cannot be set at the same time");
    bad("total_bytes_sec_max=5 read_bytes_sec=5 read_bytes_sec_max=6",
        "'total_bytes_sec_max' and 'read_bytes_sec_max' cannot be set at the same time");
    bad("total_iops_sec_max=5 read_iops_sec=5 read_iops_sec_max=6",
        "'total_iops_sec_max' and 'read_iops_sec_max' cannot be set at the same time");
}

static void
test_bursts(void **state)
{
    (void)state;
    good("read_iops_sec=5 read_iops_sec_max=5");
    good("read_iops_sec=5 read_iops_sec_max=6 read_iops_sec_max_length=60");
    bad("read_iops_sec_max=6", "'read_iops_sec_max' needs 'read_iops_sec'");
    bad("total_bytes_sec=5 read_bytes_sec_max=6",
        "'read_bytes_sec_max' needs 'read_bytes_sec'");
    bad("read_iops_sec=7 read_iops_sec_max=6",
        "'read_iops_sec_max' (6) is lower than 'read_iops_sec' (7)");
    bad("read_iops_sec=7 read_iops_sec_max_length=6",
        "'read_iops_sec_max_length' needs 'read_iops_sec_max'");
    good("total_bytes_sec=5 total_bytes_sec_max=1000000000 total_bytes_sec_max_length=1000000");
    bad("total_bytes_sec=5 total_bytes_sec_max=1000000000 total_bytes_sec_max_length=1000001",
        "'total_bytes_sec_max_length' times 'total_bytes_sec_max' is more than "
        "1000000000000000");
}

static void
test_ranges(void **state)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = {0};
    (void)state;
    good("total_iops_sec=1000000000000000");
    t.value[GOLD_TOTAL_IOPS_SEC] = GOLD_IOTUNE_VALUE_MAX + 1;
    assert_int_equal(gold_iotune_check(&t, &err), -1);
    assert_string_equal(gold_error_message(err),
                        "'total_iops_sec' is more than 1000000000000000");
}

static void
test_size_and_group(void **state)
{
    (void)state;
    good("size_iops_sec=4096 write_iops_sec=100");
    bad("size_iops_sec=4096 total_bytes_sec=100",
        "'size_iops_sec' needs a limit of operations, for example 'total_iops_sec'");
    good("group_name=g total_bytes_sec=5000000");
    bad("group_name=g", "'group_name' needs limits beside it");
}

static void
explains(const char *spec, const char *text)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    struct gold_error *err = NULL;
    struct gold_iotune t = limits(spec);
    assert_int_equal(gold_iotune_explain(&t, &s, &err), 0);
    assert_string_equal(gold_str_text(&s), text);
    gold_iotune_done(&t);
}

static void
test_explain(void **state)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    struct gold_iotune t = limits("read_iops_sec_max=5");
    (void)state;
    explains("", "no limits\n");
    explains("total_bytes_sec=10MiB", "total_bytes_sec: 10 MiB (10485760 B) per second; the "
                                      "first 1 MiB (1048576 B) pass at once, so measure for "
                                      "10 s or more\n");
    /* 1000 with bursts of 5000 for 60 s: the burst lasts 75 s. */
    explains("total_iops_sec=1000 total_iops_sec_max=5000 total_iops_sec_max_length=60 "
             "size_iops_sec=4096",
             "total_iops_sec: 1000 operations per second\n"
             "total_iops_sec_max: up to 5000 operations per second for 75.0 s (not 60 s: "
             "length * max / (max - limit)); "
             "a full burst again after 300.0 s idle\n"
             "size_iops_sec: a request of more than 4096 bytes counts as several operations\n");
    explains("total_iops_sec=1000 total_iops_sec_max=1000 total_iops_sec_max_length=9000 "
             "size_iops_sec=4096",
             "total_iops_sec: 1000 operations per second\n"
             "total_iops_sec_max: up to 1000 operations per second: the same as the limit, so "
             "there is no burst\n"
             "size_iops_sec: a request of more than 4096 bytes counts as several operations\n");
    explains("write_iops_sec=10 write_iops_sec_max=20 group_name=g",
             "write_iops_sec: 10 operations per second\n"
             "warning: write_iops_sec: below 50 operations per second a guest may hang\n"
             "write_iops_sec_max: 20 operations pass at once, without any rate limit; then the "
             "limit above holds\n"
             "warning: without write_iops_sec_max_length the burst is an amount, not a rate\n"
             "warning: without size_iops_sec or a limit of bytes, one large request counts as "
             "one operation\n"
             "group_name: all disks of group 'g' share these limits\n");
    assert_int_equal(gold_iotune_explain(&t, &s, NULL), -1);
}

static void
test_sense(void **state)
{
    struct gold_iotune t = limits(
        "read_bytes_sec=1999999 write_bytes_sec=2000000 read_iops_sec=49 write_iops_sec=50");
    struct gold_iotune b =
        limits("read_iops_sec=60 read_iops_sec_max=70 read_iops_sec_max_length=3601 "
               "write_iops_sec=60 write_iops_sec_max=70 write_iops_sec_max_length=1");
    (void)state;
    assert_true(gold_iotune_small(&t, GOLD_READ_BYTES_SEC));
    assert_false(gold_iotune_small(&t, GOLD_WRITE_BYTES_SEC));
    assert_false(gold_iotune_small(&t, GOLD_TOTAL_BYTES_SEC));
    assert_true(gold_iotune_small(&t, GOLD_READ_IOPS_SEC));
    assert_false(gold_iotune_small(&t, GOLD_WRITE_IOPS_SEC));
    assert_false(gold_iotune_unsized(&t)); /* bytes are limited as well */
    assert_true(gold_iotune_unsized(&b));
    assert_false(gold_iotune_bucket(&b, GOLD_READ_IOPS_SEC));
    assert_true(gold_iotune_bucket(&b, GOLD_WRITE_IOPS_SEC));
    assert_true(gold_iotune_long_burst(&b, GOLD_READ_IOPS_SEC));
    assert_false(gold_iotune_long_burst(&b, GOLD_WRITE_IOPS_SEC));
    assert_false(gold_iotune_small(&t, GOLD_SIZE_IOPS_SEC)); /* no base */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_total_and_parts), cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_ranges),          cmocka_unit_test(test_size_and_group),
        cmocka_unit_test(test_explain),         cmocka_unit_test(test_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
