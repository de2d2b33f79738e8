/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journalled commit: other formats, several images at once, kills, and journals that must
 * not be believed. */
#include "unit.h"

#include "kills.h"

static const struct kill_case one_raw = {"raw", 1, false};
static const struct kill_case two_raw = {"raw", 2, false};
static const struct kill_case two_qcow2 = {"qcow2", 2, false};
static const struct kill_case two_vhdx = {"vhdx", 2, true};
static const struct kill_case others[] = {
    {"vmdk", 1, true}, {"vdi", 1, true}, {"vhdx", 1, true}};

/* Leaves a pending commit of one raw image: killed once the journal was there. */
static void
leave_pending(const struct kill_case *c)
{
    int status;
    make_references(c);
    restore(c);
    pid_t pid = start_commit(c, "journal.ready");
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

static void
recover_fails(const char *image, enum gold_code code, const char *text)
{
    struct gold_error *err = NULL;
    struct gold_context *ctx = new_context();
    bool done = false;
    assert_int_equal(gold_workset_recover(ctx, at(image), &done, &err), -1);
    assert_false(done);
    expect_error(&err, code, text);
    gold_context_free(ctx);
}

static void
other_formats(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        must_sh("rm -rf work pristine *.raw");
        sweep(&others[i], 8);
    }
}

static void
odd_raw_size(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    struct gold_workset_image image = {at("odd"), {"raw", false}};
    must_sh("head -c 1000001 /dev/urandom > odd && cp odd ref && "
            "printf '\\7\\7\\7\\7' | dd of=ref bs=1 seek=512 conv=notrunc");
    struct gold_context *ctx = new_context();
    struct gold_workset *ws = gold_workset_open(ctx, &image, 1, 0, &err);
    no_error(err);
    must_sh("qemu-io -f qcow2 -c 'write -P 7 512 4' '%s'", gold_workset_overlay(ws, 0));
    assert_int_equal(gold_workset_commit(ws, &err), 0);
    no_error(err);
    gold_workset_free(ws);
    gold_context_free(ctx);
    must_sh("cmp odd ref");
}

static void
stop_points(void **state)
{
    (void)state;
    static const char *const one[] = {"journal.begin",
                                      "journal.ready",
                                      "journal.first",
                                      "journal.written",
                                      "journal.closed",
                                      "journal.done",
                                      NULL};
    static const char *const two[] = {"journal.pointers", "journal.ready",  "journal.first",
                                      "journal.further",  "journal.closed", NULL};
    static const char *const replaced[] = {"journal.replaced",
                                           "journal.pointers",
                                           "journal.ready",
                                           "journal.first",
                                           "journal.further",
                                           "journal.closed",
                                           NULL};
#ifndef GOLDSMITH_TEST_HOOKS
    print_message("no test hooks in this build\n");
    skip();
#endif
    stop_at(&one_raw, one, "onnnnn");
    must_sh("rm -rf work pristine *.raw");
    stop_at(&two_raw, two, "onnnn");
    must_sh("rm -rf work pristine *.raw");
    stop_at(&two_qcow2, two, "onnnn");
    must_sh("rm -rf work pristine *.raw");
    stop_at(&two_vhdx, replaced, "oonnnn");
}

static void
kills_raw(void **state)
{
    (void)state;
    sweep(&one_raw, KILLS);
}

static void
kills_two(void **state)
{
    (void)state;
    sweep(&two_qcow2, 10);
}

/* The directory may move between the crash and the next run. */
static void
moved_directory(void **state)
{
    (void)state;
    leave_pending(&two_raw);
    must_sh("mv work elsewhere && mkdir work && mv elsewhere/* elsewhere/.disk* work/ && rmdir "
            "elsewhere");
    assert_int_equal(judge(&two_raw), 'n');
}

static void
opened_by_another_command(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    struct gold_workset_image image = {at("work/disk0"), {"raw", false}};
    leave_pending(&one_raw);
    struct gold_context *ctx = new_context();
    /* Even one that only reads. */
    struct gold_workset *ws = gold_workset_open(ctx, &image, 1, GOLD_WORKSET_READ_ONLY, &err);
    no_error(err);
    assert_non_null(ws);
    assert_int_equal(state_of(&one_raw, 0), 'n');
    gold_workset_free(ws);
    gold_context_free(ctx);
    assert_true(only_images_left(&one_raw));
}

static void
pending_and_in_use(void **state)
{
    (void)state;
    leave_pending(&one_raw);
    must_sh("(qemu-io -f raw -c 'sleep 60000' work/disk0 & echo $! > io.pid); sleep 0.5");
    recover_fails("work/disk0", GOLD_ERROR_BUSY, "work/disk0");
    must_sh("kill $(cat io.pid); sleep 0.3");
    assert_int_equal(judge(&one_raw), 'n');
}

static void
not_the_same_image(void **state)
{
    (void)state;
    leave_pending(&one_raw);
    must_sh("mv work/disk0 aside && cp aside work/disk0 && sha256sum work/disk0 > sum");
    recover_fails("work/disk0", GOLD_ERROR_CHANGED, "not the same file");
    must_sh("sha256sum -c sum && mv aside work/disk0 && truncate -s +512 work/disk0");
    recover_fails("work/disk0", GOLD_ERROR_CHANGED, "size");
    must_sh("truncate -s -512 work/disk0 && mkdir keep && mv work/.disk0.gold-* keep/");
    recover_fails("work/disk0", GOLD_ERROR_CHANGED, "overlay is gone");
    must_sh("mv keep/.disk0* work/");
    assert_int_equal(judge(&one_raw), 'n');
}

static void
damaged_journals(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"goldsmith-journal\": 2, \"id\": \"a\", \"images\": []}",
        "{\"goldsmith-journal\": 1}",
        "{\"goldsmith-journal\": 1, \"id\": \"a\"}",
        "{\"goldsmith-journal\": 1, \"id\": \"a\", \"images\": []}",
        "{\"goldsmith-journal\": 1, \"id\": \"a\", \"images\": [7]}",
        "{\"goldsmith-journal\": 1, \"id\": \"a\", \"images\": [{\"image\": \"../x\", "
        "\"overlay\": \"y\", "
        "\"format\": \"raw\", \"inode\": 1, \"new-inode\": 0, \"virtual-size\": 1}]}",
        "{\"goldsmith-journal\": 1, \"id\": \"a\", \"images\": [{\"image\": \"other\", "
        "\"overlay\": \"y\", "
        "\"format\": \"raw\", \"inode\": 1, \"new-inode\": 0, \"virtual-size\": 1}]}",
        "{\"goldsmith-journal\": 1, \"id\": \"a\", \"images\": [{\"image\": \"disk0\", "
        "\"overlay\": \"y\", "
        "\"format\": \"iso\", \"inode\": 1, \"new-inode\": 0, \"virtual-size\": 1}]}",
    };
    must_sh("mkdir work && truncate -s 1M work/disk0 && sha256sum work/disk0 > sum");
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_bytes("work/.disk0.journal", texts[i], strlen(texts[i]));
        recover_fails("work/disk0", GOLD_ERROR_FORMAT, ".disk0.journal");
        must_sh("sha256sum -c sum && test -e work/.disk0.journal");
    }
    must_sh("rm work/.disk0.journal && mkfifo work/.disk0.journal");
    recover_fails("work/disk0", GOLD_ERROR_FORMAT, "not a regular file");
    must_sh("rm work/.disk0.journal && ln -s ../sum work/.disk0.journal");
    recover_fails("work/disk0", GOLD_ERROR_IO, ".disk0.journal");
}

/* A pointer whose record is not there any more, or is a later one, means nothing and goes. */
static void
stale_pointer(void **state)
{
    (void)state;
    static const char pointer[] =
        "{\"goldsmith-journal\": 1, \"id\": \"abc\", \"record\": \".disk1.journal\"}";
    static const char record[] = "{\"goldsmith-journal\": 1, \"id\": \"xyz\", \"images\": []}";
    struct gold_error *err = NULL;
    bool done = false;
    must_sh("mkdir work && truncate -s 1M work/disk0 work/disk1");
    struct gold_context *ctx = new_context();
    write_bytes("work/.disk0.journal", pointer, strlen(pointer));
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), 0);
    assert_true(done);
    must_sh("test ! -e work/.disk0.journal");
    write_bytes("work/.disk0.journal", pointer, strlen(pointer));
    write_bytes("work/.disk1.journal", record, strlen(record));
    assert_int_equal(gold_workset_recover(ctx, at("work/disk0"), &done, &err), 0);
    must_sh("test ! -e work/.disk0.journal && test -e work/.disk1.journal");
    gold_context_free(ctx);
}

/* Root must not be led by another user's journal to write a file that is not his. */
static void
planted_journal(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("needs root\n");
        skip();
    }
    leave_pending(&one_raw);
    must_sh("chown 65534 work/.disk0.journal && sha256sum work/disk0 > sum");
    recover_fails("work/disk0", GOLD_ERROR_CHANGED, "another user");
    must_sh("sha256sum -c sum && chown 65534 work/disk0 work/.disk0.gold-*");
    assert_int_equal(judge(&one_raw), 'n'); /* all his own: completed */
}

/* Nobody else's work files are swept: one in use, and those of another image. */
static void
stale_files(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    bool done = false;
    must_sh("mkdir work && truncate -s 1M work/a work/ab && touch work/.a.gold-1.qcow2 "
            "work/.ab.gold-1.qcow2 work/.a.txt && "
            "qemu-img create -f qcow2 work/.a.gold-2.qcow2 1M && "
            "(qemu-io -f qcow2 -c 'sleep 60000' work/.a.gold-2.qcow2 & echo $! > io.pid); "
            "sleep 0.5");
    struct gold_context *ctx = new_context();
    assert_int_equal(gold_workset_recover(ctx, at("work/a"), &done, &err), 0);
    assert_true(done);
    must_sh("test ! -e work/.a.gold-1.qcow2 && test -e work/.ab.gold-1.qcow2 && test -e "
            "work/.a.txt && "
            "test -e work/.a.gold-2.qcow2");
    must_sh("kill $(cat io.pid); sleep 0.3");
    assert_int_equal(gold_workset_recover(ctx, at("work/a"), &done, &err), 0);
    must_sh("test ! -e work/.a.gold-2.qcow2");
    gold_context_free(ctx);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(odd_raw_size, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(stop_points, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(kills_raw, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(kills_two, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(other_formats, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(moved_directory, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(opened_by_another_command, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(pending_and_in_use, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(not_the_same_image, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(damaged_journals, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(stale_pointer, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(planted_journal, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(stale_files, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
