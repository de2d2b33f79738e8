/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identities of clones, and the plans that their agents get. Overlays and machines are tried by
 * test_native_boot.c. */
#include "unit.h"

#include <sys/stat.h>

#include "core/io.h"
#include "core/limits.h"
#include "validate/clones.h"
#include "validate/protocol.h"

static void
test_identity(void **state)
{
    char uuid[3][37], mac[3][18];
    (void)state;

    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(gold_clone_identity(uuid[i], mac[i], NULL), 0);
        assert_int_equal(strlen(uuid[i]), 36);
        assert_int_equal(strspn(uuid[i], "0123456789abcdef-"), 36);
        assert_int_equal(uuid[i][14], '4');
        assert_non_null(strchr("89ab", uuid[i][19]));
        assert_true(uuid[i][8] == '-' && uuid[i][13] == '-' && uuid[i][18] == '-' &&
                    uuid[i][23] == '-');
        assert_int_equal(strlen(mac[i]), 17);
        assert_int_equal(strncmp(mac[i], "52:54:00:", 9), 0);
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(uuid[i], uuid[j]);
            assert_string_not_equal(mac[i], mac[j]);
        }
    }
}

static const struct gold_payload_request requests[] = {{.payload = "clone-identity"},
                                                       {.payload = "iotune-limits"}};

static struct gold_disk disks[] = {
    {.target = (char *)"vda", .bus = (char *)"virtio", .device = (char *)"disk"},
    {.target = (char *)"vdb", .bus = (char *)"virtio", .device = (char *)"disk"},
};

static struct gold_definition definition = {.disks = disks, .n_disks = 2};

static struct gold_validate_plan
sample_plan(bool limits)
{
    disks[1].iotune.value[GOLD_READ_IOPS_SEC] = limits ? 200 : 0;
    return (struct gold_validate_plan){.source = "t",
                                       .definition = &definition,
                                       .clones = 2,
                                       .payloads = requests,
                                       .n_payloads = 2};
}

static char *
plan_text(const struct gold_validate_plan *plan, unsigned clone, unsigned boot)
{
    struct gold_str s = GOLD_STR_INIT;

    assert_int_equal(
        gold_plan_text(plan, clone, boot, "00112233445566778899aabbccddeeff", 240, &s, NULL),
        0);
    return s.data;
}

static void
test_plan(void **state)
{
    struct gold_validate_plan plan = sample_plan(true),
                              bare = {.payloads = requests, .n_payloads = 2};
    GOLD_CLEANUP_FREE char *first = plan_text(&plan, 1, 1), *second = plan_text(&plan, 2, 1);
    GOLD_CLEANUP_FREE char *again = plan_text(&plan, 1, 2), *image = plan_text(&bare, 1, 1);
    (void)state;

    assert_ptr_equal(
        strstr(first, "goldsmith-plan 1\nnonce 00112233445566778899aabbccddeeff\nwait 240\n"),
        first);
    assert_non_null(strstr(first, "\nlimits name=vdb serial=" GOLD_LIMIT_SERIAL "1 "));
    assert_null(strstr(first, "name=vda"));
    assert_non_null(strstr(first, "\nidentity\n"));
    assert_string_equal(first + strlen(first) - 5, "\nend\n");
    /* Only the first clone measures, and only once; identity is asked everywhere. */
    assert_null(strstr(second, "limits"));
    assert_non_null(strstr(second, "\nidentity\n"));
    assert_null(strstr(again, "limits"));
    assert_non_null(strstr(again, "\nidentity\n"));
    assert_null(strstr(image, "limits"));
}

static void
test_measures(void **state)
{
    struct gold_validate_plan with = sample_plan(true), without;
    struct gold_validate_plan bare = {.payloads = requests, .n_payloads = 2};
    (void)state;

    assert_true(gold_plan_measures(&with));
    with.n_payloads = 1; /* the identity only */
    assert_false(gold_plan_measures(&with));
    without = sample_plan(false);
    assert_false(gold_plan_measures(&without));
    assert_false(gold_plan_measures(&bare));
}

static void
test_plan_seconds(void **state)
{
    unsigned empty = gold_plan_seconds(""), identity = gold_plan_seconds("identity\nend\n");
    unsigned one = gold_plan_seconds("limits name=a runs=3 seconds=10 read_bytes=1,1,2\n");
    unsigned four = gold_plan_seconds(
        "limits runs=3 seconds=10 read_bytes=1 write_bytes=1 read_iops=1 write_iops=1");
    (void)state;

    assert_int_equal(empty, 0);
    assert_true(identity > 0 && identity < 100);
    assert_true(one >= 45 && one < 300);
    assert_true(four >= 4 * 45 && four > 2 * one && four < 1000);
    /* Absurd numbers do not overflow into a short time. */
    assert_true(gold_plan_seconds("limits runs=20 seconds=300 read_bytes=1\n") >= 6000);
}

static void
test_dir(void **state)
{
    char tmp[] = "/tmp/gold-test-XXXXXX";
    struct gold_clone_place place = {.dir = mkdtemp(tmp)};
    GOLD_CLEANUP_FREE char *dir = NULL;
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    char *none = NULL;
    struct stat st;
    (void)state;

    assert_non_null(place.dir);
    assert_int_equal(gold_clone_dir(&place, "1", &dir, NULL), 0);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(gold_clone_dir(&place, "1", &none, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_null(none);
    assert_int_equal(gold_remove_tree(tmp, NULL), 0);
}

static void
test_give(void **state)
{
    char tmp[] = "/tmp/gold-test-XXXXXX";
    struct gold_clone_place place = {
        .dir = mkdtemp(tmp), .give = true, .uid = 1234, .gid = 2345};
    GOLD_CLEANUP_FREE char *dir = NULL;
    struct stat st;
    (void)state;

    assert_non_null(place.dir);
    if (geteuid() == 0) {
        assert_int_equal(gold_clone_dir(&place, "1", &dir, NULL), 0);
        assert_int_equal(stat(dir, &st), 0);
        assert_int_equal(st.st_uid, 1234);
        assert_int_equal(st.st_gid, 2345);
    }
    assert_int_equal(gold_clone_give(&place, "/nonexistent/file", NULL), -1);
    assert_int_equal(gold_remove_tree(tmp, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity), cmocka_unit_test(test_plan),
        cmocka_unit_test(test_measures), cmocka_unit_test(test_plan_seconds),
        cmocka_unit_test(test_dir),      cmocka_unit_test(test_give),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
