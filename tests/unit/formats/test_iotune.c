/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The limits as data: names, setting from text, copies. */
#include "unit.h"

#include "formats/iotune.h"

static void
test_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= GOLD_IOTUNE_NUMBERS; i++) {
        assert_non_null(gold_iotune_name(i));
        assert_int_equal(gold_iotune_key(gold_iotune_name(i)), i);
    }
    assert_null(gold_iotune_name(GOLD_IOTUNE_NUMBERS + 1));
    assert_string_equal(gold_iotune_name(GOLD_TOTAL_BYTES_SEC), "total_bytes_sec");
    assert_string_equal(gold_iotune_name(GOLD_SIZE_IOPS_SEC), "size_iops_sec");
    assert_string_equal(gold_iotune_name(GOLD_WRITE_IOPS_SEC_MAX_LENGTH),
                        "write_iops_sec_max_length");
    assert_int_equal(gold_iotune_key("read-iops-sec-max"), GOLD_READ_IOPS_SEC_MAX);
    assert_int_equal(gold_iotune_key("group-name"), GOLD_IOTUNE_NUMBERS);
    assert_int_equal(gold_iotune_key("total_bytes"), -1);
    assert_int_equal(gold_iotune_key("Total_bytes_sec"), -1);
    assert_int_equal(gold_iotune_key("total_bytes_sec_"), -1);
    assert_int_equal(gold_iotune_key(""), -1);
}

static void
set(struct gold_iotune *t, const char *name, const char *value)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    if (gold_iotune_set(t, name, value, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
refuse(const char *name, const char *value, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = {0}, zero = {0};
    assert_int_equal(gold_iotune_set(&t, name, value, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    if (!strstr(gold_error_message(err), message))
        fail_msg("'%s' is not in '%s'", message, gold_error_message(err));
    assert_true(gold_iotune_equal(&t, &zero));
}

static void
test_set(void **state)
{
    struct gold_iotune t = {0};
    (void)state;
    set(&t, "total-bytes-sec", "10MiB");
    assert_int_equal(t.value[GOLD_TOTAL_BYTES_SEC], 10485760);
    set(&t, "total_bytes_sec", "10MB");
    assert_int_equal(t.value[GOLD_TOTAL_BYTES_SEC], 10000000);
    set(&t, "write_bytes_sec_max", "1.5GiB");
    assert_int_equal(t.value[GOLD_WRITE_BYTES_SEC_MAX], 1610612736);
    set(&t, "size-iops-sec", "4KiB");
    assert_int_equal(t.value[GOLD_SIZE_IOPS_SEC], 4096);
    set(&t, "read_iops_sec", "200");
    set(&t, "read_iops_sec_max_length", "60");
    set(&t, "write_iops_sec", "1000000000000000");
    assert_int_equal(t.value[GOLD_READ_IOPS_SEC], 200);
    assert_int_equal(t.value[GOLD_READ_IOPS_SEC_MAX_LENGTH], 60);
    set(&t, "group_name", "gold tier");
    assert_string_equal(t.group_name, "gold tier");

    /* One value at a time: siblings stay. */
    set(&t, "read_iops_sec", "300");
    assert_int_equal(t.value[GOLD_WRITE_IOPS_SEC], 1000000000000000);
    assert_int_equal(t.value[GOLD_TOTAL_BYTES_SEC], 10000000);
    set(&t, "write_iops_sec", "0");
    set(&t, "total_bytes_sec", "");
    set(&t, "group_name", "");
    assert_int_equal(t.value[GOLD_WRITE_IOPS_SEC], 0);
    assert_int_equal(t.value[GOLD_TOTAL_BYTES_SEC], 0);
    assert_null(t.group_name);
    assert_int_equal(t.value[GOLD_READ_IOPS_SEC], 300);
    gold_iotune_done(&t);
    assert_true(gold_iotune_empty(&t));
}

static void
test_set_refused(void **state)
{
    (void)state;
    refuse("total_byte_sec", "1", "'total_byte_sec' is not an IO limit");
    refuse("total_bytes_sec", "10M", "total_bytes_sec: ");
    refuse("total_bytes_sec", "-1", "total_bytes_sec: ");
    refuse("total_bytes_sec", " 10", "total_bytes_sec: ");
    refuse("total_bytes_sec", "0.3B", "total_bytes_sec: ");
    refuse("total_bytes_sec", "1001TB", "is more than 1000000000000000");
    refuse("read_iops_sec", "10k", "read_iops_sec: ");
    refuse("read_iops_sec", "1.5", "read_iops_sec: ");
    refuse("read_iops_sec_max_length", "60s", "read_iops_sec_max_length: ");
    refuse("read_iops_sec", "1000000000000001", "is more than 1000000000000000");
    refuse("read_iops_sec", "99999999999999999999", "read_iops_sec: ");
    refuse("group_name", "a\nb", "group_name: a control character");
    refuse("group_name", "\xFF", "group_name: not valid UTF-8");
}

static void
test_copy_and_equal(void **state)
{
    struct gold_iotune a = {0}, b = {0};
    struct gold_error *err = NULL;
    (void)state;
    assert_true(gold_iotune_empty(&a));
    assert_true(gold_iotune_equal(&a, &b));
    set(&a, "group_name", "g");
    assert_false(gold_iotune_empty(&a));
    assert_false(gold_iotune_equal(&a, &b));
    set(&a, "read_iops_sec", "5");
    assert_int_equal(gold_iotune_copy(&b, &a, &err), 0);
    assert_true(gold_iotune_equal(&a, &b));
    assert_ptr_not_equal(a.group_name, b.group_name);
    set(&b, "read_iops_sec", "6");
    assert_false(gold_iotune_equal(&a, &b));
    gold_iotune_done(&a);
    gold_iotune_done(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_set_refused),
        cmocka_unit_test(test_copy_and_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
