/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lint finds each fault, alone and between good entries. */
#include "unit.h"

#include "core/table.h"
#include "scratch.h"

static const struct gold_about good = {"machine-id2", "Give each clone its own", "A paragraph.",
                                       NULL};
static const struct gold_about other = {"x", "Another", "One more.\n\nTwo.", "notes"};

static void
accepts_good_tables(void **state)
{
    const struct gold_about *table[] = {&good, &other};

    (void)state;
    assert_int_equal(gold_about_lint(table, 2, NULL), 0);
    assert_int_equal(gold_about_lint(table, 0, NULL), 0);
}

static void
finds_faults(void **state)
{
    static const struct {
        struct gold_about about;
        const char *why;
    } rows[] = {
        {{NULL, "h", "d", NULL}, "name"},
        {{"", "h", "d", NULL}, "name"},
        {{"Upper", "h", "d", NULL}, "name"},
        {{"a_b", "h", "d", NULL}, "name"},
        {{"-a", "h", "d", NULL}, "name"},
        {{"a-", "h", "d", NULL}, "name"},
        {{"a--b", "h", "d", NULL}, "name"},
        {{"a b", "h", "d", NULL}, "name"},
        {{"a", NULL, "d", NULL}, "no heading"},
        {{"a", "", "d", NULL}, "no heading"},
        {{"a", "two\nlines", "d", NULL}, "several lines"},
        {{"a", "Ends.", "d", NULL}, "period"},
        {{"a", "h", NULL, NULL}, "no description"},
        {{"a", "h", "", NULL}, "no description"},
        {{"a", "h", "d\n", NULL}, "newline"},
        {{"machine-id2", "h", "d", NULL}, "twice"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct gold_about *table[] = {&good, &rows[i].about, &other};
        struct gold_error *err = NULL;

        assert_int_equal(gold_about_lint(table, 3, &err), -1);
        assert_error(&err, GOLD_ERROR_FORMAT, rows[i].why);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_good_tables),
        cmocka_unit_test(finds_faults),
    };

    return RUN_TESTS(tests);
}
