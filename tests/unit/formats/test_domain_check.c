/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings: a file that has everything wrong, one that has nothing wrong, and the corpus, which
 * must not crash it. */
#include "unit.h"

#include "core/table.h"

#include "corpus.h"
#include "domain_fixture.h"

struct wanted {
    const char *id;
    enum gold_severity severity;
    unsigned line;
    const char *message; /* part of it */
};

static void
check(const struct gold_definition *def, struct gold_source_result *src)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    if (gold_domain_check(def, src, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
test_everything_wrong(void **state)
{
    static const struct wanted wanted[] = {
        {"iotune-ignored", GOLD_ERROR, 8,
         "disk 'sda': its limits do not hold: SCSI pass-through"},
        {"iotune-ignored", GOLD_ERROR, 13,
         "disk 'vdf': its limits do not hold: QEMU does not throttle vhostuser"},
        {"iotune-unknown-element", GOLD_ERROR, 19, "<Total_bytes_sec>"},
        {"iotune-attribute", GOLD_ERROR, 20,
         "ignores the attribute 'unit' of <read_bytes_sec>"},
        {"iotune-not-integer", GOLD_ERROR, 21,
         "<write_bytes_sec> is '10M', which is not a whole number"},
        {"iotune-duplicate", GOLD_ERROR, 22, "<write_bytes_sec>"},
        {"iotune-not-integer", GOLD_ERROR, 23, "<total_iops_sec> is empty"},
        {"iotune-small", GOLD_WARNING, 18, "read_bytes_sec is 10,"},
        {"iotune-conflict", GOLD_ERROR, 29,
         "'read_iops_sec_max' (400) is lower than 'read_iops_sec' (500)"},
        {"iotune-bucket", GOLD_WARNING, 29,
         "read_iops_sec_max without read_iops_sec_max_length"},
        {"iotune-iops-size", GOLD_WARNING, 29, "without size_iops_sec"},
        {"iotune-small", GOLD_WARNING, 38, "read_iops_sec is 40,"},
        {"iotune-bucket", GOLD_WARNING, 38, "read_iops_sec_max without"},
        {"iotune-long-burst", GOLD_WARNING, 38,
         "write_iops_sec_max_length is longer than an hour"},
        {"iotune-iops-size", GOLD_WARNING, 38, "without size_iops_sec"},
        {"iotune-conflict", GOLD_ERROR, 55,
         "disks 'vdd' and 'vde' are in group 'g' but have different limits"},
        {"iotune-conflict", GOLD_ERROR, 60, "'group_name' needs limits beside it"},
        {"iotune-ignored", GOLD_WARNING, 64, "disk 'sdb' is an empty drive"},
        {"iotune-ignored", GOLD_ERROR, 67, "libvirt ignores <iotune> in <hostdev>"},
        {"definition-disk-missing", GOLD_INFO, 15,
         "disk 'vdb': its image '/nonexistent/goldsmith/b.img' is not there"},
        {"definition-duplicate-target", GOLD_ERROR, 35, "two disks have the target 'vdc'"},
        {"definition-boot-order", GOLD_ERROR, 35, "have the boot order 1"},
        {"definition-boot-order", GOLD_ERROR, 3, "cannot be used together with a boot order"},
        {"definition-duplicate-mac", GOLD_WARNING, 70, "'52:54:00:00:00:01'"},
        {"definition-undeclared-prefix", GOLD_WARNING, 72, "<qemu:commandline>"},
    };
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = read_sample("limits-wrong.xml");
    struct gold_source_result src = {0};
    const size_t n = sizeof(wanted) / sizeof(wanted[0]);
    (void)state;

    check(def, &src);
    for (size_t i = 0; i < src.n_findings && i < n; i++) {
        const struct gold_finding *f = &src.findings[i];
        if (!gold_streq(f->id, wanted[i].id) || f->severity != wanted[i].severity ||
            f->line != wanted[i].line || !strstr(f->message, wanted[i].message))
            fail_msg("%zu: %s %d line %u: %s", i, f->id, (int)f->severity, f->line, f->message);
        assert_string_equal(f->file, def->path);
        assert_int_equal(f->fix, f->severity == GOLD_INFO ? GOLD_FIX_NONE : GOLD_FIX_MANUAL);
    }
    assert_int_equal(src.n_findings, n);
    gold_source_result_done(&src);
}

static bool
listed(const char *id)
{
    for (const char *const *known = gold_domain_check_listing.finding_ids; *known; known++) {
        if (strcmp(*known, id) == 0)
            return true;
    }
    return false;
}

/* The sample has every finding that there is: what is listed and what is reported are the same
 * set. */
static void
test_listing(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = read_sample("limits-wrong.xml");
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_source_result src = {0};
    (void)state;

    assert_int_equal(gold_about_lint(&gold_domain_check_listing.about, 1, &err), 0);
    check(def, &src);
    for (size_t i = 0; i < src.n_findings; i++) {
        if (!listed(src.findings[i].id))
            fail_msg("%s is not listed", src.findings[i].id);
    }
    for (const char *const *id = gold_domain_check_listing.finding_ids; *id; id++) {
        bool reported = false;
        for (size_t i = 0; i < src.n_findings; i++)
            reported = reported || strcmp(src.findings[i].id, *id) == 0;
        if (!reported)
            fail_msg("%s is never reported", *id);
    }
    gold_source_result_done(&src);
}

static void
test_nothing_wrong(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = read_sample("limits-right.xml");
    struct gold_source_result src = {0};
    (void)state;

    check(def, &src);
    for (size_t i = 0; i < src.n_findings; i++)
        print_message("%s: %s\n", src.findings[i].id, src.findings[i].message);
    assert_int_equal(src.n_findings, 0);
    gold_source_result_done(&src);
}

static void
expect_one(const char *devices, const char *id)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(devices);
    struct gold_source_result src = {0};

    check(def, &src);
    assert_int_equal(src.n_findings, id ? 1 : 0);
    if (id)
        assert_string_equal(src.findings[0].id, id);
    gold_source_result_done(&src);
}

static void
test_strays_and_filters(void **state)
{
    (void)state;
    expect_one("<disk><driver><iotune/></driver><target dev='vda'/></disk>", "iotune-ignored");
    expect_one("<iotune/>", "iotune-ignored");
    expect_one("<disk><target "
               "dev='vda'/><throttlefilters/><iotune><total_bytes_sec>5000000</"
               "total_bytes_sec></iotune></disk>",
               "iotune-conflict");
    expect_one("<disk><target dev='vda'/><throttlefilters/></disk>", NULL);
    expect_one("<disk><target dev='vda'/><iotune><total_bytes_sec>5000000</total_bytes_sec>"
               "<write_iops_sec>100</write_iops_sec></iotune></disk>",
               NULL);
}

static void
check_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse(path, text, len, NULL);
    struct gold_source_result src = {0};
    size_t *n = opaque;

    if (!def)
        return;
    check(def, &src);
    for (size_t i = 0; i < src.n_findings; i++)
        *n += gold_str_has_prefix(src.findings[i].id, "iotune-");
    gold_source_result_done(&src);
}

static void
test_corpus(void **state)
{
    size_t n = 0;
    (void)state;
    (void)corpus_each(check_one, &n);
    print_message("%zu findings about limits\n", n);
    assert_true(n > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_wrong), cmocka_unit_test(test_nothing_wrong),
        cmocka_unit_test(test_listing),          cmocka_unit_test(test_strays_and_filters),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
