/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HostKey lines, and which keys ssh-keygen -A makes. What a guest has is in
 * test_operation_runs.c. */
#include "unit.h"

#include "guest/ssh_keys.h"

static void
reads_host_key_lines(void **state)
{
    (void)state;
    static const char text[] = "#HostKey /commented\n"
                               "HostKey /etc/ssh/one\r\n"
                               "  hostkey\t\"/etc/ssh/two words\"\n"
                               "HOSTKEY=/etc/ssh/three\n"
                               "HostKey = /etc/ssh/four # no comment here\n"
                               "HostKeyAlgorithms ssh-ed25519\n"
                               "HostKeyAgent /run/agent\n"
                               "HostKey relative\n"
                               "HostKey\n"
                               "HostKey \"/unclosed\n"
                               "HostKey /etc/ssh/one\n"
                               "HostKey none";
    static const char *const want[] = {"/etc/ssh/one", "/etc/ssh/two words", "/etc/ssh/three",
                                       "/etc/ssh/four", "/unclosed"};
    GOLD_CLEANUP_STRV struct gold_strv found = {0};
    assert_int_equal(gold_ssh_config_host_keys(text, sizeof(text) - 1, &found, NULL), 0);
    assert_int_equal(found.n, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(found.items[i], want[i]);
}

static void
knows_standard_keys(void **state)
{
    (void)state;
    assert_true(gold_ssh_is_standard("/etc/ssh/ssh_host_ed25519_key"));
    assert_true(gold_ssh_is_standard("/etc/ssh/ssh_host_rsa_key"));
    assert_false(gold_ssh_is_standard("/etc/ssh/ssh_host_rsa_key.pub"));
    assert_false(gold_ssh_is_standard("/etc/ssh/keys/ssh_host_rsa_key"));
}

static void
judges_completeness(void **state)
{
    (void)state;
    struct gold_ssh_keys sshd = {.sshd = true}, none = {.sshd = false};
    struct gold_ssh_regen r = {.how = GOLD_SSH_REGEN_NONE, .custom = true, .dropbear = true};
    assert_false(gold_ssh_regen_complete(&sshd, &r, true));
    assert_true(gold_ssh_regen_complete(&none, &r, false));
    r.how = GOLD_SSH_REGEN_FIRST_BOOT;
    assert_true(gold_ssh_regen_complete(&sshd, &r, true));
    assert_false(gold_ssh_regen_complete(&sshd, &r, false));
    r.how = GOLD_SSH_REGEN_GUEST;
    assert_true(gold_ssh_regen_complete(&sshd, &r, false));
    r.custom = false;
    assert_false(gold_ssh_regen_complete(&sshd, &r, false));
    r.custom = true;
    r.dropbear = false;
    assert_false(gold_ssh_regen_complete(&sshd, &r, false));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_host_key_lines),
        cmocka_unit_test(knows_standard_keys),
        cmocka_unit_test(judges_completeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
