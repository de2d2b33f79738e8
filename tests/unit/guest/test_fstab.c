/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fstab lines and shell assignments, honest and hostile. */
#include "unit.h"

#include "guest/fstab.h"

static void
parse(const char *text, struct gold_fstab *t)
{
    struct gold_error *err = NULL;
    assert_int_equal(gold_fstab_parse(text, strlen(text), t, &err), 0);
    assert_null(err);
}

static void
lines(void **state)
{
    (void)state;
    struct gold_fstab t = {0};
    parse("# comment\n\nUUID=1 / ext4 errors=remount-ro 0 1\r\n\t/dev/a\t/with\\040blank xfs\n"
          "alone\nlast /x",
          &t);
    assert_int_equal(t.n, 3);
    assert_int_equal(t.lines[0].line, 3);
    assert_string_equal(t.lines[0].field[0], "UUID=1");
    assert_string_equal(t.lines[0].field[3], "errors=remount-ro");
    assert_string_equal(t.lines[1].field[1], "/with blank");
    assert_string_equal(t.lines[1].field[3], "");
    assert_int_equal(t.lines[2].line, 6);
    assert_string_equal(t.lines[2].field[2], "");
    gold_fstab_done(&t);
    parse("", &t);
    assert_int_equal(t.n, 0);
    gold_fstab_done(&t);
    parse("\\999 \\04", &t); /* not escapes */
    assert_string_equal(t.lines[0].field[0], "\\999");
    assert_string_equal(t.lines[0].field[1], "\\04");
    gold_fstab_done(&t);
    assert_int_equal(gold_fstab_parse("a\0b /x\n", 7, &t, NULL), 0); /* NUL is dropped */
    assert_string_equal(t.lines[0].field[0], "ab");
    gold_fstab_done(&t);
}

static void
too_many_lines(void **state)
{
    (void)state;
    size_t len = (size_t)4 * 100000;
    char *text = malloc(len + 1);
    assert_non_null(text);
    for (size_t i = 0; i < len; i += 4)
        memcpy(text + i, "a b\n", 5);
    struct gold_fstab t = {0};
    parse(text, &t);
    assert_in_range(t.n, 1000, 5000);
    gold_fstab_done(&t);
    free(text);
}

static void
options(void **state)
{
    (void)state;
    const char *value = NULL;
    assert_true(gold_fstab_has_option("rw,nofail", "nofail", NULL));
    assert_true(gold_fstab_has_option("nofail", "nofail", NULL));
    assert_false(gold_fstab_has_option("rw,nofailx", "nofail", NULL));
    assert_false(gold_fstab_has_option("x-nofail", "nofail", NULL));
    assert_false(gold_fstab_has_option("", "nofail", NULL));
    assert_true(gold_fstab_has_option("rw,subvol=@home,x", "subvol=", &value));
    assert_memory_equal(value, "@home,x", 7);
    assert_false(gold_fstab_has_option("subvolid=5", "subvol=", &value));
}

static void
check_value(const char *text, const char *key, const char *expected)
{
    char *value = NULL;
    struct gold_error *err = NULL;
    assert_int_equal(gold_shell_value(text, strlen(text), key, &value, &err), 0);
    assert_null(err);
    if (expected)
        assert_string_equal(value, expected);
    else
        assert_null(value);
    free(value);
}

static void
values(void **state)
{
    (void)state;
    check_value("ID=debian\n", "ID", "debian");
    check_value("ID=\"debian\"\r\n", "ID", "debian");
    check_value("ID='a b'", "ID", "a b");
    check_value("NAME=\"say \\\"hi\\\" \\$5\"\n", "NAME", "say \"hi\" $5");
    check_value("ID=one\nID=two\n", "ID", "two");
    check_value("VERSION_ID=1\n#ID=x\nXID=y\n", "ID", NULL);
    check_value(" SELINUX=enforcing # why\n", "SELINUX", "enforcing");
    check_value("ID=\n", "ID", "");
    check_value("ID=\"no end", "ID", "no end");
    check_value("", "ID", NULL);
    check_value("ID", "ID", NULL);
    check_value("ID=a\033[31mb\n", "ID", "a?[31mb");
    check_value("ID=\xC3\xA4\n", "ID", "\xC3\xA4");
    check_value("ID=\xC3(\n", "ID", "?(");
    char *value = NULL;
    assert_int_equal(gold_shell_value("ID=a\0b\n", 7, "ID", &value, NULL), 0);
    assert_string_equal(value, "a?b");
    free(value);
}

static void
long_values_are_cut(void **state)
{
    (void)state;
    char *text = malloc(100004);
    assert_non_null(text);
    memset(text, 'x', 100003);
    memcpy(text, "ID=", 3);
    char *value = NULL;
    assert_int_equal(gold_shell_value(text, 100003, "ID", &value, NULL), 0);
    assert_in_range(strlen(value), 100, 1000);
    free(value);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(too_many_lines),
        cmocka_unit_test(options),
        cmocka_unit_test(values),
        cmocka_unit_test(long_values_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
