/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Console patterns, one by one and in the pieces in which bytes really come; caps; what is left
 * for the report. */
#include "unit.h"

#include "core/limits.h"
#include "validate/console.h"

static unsigned
feed(struct gold_console *c, const char *text)
{
    unsigned marks = 0;

    assert_int_equal(gold_console_feed(c, text, strlen(text), &marks, NULL), 0);
    return marks;
}

static unsigned
marks_of(const char *text)
{
    GOLD_CLEANUP_CONSOLE struct gold_console c;

    gold_console_start(&c);
    return feed(&c, text);
}

static void
test_patterns(void **state)
{
    static const struct {
        const char *text;
        unsigned marks;
    } cases[] = {
        {"[    0.000000] Linux version 6.1.0-1 (x)\r\n", 1U << GOLD_MARK_KERNEL},
        {"[    1.000000] Run /init as init process\n", 1U << GOLD_MARK_INIT},
        {"Welcome to Debian GNU/Linux 12 (bookworm)!\n", 1U << GOLD_MARK_INIT},
        {"[    2.1] systemd[1]: Hostname set\n", 1U << GOLD_MARK_INIT},
        {"INIT: version 3.06 booting\n", 1U << GOLD_MARK_INIT},
        {"Welcome to GRUB!\n", 0},
        {"debian-guest login: ", 1U << GOLD_MARK_LOGIN},
        {"[    3.2] Kernel panic - not syncing: Attempted to kill init!\n",
         1U << GOLD_MARK_PANIC},
        {"Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\n",
         1U << GOLD_MARK_PANIC | 1U << GOLD_MARK_NO_ROOT},
        {"You are in emergency mode. After logging in, type\n", 1U << GOLD_MARK_EMERGENCY},
        {"[\x1b[0;32m  OK  \x1b[0m] Reached target \x1b[0;1;39memergency.target\x1b[0m - "
         "Emergency Mode.\r\n",
         1U << GOLD_MARK_EMERGENCY},
        {"Give root password for maintenance\n", 1U << GOLD_MARK_EMERGENCY},
        {"(initramfs) ", 1U << GOLD_MARK_INITRAMFS},
        {"ALERT!  /dev/vda1 does not exist.  Dropping to a shell!\n",
         1U << GOLD_MARK_INITRAMFS},
        {"dracut:/# ", 1U << GOLD_MARK_INITRAMFS},
        {"grub rescue> ", 1U << GOLD_MARK_BOOTLOADER},
        {"Could not find kernel image: linux\r\n", 1U << GOLD_MARK_BOOTLOADER},
        {"No bootable device.\r\n", 1U << GOLD_MARK_NO_BOOTABLE},
        {"\x1b[2J\x1b[01;01HBoot failed: not a bootable disk\x1b[05;01HNo bootable device.",
         1U << GOLD_MARK_NO_BOOTABLE},
        {"BdsDxe: No bootable option or device was found.\n", 1U << GOLD_MARK_NO_BOOTABLE},
        {"watchdog: BUG: soft lockup - CPU#0 stuck for 22s!\n", 1U << GOLD_MARK_NOTE},
        {"[FAILED] Failed to start x.service\n", 1U << GOLD_MARK_NOTE},
        {"Started emergency exits of the building.\n", 0},
        {"the kernel may panic later\n", 0},
        {"login successful\n", 0},
        {"", 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (marks_of(cases[i].text) != cases[i].marks)
            fail_msg("'%s': %x instead of %x", cases[i].text, marks_of(cases[i].text),
                     cases[i].marks);
    }
}

/* Byte by byte everything is found all the same, and once. */
static void
test_pieces(void **state)
{
    static const char text[] = "SeaBIOS\r\n[    0.000000] Linux version 6\n"
                               "\x1b[1mKernel\x1b[0m panic - not syncing: x\nmore\n";
    GOLD_CLEANUP_CONSOLE struct gold_console c;
    unsigned seen[GOLD_MARK_N] = {0};
    (void)state;

    gold_console_start(&c);
    for (const char *p = text; *p; p++) {
        unsigned marks = 0;

        assert_int_equal(gold_console_feed(&c, p, 1, &marks, NULL), 0);
        for (unsigned m = 0; m < GOLD_MARK_N; m++)
            seen[m] += (marks >> m) & 1;
    }
    assert_int_equal(seen[GOLD_MARK_PANIC], 1);
    assert_true(seen[GOLD_MARK_KERNEL] >= 1);
    assert_int_equal(seen[GOLD_MARK_EMERGENCY], 0);
    assert_string_equal(c.evidence[GOLD_MARK_PANIC], "Kernel panic - not syncing");
}

static void
test_tail(void **state)
{
    GOLD_CLEANUP_CONSOLE struct gold_console c;
    GOLD_CLEANUP_FREE char *tail = NULL, *all = NULL, *none = NULL;
    (void)state;

    gold_console_start(&c);
    assert_int_equal(gold_console_tail(&c, 3, &none, NULL), 0);
    assert_string_equal(none, "");
    feed(&c, "one\r\ntwo\x1b[0m\r\n\r\nthree\n\xff\xfe\nfo");
    feed(&c, "ur");
    assert_int_equal(gold_console_tail(&c, 3, &tail, NULL), 0);
    assert_string_equal(tail, "three\n??\nfour");
    assert_int_equal(gold_console_tail(&c, 100, &all, NULL), 0);
    assert_string_equal(all, "one\ntwo\nthree\n??\nfour");
}

static void
test_notes(void **state)
{
    GOLD_CLEANUP_CONSOLE struct gold_console c;
    GOLD_CLEANUP_FREE char *notes = NULL;
    (void)state;

    gold_console_start(&c);
    feed(&c, "[FAILED] Failed to sta");
    feed(&c, "rt a.service\nfine\n");
    for (unsigned i = 0; i < 1000; i++)
        feed(&c, "[FAILED] again\n");
    assert_int_equal(gold_console_notes(&c, &notes, NULL), 0);
    assert_ptr_equal(strstr(notes, "[FAILED] Failed to start a.service\n[FAILED] again\n"),
                     notes);
    assert_null(strstr(notes, "fine"));
    assert_true(strlen(notes) < 1000);
}

/* A guest that never stops talking costs no more than the cap, and its end is still there. */
static void
test_flood(void **state)
{
    GOLD_CLEANUP_CONSOLE struct gold_console c;
    GOLD_CLEANUP_STR struct gold_str log = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *tail = NULL;
    static char chunk[64 * 1024];
    (void)state;

    gold_console_start(&c);
    memset(chunk, 'x', sizeof(chunk) - 1);
    for (unsigned i = 0; i < 100; i++)
        feed(&c, chunk);
    feed(&c, "\nKernel panic - not syncing: tired\n");
    assert_int_equal(c.total, 100 * (sizeof(chunk) - 1) + 35);
    assert_int_equal(c.kept.len, GOLD_LIMIT_CONSOLE);
    assert_true(c.tail.len <= 64 * 1024);
    assert_true(c.line.len <= 64 * 1024);
    assert_non_null(c.evidence[GOLD_MARK_PANIC]);
    assert_int_equal(gold_console_tail(&c, 1, &tail, NULL), 0);
    assert_string_equal(tail, "Kernel panic - not syncing: tired");
    assert_int_equal(gold_console_log(&c, &log, NULL), 0);
    assert_non_null(strstr(gold_str_text(&log), "bytes not kept"));
    assert_non_null(strstr(gold_str_text(&log), "not syncing: tired"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_tail),     cmocka_unit_test(test_notes),
        cmocka_unit_test(test_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
