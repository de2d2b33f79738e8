/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Effects by operation. */
#include "unit.h"

#include "core/result.h"
#include "report/group.h"

static void
groups(void **state)
{
    static const char *const operations[] = {"b", "a", "b", "c", "a", "b"};
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("seal", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(
            gold_source_add_effect(src, operations[i], "/p", "removed", NULL, NULL), 0);
    GOLD_CLEANUP_EFFECT_GROUPS struct gold_effect_groups g = {0};
    assert_int_equal(gold_effect_groups_make(src, &g, NULL), 0);
    assert_int_equal(g.n, 3);
    struct gold_effect_group *b = gold_effect_groups_find(&g, "b");
    assert_non_null(b);
    assert_int_equal(b->n, 3);
    assert_int_equal(b->indexes[0], 0);
    assert_int_equal(b->indexes[1], 2);
    assert_int_equal(b->indexes[2], 5);
    assert_int_equal(gold_effect_groups_find(&g, "a")->n, 2);
    assert_int_equal(gold_effect_groups_find(&g, "c")->n, 1);
    assert_null(gold_effect_groups_find(&g, "d"));
    assert_null(gold_effect_groups_find(&g, ""));
}

static void
none(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new("seal", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    GOLD_CLEANUP_EFFECT_GROUPS struct gold_effect_groups g = {0};
    assert_int_equal(gold_effect_groups_make(src, &g, NULL), 0);
    assert_null(gold_effect_groups_find(&g, "a"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups), cmocka_unit_test(none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
