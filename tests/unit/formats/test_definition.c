/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking up disks in the model. */
#include "unit.h"

#include "domain_fixture.h"

static const char disks[] =
    "<disk type='file'><source file='/a/x.img'/><target dev='vda'/></disk>\n"
    "<disk type='file'><source file='/b/x.img'/><target dev='vdb'/><boot order='2'/></disk>\n"
    "<disk type='file' device='cdrom'><target dev='sda'/><boot order='1'/></disk>\n"
    "<disk type='file'><source file='/c/vda'/><target dev='vdc'/></disk>\n"
    "<disk type='block'><source dev='/c/vda'/><target dev='vdd'/></disk>\n"
    "<disk type='file'><source file='/d/y.img'/></disk>\n";

static void
finds(const struct gold_definition *def, const char *selector, size_t index)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    const struct gold_disk *d = gold_definition_find_disk(def, selector, &err);

    if (!d)
        fail_msg("%s", gold_error_message(err));
    assert_ptr_equal(d, &def->disks[index]);
}

static void
refuses(const struct gold_definition *def, const char *selector, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    assert_null(gold_definition_find_disk(def, selector, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    assert_string_equal(gold_error_message(err), message);
    assert_non_null(gold_error_hint_text(err));
}

static void
test_find(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(disks);
    (void)state;
    finds(def, "vda", 0); /* the target wins over a file of that name */
    finds(def, "sda", 2);
    finds(def, "/b/x.img", 1);
    finds(def, "y.img", 5);
    refuses(def, "x.img", "'t.xml' has several disks 'x.img'");
    refuses(def, "/c/vda", "'t.xml' has several disks '/c/vda'");
    refuses(def, "vdz", "'t.xml' has no disk 'vdz'");
    refuses(def, "", "'t.xml' has no disk ''");
}

static void
test_boot_disk(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(disks);
    GOLD_CLEANUP_DEFINITION struct gold_definition *plain =
        parse_devices("<disk type='file' device='cdrom'><target dev='sda'/></disk>\n"
                      "<disk type='file'><target dev='vdb'/></disk>\n<disk type='file'><target "
                      "dev='vda'/></disk>\n");
    GOLD_CLEANUP_DEFINITION struct gold_definition *none = parse_devices(
        "<disk type='file' device='cdrom'><target dev='sda'/><boot order='1'/></disk>\n");
    (void)state;
    assert_string_equal(gold_definition_boot_disk(def)->target,
                        "vdb"); /* a drive for media is no template's disk */
    assert_string_equal(gold_definition_boot_disk(plain)->target, "vdb");
    assert_null(gold_definition_boot_disk(none));
    gold_definition_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_boot_disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
