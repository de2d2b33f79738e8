/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting limits: the exact lines in files of several styles, what is refused, and for every
 * disk of every domain of the corpus that exactly the limits change, that setting twice changes
 * nothing more, and that undo gives the old bytes.
 */
#include "unit.h"

#include <libxml/c14n.h>
#include <libxml/parser.h>

#include "formats/domain_tree.h"

#include "corpus.h"
#include "domain_fixture.h"

static void
set(const struct gold_definition *def, size_t disk, const char *spec, struct gold_patch *p)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = limits(spec);

    if (gold_domain_set_iotune(def, &def->disks[disk], &t, p, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    gold_iotune_done(&t);
}

/* Sets limits of the first disk in `devices` and compares with what the devices must then be.
 */
static void
expect(const char *devices, const char *spec, const char *wanted)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(devices);
    GOLD_CLEANUP_DEFINITION struct gold_definition *want = parse_devices(wanted);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, again = {0};

    set(def, 0, spec, &p);
    GOLD_CLEANUP_DEFINITION struct gold_definition *after = patched(def, &p);
    assert_string_equal(after->text, want->text);
    set(after, 0, spec, &again);
    assert_int_equal(again.n, 0);
}

#define OPEN  "    <disk type='file'>\n      <target dev='vda'/>\n"
#define CLOSE "    </disk>\n"

static void
test_new_element(void **state)
{
    (void)state;
    expect(OPEN CLOSE, "total_bytes_sec=5 group_name=g",
           OPEN "      <iotune>\n        <total_bytes_sec>5</total_bytes_sec>\n        "
                "<group_name>g</group_name>\n"
                "      </iotune>\n" CLOSE);
    expect(OPEN "      <boot order='1'/>\n" CLOSE, "read_iops_sec=5",
           OPEN "      <iotune>\n        <read_iops_sec>5</read_iops_sec>\n      </iotune>\n   "
                "   <boot order='1'/>\n" CLOSE);
    expect(OPEN "      <backingStore/> <!-- none -->\n      <serial>1</serial>\n" CLOSE,
           "read_iops_sec=5",
           OPEN "      <backingStore/> <!-- none -->\n      <iotune>\n        "
                "<read_iops_sec>5</read_iops_sec>\n"
                "      </iotune>\n      <serial>1</serial>\n" CLOSE);
    expect("<disk><target dev='vda'/><alias name='x'/></disk>",
           "read_iops_sec=5 write_iops_sec=6",
           "<disk><target "
           "dev='vda'/><iotune><read_iops_sec>5</read_iops_sec><write_iops_sec>6</"
           "write_iops_sec></iotune>"
           "<alias name='x'/></disk>");
    expect("    <disk/>\n", "read_iops_sec=5",
           "    <disk>\n      <iotune>\n        <read_iops_sec>5</read_iops_sec>\n      "
           "</iotune>\n    </disk>\n");
    expect(OPEN CLOSE, "", OPEN CLOSE);
}

#define IOTUNE(inner) OPEN "      <iotune>\n" inner "      </iotune>\n" CLOSE

static void
test_change(void **state)
{
    (void)state;
    /* Only the text of the value changes; comments and odd blanks stay. */
    expect(IOTUNE("        <read_iops_sec >5</read_iops_sec > <!-- why -->\n"),
           "read_iops_sec=6",
           IOTUNE("        <read_iops_sec >6</read_iops_sec > <!-- why -->\n"));
    /* One more, in order, behind the comment of the one before it. */
    expect(IOTUNE("        <read_iops_sec>5</read_iops_sec> <!-- why -->\n        "
                  "<size_iops_sec>512</size_iops_sec>\n"),
           "read_iops_sec=5 write_iops_sec=6 size_iops_sec=512 group_name=g total_bytes_sec=1",
           IOTUNE("        <total_bytes_sec>1</total_bytes_sec>\n        "
                  "<read_iops_sec>5</read_iops_sec> <!-- why -->\n"
                  "        <write_iops_sec>6</write_iops_sec>\n        "
                  "<size_iops_sec>512</size_iops_sec>\n"
                  "        <group_name>g</group_name>\n"));
    /* One less. */
    expect(IOTUNE("        <read_iops_sec>5</read_iops_sec>\n        <!-- kept -->\n        "
                  "<write_iops_sec>6</write_iops_sec>\n"),
           "read_iops_sec=5",
           IOTUNE("        <read_iops_sec>5</read_iops_sec>\n        <!-- kept -->\n"));
    /* All others. */
    expect(IOTUNE("        <read_iops_sec>5</read_iops_sec>\n        "
                  "<write_iops_sec>6</write_iops_sec>\n"),
           "total_bytes_sec=7 total_iops_sec=8",
           IOTUNE("        <total_bytes_sec>7</total_bytes_sec>\n        "
                  "<total_iops_sec>8</total_iops_sec>\n"));
    expect(OPEN "      <iotune><read_iops_sec>5</read_iops_sec></iotune>\n" CLOSE,
           "total_iops_sec=8 size_iops_sec=9",
           OPEN "      "
                "<iotune><total_iops_sec>8</total_iops_sec><size_iops_sec>9</size_iops_sec></"
                "iotune>\n" CLOSE);
    expect(OPEN "      <iotune/>\n" CLOSE, "total_iops_sec=8 size_iops_sec=9",
           IOTUNE("        <total_iops_sec>8</total_iops_sec>\n        "
                  "<size_iops_sec>9</size_iops_sec>\n"));
    expect(OPEN "      <iotune></iotune>\n" CLOSE, "total_iops_sec=8",
           IOTUNE("        <total_iops_sec>8</total_iops_sec>\n"));
    /* The whole element. */
    expect(IOTUNE("        <read_iops_sec>5</read_iops_sec>\n"), "", OPEN CLOSE);
    expect(OPEN "      <iotune/>\n" CLOSE, "", OPEN CLOSE);
}

static void
test_already_so(void **state)
{
    static const char *const same[] = {
        IOTUNE("        <read_iops_sec>0200</read_iops_sec>\n"),
        IOTUNE("        <read_iops_sec> +200</read_iops_sec>\n"),
        IOTUNE("        <read_iops_sec>200<!-- x --></read_iops_sec>\n"),
        IOTUNE("        <read_iops_sec><![CDATA[200]]></read_iops_sec>\n"),
        IOTUNE("        <total_iops_sec>0</total_iops_sec>\n        "
               "<read_iops_sec>200</read_iops_sec>\n"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        expect(same[i], "read_iops_sec=200", same[i]);
}

static void
test_repairs_what_it_touches(void **state)
{
    (void)state;
    /* A unit that libvirt ignores would lie about the new value; copies go; what is unknown
     * stays. */
    expect(
        IOTUNE("        <total_bytes_sec unit='MiB'>10</total_bytes_sec>\n        "
               "<total_bytes_sec>6</total_bytes_sec>\n"
               "        <Foo>1</Foo>\n"),
        "total_bytes_sec=10485760",
        IOTUNE("        <total_bytes_sec>10485760</total_bytes_sec>\n        <Foo>1</Foo>\n"));
    expect(IOTUNE("        <total_bytes_sec>10M</total_bytes_sec>\n"), "total_bytes_sec=10",
           IOTUNE("        <total_bytes_sec>10</total_bytes_sec>\n"));
    expect(IOTUNE("        <total_bytes_sec unit='MiB'/>\n"), "total_bytes_sec=10",
           IOTUNE("        <total_bytes_sec>10</total_bytes_sec>\n"));
}

static void
test_encodings(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *bom = read_sample("bom-crlf.xml");
    GOLD_CLEANUP_DEFINITION struct gold_definition *latin1 = read_sample("latin1-one-line.xml");
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, q = {0};
    (void)state;

    set(bom, 0, "total_iops_sec=100 group_name=\xC3\xBC", &p);
    GOLD_CLEANUP_DEFINITION struct gold_definition *a = patched(bom, &p);
    assert_non_null(strstr(a->text, "\t\t\t<target dev=\"sda\" bus=\"scsi\" "
                                    "/>\r\n\t\t\t<iotune>\r\n\t\t\t\t<total_iops_sec>100"
                                    "</total_iops_sec>\r\n\t\t\t\t<group_name>\xC3\xBC</"
                                    "group_name>\r\n\t\t\t</iotune>\r\n\t\t</disk>"));
    set(latin1, 0, "total_iops_sec=100 group_name=\xC3\xBC", &q);
    GOLD_CLEANUP_DEFINITION struct gold_definition *b = patched(latin1, &q);
    assert_non_null(strstr(b->text, "<iotune><total_iops_sec>100</"
                                    "total_iops_sec><group_name>&#xFC;</group_name></iotune>"));
    assert_string_equal(b->disks[0].iotune.group_name, "\xC3\xBC");
}

static void
test_diff_is_minimal(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = read_sample("debian.xml");
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT;
    struct gold_error *err = NULL;
    (void)state;

    set(def, 0, "total_bytes_sec=10485760", &p);
    set(def, 1, "read_iops_sec=200 write_iops_sec=190", &p);
    assert_int_equal(gold_patch_diff(&p, def->text, def->text_len, "a", "b", &diff, &err), 0);
    assert_string_equal(gold_str_text(&diff),
                        "--- a\n+++ b\n"
                        "@@ -26,6 +26,9 @@\n"
                        "       <driver name='qemu' type='qcow2' cache='none'/>\n"
                        "       <source file='/var/lib/libvirt/images/debian-12.qcow2'/>\n"
                        "       <target dev='vda' bus='virtio'/>\n"
                        "+      <iotune>\n"
                        "+        <total_bytes_sec>10485760</total_bytes_sec>\n"
                        "+      </iotune>\n"
                        "       <boot order='1'/>\n"
                        "     </disk>\n"
                        "     <disk type='file' device='disk'>\n"
                        "@@ -35,7 +38,7 @@\n"
                        "       <iotune>\n"
                        "         <!-- what the storage people gave us -->\n"
                        "         <read_iops_sec>200</read_iops_sec> <!-- reads -->\n"
                        "-        <write_iops_sec>180</write_iops_sec>\n"
                        "+        <write_iops_sec>190</write_iops_sec>\n"
                        "       </iotune>\n"
                        "       <serial>data-1</serial>\n"
                        "     </disk>\n");
}

static void
refuse(const char *devices, const char *spec, enum gold_code code, const char *message)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(devices);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = limits(spec);

    assert_int_equal(gold_domain_set_iotune(def, &def->disks[0], &t, &p, &err), -1);
    if (!strstr(gold_error_message(err), message))
        fail_msg("'%s' is not in '%s'", message, gold_error_message(err));
    assert_int_equal(gold_error_code(err), code);
    assert_int_equal(p.n, 0);
    gold_iotune_done(&t);
}

static void
test_refused(void **state)
{
    (void)state;
    refuse("<disk type='block' device='lun'><target dev='sda'/></disk>", "total_iops_sec=5",
           GOLD_ERROR_UNSUPPORTED, "limits would not hold: SCSI pass-through");
    refuse("<disk type='vhostuser'><target dev='vda'/></disk>", "total_iops_sec=5",
           GOLD_ERROR_UNSUPPORTED, "QEMU does not throttle vhostuser disks");
    refuse("<disk><target dev='vda'/><throttlefilters/></disk>", "total_iops_sec=5",
           GOLD_ERROR_UNSUPPORTED, "<throttlefilters>");
    refuse(OPEN CLOSE, "total_iops_sec=5 read_iops_sec=5", GOLD_ERROR_USAGE,
           "'total_iops_sec' and 'read_iops_sec' cannot be set at the same time");
    refuse(OPEN CLOSE, "group_name=g", GOLD_ERROR_USAGE, "'group_name' needs limits beside it");
    refuse("<disk><target dev='vda'/></disk><disk><target "
           "dev='vdb'/><iotune><group_name>g</group_name>"
           "<total_iops_sec>6</total_iops_sec></iotune></disk>",
           "total_iops_sec=5 group_name=g", GOLD_ERROR_USAGE,
           "disks 'vda' and 'vdb' are in group 'g' but would have different limits");
    /* Taking a limit away is always allowed. */
    expect("<disk device='lun'><target dev='vda'/><iotune/></disk>", "",
           "<disk device='lun'><target dev='vda'/></disk>");
}

static void
test_foreign_disk(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(OPEN CLOSE);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_disk foreign = {0};
    struct gold_iotune t = {0};
    (void)state;
    assert_int_equal(gold_domain_set_iotune(def, &foreign, &t, &p, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
}

static void
test_groups_change_together(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(
        "<disk><target "
        "dev='vda'/><iotune><total_iops_sec>6</total_iops_sec><group_name>g</group_name></"
        "iotune>"
        "</disk><disk><target dev='vdb'/><iotune><total_iops_sec>6</total_iops_sec>"
        "<group_name>g</group_name></iotune></disk>"
        "<disk><target dev='vdc'/><iotune><group_name>g</group_name></iotune></disk>");
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_iotune t = limits("total_iops_sec=7 group_name=g");
    const struct gold_iotune_wish wishes[] = {{&def->disks[0], &t}, {&def->disks[1], &t}};
    (void)state;

    assert_int_equal(gold_domain_set_iotunes(def, wishes, 1, &p, &err), -1);
    assert_int_equal(p.n, 0);
    gold_error_clear(&err);
    assert_int_equal(gold_domain_set_iotunes(def, wishes, 2, &p, &err), 0);
    GOLD_CLEANUP_DEFINITION struct gold_definition *after = patched(def, &p);
    assert_true(gold_iotune_equal(&after->disks[0].iotune, &t));
    assert_true(gold_iotune_equal(&after->disks[1].iotune, &t));
    gold_iotune_done(&t);
}

/* ---- the corpus ---- */

static char *
without_limits(const struct gold_definition *def)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x =
        gold_domain_open(def->path, def->text, def->text_len, &err);
    xmlChar *text = NULL;

    assert_non_null(x);
    for (size_t i = 0; i < def->n_disks; i++) {
        xmlNode *disk = gold_domain_disk_element(x, i);
        for (xmlNode *iotune = gold_xml_child(disk, "iotune"); iotune;
             iotune = gold_xml_child(disk, "iotune")) {
            xmlUnlinkNode(iotune);
            xmlFreeNode(iotune);
        }
        for (xmlNode *n = disk->children; n;) { /* blanks between elements are layout */
            xmlNode *next = n->next;
            if (xmlIsBlankNode(n)) {
                xmlUnlinkNode(n);
                xmlFreeNode(n);
            }
            n = next;
        }
    }
    assert_true(xmlC14NDocDumpMemory(x->doc, NULL, XML_C14N_1_1, NULL, 1, &text) > 0);
    return (char *)text;
}

/* Each line of the diff that is added or removed must speak of limits. */
static void
check_diff(const struct gold_definition *def, const struct gold_patch *p)
{
    GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT;
    struct gold_error *err = NULL;
    size_t touched = 0;

    assert_int_equal(gold_patch_diff(p, def->text, def->text_len, "a", "b", &diff, &err), 0);
    char *save = NULL;
    for (char *line = strtok_r(diff.data, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if ((line[0] != '+' && line[0] != '-') || gold_str_has_prefix(line, "--- a") ||
            gold_str_has_prefix(line, "+++ b"))
            continue;
        touched++;
        if (!strstr(line, "iotune>") && !strstr(line, "_sec") && !strstr(line, "group_name") &&
            !strstr(line, "disk"))
            fail_msg("%s: %s", def->path, line);
    }
    assert_true(touched > 0);
}

struct tally {
    size_t disks, refused;
};

static void
try_disk(const struct gold_definition *def, size_t i, const struct gold_iotune *t,
         struct tally *tally)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, again = {0}, inverse = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *back = NULL;
    size_t len;

    if (gold_domain_set_iotune(def, &def->disks[i], t, &p, &err) < 0) {
        if (gold_error_code(err) != GOLD_ERROR_UNSUPPORTED)
            fail_msg("%s", gold_error_message(err));
        tally->refused++;
        return;
    }
    GOLD_CLEANUP_DEFINITION struct gold_definition *after = patched(def, &p);
    assert_int_equal(after->n_disks, def->n_disks);
    for (size_t k = 0; k < def->n_disks; k++)
        assert_true(
            gold_iotune_equal(&after->disks[k].iotune, k == i ? t : &def->disks[k].iotune));
    GOLD_CLEANUP_FREE char *a = without_limits(def);
    GOLD_CLEANUP_FREE char *b = without_limits(after);
    assert_string_equal(a, b);
    check_diff(def, &p);

    assert_int_equal(gold_domain_set_iotune(after, &after->disks[i], t, &again, &err), 0);
    assert_int_equal(again.n, 0);
    assert_int_equal(gold_patch_inverse(&p, def->text, def->text_len, &inverse, &err), 0);
    assert_int_equal(
        gold_patch_apply(&inverse, after->text, after->text_len, &back, &len, &err), 0);
    assert_int_equal(len, def->text_len);
    assert_memory_equal(back, def->text, len);
    tally->disks++;
}

static void
try_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse(path, text, len, NULL);
    struct gold_iotune few = limits(
                           "total_bytes_sec=10485760 read_iops_sec=201 write_iops_sec=181"),
                       all = {0};

    for (unsigned k = 0; k < GOLD_IOTUNE_NUMBERS; k++)
        all.value[k] = k == GOLD_SIZE_IOPS_SEC        ? 4096
                       : k < GOLD_TOTAL_BYTES_SEC_MAX ? 5000001
                                                      : 6000001 + k;
    for (unsigned k = 0; k < GOLD_IOTUNE_NUMBERS; k++) {
        const char *name = gold_iotune_name(k);
        if (gold_str_has_prefix(name, "total_"))
            all.value[k] = 0;
        else if (gold_str_has_suffix(name, "_length"))
            all.value[k] = 60 + k;
    }
    for (size_t i = 0; def && i < def->n_disks; i++) {
        try_disk(def, i, &few, opaque);
        try_disk(def, i, &all, opaque);
    }
    gold_iotune_done(&few);
}

static void
test_corpus(void **state)
{
    struct tally tally = {0};
    (void)state;
    (void)corpus_each(try_one, &tally);
    print_message("%zu edits of disks, %zu refused\n", tally.disks, tally.refused);
    assert_true(tally.disks > 1000);
    assert_true(tally.refused > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_new_element),
        cmocka_unit_test(test_change),
        cmocka_unit_test(test_already_so),
        cmocka_unit_test(test_repairs_what_it_touches),
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_diff_is_minimal),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_foreign_disk),
        cmocka_unit_test(test_groups_change_together),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
