/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "core/io.h"
#include "core/replace.h"
#include "workflow/edit.h"

static const char text[] =
    "<domain type='kvm'>\n  <name>n</name>\n  <memory>1048576</memory>\n  "
    "<os><type>hvm</type></os>\n  <devices>\n"
    "    <disk type='file' device='cdrom'>\n      <target dev='sda' bus='sata'/>\n    </disk>\n"
    "    <disk type='file' device='disk'>\n      <source file='/i/a.qcow2'/>\n      <target "
    "dev='vda' bus='virtio'/>\n"
    "      <boot order='2'/>\n    </disk>\n"
    "    <disk type='file' device='disk'>\n      <source file='/i/b.qcow2'/>\n      <target "
    "dev='vdb' bus='virtio'/>\n"
    "      <iotune>\n        <write_iops_sec>90</write_iops_sec>\n      </iotune>\n      <boot "
    "order='1'/>\n    </disk>\n"
    "  </devices>\n</domain>\n";

static struct gold_definition *
parse(void)
{
    struct gold_definition *def = gold_domain_parse("t.xml", text, strlen(text), NULL);
    assert_non_null(def);
    return def;
}

static void
test_selectors(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse();
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    bool m[3] = {false};
    (void)state;
    assert_int_equal(gold_select_disks(def, "boot", m, NULL), 0);
    assert_true(!m[0] && !m[1] && m[2]);
    memset(m, 0, sizeof(m));
    assert_int_equal(gold_select_disks(def, "all", m, NULL), 0);
    assert_true(!m[0] && m[1] && m[2]);
    memset(m, 0, sizeof(m));
    assert_int_equal(gold_select_disks(def, "a.qcow2", m, NULL), 0);
    assert_true(m[1] && !m[2]);
    assert_int_equal(gold_select_disks(def, "vdz", m, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
}

static struct gold_template *
template_of(const char *limits)
{
    char yaml[512];
    (void)snprintf(yaml, sizeof(yaml),
                   "goldsmith: 1\nname: t\ndefinition:\n  iotune:\n    - {%s}\n", limits);
    struct gold_template *t = gold_template_parse("t.yaml", yaml, strlen(yaml), NULL);
    assert_non_null(t);
    return t;
}

static void
test_wanted_limits(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse();
    GOLD_CLEANUP_TEMPLATE struct gold_template *t =
        template_of("disk: boot, total-bytes-sec: 10MiB, read-iops-sec: 200");
    GOLD_CLEANUP_WANTED_LIMITS struct gold_wanted_limits w = {0};
    (void)state;
    assert_int_equal(gold_wanted_limits(t, def, &w, NULL), 0);
    assert_true(!w.named[0] && !w.named[1] && w.named[2]);
    assert_true(gold_iotune_empty(&w.items[1]));
    assert_int_equal(w.items[2].value[GOLD_TOTAL_BYTES_SEC], 10485760);
    assert_int_equal(w.items[2].value[GOLD_READ_IOPS_SEC], 200);
    /* What the definition says besides stays. */
    assert_int_equal(w.items[2].value[GOLD_WRITE_IOPS_SEC], 90);
}

static void
test_wanted_limits_refused(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse();
    static const char *const bad[][2] = {
        {"disk: vdz, read-iops-sec: 5", "t.yaml:5"},
        {"disk: vda, total-bytes-sec: 5, read-bytes-sec: 5", "t.yaml:5"},
        {"disk: vda, read-iops-sec-max: 5", "read_iops_sec"},
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        GOLD_CLEANUP_TEMPLATE struct gold_template *t = template_of(bad[i][0]);
        GOLD_CLEANUP_WANTED_LIMITS struct gold_wanted_limits w = {0};
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        assert_int_equal(gold_wanted_limits(t, def, &w, &err), -1);
        if (!strstr(gold_error_message(err), bad[i][1]))
            fail_msg("'%s' does not say '%s'", gold_error_message(err), bad[i][1]);
    }
}

static void
test_write(void **state)
{
    char dir[] = "/tmp/gold-edit-XXXXXX", path[64];
    struct gold_source_result src = {0};
    GOLD_CLEANUP_DEFINITION_EDIT struct gold_definition_edit e = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *now = NULL;
    size_t len = 0;
    (void)state;
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof(path), "%s/d.xml", dir);
    assert_int_equal(gold_replace_file(path, text, strlen(text), 0, 0640, NULL), 0);
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = gold_domain_read(path, NULL);
    assert_non_null(def);
    struct gold_iotune t = {.value[GOLD_READ_IOPS_SEC] = 7};
    assert_int_equal(gold_domain_set_iotune(def, &def->disks[1], &t, &e.patch, NULL), 0);
    assert_int_equal(gold_definition_edit_finish(def, &e, &src, NULL), 0);
    assert_int_equal(src.n_edits, 1);
    assert_int_equal(e.after->disks[1].iotune.value[GOLD_READ_IOPS_SEC], 7);
    /* Somebody else was faster: nothing is overwritten. */
    assert_int_equal(gold_replace_file(path, "<domain/>", 9, 0, 0640, NULL), 0);
    assert_int_equal(gold_definition_edit_write(def, &e, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CHANGED);
    assert_int_equal(gold_replace_file(path, text, strlen(text), 0, 0640, NULL), 0);
    assert_int_equal(gold_definition_edit_write(def, &e, NULL), 0);
    assert_int_equal(gold_read_file(path, 4096, &now, &len, NULL), 0);
    assert_string_equal(now, e.text);
    gold_source_result_done(&src);
    assert_int_equal(gold_remove_tree(dir, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_wanted_limits),
        cmocka_unit_test(test_wanted_limits_refused),
        cmocka_unit_test(test_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
