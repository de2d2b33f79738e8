/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of operations as users write them. */
#include "unit.h"

#include "guest/operation.h"
#include "core/str.h"

static uint64_t
bit(const char *name)
{
    for (size_t i = 0; gold_operations[i]; i++)
        if (strcmp(gold_operations[i]->about.name, name) == 0)
            return UINT64_C(1) << i;
    fail_msg("no operation '%s'", name);
    return 0;
}

static uint64_t
all(bool only_default)
{
    uint64_t bits = 0;
    for (size_t i = 0; gold_operations[i]; i++)
        if (!only_default || gold_operations[i]->enabled_by_default)
            bits |= UINT64_C(1) << i;
    return bits;
}

static void
reads_lists(void **state)
{
    (void)state;
    const struct {
        const char *list;
        uint64_t bits;
    } cases[] = {
        {NULL, all(true)},
        {"default", all(true)},
        {"all", all(false)},
        {"logs", bit("logs")},
        {"logs,journal", bit("logs") | bit("journal")},
        {"default,-logs", all(true) & ~bit("logs")},
        {"-logs,default", all(true)},
        {"-logs", 0},
        {"all,-all", 0},
        {"all,-default", all(false) & ~all(true)},
        {"all,-all,machine-id", bit("machine-id")},
        {"logs,-logs,logs", bit("logs")},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gold_operation_set set = {.bits = 42};
        assert_int_equal(gold_operation_set_parse(cases[i].list, &set, NULL), 0);
        assert_true(set.bits == cases[i].bits);
    }
}

static void
refuses_what_does_not_exist(void **state)
{
    (void)state;
    static const struct {
        const char *list, *message, *hint;
    } cases[] = {
        {"machine_id", "'machine_id'", "did you mean 'machine-id'?"},
        {"default,-ssh-hostkeys", "'ssh-hostkeys'", "did you mean 'ssh-host-keys'?"},
        {"lgos", "'lgos'", "did you mean 'logs'?"},
        {"defaults", "'defaults'", "did you mean 'default'?"},
        {"kernel", "'kernel'", "did you mean 'kernel-device-names'?"},
        {"Logs", "'Logs'", "did you mean 'logs'?"},
        {"firewall", "'firewall'", "'goldsmith list operations'"},
        {"", "empty name", NULL},
        {"logs,", "empty name", NULL},
        {"logs,,journal", "empty name", NULL},
        {"-", "empty name", NULL},
        {" logs", "' logs'", "did you mean 'logs'?"},
        {"--logs", "'-logs'", "did you mean 'logs'?"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gold_operation_set set = {.bits = 42};
        struct gold_error *err = NULL;
        assert_int_equal(gold_operation_set_parse(cases[i].list, &set, &err), -1);
        assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
        assert_non_null(strstr(gold_error_message(err), cases[i].message));
        if (cases[i].hint)
            assert_non_null(strstr(gold_error_hint_text(err), cases[i].hint));
        assert_int_equal(set.bits, 42);
        gold_error_free(err);
        assert_int_equal(gold_operation_set_parse(cases[i].list, &set, NULL), -1);
    }
}

static void
survives_a_very_long_name(void **state)
{
    (void)state;
    char name[5000];
    struct gold_operation_set set;
    struct gold_error *err = NULL;
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    assert_int_equal(gold_operation_set_parse(name, &set, &err), -1);
    assert_true(strlen(gold_error_message(err)) < 200);
    gold_error_free(err);
}

static void
asks_for_members(void **state)
{
    (void)state;
    struct gold_operation_set set = {.bits = 5};
    assert_true(gold_operation_set_has(&set, 0));
    assert_false(gold_operation_set_has(&set, 1));
    assert_true(gold_operation_set_has(&set, 2));
    assert_false(gold_operation_set_has(&set, 64));
    assert_false(gold_operation_set_has(&set, 1000));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_lists),
        cmocka_unit_test(refuses_what_does_not_exist),
        cmocka_unit_test(survives_a_very_long_name),
        cmocka_unit_test(asks_for_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
