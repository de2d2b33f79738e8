/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The unified diff: exact texts for the corners, and random edits whose diff is applied by a
 * reader of its own. */
#include "unit.h"

#include <stdio.h>

#include "formats/patch.h"

static void
add(struct gold_patch *p, size_t at, size_t old_len, const char *text)
{
    struct gold_error *err = NULL;
    assert_int_equal(gold_patch_add(p, at, old_len, text, strlen(text), &err), 0);
}

static void
expect(const struct gold_patch *p, const char *old, const char *diff)
{
    struct gold_error *err = NULL;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    assert_int_equal(gold_patch_diff(p, old, strlen(old), "a.xml", "b.xml", &s, &err), 0);
    assert_string_equal(gold_str_text(&s), diff);
}

#define HEAD "--- a.xml\n+++ b.xml\n"

static void
test_nothing(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    expect(&p, "a\nb\n", "");
    add(&p, 2, 1, "b"); /* the same bytes again */
    expect(&p, "a\nb\n", "");
}

static void
test_replace(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 8, 1, "X");
    expect(&p, "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
           HEAD "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
}

static void
test_insert_lines(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 2, 0, "x\ny\n");
    expect(&p, "1\n2\n", HEAD "@@ -1,2 +1,4 @@\n 1\n+x\n+y\n 2\n");
}

static void
test_delete_line(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 2, 2, "");
    expect(&p, "1\n2\n3\n", HEAD "@@ -1,3 +1,2 @@\n 1\n-2\n 3\n");
}

static void
test_empty_sides(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, q = {0};
    (void)state;
    add(&p, 0, 0, "1\n");
    expect(&p, "", HEAD "@@ -0,0 +1 @@\n+1\n");
    add(&q, 0, 2, "");
    expect(&q, "1\n", HEAD "@@ -1 +0,0 @@\n-1\n");
}

static void
test_no_newline_at_end(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, q = {0}, r = {0}, u = {0};
    (void)state;
    add(&p, 3, 0, "\n");
    expect(&p, "1\n2", HEAD "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n");
    add(&q, 3, 1, "");
    expect(&q, "1\n2\n", HEAD "@@ -1,2 +1,2 @@\n 1\n-2\n+2\n\\ No newline at end of file\n");
    add(&r, 0, 1, "x");
    expect(&r, "1\n2", HEAD "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n\\ No newline at end of file\n");
    add(&u, 2, 1, "x");
    expect(&u, "1\n2",
           HEAD "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+x\n\\ No newline at "
                "end of file\n");
}

static void
test_carriage_returns_stay(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 3, 1, "x");
    expect(&p, "1\r\n2\r\n3\r\n", HEAD "@@ -1,3 +1,3 @@\n 1\r\n-2\r\n+x\r\n 3\r\n");
}

static void
test_hunks(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch near = {0}, far = {0};
    const char *old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
    (void)state;
    add(&near, 0, 1, "x");
    add(&near, 14, 1, "y"); /* six equal lines between: one hunk */
    expect(&near, old,
           HEAD "@@ -1,10 +1,10 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n 9\n 10\n");
    add(&far, 0, 1, "x");
    add(&far, 16, 1, "y"); /* seven: two */
    expect(&far, old,
           HEAD
           "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,5 +6,5 @@\n 6\n 7\n 8\n-9\n+y\n 10\n");
}

static void
test_insertion_and_deletion_at_one_place(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, q = {0};
    (void)state;
    add(&p, 0, 0, "foo");
    add(&p, 0, 5, "");
    expect(&p, "abcd\nefg\n", HEAD "@@ -1,2 +1 @@\n-abcd\n-efg\n+fooefg\n");
    add(&q, 2, 0, "foo\n");
    add(&q, 2, 2, "");
    expect(&q, "1\n2\n3\n", HEAD "@@ -1,3 +1,3 @@\n 1\n-2\n+foo\n 3\n");
}

static void
test_names(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    struct gold_error *err = NULL;
    (void)state;
    add(&p, 0, 1, "x");
    assert_int_equal(gold_patch_diff(&p, "1\n", 2, "my vm.xml", "evil\n+x", &s, &err), 0);
    assert_true(gold_str_has_prefix(gold_str_text(&s), "--- my vm.xml\t\n+++ evil\\"));
}

/* ---- a reader of unified diffs, as strict as can be ---- */

static const char *
line_end(const char *at)
{
    const char *nl = strchr(at, '\n');
    assert_non_null(nl);
    return nl + 1;
}

static void
copy_lines(struct gold_str *out, const char **old, unsigned n)
{
    while (n-- > 0) {
        const char *nl = strchr(*old, '\n');
        size_t len = nl ? (size_t)(nl - *old) + 1 : strlen(*old);
        assert_true(len > 0);
        gold_str_append_len(out, *old, len);
        *old += len;
    }
}

/* A body line without its mark; the end-of-file note takes its newline off. */
static size_t
body_len(const char *line, const char **next)
{
    const char *end = line_end(line);
    *next = end;
    if (*end == '\\') {
        *next = line_end(end);
        return (size_t)(end - line) - 2;
    }
    return (size_t)(end - line) - 1;
}

static void
apply_hunk(struct gold_str *out, const char **old, const char **diff, unsigned *old_line)
{
    unsigned a = 0, an = 1, b = 0, bn = 1;
    const char *next = line_end(*diff);

    if (sscanf(*diff, "@@ -%u,%u +%u,%u @@", &a, &an, &b, &bn) != 4) {
        an = bn = 1;
        if (sscanf(*diff, "@@ -%u,%u +%u @@", &a, &an, &b) != 3) {
            an = bn = 1;
            if (sscanf(*diff, "@@ -%u +%u,%u @@", &a, &b, &bn) != 3) {
                bn = 1;
                assert_int_equal(sscanf(*diff, "@@ -%u +%u @@", &a, &b), 2);
            }
        }
    }
    unsigned first = an > 0 ? a - 1 : a;
    copy_lines(out, old, first - *old_line);
    *old_line = first + an;
    unsigned out_line = 0;
    for (size_t i = 0; i < out->len; i++)
        out_line += out->data[i] == '\n';
    assert_int_equal(out_line, bn > 0 ? b - 1 : b);
    for (*diff = next; **diff == ' ' || **diff == '-' || **diff == '+'; *diff = next) {
        size_t len = body_len(*diff, &next);
        if (**diff != '+') {
            assert_memory_equal(*old, *diff + 1, len);
            *old += len;
            an--;
        }
        if (**diff != '-') {
            gold_str_append_len(out, *diff + 1, len);
            bn--;
        }
    }
    assert_int_equal(an, 0);
    assert_int_equal(bn, 0);
}

static uint32_t
draw(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % n;
}

static void
test_random(void **state)
{
    uint32_t seed = 7;
    (void)state;
    for (int round = 0; round < 3000; round++) {
        GOLD_CLEANUP_PATCH struct gold_patch p = {0};
        GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT, out = GOLD_STR_INIT;
        GOLD_CLEANUP_FREE char *new = NULL;
        struct gold_error *err = NULL;
        char old[121];
        size_t n = draw(&seed, 120), new_len;
        for (size_t i = 0; i < n; i++)
            old[i] = "abcd\n\n\n"[draw(&seed, 7)];
        old[n] = '\0';
        for (int i = 0; i < 5; i++) {
            char text[6] = "";
            size_t at = draw(&seed, (uint32_t)n + 1), del = draw(&seed, 5),
                   ins = draw(&seed, 5);
            for (size_t k = 0; k < ins; k++)
                text[k] = "ab\nd\n"[draw(&seed, 5)];
            if (del > n - at)
                del = n - at;
            if (gold_patch_add(&p, at, del, text, strlen(text), NULL) < 0)
                continue;
        }
        assert_int_equal(gold_patch_apply(&p, old, n, &new, &new_len, &err), 0);
        assert_int_equal(gold_patch_diff(&p, old, n, "a", "b", &diff, &err), 0);
        const char *at = gold_str_text(&diff), *from = old;
        unsigned old_line = 0;
        if (*at) {
            assert_true(gold_str_has_prefix(at, "--- a\n+++ b\n"));
            at += strlen("--- a\n+++ b\n");
        }
        while (*at)
            apply_hunk(&out, &from, &at, &old_line);
        gold_str_append(&out, from);
        assert_string_equal(gold_str_text(&out), new);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_insert_lines),
        cmocka_unit_test(test_delete_line),
        cmocka_unit_test(test_empty_sides),
        cmocka_unit_test(test_no_newline_at_end),
        cmocka_unit_test(test_carriage_returns_stay),
        cmocka_unit_test(test_hunks),
        cmocka_unit_test(test_insertion_and_deletion_at_one_place),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
