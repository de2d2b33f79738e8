/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening, refusing, exporting and giving up a workset; and a full disk in the middle of it. */
#include "unit.h"

#include <sys/statvfs.h>

#include "kills.h"

static bool lie_about_space; /* statvfs says that there is plenty */

int __real_statvfs64(const char *path, struct statvfs *vfs);
int __wrap_statvfs64(const char *path, struct statvfs *vfs);

int
__wrap_statvfs64(const char *path, struct statvfs *vfs)
{
    int r = __real_statvfs64(path, vfs);
    if (r == 0 && lie_about_space)
        vfs->f_bavail = (fsblkcnt_t)1 << 40;
    return r;
}

static void
refused(const char *name, const char *format, unsigned flags, enum gold_code code,
        const char *text)
{
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    struct gold_workset_image image = {at(name), {format, false}};
    assert_null(gold_workset_open(ctx, &image, 1, flags, &err));
    assert_non_null(strstr(gold_error_message(err), name));
    expect_error(&err, code, text);
    gold_context_free(ctx);
    const char *slash = strrchr(name, '/');
    assert_int_equal(count_beside("", slash ? slash + 1 : name), 0);
}

static void
open_in_place(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 a.qcow2 9M && truncate -s 5M b && ln -s a.qcow2 link");
    struct gold_workset_image images[] = {{at("link"), {NULL, false}},
                                          {at("b"), {"raw", false}}};
    struct gold_workset *ws = gold_workset_open(ctx, images, 2, 0, &err);
    no_error(err);
    assert_int_equal(gold_workset_count(ws), 2);
    assert_string_equal(gold_workset_image(ws, 0), at("a.qcow2")); /* the real file */
    assert_string_equal(gold_workset_image(ws, 1), at("b"));
    assert_int_equal(gold_workset_facts(ws, 0)->virtual_size, 9 << 20);
    assert_int_equal(gold_workset_facts(ws, 1)->format, GOLD_IMAGE_RAW);
    /* The overlays are beside the images, for the commit. */
    assert_int_equal(
        strncmp(gold_workset_overlay(ws, 0), at(".a.qcow2.gold-"), strlen(scratch) + 15), 0);
    must_sh("qemu-io -f qcow2 -c 'write 0 1k' '%s'", gold_workset_overlay(ws, 1));
    /* Nobody else may write meanwhile. */
    assert_false(sh("qemu-io -f qcow2 -c 'write 0 1k' a.qcow2"));
    gold_workset_free(ws);
    gold_workset_free(NULL);
    assert_int_equal(count_beside("", "a.qcow2"), 0);
    assert_int_equal(count_beside("", "b"), 0);
    must_sh("qemu-io -f qcow2 -c 'write 0 1k' a.qcow2");
    gold_context_free(ctx);
}

static void
open_to_read(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 a.qcow2 9M && qemu-img snapshot -c x a.qcow2 && ln "
            "a.qcow2 b.qcow2 && "
            "qemu-img create -f qcow2 -F qcow2 -b a.qcow2 c.qcow2 && chmod 0444 a.qcow2 && "
            "sha256sum a.qcow2 > sum");
    struct gold_workset_image image = {at("a.qcow2"), {"qcow2", false}};
    /* What forbids writing does not forbid reading; a clone that is running does not either. */
    must_sh("(qemu-io -f qcow2 -c 'sleep 60000' c.qcow2 & echo $! > pid); sleep 0.5");
    struct gold_workset *ws = gold_workset_open(ctx, &image, 1, GOLD_WORKSET_READ_ONLY, &err);
    no_error(err);
    assert_int_not_equal(strncmp(gold_workset_overlay(ws, 0), scratch, strlen(scratch)), 0);
    must_sh("qemu-io -f qcow2 -c 'write 0 1k' '%s'", gold_workset_overlay(ws, 0));
    assert_int_equal(gold_workset_commit(ws, &err), -1);
    expect_error(&err, GOLD_ERROR_USAGE, "a.qcow2");
    gold_workset_free(ws);
    must_sh("kill $(cat pid); sha256sum -c sum");
    /* But a VM that writes it does. */
    must_sh("chmod 0644 a.qcow2; (qemu-io -f qcow2 -c 'sleep 60000' a.qcow2 & echo $! > pid); "
            "sleep 0.5");
    assert_null(gold_workset_open(ctx, &image, 1, GOLD_WORKSET_READ_ONLY, &err));
    expect_error(&err, GOLD_ERROR_BUSY, "a.qcow2");
    must_sh("kill $(cat pid)");
    gold_context_free(ctx);
}

static void
open_refuses(void **state)
{
    (void)state;
    must_sh("mkdir dir && : > empty && head -c 9000 /dev/urandom > noise && qemu-img create -f "
            "qcow2 q.qcow2 1M && "
            "cp q.qcow2 hard.qcow2 && ln hard.qcow2 other && cp q.qcow2 snap.qcow2 && qemu-img "
            "snapshot -c x snap.qcow2 && "
            "cp q.qcow2 used.qcow2 && cp q.qcow2 back.qcow2 && qemu-img create -f qcow2 -F "
            "qcow2 -b back.qcow2 clone.qcow2 && "
            "qemu-img create -f vmdk s.vmdk 1M && qemu-img convert -O vmdk -o "
            "subformat=streamOptimized s.vmdk o.vmdk && "
            "cp q.qcow2 ro.qcow2 && chmod 0444 ro.qcow2 && qemu-img create -f qcow2 -F qcow2 "
            "-b absent lost.qcow2 1M -u && "
            "(qemu-io -f qcow2 -c 'sleep 60000' used.qcow2 & echo $! > pid); sleep 0.5");
    refused("dir", NULL, 0, GOLD_ERROR_FORMAT, "dir");
    refused("absent", NULL, 0, GOLD_ERROR_IO, "No such file");
    refused("empty", NULL, 0, GOLD_ERROR_FORMAT, "is empty");
    refused("noise", "qcow2", 0, GOLD_ERROR_FORMAT, "not a qcow2");
    refused("hard.qcow2", NULL, 0, GOLD_ERROR_UNSUPPORTED, "2 names");
    refused("snap.qcow2", NULL, 0, GOLD_ERROR_UNSUPPORTED, "snapshot");
    refused("used.qcow2", NULL, 0, GOLD_ERROR_BUSY, "running VM");
    refused("back.qcow2", NULL, 0, GOLD_ERROR_UNSUPPORTED, "clone.qcow2");
    refused("clone.qcow2", NULL, 0, GOLD_ERROR_UNSUPPORTED, "back.qcow2");
    refused("lost.qcow2", NULL, 0, GOLD_ERROR_UNSUPPORTED, "absent");
    refused("o.vmdk", NULL, 0, GOLD_ERROR_UNSUPPORTED, "streamOptimized");
    refused("ro.qcow2", NULL, 0, geteuid() == 0 ? GOLD_ERROR_UNSUPPORTED : GOLD_ERROR_IO,
            "ro.qcow2");
    must_sh("kill $(cat pid)");
    char name[230];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    must_sh("truncate -s 1M %s && truncate -s 1M \"$(printf 'bad\\377')\"", name);
    refused(name, NULL, 0, GOLD_ERROR_UNSUPPORTED, "too long");
    refused("bad\377", NULL, 0, GOLD_ERROR_UNSUPPORTED, "UTF-8");
}

static void
open_refuses_sets(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("truncate -s 1M a && ln -s a l");
    struct gold_workset_image images[2] = {{at("a"), {NULL, false}}, {at("l"), {NULL, false}}};
    assert_null(gold_workset_open(ctx, images, 0, 0, &err));
    expect_error(&err, GOLD_ERROR_USAGE, "0 images");
    assert_null(gold_workset_open(ctx, images, 2, 0, &err));
    gold_error_clear(&err); /* in use by ourselves, or given twice: both are true */
    assert_null(gold_workset_open(ctx, images, 2, GOLD_WORKSET_READ_ONLY, &err));
    expect_error(&err, GOLD_ERROR_USAGE, "given twice");
    images[1].path = at("absent");
    assert_null(gold_workset_open(ctx, images, 2, 0, &err));
    expect_error(&err, GOLD_ERROR_IO, "absent");
    assert_int_equal(count_beside("", "a"), 0); /* the first overlay is gone again */
    gold_cancel_request(ctx);
    assert_null(gold_workset_open(ctx, images, 1, 0, &err));
    expect_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    gold_context_free(ctx);
}

static void export(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("truncate -s 8M a && qemu-io -f raw -c 'write -P 1 0 2M' a && cp a ref && chmod "
            "0600 a && sha256sum a > sum && "
            "qemu-io -f raw -c 'write -P 2 1M 2M' ref && echo x > there && mkdir out");
    struct gold_workset_image image = {at("a"), {"raw", false}};
    struct gold_workset *ws = gold_workset_open(ctx, &image, 1, GOLD_WORKSET_KEEP_SOURCE, &err);
    no_error(err);
    must_sh("qemu-io -f qcow2 -c 'write -P 2 1M 2M' '%s'", gold_workset_overlay(ws, 0));
    assert_int_equal(gold_workset_export(ws, 0, at("out/new.qcow2"), GOLD_IMAGE_QCOW2, &err),
                     0);
    no_error(err);
    must_sh("qemu-img compare -f qcow2 -F raw out/new.qcow2 ref && sha256sum -c sum && "
            "test $(stat -c %%a out/new.qcow2) = 600 && ! qemu-img info out/new.qcow2 | grep "
            "backing");
    assert_int_equal(gold_workset_export(ws, 0, at("there"), GOLD_IMAGE_RAW, &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "there");
    must_sh("grep -q x there");
    assert_int_equal(gold_workset_export(ws, 0, at("no/dir"), GOLD_IMAGE_RAW, &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "no/dir");
    gold_cancel_request(ctx);
    assert_int_equal(gold_workset_export(ws, 0, at("out/late"), GOLD_IMAGE_RAW, &err), -1);
    expect_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    must_sh("test \"$(ls -A out)\" = new.qcow2");
    gold_workset_free(ws);
    gold_context_free(ctx);
}

/* Runs the whole program again in a mount namespace of its own, where `full` is a small tmpfs.
 */
static const char *full_dir;

static int
full_setup(void **state)
{
    (void)state;
    snprintf(scratch, sizeof(scratch), "%s", full_dir);
    return sh("rm -rf ./* ./.??*") ? 0 : -1;
}

static void
full_before_work(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 a.qcow2 64M && head -c 150M /dev/zero > filler");
    struct gold_workset_image image = {at("a.qcow2"), {"qcow2", false}};
    assert_null(gold_workset_open(ctx, &image, 1, 0, &err));
    assert_int_equal(gold_error_errno(err), ENOSPC);
    expect_error(&err, GOLD_ERROR_IO, "a.qcow2");
    assert_int_equal(count_beside("", "a.qcow2"), 0);
    gold_context_free(ctx);
}

/* 40 MiB of changes, room for less: refused with the old bytes when it is known, recoverable
 * when it is not. */
static void
full_in_commit(const char *format, bool known)
{
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    bool done = false;
    lie_about_space = false;
    must_sh("rm -rf ./* && qemu-img create -f %s a 64M && qemu-img convert -f %s -O raw a old "
            "&& cp --sparse=always old new",
            format, format);
    struct gold_workset_image image = {at("a"), {format, false}};
    struct gold_workset *ws = gold_workset_open(ctx, &image, 1, 0, &err);
    no_error(err);
    must_sh("qemu-io -f qcow2 -c 'write -P 5 0 40M' '%s' && head -c 130M /dev/zero > filler",
            gold_workset_overlay(ws, 0));
    lie_about_space = !known;
    assert_int_equal(gold_workset_commit(ws, &err), -1);
    assert_int_equal(gold_error_errno(err), ENOSPC);
    if (!known)
        expect_hint(err, "next goldsmith command");
    expect_error(&err, GOLD_ERROR_IO, "/a'");
    gold_workset_free(ws);
    if (known) {
        must_sh("qemu-img compare -f %s -F raw a old", format);
        assert_int_equal(count_beside("", "a"), 0);
    } else {
        /* Still no room: it says so again, and loses nothing. */
        assert_int_equal(gold_workset_recover(ctx, at("a"), &done, &err), -1);
        expect_error(&err, GOLD_ERROR_IO, "/a'");
        must_sh("rm filler");
        assert_int_equal(gold_workset_recover(ctx, at("a"), &done, &err), 0);
        no_error(err);
        assert_true(done);
        must_sh(
            "qemu-io -f raw -c 'write -P 5 0 40M' new && qemu-img compare -f %s -F raw a new",
            format);
        assert_int_equal(count_beside("", "a"), 0);
    }
    gold_context_free(ctx);
}

static void
full_known(void **state)
{
    (void)state;
    full_in_commit("qcow2", true);
    full_in_commit("raw", true);
}

static void
full_by_surprise(void **state)
{
    (void)state;
    full_in_commit("qcow2", false);
    full_in_commit("raw", false);
    lie_about_space = false;
}

static void
full_disk(void **state)
{
    (void)state;
    char self[512] = {0};
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    if (!sh("unshare -m true")) {
        print_message("unshare -m is not possible here\n");
        skip();
    }
    must_sh("mkdir full");
    /* Its own messages go to a file that the scratch directory keeps until they are shown. */
    bool ok = sh("unshare -m sh -c 'mount -t tmpfs -o size=200m none full && \"%s\" full "
                 "\"$PWD/full\"' > log 2>&1",
                 self);
    if (!ok) {
        char cmd[128];
        snprintf(cmd, sizeof(cmd), "cat '%s/log' >&2", scratch);
        (void)!system(cmd);
    }
    assert_true(ok);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(open_in_place, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(open_to_read, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(open_refuses, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(open_refuses_sets, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(export, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(full_disk, scratch_setup, scratch_teardown),
    };
    const struct CMUnitTest full[] = {
        cmocka_unit_test_setup(full_before_work, full_setup),
        cmocka_unit_test_setup(full_known, full_setup),
        cmocka_unit_test_setup(full_by_surprise, full_setup),
    };
    if (argc == 3 && strcmp(argv[1], "full") == 0) {
        full_dir = argv[2];
        return cmocka_run_group_tests(full, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
