/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fingerprints as ssh-keygen -l prints them. Reading them from a guest is tried in
 * test_starter.c and test_work.c. */
#include "unit.h"

#include "guest/identity.h"

static void
check_key(const char *text, const char *expected)
{
    char *fingerprint = NULL;
    struct gold_error *err = NULL;
    assert_int_equal(gold_ssh_fingerprint(text, strlen(text), &fingerprint, &err), 0);
    assert_null(err);
    if (expected)
        assert_string_equal(fingerprint, expected);
    else
        assert_null(fingerprint);
    free(fingerprint);
}

static void
fingerprints(void **state)
{
    (void)state;
    check_key(
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICtv5fFEQfpw5sUwjtjSDXoT7F9Rr8/M7HpWc5mA2835 "
        "root@template\n",
        "SHA256:KONZSOGUzTbkVSrWIHKrnIcCcIf4cjB9HSFPXVrydW0");
    check_key("ssh-rsa "
              "AAAAB3NzaC1yc2EAAAADAQABAAAAgQCXFnkvPE/"
              "e4b1hxdC+zilvoFGtJXP79g5atYcJgS7sJgbD8Tf83QloXWrtod"
              "ppQxHAEpupHozs9ht3V8hFbCfVcWPcslyAWAJNw/6jxZUrYV4y/fu674HeFmIx//"
              "z0ty4qvGW1fdYfbDXzpR9RNLsgyw2tnUL4MWj3"
              "j3tcx7ZNVw==",
              "SHA256:ZN4OeCGaILU0UoZClvj8kETiexC390bcPbpBwjkGKuU");
    check_key("ecdsa-sha2-nistp256 "
              "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEx6NwPvtMWdwUKYRSFf9JNDIr"
              "MmTluVw5cYAo0oevxS7gy2Lfxz+2jCyuV1gNdMnGbXyHl3eVPMQIskZ9eFf7g= x\r\n",
              "SHA256:kJilyNU7vAAmUbdH0o43w+0bJRFfptJHMjtjbAo3FPk");
}

static void
what_is_no_key(void **state)
{
    (void)state;
    check_key("", NULL);
    check_key("ssh-rsa", NULL);
    check_key("ssh-rsa ", NULL);
    check_key("ssh-rsa ====", NULL);
    check_key("ssh-rsa A", NULL);
    check_key("ssh-rsa AAAA*AAA", NULL);
    check_key("\n\n", NULL);
    check_key("no key", NULL);
    check_key("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAICtv5fFEQfpw5sUwjtjSDXoT7F9Rr8/M7HpWc5mA2835",
              NULL);
    char *text = malloc(40001);
    assert_non_null(text);
    memset(text, 'A', 40000);
    memcpy(text, "ssh-rsa ", 8);
    text[40000] = '\0';
    check_key(text, NULL);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(what_is_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
