/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation of ours fails once: each ends in one error or in success, never in a crash,
 * a leak or half an edit. */
#include "unit.h"

#include "failing_malloc.h"
#include "core/result.h"
#include "formats/domain.h"

#include "domain_fixture.h"

/* The whole way through the room; 0 or -1 with *err. */
static int
work(const char *text, size_t len, struct gold_error **err)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse("t.xml", text, len, err);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, inverse = {0};
    GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT, words = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *new = NULL;
    GOLD_CLEANUP_FREE char *xml = NULL;
    struct gold_source_result src = {0};
    struct gold_iotune t = {.value[GOLD_READ_IOPS_SEC] = 300,
                            .value[GOLD_SIZE_IOPS_SEC] = 4096};
    size_t new_len;
    int r = -1;

    if (!def)
        return -1;
    const struct gold_clone_disk disk = {.target = "vdb", .path = "/o", .format = "qcow2"};
    const struct gold_clone_spec spec = {.name = "c",
                                         .uuid = "u",
                                         .mac = "m",
                                         .accel = "tcg",
                                         .pcap_path = "/p",
                                         .disks = &disk,
                                         .n_disks = 1};
    if (gold_iotune_set(&t, "group_name", "g", err) == 0 &&
        gold_domain_set_iotune(def, &def->disks[0], &t, &p, err) == 0 &&
        gold_domain_set_iotune(def, &def->disks[1], &t, &p, err) == 0 &&
        gold_domain_set_source(def, &def->disks[0], "/new", &p, err) == 0 &&
        gold_domain_reset_identity(def, &p, &src, err) == 0 &&
        gold_domain_check(def, &src, err) == 0 &&
        gold_patch_apply(&p, def->text, def->text_len, &new, &new_len, err) == 0 &&
        gold_patch_inverse(&p, def->text, def->text_len, &inverse, err) == 0 &&
        gold_patch_diff(&p, def->text, def->text_len, "a", "b", &diff, err) == 0 &&
        gold_iotune_explain(&t, &words, err) == 0 &&
        gold_domain_clone_xml(def, &spec, &xml, err) == 0)
        r = 0;
    gold_source_result_done(&src);
    gold_iotune_done(&t);
    return r;
}

static void
test_each_allocation_fails(void **state)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;
    long n = 0, failures = 0;
    bool refused;
    int r;
    (void)state;

    struct gold_definition *def = read_sample("debian.xml");
    len = def->text_len;
    text = gold_strndup(def->text, len, NULL);
    gold_definition_free(def);
    do {
        struct gold_error *err = NULL;
        left = n++;
        r = work(text, len, &err);
        refused = left < 0;
        left = -1;
        assert_int_equal(r < 0, err != NULL);
        if (r < 0) {
            failures++;
            assert_int_equal(gold_error_code(err), GOLD_ERROR_NOMEM);
        }
        gold_error_free(err);
        assert_true(n < 100000);
    } while (refused);
    assert_int_equal(r, 0);
    print_message("%ld allocations failed, one at a time\n", failures);
    assert_true(failures > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
