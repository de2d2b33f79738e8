/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arrays: growth, the result arrays, owned strings, and arithmetic that must not wrap. */
#include "unit.h"

#include "core/checked.h"
#include "core/vec.h"
#include "scratch.h"

GOLD_VEC(numbers, size_t);

static void
grows(void **state)
{
    struct numbers v = {0};

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(numbers_append(&v, i, NULL), 0);
    assert_int_equal(v.n, 1000);
    assert_true(v.cap >= 1000 && v.cap <= 2048);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(v.items[i], i);
    numbers_clear(&v);
    assert_null(v.items);
    assert_int_equal(v.n + v.cap, 0);
}

static void
refuses_to_wrap(void **state)
{
    struct gold_error *err = NULL;
    void *items = NULL;
    size_t cap = SIZE_MAX / 2 + 1;

    (void)state;
    assert_int_equal(gold_vec_grow(&items, cap, &cap, 1, &err), -1);
    assert_error(&err, GOLD_ERROR_NOMEM, "out of memory");
    cap = SIZE_MAX / 4;
    assert_int_equal(gold_vec_grow(&items, cap, &cap, 16, &err), -1);
    assert_error(&err, GOLD_ERROR_NOMEM, "out of memory");
    assert_int_equal(cap, SIZE_MAX / 4);
    assert_null(items);
}

static void
array_adds_zeroed(void **state)
{
    struct pair {
        int a;
        char *b;
    } *items = NULL;
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        struct pair *p = gold_array_add(&items, &n, sizeof(*items), NULL);

        assert_non_null(p);
        assert_ptr_equal(p, &items[n - 1]);
        assert_int_equal(p->a, 0);
        assert_null(p->b);
        p->a = i;
    }
    assert_int_equal(n, 100);
    assert_int_equal(items[63].a, 63);
    free(items);
}

static void
array_refuses_to_wrap(void **state)
{
    struct gold_error *err = NULL;
    char *items = NULL;
    size_t n = (size_t)1 << 62;

    (void)state;
    assert_null(gold_array_add(&items, &n, 8, &err));
    assert_error(&err, GOLD_ERROR_NOMEM, "out of memory");
    assert_int_equal(n, (size_t)1 << 62);
}

static void
owns_strings(void **state)
{
    GOLD_CLEANUP_STRV struct gold_strv v = {0};
    char text[] = "one";

    (void)state;
    assert_int_equal(gold_strv_add(&v, text, NULL), 0);
    text[0] = 'x';
    assert_int_equal(gold_strv_add(&v, "", NULL), 0);
    assert_true(gold_strv_contains(&v, "one"));
    assert_true(gold_strv_contains(&v, ""));
    assert_false(gold_strv_contains(&v, "xne"));
}

static void
checked_arithmetic(void **state)
{
    uint64_t r = 7;
    uint8_t small = 9;
    size_t size = 0;

    (void)state;
    assert_true(gold_add_u64(UINT64_MAX - 1, 1, &r));
    assert_true(r == UINT64_MAX);
    assert_false(gold_add_u64(UINT64_MAX, 1, &r));
    assert_true(r == UINT64_MAX);
    assert_true(gold_mul_u64(1ULL << 32, (1ULL << 32) - 1, &r));
    assert_false(gold_mul_u64(1ULL << 32, 1ULL << 32, &r));
    assert_true(gold_range_inside(0, 10, 10));
    assert_true(gold_range_inside(10, 0, 10));
    assert_false(gold_range_inside(11, 0, 10));
    assert_false(gold_range_inside(1, 10, 10));
    assert_false(gold_range_inside(UINT64_MAX, UINT64_MAX, 10));
    assert_true(gold_narrow(255, &small));
    assert_int_equal(small, 255);
    assert_false(gold_narrow(256, &small));
    assert_false(gold_narrow(-1, &size));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows),
        cmocka_unit_test(refuses_to_wrap),
        cmocka_unit_test(array_adds_zeroed),
        cmocka_unit_test(array_refuses_to_wrap),
        cmocka_unit_test(owns_strings),
        cmocka_unit_test(checked_arithmetic),
    };

    return RUN_TESTS(tests);
}
