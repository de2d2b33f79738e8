/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unit.h"

#include <goldsmith/list.h>

#include "core/str.h"
#include "core/table.h"

static void
test_every_table_is_well_formed(void **state)
{
    (void)state;
    for (enum gold_list_kind kind = GOLD_LIST_OPERATIONS; kind <= GOLD_LIST_FORMATS; kind++) {
        const struct gold_about *abouts[128];
        struct gold_listing l;
        size_t n = 0;
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        while (n < 128 && gold_list(kind, n, &l))
            abouts[n++] = l.about;
        assert_true(n > 0);
        if (gold_about_lint(abouts, n, &err) < 0)
            fail_msg("%s", gold_error_message(err));
    }
}

static void
test_identity_comes_last(void **state)
{
    struct gold_listing l = {0}, last = {0};
    (void)state;
    for (size_t i = 0; gold_list(GOLD_LIST_OPERATIONS, i, &l); i++)
        last = l;
    assert_string_equal(last.about->name, "machine-id");
}

static void
test_explain(void **state)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    char *text = NULL;
    (void)state;
    assert_int_equal(gold_explain("machine-id-set", &text, NULL), 0);
    assert_non_null(strstr(text, "machine-id (operation)"));
    free(text);
    assert_int_equal(gold_explain("ssh-host-keys", &text, NULL), 0);
    assert_non_null(strstr(text, "Runs by default: yes"));
    free(text);
    assert_int_equal(gold_explain("no-such-thing", &text, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    assert_non_null(gold_error_hint_text(err));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_table_is_well_formed),
        cmocka_unit_test(test_identity_comes_last),
        cmocka_unit_test(test_explain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
