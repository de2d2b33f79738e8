/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state machine of a boot, with a clock of our own: every end has its name, and none waits
 * for the outer limit. */
#include "unit.h"

#include <stdbool.h>

#include "validate/boot.h"
#include "validate/console.h"

#define BIT(mark) (1U << (mark))

static struct gold_boot
fresh(bool tcg)
{
    struct gold_boot_rules rules;
    struct gold_boot b;

    gold_boot_rules_make(tcg, 60, 100, &rules);
    gold_boot_start(&b, &rules, 0);
    return b;
}

/* Lets time pass, with signs of life all the way or none; returns when it ended. */
static int64_t
run_out(struct gold_boot *b, int64_t now, bool alive)
{
    while (!b->end && now < 24 * 3600 * INT64_C(1000)) {
        now += 100;
        if (alive)
            gold_boot_active(b, now);
        gold_boot_tick(b, now);
    }
    return now;
}

static void
test_good(void **state)
{
    struct gold_boot b = fresh(false);
    (void)state;

    assert_int_equal(b.state, GOLD_BOOT_CREATED);
    gold_boot_console(&b, 0, 100);
    assert_int_equal(b.state, GOLD_BOOT_FIRMWARE);
    gold_boot_console(&b, BIT(GOLD_MARK_KERNEL), 2000);
    assert_int_equal(b.state, GOLD_BOOT_KERNEL);
    gold_boot_console(&b, BIT(GOLD_MARK_INIT), 4000);
    assert_int_equal(b.state, GOLD_BOOT_INIT);
    gold_boot_agent(&b, true, false, false, false, 5000);
    assert_int_equal(b.state, GOLD_BOOT_AGENT);
    gold_boot_agent(&b, true, false, true, false, 8000);
    assert_int_equal(b.state, GOLD_BOOT_PAYLOAD);
    assert_int_equal(b.reached_at, 8000);
    gold_boot_agent(&b, true, false, true, false, 9000);
    assert_int_equal(b.reached_at, 8000);
    gold_boot_agent(&b, true, false, true, true, 10000);
    assert_int_equal(b.state, GOLD_BOOT_BYE);
    /* Shutting down is noisy and no failure. */
    gold_boot_console(&b, BIT(GOLD_MARK_EMERGENCY) | BIT(GOLD_MARK_PANIC), 10500);
    gold_boot_tick(&b, 10600);
    assert_null(b.end);
    gold_boot_gone(&b);
    assert_string_equal(b.end, "bye");
}

/* A guest that says bye and then does not go down has said everything. */
static void
test_bye_without_power_off(void **state)
{
    struct gold_boot b = fresh(false);
    (void)state;

    gold_boot_agent(&b, true, false, true, true, 10000);
    assert_true(run_out(&b, 10000, true) <= 60000);
    assert_string_equal(b.end, "bye");
}

static void
test_failures(void **state)
{
    static const struct {
        unsigned marks;
        const char *end;
        int64_t within;
    } cases[] = {
        {BIT(GOLD_MARK_NO_BOOTABLE), "no-bootable-device", 2000},
        {BIT(GOLD_MARK_BOOTLOADER), "bootloader", 3000},
        {BIT(GOLD_MARK_PANIC) | BIT(GOLD_MARK_NO_ROOT), "no-root", 3000},
        {BIT(GOLD_MARK_KERNEL) | BIT(GOLD_MARK_PANIC), "panic", 3000},
        {BIT(GOLD_MARK_INITRAMFS), "initramfs", 4000},
        {BIT(GOLD_MARK_INIT) | BIT(GOLD_MARK_EMERGENCY), "emergency", 6000},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gold_boot b = fresh(false);

        gold_boot_console(&b, cases[i].marks, 1000);
        assert_null(b.end);
        assert_true(run_out(&b, 1000, true) - 1000 <= cases[i].within);
        assert_string_equal(b.end, cases[i].end);
    }
}

static void
test_failure_when_qemu_goes_first(void **state)
{
    struct gold_boot b = fresh(false);
    (void)state;

    gold_boot_console(&b, BIT(GOLD_MARK_PANIC), 1000);
    gold_boot_gone(&b);
    assert_string_equal(b.end, "panic");
    b = fresh(false);
    gold_boot_console(&b, 0, 1000);
    gold_boot_gone(&b);
    assert_string_equal(b.end, "exited");
}

/* The first failure names it, a later one does not. */
static void
test_first_failure_wins(void **state)
{
    struct gold_boot b = fresh(false);
    (void)state;

    gold_boot_console(&b, BIT(GOLD_MARK_INITRAMFS), 1000);
    gold_boot_console(&b, BIT(GOLD_MARK_PANIC), 3500);
    run_out(&b, 3500, true);
    assert_string_equal(b.end, "initramfs");
}

static void
test_emergency_with_agent(void **state)
{
    struct gold_boot b = fresh(true);
    (void)state;

    gold_boot_console(&b, BIT(GOLD_MARK_EMERGENCY), 1000);
    gold_boot_agent(&b, true, true, false, false, 3000);
    gold_boot_tick(&b, 100000);
    assert_null(b.end);
    gold_boot_agent(&b, true, true, false, true, 20000);
    gold_boot_gone(&b);
    assert_string_equal(b.end, "emergency");
}

static void
test_deadlines(void **state)
{
    static const struct {
        unsigned marks; /* ~0: nothing came */
        bool alive;
        const char *end;
        int64_t at_most; /* s, KVM */
    } cases[] = {
        {~0U, false, "silent", 11},
        {~0U, true, "silent", 11},
        {0, false, "hung-firmware", 101},
        {0, true, "timeout-firmware", 145},
        {BIT(GOLD_MARK_KERNEL), false, "hung-kernel", 101},
        {BIT(GOLD_MARK_KERNEL), true, "timeout-kernel", 125},
        {BIT(GOLD_MARK_INIT), true, "agent-silent", 65},
        {BIT(GOLD_MARK_LOGIN), true, "agent-silent", 15},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gold_boot b = fresh(false), slow = fresh(true);
        int64_t at;

        if (cases[i].marks != ~0U) {
            gold_boot_console(&b, cases[i].marks, 500);
            gold_boot_console(&slow, cases[i].marks, 500);
        }
        at = run_out(&b, 500, cases[i].alive);
        assert_string_equal(b.end, cases[i].end);
        assert_true(at <= cases[i].at_most * 1000);
        /* The slower machine gets more time, but not without limit. */
        at = run_out(&slow, 500, true);
        assert_non_null(slow.end);
        assert_true(at > 40 * 1000 && at <= 8 * 145 * 1000);
    }
}

static void
test_deadlines_with_agent(void **state)
{
    struct gold_boot b = fresh(false);
    int64_t at;
    (void)state;

    gold_boot_agent(&b, true, false, false, false, 1000);
    at = run_out(&b, 1000, false);
    assert_string_equal(b.end, "timeout-agent");
    assert_true(at > 60 * 1000 && at < 90 * 1000);

    b = fresh(false);
    gold_boot_agent(&b, true, false, true, false, 1000);
    at = run_out(&b, 1000, false);
    assert_string_equal(b.end, "timeout-payload");
    assert_true(at > 100 * 1000 && at < 140 * 1000);
}

/* Once spoken, silence is not idleness: limits are measured without a word. */
static void
test_key(void **state)
{
    struct gold_boot b = fresh(false);
    (void)state;

    gold_boot_console(&b, BIT(GOLD_MARK_KERNEL), 1000);
    assert_false(gold_boot_wants_key(&b, 2000));
    assert_true(gold_boot_next(&b) <= 52000);
    assert_true(gold_boot_wants_key(&b, 52000));
    assert_false(gold_boot_wants_key(&b, 53000));
    assert_true(gold_boot_next(&b) <= 101000);

    b = fresh(false);
    gold_boot_agent(&b, true, false, false, false, 1000);
    assert_false(gold_boot_wants_key(&b, 60000));
}

static void
test_stop(void **state)
{
    struct gold_boot b = fresh(false);
    (void)state;

    gold_boot_stop(&b, "flood");
    gold_boot_gone(&b);
    assert_string_equal(b.end, "flood");
}

static void
test_names(void **state)
{
    unsigned n = 0;
    (void)state;

    assert_string_equal(gold_boot_end_name(0), "bye");
    for (const char *name; (name = gold_boot_end_name(n)); n++) {
        assert_string_not_equal(gold_boot_explain(name), name);
        for (unsigned j = 0; j < n; j++)
            assert_string_not_equal(gold_boot_end_name(j), name);
    }
    assert_true(n > 10);
    assert_string_equal(gold_boot_explain("no such end"), "no such end");
    for (unsigned s = 0; s < GOLD_BOOT_N; s++)
        assert_non_null(gold_boot_state_name((enum gold_boot_state)s));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bye_without_power_off),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_failure_when_qemu_goes_first),
        cmocka_unit_test(test_first_failure_wins),
        cmocka_unit_test(test_emergency_with_agent),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_deadlines_with_agent),
        cmocka_unit_test(test_key),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
