/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rename commit of one qcow2: what it keeps, what it refuses, and that it can be killed at
 * any instant. */
#include "unit.h"

#include "kills.h"

static const struct kill_case one_qcow2 = {"qcow2", 1, true};

static struct gold_workset *
open_one(struct gold_context *ctx, const char *path, bool allow_backing)
{
    struct gold_error *err = NULL;
    struct gold_workset_image image = {path, {"qcow2", allow_backing}};
    struct gold_workset *ws = gold_workset_open(ctx, &image, 1, 0, &err);
    no_error(err);
    assert_non_null(ws);
    return ws;
}

static void
keeps_the_file(void **state)
{
    (void)state;
    struct stat before, after;
    struct gold_error *err = NULL;
    make_references(&one_qcow2);
    restore(&one_qcow2);
    must_sh("chmod 0640 work/disk0 && (chown 65534:65534 work/disk0 || true)");
    assert_int_equal(stat(at("work/disk0"), &before), 0);
    struct gold_context *ctx = new_context();
    struct gold_workset *ws = open_one(ctx, at("work/disk0"), false);
    must_sh("qemu-io -f qcow2 " CHANGES " '%s'", gold_workset_overlay(ws, 0));
    assert_int_equal(gold_workset_commit(ws, &err), 0);
    no_error(err);
    gold_workset_free(ws);
    gold_context_free(ctx);
    assert_int_equal(stat(at("work/disk0"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_mode, after.st_mode);
    assert_int_equal(before.st_uid, after.st_uid);
    assert_int_equal(after.st_nlink, 1);
    assert_int_equal(state_of(&one_qcow2, 0), 'n');
    assert_true(only_images_left(&one_qcow2));
    must_sh("qemu-img check work/disk0 && ! qemu-img info work/disk0 | grep backing");
}

static void
keeps_a_backing_file(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("mkdir work && qemu-img create -f qcow2 golden.qcow2 64M && "
            "qemu-io -f qcow2 -c 'write -P 5 0 3M' golden.qcow2 && cd work && "
            "qemu-img create -f qcow2 -F qcow2 -b ../golden.qcow2 \"$PWD/a:b c,d.qcow2\"");
    struct gold_context *ctx = new_context();
    struct gold_workset *ws = open_one(ctx, at("work/a:b c,d.qcow2"), true);
    must_sh("qemu-io -f qcow2 -c 'write -P 6 1M 1M' '%s'", gold_workset_overlay(ws, 0));
    assert_int_equal(gold_workset_commit(ws, &err), 0);
    no_error(err);
    gold_workset_free(ws);
    gold_context_free(ctx);
    must_sh("qemu-img info -f qcow2 \"$PWD/work/a:b c,d.qcow2\" > out && grep -q 'backing "
            "file: ../golden.qcow2' out");
    must_sh("qemu-io -r -f qcow2 -c 'read -P 5 0 1M' -c 'read -P 6 1M 1M' \"$PWD/work/a:b "
            "c,d.qcow2\" > out && "
            "! grep -q 'verification failed' out");
    must_sh("test \"$(ls -A work | wc -l)\" = 1");
}

static void
free_without_commit(void **state)
{
    (void)state;
    make_references(&one_qcow2);
    restore(&one_qcow2);
    must_sh("sha256sum work/disk0 > sum");
    struct gold_context *ctx = new_context();
    struct gold_workset *ws = open_one(ctx, at("work/disk0"), false);
    must_sh("qemu-io -f qcow2 " CHANGES " '%s'", gold_workset_overlay(ws, 0));
    gold_workset_free(ws);
    must_sh("sha256sum -c sum");
    assert_true(only_images_left(&one_qcow2));
    gold_context_free(ctx);
}

static void
changed_meanwhile(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    static const char *const changes[] = {"touch work/disk0", "chmod 0604 work/disk0",
                                          "cp work/disk0 x && mv x work/disk0",
                                          "rm work/disk0"};
    static const char *const words[] = {"changed by somebody", "changed by somebody",
                                        "replaced by another file", "is gone"};
    make_references(&one_qcow2);
    for (unsigned i = 0; i < 4; i++) {
        restore(&one_qcow2);
        struct gold_context *ctx = new_context();
        struct gold_workset *ws = open_one(ctx, at("work/disk0"), false);
        must_sh("qemu-io -f qcow2 " CHANGES " '%s'", gold_workset_overlay(ws, 0));
        assert_int_equal(gold_workset_check_unchanged(ws, &err), 0);
        must_sh("sleep 0.02; %s", changes[i]);
        assert_int_equal(gold_workset_check_unchanged(ws, &err), -1);
        expect_error(&err, GOLD_ERROR_CHANGED, words[i]);
        assert_int_equal(gold_workset_commit(ws, &err), -1);
        expect_error(&err, GOLD_ERROR_CHANGED, "work/disk0");
        gold_workset_free(ws);
        gold_context_free(ctx);
        if (i < 3)
            assert_int_equal(state_of(&one_qcow2, 0), 'o');
        assert_int_equal(count_beside("work", "disk0"), 0);
    }
}

/* A .NAME.base that does not belong to the image is never used and never removed. */
static void
foreign_base(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    bool done;
    make_references(&one_qcow2);
    restore(&one_qcow2);
    must_sh("cp work/disk0 work/.disk0.base && sha256sum work/disk0 work/.disk0.base > sum");
    struct gold_context *ctx = new_context();
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), -1);
    expect_hint(err, ".disk0.base");
    expect_error(&err, GOLD_ERROR_CHANGED, ".disk0.base");
    must_sh("sha256sum -c sum");
    /* Nor is one that leads elsewhere. */
    must_sh("rm work/.disk0.base && ln -s ../pristine/disk0 work/.disk0.base");
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "work/disk0");
    must_sh("test -L work/.disk0.base");
    gold_context_free(ctx);
}

static void
interrupted_is_busy_while_held(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    bool done;
    make_references(&one_qcow2);
    restore(&one_qcow2);
    struct gold_context *ctx = new_context();
    struct gold_workset *ws = open_one(ctx, at("work/disk0"), false);
    must_sh("ln work/disk0 work/.disk0.base");
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "another goldsmith");
    gold_workset_free(ws);
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), 0);
    assert_true(done);
    assert_true(only_images_left(&one_qcow2));
    gold_context_free(ctx);
}

static void
stop_points(void **state)
{
    (void)state;
    static const char *const points[] = {"commit.rebased", "commit.linked", "commit.renamed",
                                         "commit.written", "commit.done",   NULL};
#ifndef GOLDSMITH_TEST_HOOKS
    print_message("no test hooks in this build\n");
    skip();
#endif
    stop_at(&one_qcow2, points, "oonnn");
}

static void
kills(void **state)
{
    (void)state;
    sweep(&one_qcow2, KILLS);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_the_file, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(keeps_a_backing_file, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(free_without_commit, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(changed_meanwhile, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(foreign_base, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(interrupted_is_busy_while_held, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(stop_points, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(kills, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
