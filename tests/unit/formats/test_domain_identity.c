/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identity reset and moved sources: what changes, what stays, what is recorded. */
#include "unit.h"

#include <ctype.h>

#include "corpus.h"
#include "domain_fixture.h"

static void
reset(const struct gold_definition *def, struct gold_patch *p, struct gold_source_result *src)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    if (gold_domain_reset_identity(def, p, src, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static bool
is_uuid(const char *s)
{
    static const char form[] = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";
    for (size_t i = 0; form[i]; i++) {
        if (form[i] == 'x'   ? !isxdigit((unsigned char)s[i]) || isupper((unsigned char)s[i])
            : form[i] == 'v' ? !strchr("89ab", s[i]) || !s[i]
                             : s[i] != form[i])
            return false;
    }
    return s[strlen(form)] == '\0';
}

static void
test_reset(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = read_sample("debian.xml");
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, q = {0};
    struct gold_source_result src = {0}, src2 = {0};
    (void)state;

    reset(def, &p, &src);
    GOLD_CLEANUP_DEFINITION struct gold_definition *after = patched(def, &p);
    assert_true(is_uuid(after->uuid));
    assert_string_not_equal(after->uuid, def->uuid);
    /* The system uuid in <sysinfo> follows. */
    GOLD_CLEANUP_FREE char *entry =
        gold_format(NULL, "<entry name='uuid'>%s</entry>", after->uuid);
    assert_non_null(strstr(after->text, entry));
    assert_null(strstr(after->text, def->uuid));
    for (size_t i = 0; i < 2; i++) {
        assert_true(gold_str_has_prefix(after->nics[i].mac, "52:54:00:"));
        assert_int_equal(strlen(after->nics[i].mac), 17);
        assert_string_not_equal(after->nics[i].mac, def->nics[i].mac);
    }
    assert_string_not_equal(after->nics[0].mac, after->nics[1].mac);
    assert_null(after->nics[2].mac);
    assert_int_equal(p.n, 4);

    static const char *const paths[] = {"definition:uuid", "definition:sysinfo/system/uuid",
                                        "definition:interface/mac", "definition:interface/mac"};
    assert_int_equal(src.n_effects, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(src.effects[i].operation, "definition-identity");
        assert_string_equal(src.effects[i].path, paths[i]);
        assert_string_equal(src.effects[i].action, "edited");
        assert_true(gold_str_has_prefix(src.effects[i].detail, "line "));
    }
    /* Another run, other values. */
    reset(def, &q, &src2);
    GOLD_CLEANUP_DEFINITION struct gold_definition *other = patched(def, &q);
    assert_string_not_equal(other->uuid, after->uuid);
    assert_string_not_equal(other->nics[0].mac, after->nics[0].mac);
    gold_source_result_done(&src);
    gold_source_result_done(&src2);
}

static void
test_nothing_to_reset(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(
        "    <interface type='user'/>\n    <interface type='user'><mac/></interface>\n");
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_source_result src = {0};
    (void)state;

    reset(def, &p, &src);
    assert_int_equal(p.n, 0);
    assert_int_equal(src.n_effects, 0);
    gold_source_result_done(&src);
}

static void
reset_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse(path, text, len, NULL);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_source_result src = {0};
    size_t *n = opaque;

    if (!def)
        return;
    reset(def, &p, &src);
    GOLD_CLEANUP_DEFINITION struct gold_definition *after = patched(def, &p);
    assert_int_equal(after->n_nics, def->n_nics);
    assert_int_equal(after->uuid != NULL, def->uuid != NULL);
    for (size_t i = 0; i < def->n_nics; i++) {
        assert_int_equal(after->nics[i].mac != NULL, def->nics[i].mac != NULL);
        for (size_t k = 0; after->nics[i].mac && k < def->n_nics; k++) {
            assert_false(gold_streq(after->nics[i].mac, def->nics[k].mac));
            assert_true(k == i || !gold_streq(after->nics[i].mac, after->nics[k].mac));
        }
    }
    assert_int_equal(p.n, src.n_effects);
    *n += p.n;
    gold_source_result_done(&src);
}

static void
test_corpus(void **state)
{
    size_t n = 0;
    (void)state;
    (void)corpus_each(reset_one, &n);
    print_message("%zu values reset\n", n);
    assert_true(n > 1000);
}

static void
move(const char *disk, const char *path, const char *wanted)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(disk);
    GOLD_CLEANUP_DEFINITION struct gold_definition *want = parse_devices(wanted);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    if (gold_domain_set_source(def, &def->disks[0], path, &p, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    GOLD_CLEANUP_DEFINITION struct gold_definition *after = patched(def, &p);
    assert_string_equal(after->text, want->text);
}

static void
test_set_source(void **state)
{
    (void)state;
    move("<disk type='file'><source file=\"/a\"/></disk>", "/b's & c",
         "<disk type='file'><source file=\"/b&#39;s &amp; c\"/></disk>");
    move("<disk type='file'><source file='/a'/></disk>", "/a",
         "<disk type='file'><source file='/a'/></disk>");
    move("<disk type='block'><source dev='/dev/a'/></disk>", "/dev/b",
         "<disk type='block'><source dev='/dev/b'/></disk>");
    move("<disk type='block'><source dev='/dev/a'/></disk>", "/b.img",
         "<disk type='file'><source file='/b.img'/></disk>");
    move("    <disk type='file'>\n      <driver name='qemu'/>\n      <target dev='vda'/>\n    "
         "</disk>\n",
         "/b",
         "    <disk type='file'>\n      <driver name='qemu'/>\n      <source file='/b'/>\n     "
         " <target dev='vda'/>\n    "
         "</disk>\n");
    move("    <disk type='file'>\n      <target dev='vda'/>\n    </disk>\n", "/b",
         "    <disk type='file'>\n      <source file='/b'/>\n      <target dev='vda'/>\n    "
         "</disk>\n");
}

static void
test_set_source_refused(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(
        "<disk type='network'><source protocol='rbd' name='p/i'/><target dev='vda'/></disk>");
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    (void)state;

    assert_string_equal(def->disks[0].source, "p/i");
    assert_int_equal(gold_domain_set_source(def, &def->disks[0], "/b", &p, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    assert_string_equal(gold_error_message(err),
                        "t.xml:5: disk 'vda' is of type 'network': its source is no path");
    assert_int_equal(p.n, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_nothing_to_reset),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_set_source),
        cmocka_unit_test(test_set_source_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
