/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session starts, is under the guard, reports errors in our words, is interrupted, and leaves
 * nothing. */
#include "unit.h"

#include <stdio.h>
#include <time.h>
#include <pthread.h>
#include <unistd.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "core/io.h"
#include "guest/phony.h"
#include "guest/watch.h"

static char *image;

static int
setup(void **state)
{
    (void)state;
    image =
        phony_create("disk.raw", NULL, (const struct phony_file *const[]){phony_debian, NULL});
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    free(image);
    phony_cleanup();
    return 0;
}

static void
opens_and_leaves_nothing(void **state)
{
    (void)state;
    struct gold_context *ctx = phony_context();
    struct gold_error *err = NULL;
    struct gold_session *s = phony_session(ctx, false, (const char *const[]){image}, 1);
    assert_ptr_equal(gold_session_context(s), ctx);
    guestfs_h *g = gold_session_handle(s);
    assert_int_equal(guestfs_mount(g, "/dev/sda", "/"), 0);

    /* It is a child in a process group of its own, and its command line names our run
     * directory. */
    char *cmdline = NULL;
    size_t len = 0;
    pid_t pid = gold_watch_find_qemu(ctx->run_dir, &cmdline, &len);
    assert_int_equal(pid, guestfs_get_pid(g));
    assert_int_not_equal(getpgid(pid), getpgid(0));
    char *socket = memmem(cmdline, len, "/guestfsd.sock", 14);
    assert_non_null(socket);
    *socket = '\0';
    char *start = socket;
    while (start[-1] != '=')
        start--;
    char *socket_dir = strdup(start);
    assert_int_equal(access(socket_dir, F_OK), 0);

    /* Errors carry libguestfs' words behind ours. */
    assert_int_equal(guestfs_rm(g, "/no/such/file"), -1);
    gold_error_set_guestfs(&err, s, "removing '%s'", "x");
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    assert_non_null(strstr(gold_error_message(err), "removing 'x': "));
    assert_non_null(strstr(gold_error_message(err), "No such file"));
    gold_error_clear(&err);

    assert_int_equal(guestfs_write(g, "/mark", "written", 7), 0);
    assert_int_equal(gold_session_close(s, &err), 0);
    assert_null(err);
    assert_int_equal(access(socket_dir, F_OK), -1);
    assert_int_equal(gold_watch_find_qemu(ctx->run_dir, NULL, NULL), 0);
    phony_run("ls '%s' | grep -q guestfs && exit 1 || exit 0", ctx->run_dir);
    phony_run("debugfs -R 'cat /mark' '%s' 2>/dev/null | grep -q written", image);
    free(socket_dir);
    free(cmdline);
    gold_context_free(ctx);
}

static void
refuses_what_cannot_be_opened(void **state)
{
    (void)state;
    struct gold_context *ctx = phony_context();
    struct gold_error *err = NULL;
    assert_null(gold_session_open(ctx, NULL, 0, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    gold_error_clear(&err);
    struct gold_session_disk disk = {.path = "/no/such/disk.qcow2", .format = "qcow2"};
    assert_null(gold_session_open(ctx, &disk, 1, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    assert_non_null(strstr(gold_error_message(err), "'/no/such/disk.qcow2'"));
    gold_error_clear(&err);
    disk.readonly = true;
    assert_null(gold_session_open(ctx, &disk, 1, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    gold_error_clear(&err);
    disk = (struct gold_session_disk){.path = image, .format = "no-format", .readonly = true};
    assert_null(gold_session_open(ctx, &disk, 1, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    gold_error_clear(&err);
    gold_cancel_request(ctx);
    disk = (struct gold_session_disk){.path = image, .format = "raw", .readonly = true};
    assert_null(gold_session_open(ctx, &disk, 1, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CANCELLED);
    gold_error_clear(&err);
    gold_context_free(ctx);
}

/* A raw disk in which the guest has written the header of a qcow2 image that stands on a file
 * of the host. */
static void
does_not_believe_what_a_guest_wrote(void **state)
{
    (void)state;
    const char *d = phony_dir();
    phony_run("printf 'a secret of the host' >'%s/secret' && truncate -s 4M '%s/secret'", d, d);
    phony_run("qemu-img create -q -f qcow2 -F raw -b '%s/secret' '%s/hostile' && truncate -s "
              "8M '%s/hostile'",
              d, d, d);
    char *hostile = gold_path_join(d, "hostile", NULL),
         *overlay = phony_overlay("hostile.qcow2", hostile);
    struct gold_session_disk disks[] = {
        {.path = hostile, .format = "raw", .readonly = true},
        {.path = overlay, .format = "qcow2", .readonly = true},
        {.path = overlay, .format = "qcow2"},
    };
    struct gold_context *ctx = phony_context();
    struct gold_error *err = NULL;
    for (size_t first = 0; first < 3; first += 2) {
        size_t n = first ? 1 : 2;
        struct gold_session *s = gold_session_open(ctx, disks + first, n, &err);
        if (!s)
            fail_msg("%s", gold_error_message(err));
        guestfs_h *g = gold_session_handle(s);
        for (size_t i = 0; i < n; i++) {
            const char *device = i ? "/dev/sdb" : "/dev/sda";
            size_t len = 0;
            char *head = guestfs_pread_device(g, device, 4, 0, &len);
            assert_non_null(head);
            assert_memory_equal(head, "QFI\xFB", 4);
            free(head);
            assert_int_equal(guestfs_blockdev_getsize64(g, device), 8 << 20);
        }
        gold_session_free(s);
    }
    gold_context_free(ctx);
    free(overlay);
    free(hostile);
}

static void *
cancel_soon(void *opaque)
{
    (void)sleep(2);
    gold_cancel_request(opaque);
    return NULL;
}

static void
is_interrupted_while_it_starts(void **state)
{
    (void)state;
    struct gold_context *ctx = phony_context();
    struct gold_error *err = NULL;
    struct gold_session_disk disk = {.path = image, .format = "raw", .readonly = true};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, ctx), 0);
    time_t start = time(NULL);
    assert_null(gold_session_open(ctx, &disk, 1, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CANCELLED);
    assert_true(time(NULL) - start < 8);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(gold_watch_find_qemu(ctx->run_dir, NULL, NULL), 0);
    gold_error_clear(&err);
    gold_context_free(ctx);
}

static void
is_interrupted_in_a_call(void **state)
{
    (void)state;
    struct gold_context *ctx = phony_context();
    struct gold_error *err = NULL;
    struct gold_session *s = phony_session(ctx, true, (const char *const[]){image}, 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, ctx), 0);
    time_t start = time(NULL);
    assert_null(
        guestfs_debug(gold_session_handle(s), "sh", (char *[]){(char[]){"sleep 100"}, NULL}));
    gold_error_set_guestfs(&err, s, "sleeping");
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CANCELLED);
    assert_true(time(NULL) - start < 20);
    assert_int_equal(pthread_join(thread, NULL), 0);
    gold_error_clear(&err);
    gold_session_free(s);
    gold_context_free(ctx);
}

/* QEMU would stop the guest for ever, and us with it. */
static void
a_full_host_is_an_error(void **state)
{
    (void)state;
    char small[256];
    (void)snprintf(small, sizeof small, "%s/small", phony_dir());
    assert_int_equal(mkdir(small, 0755), 0);
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("none", small, "tmpfs", 0, "size=6m") < 0) {
        print_message("a full host is not tried: no file system can be mounted here\n");
        skip();
    }
    struct gold_context *ctx = phony_context();
    struct gold_error *err = NULL;
    char *overlay = phony_overlay("small/overlay.qcow2", image);
    struct gold_session *s = phony_session(ctx, false, (const char *const[]){overlay}, 1);
    guestfs_h *g = gold_session_handle(s);
    assert_int_equal(guestfs_mount(g, "/dev/sda", "/"), 0);
    int r = guestfs_fill(g, 'x', 20 << 20, "/big");
    if (r == 0)
        r = guestfs_sync(g);
    assert_int_equal(r, -1);
    gold_error_set_guestfs(&err, s, "writing");
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_non_null(strstr(gold_error_message(err), overlay));
    gold_error_clear(&err);
    gold_session_free(s);
    gold_context_free(ctx);
    assert_int_equal(umount2(small, MNT_DETACH), 0);
    free(overlay);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_and_leaves_nothing),
        cmocka_unit_test(refuses_what_cannot_be_opened),
        cmocka_unit_test(does_not_believe_what_a_guest_wrote),
        cmocka_unit_test(is_interrupted_while_it_starts),
        cmocka_unit_test(is_interrupted_in_a_call),
        cmocka_unit_test(
            a_full_host_is_an_error), /* last: it leaves us in a mount namespace of our own */
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
