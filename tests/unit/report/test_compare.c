/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What clones share. */
#include "unit.h"

#include "core/result.h"
#include "report/render.h"

struct fact {
    unsigned clone;
    const char *name, *value;
};

static struct gold_document *
clones(unsigned n, const struct fact *facts, size_t n_facts)
{
    struct gold_document *doc = gold_document_new("validate", NULL);
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    for (unsigned i = 0; i < n; i++)
        assert_non_null(gold_source_add_clone(src, "clone", NULL));
    for (size_t i = 0; i < n_facts; i++)
        assert_int_equal(gold_facts_add(&src->clones[facts[i].clone].identity, facts[i].name,
                                        facts[i].value, NULL),
                         0);
    return doc;
}

static void
likenesses(void **state)
{
    static const struct fact facts[] = {
        {0, "machine-id", "a"},
        {1, "machine-id", "b"},
        {2, "machine-id", "c"},
        {0, "hostname", "h"},
        {1, "hostname", "h"},
        {2, "hostname", "h"},
        {0, "mac", "1"},
        {1, "mac", "1"},
        {2, "mac", "2"},
        {0, "dhcp-client-id", "x"},
        {2, "dhcp-client-id", "y"},
        {0, "ssh-host-key", "k1"},
        {0, "ssh-host-key", "k2"},
        {1, "ssh-host-key", "k3"},
        {1, "ssh-host-key", "k2"},
        {2, "ssh-host-key", "k5"},
        {0, "order", "p"},
        {0, "order", "q"},
        {1, "order", "q"},
        {1, "order", "p"},
        {2, "order", "p"},
        {2, "order", "q"},
    };
    static const struct {
        const char *name;
        enum gold_likeness likeness;
        bool must_differ;
        size_t rows;
    } wanted[] = {
        {"machine-id", GOLD_LIKENESS_DIFFERENT, true, 1},
        {"hostname", GOLD_LIKENESS_EQUAL, false, 1},
        {"mac", GOLD_LIKENESS_MIXED, true, 1},
        {"dhcp-client-id", GOLD_LIKENESS_MIXED, true, 1},
        {"ssh-host-key", GOLD_LIKENESS_MIXED, true, 2},
        {"order", GOLD_LIKENESS_EQUAL, false, 2},
    };
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc =
        clones(3, facts, sizeof(facts) / sizeof(facts[0]));
    GOLD_CLEANUP(gold_comparisons_clear) struct gold_comparisons c = {0};
    assert_int_equal(gold_report_compare(&doc->sources[0], &c, NULL), 0);
    assert_int_equal(c.n, sizeof(wanted) / sizeof(wanted[0]));
    for (size_t i = 0; i < c.n; i++) {
        size_t k = 0;
        while (strcmp(c.items[k].name, wanted[i].name) != 0)
            k++;
        assert_int_equal(c.items[k].likeness, wanted[i].likeness);
        assert_int_equal(c.items[k].must_differ, wanted[i].must_differ);
        assert_int_equal(c.items[k].rows, wanted[i].rows);
    }
}

static void
one_clone_is_not_compared(void **state)
{
    static const struct fact facts[] = {{0, "machine-id", "a"}};
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = clones(1, facts, 1);
    GOLD_CLEANUP(gold_comparisons_clear) struct gold_comparisons c = {0};
    assert_int_equal(gold_report_compare(&doc->sources[0], &c, NULL), 0);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.items[0].likeness, GOLD_LIKENESS_SINGLE);
}

static void
values_by_position(void **state)
{
    static const struct fact facts[] = {{0, "k", "1"}, {0, "other", "x"}, {0, "k", "2"}};
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = clones(1, facts, 3);
    const struct gold_facts *f = &doc->sources[0].clones[0].identity;
    assert_string_equal(gold_report_fact(f, "k", 0), "1");
    assert_string_equal(gold_report_fact(f, "k", 1), "2");
    assert_null(gold_report_fact(f, "k", 2));
    assert_null(gold_report_fact(f, "absent", 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(likenesses),
                                       cmocka_unit_test(one_clone_is_not_compared),
                                       cmocka_unit_test(values_by_position)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
