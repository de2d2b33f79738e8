/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lint of the table of payloads, and finding in it. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "core/table.h"
#include "validate/payload.h"

static void
the_table_is_in_order(void **state)
{
    (void)state;
    const struct gold_about *abouts[64];
    size_t n = 0;
    struct gold_error *err = NULL;
    for (; gold_payloads[n]; n++) {
        const struct gold_payload *p = gold_payloads[n];
        assert_true(n < 64);
        abouts[n] = &p->about;
        assert_non_null(p->keys);
        assert_non_null(p->check);
        assert_non_null(p->plan);
        assert_non_null(p->judge);
        assert_ptr_equal(gold_payload_find(p->about.name), p);
    }
    assert_true(n >= 2);
    if (gold_about_lint(abouts, n, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
finds_by_exact_name(void **state)
{
    (void)state;
    assert_non_null(gold_payload_find("iotune-limits"));
    assert_non_null(gold_payload_find("clone-identity"));
    assert_null(gold_payload_find("iotune_limits"));
    assert_null(gold_payload_find("iotune"));
    assert_null(gold_payload_find(""));
    assert_null(gold_payload_find(NULL));
}

/* What `list` and `explain` print names each parameter that is taken. */
static void
every_parameter_is_described(void **state)
{
    (void)state;
    for (size_t i = 0; gold_payloads[i]; i++) {
        for (size_t k = 0; gold_payloads[i]->keys[k]; k++)
            assert_non_null(
                strstr(gold_payloads[i]->about.description, gold_payloads[i]->keys[k]));
    }
}

static void
refuses_unknown_and_repeated_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; gold_payloads[i]; i++) {
        const struct gold_payload *p = gold_payloads[i];
        const struct gold_payload_parameter unknown[] = {{"colour", "red"}};
        const struct gold_payload_parameter twice[] = {{p->keys[0], "1"}, {p->keys[0], "1"}};
        struct gold_payload_request r = {.payload = p->about.name};
        struct gold_error *err = NULL;
        assert_int_equal(p->check(&r, NULL), 0);
        r.parameters = unknown;
        r.n_parameters = 1;
        assert_int_equal(p->check(&r, &err), -1);
        assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
        assert_non_null(strstr(gold_error_message(err), "'colour'"));
        gold_error_free(err);
        err = NULL;
        r.parameters = twice;
        r.n_parameters = 2;
        assert_int_equal(p->check(&r, &err), -1);
        assert_non_null(strstr(gold_error_message(err), "twice"));
        gold_error_free(err);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(finds_by_exact_name),
        cmocka_unit_test(every_parameter_is_described),
        cmocka_unit_test(refuses_unknown_and_repeated_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
