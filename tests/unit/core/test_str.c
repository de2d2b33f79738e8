/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Growable strings: content, cap, sticky failure, handing over. */
#include "unit.h"

#include "core/limits.h"
#include "core/str.h"
#include "scratch.h"

static void
appends(void **state)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    (void)state;
    assert_string_equal(gold_str_text(&s), "");
    gold_str_append(&s, NULL);
    gold_str_append(&s, "a");
    gold_str_append_char(&s, 'b');
    gold_str_append_len(&s, "c\0d", 3);
    gold_str_printf(&s, "%d-%s", 7, "x");
    assert_int_equal(gold_str_finish(&s, "it", NULL), 0);
    assert_int_equal(s.len, 8);
    assert_memory_equal(s.data, "abc\0d7-x", 9);
    gold_str_clear(&s);
    assert_string_equal(gold_str_text(&s), "");
}

static void
appends_much(void **state)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    (void)state;
    for (int i = 0; i < 100000; i++)
        gold_str_printf(&s, "%05d", i);
    assert_int_equal(s.len, 500000);
    assert_memory_equal(s.data + 388885, "77777", 5);
}

/* At cap-1, cap and cap+1, in one piece and byte by byte, printed and appended. */
static void
keeps_to_its_cap(void **state)
{
    char text[64];

    (void)state;
    memset(text, 'x', sizeof(text));
    for (size_t n = 31; n <= 33; n++) {
        for (int how = 0; how < 3; how++) {
            GOLD_CLEANUP_STR struct gold_str s = {.limit = 32};
            struct gold_error *err = NULL;

            if (how == 0)
                gold_str_append_len(&s, text, n);
            else if (how == 1)
                gold_str_printf(&s, "%.*s", (int)n, text);
            else
                for (size_t i = 0; i < n; i++)
                    gold_str_append_char(&s, 'x');
            if (n <= 32) {
                assert_int_equal(gold_str_finish(&s, "line", &err), 0);
                assert_int_equal(s.len, n);
                continue;
            }
            assert_true(s.failed && s.over);
            assert_int_equal(s.len, how == 2 ? 32 : 0);
            assert_int_equal(gold_str_finish(&s, "line", &err), -1);
            assert_error(&err, GOLD_ERROR_FORMAT, "line is larger than 32 bytes");
            gold_str_append(&s, ""); /* sticky */
            assert_true(s.failed);
            assert_null(gold_str_steal(&s, NULL, NULL));
            gold_str_clear(&s);
            assert_false(s.failed);
            gold_str_append(&s, "y");
            assert_string_equal(gold_str_text(&s), "y");
        }
    }
}

static void
has_a_default_cap(void **state)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *mib = calloc(1, GOLD_MIB);

    (void)state;
    assert_non_null(mib);
    for (int i = 0; i < 64; i++)
        gold_str_append_len(&s, mib, GOLD_MIB);
    assert_int_equal(gold_str_finish(&s, "it", NULL), 0);
    gold_str_append_char(&s, 'x');
    assert_int_equal(gold_str_finish(&s, "it", NULL), -1);
}

static void
hands_over(void **state)
{
    struct gold_str s = GOLD_STR_INIT;
    size_t len = 99;
    char *text = gold_str_steal(&s, &len, NULL);

    (void)state;
    assert_string_equal(text, "");
    assert_int_equal(len, 0);
    free(text);
    gold_str_append(&s, "abc");
    text = gold_str_steal(&s, &len, NULL);
    assert_string_equal(text, "abc");
    assert_int_equal(len, 3);
    free(text);
    assert_null(s.data);
    gold_str_append(&s, "again");
    assert_string_equal(gold_str_text(&s), "again");
    gold_str_done(&s);
}

static void
copies(void **state)
{
    char *s = gold_strndup("abcdef", 3, NULL);

    (void)state;
    assert_string_equal(s, "abc");
    assert_int_equal(gold_str_replace(&s, "new", NULL), 0);
    assert_string_equal(s, "new");
    assert_int_equal(gold_str_replace(&s, NULL, NULL), 0);
    assert_null(s);
    assert_null(gold_strdup(NULL, NULL));
    assert_null(gold_strndup(NULL, 4, NULL));
    s = gold_format(NULL, "%s/%u", "a", 5U);
    assert_string_equal(s, "a/5");
    free(s);
}

static void
compares(void **state)
{
    (void)state;
    assert_true(gold_streq(NULL, NULL));
    assert_false(gold_streq(NULL, ""));
    assert_true(gold_streq("a", "a"));
    assert_false(gold_streq("a", "b"));
    assert_true(gold_str_has_prefix("abc", "ab"));
    assert_true(gold_str_has_prefix("abc", ""));
    assert_false(gold_str_has_prefix("ab", "abc"));
    assert_true(gold_str_has_suffix("abc", "bc"));
    assert_true(gold_str_has_suffix("abc", ""));
    assert_false(gold_str_has_suffix("bc", "abc"));
    assert_false(gold_str_has_suffix("abc", "ab"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends),          cmocka_unit_test(appends_much),
        cmocka_unit_test(keeps_to_its_cap), cmocka_unit_test(has_a_default_cap),
        cmocka_unit_test(hands_over),       cmocka_unit_test(copies),
        cmocka_unit_test(compares),
    };

    return RUN_TESTS(tests);
}
