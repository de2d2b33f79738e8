/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where -o puts things: never over something that exists. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/replace.h"
#include "workflow/output.h"

static char dir[] = "/tmp/gold-output-XXXXXX";

static char *
in(const char *name)
{
    char *path = gold_path_join(dir, name, NULL);
    assert_non_null(path);
    return path;
}

static void
test_image(void **state)
{
    struct gold_target t = {.source = "a.vmdk"};
    struct gold_output o = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *file = in("new.qcow2");
    GOLD_CLEANUP_FREE char *expected = in("a.vmdk");
    (void)state;
    assert_int_equal(gold_strv_add(&t.paths, "/images/a.vmdk", NULL), 0);
    t.n_images = 1;
    assert_int_equal(gold_output_plan(&t, file, &o, NULL), 0);
    assert_string_equal(o.images.items[0], file);
    assert_int_equal(o.formats[0], GOLD_IMAGE_QCOW2);
    gold_output_done(&o);
    /* A directory: its own name, its own format. */
    assert_int_equal(gold_output_plan(&t, dir, &o, NULL), 0);
    assert_string_equal(o.images.items[0], expected);
    assert_int_equal(o.formats[0], GOLD_IMAGE_UNKNOWN);
    gold_output_done(&o);
    assert_int_equal(gold_replace_file(file, "x", 1, 0, 0600, NULL), 0);
    assert_int_equal(gold_output_plan(&t, file, &o, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    gold_strv_done(&t.paths);
}

static void
test_definition(void **state)
{
    static const char text[] =
        "<domain "
        "type='kvm'><name>n</name><memory>1048576</memory><os><type>hvm</type></os><devices>"
        "<disk type='file'><source file='/images/a.qcow2'/><target "
        "dev='vda'/></disk></devices></domain>";
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse("/d/web.xml", text, strlen(text), NULL);
    GOLD_CLEANUP_OUTPUT struct gold_output o = {0};
    GOLD_CLEANUP_DEFINITION_EDIT struct gold_definition_edit e = {0};
    GOLD_CLEANUP_FREE char *out = in("out"), *image = in("out/a.qcow2"),
                           *xml = in("out/web.xml");
    (void)state;
    assert_non_null(def);
    const struct gold_disk *disk = &def->disks[0];
    struct gold_target t = {
        .source = "web.xml", .definition = def, .n_images = 1, .disks = &disk};
    struct gold_source_result src = {0};
    assert_int_equal(gold_strv_add(&t.paths, "/images/a.qcow2", NULL), 0);
    assert_int_equal(gold_output_plan(&t, out, &o, NULL), 0);
    assert_string_equal(o.images.items[0], image);
    assert_string_equal(o.definition, xml);
    assert_int_equal(gold_output_redirect(&t, &o, &e, NULL), 0);
    assert_int_equal(gold_definition_edit_finish(def, &e, &src, NULL), 0);
    assert_string_equal(e.after->disks[0].source, image);
    gold_source_result_done(&src);
    gold_strv_done(&t.paths);
}

static void
test_two_images_of_one_name(void **state)
{
    struct gold_target t = {.source = "web.xml", .n_images = 2};
    struct gold_output o = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    (void)state;
    assert_int_equal(gold_strv_add(&t.paths, "/one/disk.img", NULL), 0);
    assert_int_equal(gold_strv_add(&t.paths, "/two/disk.img", NULL), 0);
    assert_int_equal(gold_output_plan(&t, dir, &o, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "two images"));
    gold_strv_done(&t.paths);
}

static int
setup(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    return gold_remove_tree(dir, NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_image),
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_two_images_of_one_name),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
