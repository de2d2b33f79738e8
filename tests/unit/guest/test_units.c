/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What unit and preset files say, and sections of PE files. */
#include "unit.h"

#include "guest/bootconf.h"
#include "guest/firstboot.h"
#include "guest/stores.h"
#include "guest/units.h"

static void
reads_values(void **state)
{
    (void)state;
    GOLD_CLEANUP_STRV struct gold_strv v = {0};
    assert_int_equal(gold_unit_values("[Unit]\nWants=a.service  b.service\nWantsX=c\n Wants = "
                                      "d.target\r\n#Wants=e\nWants=\n",
                                      "Wants", &v, NULL),
                     0);
    assert_int_equal(v.n, 3);
    assert_string_equal(v.items[0], "a.service");
    assert_string_equal(v.items[1], "b.service");
    assert_string_equal(v.items[2], "d.target");
}

static void
knows_first_boot_units(void **state)
{
    (void)state;
    assert_true(gold_unit_needs_first_boot("[Unit]\nConditionFirstBoot=yes\n"));
    assert_true(gold_unit_needs_first_boot("ConditionFirstBoot=true"));
    assert_false(gold_unit_needs_first_boot("ConditionFirstBoot=no\n"));
    assert_false(gold_unit_needs_first_boot("#ConditionFirstBoot=yes\n"));
    assert_false(gold_unit_needs_first_boot(""));
    /* a drop-in takes it back */
    assert_false(
        gold_unit_needs_first_boot("ConditionFirstBoot=yes\n[Unit]\nConditionFirstBoot=\n"));
}

static void
names_templates(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"sshd-keygen@rsa.service", "sshd-keygen@.service"},
                                           {"sshd-keygen@.service", "sshd-keygen@.service"},
                                           {"ssh.service", "ssh.service"},
                                           {"a@b", "a@b"},
                                           {"x.y@z", "x.y@z"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        GOLD_CLEANUP_FREE char *t = gold_unit_template(cases[i][0], NULL);
        assert_string_equal(t, cases[i][1]);
    }
}

static void
reads_presets(void **state)
{
    (void)state;
    static const char text[] = "# comment\nenable ssh*.service\ndisable "
                               "sshd.service\r\ndisable *\nenable late.service\n";
    assert_int_equal(gold_preset_find(text, sizeof(text) - 1, "sshd.service"),
                     GOLD_PRESET_ENABLE);
    assert_int_equal(gold_preset_find(text, sizeof(text) - 1, "late.service"),
                     GOLD_PRESET_DISABLE);
    assert_int_equal(gold_preset_find("enable a.service\n", 17, "b.service"), GOLD_PRESET_NONE);
    assert_int_equal(gold_preset_find("", 0, "b.service"), GOLD_PRESET_NONE);
    assert_int_equal(gold_preset_find("enable\n", 7, "b.service"), GOLD_PRESET_NONE);
}

static void
ignores_comments(void **state)
{
    (void)state;
    assert_true(gold_text_mentions("a\nrun ssh-keygen -A\n", "ssh-keygen"));
    assert_false(gold_text_mentions("a\n  # run ssh-keygen -A\n;ssh-keygen", "ssh-keygen"));
    assert_false(gold_text_mentions("", "ssh-keygen"));
}

static void
finds_pe_sections(void **state)
{
    (void)state;
    char pe[512] = "MZ";
    uint64_t offset = 0, size = 0;
    pe[60] = 64;
    memcpy(pe + 64, "PE\0\0", 4);
    pe[70] = 2;    /* sections */
    pe[84] = 0x10; /* optional header */
    memcpy(pe + 104, ".osrel\0\0", 8);
    memcpy(pe + 144, ".cmdline", 8);
    pe[152] = 9;     /* virtual size */
    pe[161] = 2;     /* raw size 512 */
    pe[164 + 1] = 4; /* at 1024 */
    assert_true(gold_pe_section(pe, sizeof(pe), ".cmdline", &offset, &size));
    assert_int_equal(offset, 1024);
    assert_int_equal(size, 9);
    assert_false(gold_pe_section(pe, sizeof(pe), ".initrd", &offset, &size));
    assert_false(gold_pe_section(pe, sizeof(pe), ".os", &offset, &size));
    assert_false(gold_pe_section(pe, 150, ".cmdline", &offset, &size));
    assert_false(gold_pe_section(pe, 63, ".cmdline", &offset, &size));
    pe[63] = 0x7f; /* header far outside */
    assert_false(gold_pe_section(pe, sizeof(pe), ".cmdline", &offset, &size));
    assert_false(gold_pe_section("", 0, ".cmdline", &offset, &size));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_values),     cmocka_unit_test(knows_first_boot_units),
        cmocka_unit_test(names_templates),  cmocka_unit_test(reads_presets),
        cmocka_unit_test(ignores_comments), cmocka_unit_test(finds_pe_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
