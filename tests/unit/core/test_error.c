/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors: set once, prefixed, hinted, moved, and without memory. */
#include "unit.h"

#include "scratch.h"

static void
sets_code_and_message(void **state)
{
    struct gold_error *err = NULL;

    (void)state;
    gold_error_set(&err, GOLD_ERROR_FORMAT, "cannot read '%s'", "a.mf");
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    assert_string_equal(gold_error_message(err), "cannot read 'a.mf'");
    assert_null(gold_error_hint_text(err));
    assert_int_equal(gold_error_errno(err), 0);
    gold_error_free(err);
}

static void
appends_the_cause(void **state)
{
    struct gold_error *err = NULL;

    (void)state;
    gold_error_set_errno(&err, ENOSPC, "cannot write '%s'", "x");
    assert_int_equal(gold_error_errno(err), ENOSPC);
    assert_error(&err, GOLD_ERROR_IO, "cannot write 'x': No space left on device");
    gold_error_set_errno(&err, 99999, "odd");
    assert_error(&err, GOLD_ERROR_IO, "odd: unknown error");
}

static void
prefixes_and_hints(void **state)
{
    struct gold_error *err = NULL;

    (void)state;
    gold_error_set(&err, GOLD_ERROR_BUSY, "in use");
    gold_error_prefix(&err, "disk '%s'", "vda");
    gold_error_prefix(&err, "web");
    gold_error_hint(&err, "stop it");
    gold_error_hint(&err, "stop %s", "the VM");
    assert_string_equal(gold_error_message(err), "web: disk 'vda': in use");
    assert_string_equal(gold_error_hint_text(err), "stop the VM");
    gold_error_free(err);
}

static void
recodes_only_that_code(void **state)
{
    struct gold_error *err = NULL;

    (void)state;
    gold_error_set(&err, GOLD_ERROR_FORMAT, "x");
    gold_error_recode(&err, GOLD_ERROR_IO, GOLD_ERROR_USAGE);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    gold_error_recode(&err, GOLD_ERROR_FORMAT, GOLD_ERROR_USAGE);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    gold_error_clear(&err);
    assert_null(err);
    gold_error_clear(&err);
}

static void
accepts_nobody_listening(void **state)
{
    struct gold_error *none = NULL, *from = NULL;

    (void)state;
    gold_error_set(NULL, GOLD_ERROR_IO, "x");
    gold_error_set_errno(NULL, EIO, "x");
    assert_int_equal(gold_error_set_nomem(NULL), -1);
    gold_error_prefix(NULL, "x");
    gold_error_prefix(&none, "x");
    gold_error_hint(&none, "x");
    gold_error_recode(&none, GOLD_ERROR_IO, GOLD_ERROR_USAGE);
    gold_error_clear(NULL);
    gold_error_free(NULL);
    assert_null(none);
    gold_error_set(&from, GOLD_ERROR_IO, "x");
    gold_error_move(NULL, &from);
    assert_null(from);
}

static void
moves(void **state)
{
    struct gold_error *from = NULL, *to = NULL;

    (void)state;
    gold_error_set(&from, GOLD_ERROR_GUEST, "no root");
    gold_error_move(&to, &from);
    assert_null(from);
    assert_error(&to, GOLD_ERROR_GUEST, "no root");
}

static void
out_of_memory_is_one_object(void **state)
{
    struct gold_error *a = NULL, *b = NULL;

    (void)state;
    assert_int_equal(gold_error_set_nomem(&a), -1);
    assert_int_equal(gold_error_set_nomem(&b), -1);
    assert_ptr_equal(a, b);
    gold_error_prefix(&a, "disk");
    gold_error_hint(&a, "buy some");
    gold_error_recode(&a, GOLD_ERROR_NOMEM, GOLD_ERROR_IO);
    assert_null(gold_error_hint_text(a));
    assert_string_equal(gold_error_message(a), "out of memory");
    gold_error_free(a);
    assert_int_equal(gold_error_code(b), GOLD_ERROR_NOMEM);
    gold_error_free(b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_code_and_message),      cmocka_unit_test(appends_the_cause),
        cmocka_unit_test(prefixes_and_hints),         cmocka_unit_test(recodes_only_that_code),
        cmocka_unit_test(accepts_nobody_listening),   cmocka_unit_test(moves),
        cmocka_unit_test(out_of_memory_is_one_object)};

    return RUN_TESTS(tests);
}
