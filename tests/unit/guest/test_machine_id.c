/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every state of a machine-id file that is known from the field. */
#include "unit.h"

#include "guest/machine_id.h"

#define HEX "4c1f0a2b3d4e5f60718293a4b5c6d7e8"

static const struct {
    const char *text; /* NULL: no file */
    enum gold_machine_id_state state;
    const char *why;
} cases[] = {
    {NULL, GOLD_MACHINE_ID_STATE_MISSING, NULL},
    {"", GOLD_MACHINE_ID_STATE_EMPTY, NULL},
    {"uninitialized", GOLD_MACHINE_ID_STATE_UNINITIALIZED, NULL},
    {"uninitialized\n", GOLD_MACHINE_ID_STATE_UNINITIALIZED, NULL},
    {"uninitialized\r\n", GOLD_MACHINE_ID_STATE_MALFORMED, "carriage return"},
    {"uninitialized\n\n", GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
    {"UNINITIALIZED\n", GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
    {HEX, GOLD_MACHINE_ID_STATE_SET, NULL},
    {HEX "\n", GOLD_MACHINE_ID_STATE_SET, NULL},
    {"4C1F0A2B3D4E5F60718293A4B5C6D7E8\n", GOLD_MACHINE_ID_STATE_SET, NULL},
    {HEX "\r\n", GOLD_MACHINE_ID_STATE_MALFORMED, "carriage return"},
    {HEX "\n\n", GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
    {HEX "0", GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
    {" " HEX, GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
    {"\n", GOLD_MACHINE_ID_STATE_MALFORMED, "line end"},
    {"4c1f0a2b-3d4e-5f60-7182-93a4b5c6d7e8\n", GOLD_MACHINE_ID_STATE_MALFORMED, "dashes"},
    {"00000000000000000000000000000000\n", GOLD_MACHINE_ID_STATE_MALFORMED, "all zero"},
    {"g c1f0a2b3d4e5f60718293a4b5c6d7e8", GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
    {"hello", GOLD_MACHINE_ID_STATE_MALFORMED, "32 hexadecimal"},
};

static void
tells_states_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *why = NULL;
        size_t len = cases[i].text ? strlen(cases[i].text) : 0;
        assert_int_equal(gold_machine_id_parse(cases[i].text, len, &why), cases[i].state);
        assert_int_equal(why != NULL, cases[i].why != NULL);
        if (why && !strstr(why, cases[i].why))
            fail_msg("'%s': %s", cases[i].text, why);
        assert_int_equal(gold_machine_id_parse(cases[i].text, len, NULL), cases[i].state);
    }
    assert_int_equal(gold_machine_id_parse("\0\0", 2, NULL), GOLD_MACHINE_ID_STATE_MALFORMED);
}

static void
never_shows_a_whole_id(void **state)
{
    (void)state;
    char s[16];
    gold_machine_id_shorten(HEX "\n", 33, s);
    assert_string_equal(s, "4c1f…");
    gold_machine_id_shorten("ab", 2, s);
    assert_string_equal(s, "ab…");
    gold_machine_id_shorten("", 0, s);
    assert_string_equal(s, "…");
    gold_machine_id_shorten("no", 2, s);
    assert_string_equal(s, "…");
}

static void
knows_hexadecimal(void **state)
{
    (void)state;
    assert_true(gold_machine_id_is_hex(HEX, 32));
    assert_false(gold_machine_id_is_hex(HEX, 31));
    assert_false(gold_machine_id_is_hex(HEX "0", 33));
    assert_false(gold_machine_id_is_hex("4c1f0a2b3d4e5f60718293a4b5c6d7eg", 32));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_states_apart),
        cmocka_unit_test(never_shows_a_whole_id),
        cmocka_unit_test(knows_hexadecimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
