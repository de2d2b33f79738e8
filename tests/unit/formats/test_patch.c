/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The patch set: order, overlap, apply, inverse; and random sets against a plain model of what
 * they mean. */
#include "unit.h"

#include "formats/patch.h"

static void
add(struct gold_patch *p, size_t at, size_t old_len, const char *text)
{
    struct gold_error *err = NULL;
    assert_int_equal(gold_patch_add(p, at, old_len, text, strlen(text), &err), 0);
}

static void
refuse(struct gold_patch *p, size_t at, size_t old_len, const char *text)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    size_t n = p->n;
    assert_int_equal(gold_patch_add(p, at, old_len, text, strlen(text), &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    assert_int_equal(p->n, n);
}

static void
expect(const struct gold_patch *p, const char *old, const char *new)
{
    struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *out = NULL;
    GOLD_CLEANUP_FREE char *back = NULL;
    GOLD_CLEANUP_PATCH struct gold_patch inverse = {0};
    size_t len, back_len;

    assert_int_equal(gold_patch_apply(p, old, strlen(old), &out, &len, &err), 0);
    assert_string_equal(out, new);
    assert_int_equal(len, strlen(new));
    assert_int_equal(gold_patch_inverse(p, old, strlen(old), &inverse, &err), 0);
    assert_int_equal(gold_patch_apply(&inverse, out, len, &back, &back_len, &err), 0);
    assert_string_equal(back, old);
}

static void
test_empty(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    expect(&p, "abc", "abc");
    expect(&p, "", "");
    add(&p, 1, 0, ""); /* says nothing, so it is not kept */
    assert_int_equal(p.n, 0);
}

static void
test_order(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 6, 2, "Z");
    add(&p, 2, 1, "XY");
    add(&p, 4, 0, "1");
    add(&p, 4, 0, "2");
    expect(&p, "abcdefgh", "abXYd12efZ");
    for (size_t i = 1; i < p.n; i++)
        assert_true(p.items[i - 1].offset <= p.items[i].offset);
}

static void
test_insertions_around_a_replacement(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 2, 3, "-");
    add(&p, 2, 0, "<");
    add(&p, 5, 0, ">");
    add(&p, 2, 0, "<");
    expect(&p, "abcdefg", "ab<<->fg");
}

static void
test_deletions_meet(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 1, 2, "");
    add(&p, 3, 2, "");
    add(&p, 5, 1, "");
    expect(&p, "abcdefg", "ag");
}

static void
test_ends(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 0, 0, "[");
    add(&p, 3, 0, "]");
    expect(&p, "abc", "[abc]");
}

static void
test_overlap(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    (void)state;
    add(&p, 4, 4, "x");
    refuse(&p, 4, 1, "y");
    refuse(&p, 2, 3, "y");
    refuse(&p, 7, 3, "y");
    refuse(&p, 5, 0, "y");
    refuse(&p, 0, 20, "y");
    refuse(&p, SIZE_MAX, 1, "y");
    add(&p, 2, 2, "y");
    add(&p, 8, 1, "z");
    expect(&p, "0123456789", "01yxz9");
}

static void
test_outside(void **state)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, inverse = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_ERROR struct gold_error *err2 = NULL;
    char *out = NULL;
    size_t len;
    (void)state;
    add(&p, 2, 2, "x");
    assert_int_equal(gold_patch_apply(&p, "abc", 3, &out, &len, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    assert_null(out);
    assert_int_equal(gold_patch_inverse(&p, "abc", 3, &inverse, &err2), -1);
    assert_int_equal(gold_error_code(err2), GOLD_ERROR_FORMAT);
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
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < 2000; round++) {
        GOLD_CLEANUP_PATCH struct gold_patch p = {0};
        char old[41], new[200] = "";
        size_t n = draw(&seed, 40), at = 0, to = 0;
        for (size_t i = 0; i < n; i++)
            old[i] = "ab\n"[draw(&seed, 3)];
        old[n] = '\0';
        /* Forward through the text, keeping, deleting, inserting; added in an order that is not
         * the text's. */
        struct {
            size_t at, old_len;
            char text[4];
        } ops[12];
        size_t n_ops = 0;
        while (at <= n && n_ops < 12) {
            size_t keep = draw(&seed, 6);
            if (keep > n - at)
                break;
            memcpy(new + to, old + at, keep);
            to += keep;
            at += keep;
            size_t del = draw(&seed, 3);
            if (del > n - at)
                del = n - at;
            ops[n_ops].at = at;
            ops[n_ops].old_len = del;
            size_t ins = draw(&seed, 4);
            for (size_t i = 0; i < ins; i++)
                ops[n_ops].text[i] = "XY\n"[draw(&seed, 3)];
            ops[n_ops].text[ins < 3 ? ins : 3] = '\0';
            memcpy(new + to, ops[n_ops].text, strlen(ops[n_ops].text));
            to += strlen(ops[n_ops].text);
            at += del + 1;
            if (at > n) {
                at = at - 1;
                n_ops++;
                break;
            }
            new[to++] = old[at - 1];
            n_ops++;
        }
        memcpy(new + to, old + at, n - at);
        new[to + n - at] = '\0';
        for (size_t i = 0; i < n_ops; i += 2)
            add(&p, ops[i].at, ops[i].old_len, ops[i].text);
        for (size_t i = 1; i < n_ops; i += 2)
            add(&p, ops[i].at, ops[i].old_len, ops[i].text);
        expect(&p, old, new);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_insertions_around_a_replacement),
        cmocka_unit_test(test_deletions_meet),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
