/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections and throw-away machines on the real embedded driver. No guest is needed: the
 * firmware speaks on the console, and an empty disk is enough to have counters.
 */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/io.h"
#include "core/str.h"
#include "hypervisor/machine.h"
#include "hypervisor/monitor.h"

struct place {
    struct gold_context *ctx;
    struct gold_hypervisor *h;
    char dir[32];
};

static struct gold_context *
make_context(void)
{
    struct gold_context *ctx = gold_context_new();

    assert_non_null(ctx);
    assert_int_equal(gold_context_set_libexec_dir(ctx, GOLD_TEST_LIBEXEC), 0);
    return ctx;
}

static int
setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    assert_non_null(p);
    p->ctx = make_context();
    (void)snprintf(p->dir, sizeof(p->dir), "/tmp/gold-test-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    assert_int_equal(chmod(p->dir, 0755), 0);
    p->h = gold_hypervisor_open(p->ctx, NULL, &err);
    if (!p->h)
        fail_msg("%s", gold_error_message(err));
    *state = p;
    return 0;
}

static int
teardown(void **state)
{
    struct place *p = *state;

    gold_hypervisor_free(p->h);
    gold_context_free(p->ctx);
    assert_int_equal(gold_remove_tree(p->dir, NULL), 0);
    free(p);
    return 0;
}

/* A machine with one empty disk, whose firmware speaks on the serial console. */
static char *
machine_xml(const char *dir, const char *name)
{
    GOLD_CLEANUP_FREE char *disk = gold_format(NULL, "%s/disk", dir);
    int fd = open(disk, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 1024 * 1024), 0);
    assert_int_equal(fchmod(fd, 0666), 0);
    close(fd);
    return gold_format(
        NULL,
        "<domain type='qemu'><name>%s</name><memory unit='MiB'>64</memory>"
        "<os><type arch='x86_64' machine='pc'>hvm</type><bios "
        "useserial='yes'/></os><features><acpi/></features>"
        "<devices><disk type='file' device='disk'><driver name='qemu' type='raw'/><source "
        "file='%s/disk'/>"
        "<target dev='vda' bus='virtio'/><serial>TESTDISK</serial></disk>"
        "<serial type='unix'><source mode='bind' path='%s/console'/><target port='0'/></serial>"
        "<channel type='unix'><source mode='bind' path='%s/channel'/>"
        "<target type='virtio' name='org.goldsmith.0'/></channel>"
        "</devices></domain>",
        name, dir, dir, dir);
}

static struct gold_machine *
start(struct place *p, const char *name, bool as_root, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *xml = machine_xml(p->dir, name);
    GOLD_CLEANUP_FREE char *console = gold_format(NULL, "%s/console", p->dir);
    GOLD_CLEANUP_FREE char *channel = gold_format(NULL, "%s/channel", p->dir);
    const struct gold_machine_spec spec = {.name = name,
                                           .xml = xml,
                                           .console_path = console,
                                           .channel_path = channel,
                                           .as_root = as_root};

    return gold_machine_start(p->ctx, p->h, &spec, err);
}

static struct gold_machine *
must_start(struct place *p, const char *name, bool as_root)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_machine *m = start(p, name, as_root, &err);

    if (!m)
        fail_msg("%s", gold_error_message(err));
    return m;
}

/* Reads the console until the text shows up. */
static bool
console_says(struct gold_machine *m, const char *text, int seconds)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    time_t end = time(NULL) + seconds;

    while (time(NULL) < end) {
        struct pollfd fd = {.fd = gold_machine_console(m), .events = POLLIN};
        char buf[4096];
        ssize_t n;

        if (poll(&fd, 1, 500) <= 0)
            continue;
        n = read(fd.fd, buf, sizeof(buf));
        if (n <= 0)
            return false;
        gold_str_append_len(&s, buf, (size_t)n);
        if (strstr(gold_str_text(&s), text))
            return true;
    }
    return false;
}

static bool
process_gone(pid_t pid, int seconds)
{
    for (int i = 0; i < seconds * 10; i++) {
        if (kill(pid, 0) < 0 && errno == ESRCH)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    }
    return false;
}

static void
test_life(void **state)
{
    struct place *p = *state;
    struct gold_machine *m = must_start(p, "life", false);
    GOLD_CLEANUP_FREE char *device = NULL;
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_block_counters counters;
    char buf[64];
    pid_t pid = gold_machine_pid(m);

    assert_true(pid > 1);
    /* Paused: not a byte before it is resumed. */
    assert_int_equal(read(gold_machine_console(m), buf, sizeof(buf)), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(gold_machine_resume(m, NULL), 0);
    assert_true(console_says(m, "No bootable device", 60));
    assert_true(gold_machine_cpu_seconds(m) > 0);

    assert_int_equal(gold_monitor_find_disk(m, "TESTDISK", &device, NULL), 0);
    assert_int_equal(gold_monitor_block_counters(m, device, &counters, NULL), 0);
    assert_true(counters.read_operations > 0);
    assert_int_equal(gold_monitor_find_disk(m, "NOSUCH", &device, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    gold_error_clear(&err);
    assert_int_equal(gold_monitor_block_counters(m, "/machine/none", &counters, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_HYPERVISOR);

    assert_int_equal(gold_machine_stop(m, NULL), 0);
    assert_true(process_gone(pid, 5));
    assert_int_equal(gold_machine_stop(m, NULL), 0);
    gold_machine_free(m);
}

static uid_t
owner_of(pid_t pid)
{
    GOLD_CLEANUP_FREE char *path = gold_format(NULL, "/proc/%ld", (long)pid);
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return st.st_uid;
}

/* As QEMU's own user when there is one, as root on request; freeing ends it. */
static void
test_user(void **state)
{
    struct place *p = *state;
    uid_t uid;
    gid_t gid;
    bool other = gold_hypervisor_user(p->h, &uid, &gid);
    struct gold_machine *m = must_start(p, "user", false);
    pid_t pid = gold_machine_pid(m);

    assert_int_equal(owner_of(pid), other ? uid : geteuid());
    gold_machine_free(m);
    assert_true(process_gone(pid, 5));
    m = must_start(p, "user", true);
    assert_int_equal(owner_of(gold_machine_pid(m)), geteuid());
    gold_machine_free(m);
}

static void
test_errors(void **state)
{
    struct place *p = *state;
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    const struct gold_machine_spec bad = {.name = "bad",
                                          .xml = "<domain type='qemu'/>",
                                          .console_path = "/x",
                                          .channel_path = "/y"};
    GOLD_CLEANUP_FREE char *xml = machine_xml(p->dir, "nosocket");
    const struct gold_machine_spec socket = {.name = "nosocket",
                                             .xml = xml,
                                             .console_path = "/nonexistent/console",
                                             .channel_path = "/nonexistent/channel"};

    assert_null(gold_machine_start(p->ctx, p->h, &bad, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_HYPERVISOR);
    assert_non_null(strstr(gold_error_message(err), "'bad'"));
    assert_null(strchr(gold_error_message(err), '\n'));
    gold_error_clear(&err);

    /* A machine that cannot be listened to does not stay. */
    assert_null(gold_machine_start(p->ctx, p->h, &socket, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_null(virDomainLookupByName(gold_hypervisor_connect_ptr(p->h), "nosocket"));

    gold_error_clear(&err);
    assert_null(gold_hypervisor_open(p->ctx, "nosuchdriver:///", &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_HYPERVISOR);
    assert_non_null(strstr(gold_error_message(err), "'nosuchdriver:///'"));
}

static void
test_label(void **state)
{
    GOLD_CLEANUP_FREE char *xml = NULL;
    char *none = NULL;
    (void)state;

    assert_int_equal(
        gold_machine_label_root("<domain><title>&lt;/domain></title></domain>\n", &xml, NULL),
        0);
    assert_string_equal(
        xml,
        "<domain><title>&lt;/domain></title><seclabel type='static' model='dac' relabel='no'>"
        "<label>+0:+0</label></seclabel></domain>\n");
    assert_int_equal(gold_machine_label_root("<domain/>", &none, NULL), -1);
    assert_null(none);
}

/* A second context of the same process, after the first and its directories are gone; and a
 * second connection. */
static void
test_again(void **state)
{
    struct place *p = *state;
    struct gold_hypervisor *second = gold_hypervisor_open(p->ctx, NULL, NULL);
    struct gold_machine *m;

    assert_non_null(second);
    gold_hypervisor_free(second);
    gold_hypervisor_free(p->h);
    gold_context_free(p->ctx);
    p->ctx = make_context();
    p->h = gold_hypervisor_open(p->ctx, NULL, NULL);
    assert_non_null(p->h);
    m = must_start(p, "again", false);
    gold_machine_free(m);
}

/* The command dies without a word: its machine and its directories are gone within five
 * seconds. */
static void
test_killed(void **state)
{
    int fds[2];
    pid_t child, qemu = 0;
    char root[256] = "";
    ssize_t n;
    (void)state;

    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        void *p = NULL;
        struct gold_machine *m;
        const char *r;

        if (setup(&p) != 0)
            _exit(1);
        m = must_start(p, "killed", false);
        if (gold_machine_resume(m, NULL) < 0)
            _exit(2);
        r = gold_hypervisor_root(((struct place *)p)->h);
        qemu = gold_machine_pid(m);
        if (gold_remove_tree(((struct place *)p)->dir, NULL) < 0 ||
            write(fds[1], &qemu, sizeof(qemu)) < 0 || write(fds[1], r, strlen(r)) < 0)
            _exit(3);
        for (;;)
            pause();
    }
    close(fds[1]);
    assert_int_equal(gold_read_full(fds[0], &qemu, sizeof(qemu)), (ssize_t)sizeof(qemu));
    n = read(fds[0], root, sizeof(root) - 1);
    assert_true(n > 0);
    close(fds[0]);
    assert_int_equal(kill(qemu, 0), 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(process_gone(qemu, 5));
    for (int i = 0; i < 20 && access(root, F_OK) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    assert_int_equal(access(root, F_OK), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: the child must fork before libvirt has threads and a root here. */
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_label),
        cmocka_unit_test_setup_teardown(test_life, setup, teardown),
        cmocka_unit_test_setup_teardown(test_user, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_again, setup, teardown),
    };

    if (access("/usr/bin/qemu-system-x86_64", X_OK) < 0) {
        puts("skipped: qemu-system-x86_64 is not installed");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
