/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines, fields and edits: every byte that is not edited stays. */
#include "unit.h"

#include "guest/text.h"

static void
walks_lines_with_any_end(void **state)
{
    (void)state;
    static const char text[] = "one\r\n\ntwo\nlast";
    struct gold_lines walk = {0};
    struct gold_span line;
    const char *const want[] = {"one", "", "two", "last"};
    for (unsigned i = 0; i < 4; i++) {
        assert_true(gold_lines_next(text, sizeof(text) - 1, &walk, &line));
        assert_int_equal(line.line, i + 1);
        assert_true(gold_span_is(text, &line, want[i]));
    }
    assert_false(gold_lines_next(text, sizeof(text) - 1, &walk, &line));
    walk = (struct gold_lines){0};
    assert_false(gold_lines_next("", 0, &walk, &line));
    walk = (struct gold_lines){0};
    assert_true(gold_lines_next("\r", 1, &walk, &line));
    assert_int_equal(line.len, 0);
}

static void
reads_tables(void **state)
{
    (void)state;
    static const char text[] = "# comment\n\n  \t\n /dev/sda1\t/  ext4 noatime,nofail 0 1\r\n  "
                               "# /dev/sdb1 x\nUUID=1 /x\n";
    struct gold_lines walk = {0};
    struct gold_fields f;
    assert_true(gold_fields_next(text, sizeof(text) - 1, &walk, &f));
    assert_int_equal(f.n, 4);
    assert_int_equal(f.f[0].line, 4);
    assert_true(gold_span_is(text, &f.f[0], "/dev/sda1"));
    assert_true(gold_span_is(text, &f.f[1], "/"));
    assert_true(gold_span_is(text, &f.f[3], "noatime,nofail"));
    assert_true(gold_options_have(text, &f.f[3], "nofail"));
    assert_true(gold_options_have(text, &f.f[3], "noatime"));
    assert_false(gold_options_have(text, &f.f[3], "noat"));
    assert_false(gold_options_have(text, &f.f[3], "fail"));
    assert_true(gold_fields_next(text, sizeof(text) - 1, &walk, &f));
    assert_int_equal(f.n, 2);
    assert_int_equal(f.f[1].line, 6);
    assert_false(gold_fields_next(text, sizeof(text) - 1, &walk, &f));
}

static char *
apply(struct gold_text_edits *e, const char *text)
{
    size_t len;
    char *out = gold_text_edits_apply(e, text, strlen(text), &len, NULL);
    assert_non_null(out);
    assert_int_equal(len, strlen(out));
    gold_text_edits_done(e);
    return out;
}

static void
edits_bytes(void **state)
{
    (void)state;
    struct gold_text_edits e = {0};
    GOLD_CLEANUP_FREE char *same = apply(&e, "a b c");
    assert_string_equal(same, "a b c");
    assert_int_equal(gold_text_edits_add(&e, 0, 1, "longer", NULL), 0);
    assert_int_equal(gold_text_edits_add(&e, 1, 0, "+", NULL), 0);
    assert_int_equal(gold_text_edits_add(&e, 4, 1, "", NULL), 0);
    GOLD_CLEANUP_FREE char *out = apply(&e, "a b c");
    assert_string_equal(out, "longer+ b ");
}

/* Every X is dropped. */
static void
drops_words_with_their_blanks(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"options X root=1\n", "options root=1\n"},
        {"options root=1 X\n", "options root=1\n"},
        {"options a X b\n", "options a b\n"},
        {"options a X X b\n", "options a b\n"},
        {"options X X\n", "options\n"},
        {"\"X quiet\"", "\"quiet\""},
        {"\"X X quiet\"", "\"quiet\""},
        {"\"quiet X X\"", "\"quiet\""},
        {"\"X\"", "\"\""},
        {"X\n", "\n"},
        {"X a\n", "a\n"},
        {"a\t X  b", "a  b"},
        {"y\nX a", "y\na"},
        {"\"X X\"", "\"\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *text = cases[i][0];
        struct gold_text_edits e = {0};
        for (const char *x = text; (x = strchr(x, 'X')); x++) {
            struct gold_span word = {.offset = (size_t)(x - text), .len = 1, .line = 1};
            assert_int_equal(gold_text_edits_drop_word(&e, text, strlen(text), &word, NULL), 0);
        }
        GOLD_CLEANUP_FREE char *out = apply(&e, text);
        assert_string_equal(out, cases[i][1]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_lines_with_any_end),
        cmocka_unit_test(reads_tables),
        cmocka_unit_test(edits_bytes),
        cmocka_unit_test(drops_words_with_their_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
