/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole of sealing on overlays of phony guests: what is found, changed, proved, refused,
 * and what is left behind. */
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/io.h"
#include "guest/phony.h"
#include "guest/work.h"

#define MACHINE_ID "0123456789abcdef0123456789abcdef"
#define SECRET     "a-private-key-that-nobody-may-read-back"
#define PUBLIC_KEY                                                                      \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICtv5fFEQfpw5sUwjtjSDXoT7F9Rr8/M7HpWc5mA2835 " \
    "root@template\n"
#define FINGERPRINT "SHA256:KONZSOGUzTbkVSrWIHKrnIcCcIf4cjB9HSFPXVrydW0"

static const struct phony_file identity[] = {
    {.path = "/etc/machine-id", .bytes = MACHINE_ID "\n", .mode = 0444},
    {.path = "/var/lib/dbus/machine-id", .bytes = MACHINE_ID "\n"},
    {.path = "/etc/ssh/sshd_config", .bytes = "\n"},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/lib/systemd/system/ssh.service",
     .bytes = "[Service]\nExecStart=/usr/sbin/sshd -D\n"},
    {.path = "/etc/systemd/system/multi-user.target.wants/ssh.service",
     .link = "/lib/systemd/system/ssh.service"},
    {.path = "/etc/ssh/ssh_host_ed25519_key", .bytes = SECRET "\n", .mode = 0600},
    {.path = "/etc/ssh/ssh_host_ed25519_key.pub", .bytes = PUBLIC_KEY},
    {.path = "/usr/bin/ssh-keygen", .bytes = "x", .mode = 0755},
    {.path = "/home/user/kept", .bytes = "kept\n"},
    {0},
};

#define LISTS(...)                     \
    (const struct phony_file *const[]) \
    {                                  \
        __VA_ARGS__, NULL              \
    }

static struct gold_context *ctx;
static char *image, *overlay, *dirty, *suspended, *frozen;

static int
setup(void **state)
{
    (void)state;
    ctx = phony_context();
    image = phony_create("image", NULL, LISTS(phony_debian, identity));
    overlay = phony_overlay("image.qcow2", image);
    dirty = phony_create("dirty", &(struct phony_options){.dirty = true}, LISTS(phony_debian));
    suspended = phony_swap("suspended", NULL, true);
    frozen = phony_create("frozen", NULL, LISTS(phony_debian, identity));
    /* An immutable file: the operation that wants to change it must fail. */
    phony_run("debugfs -w -R 'set_inode_field /etc/machine-id flags 0x80010' '%s' 2>/dev/null",
              frozen);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    gold_context_free(ctx);
    free(image);
    free(overlay);
    free(dirty);
    free(suspended);
    free(frozen);
    phony_cleanup();
    return 0;
}

static void
hash_text(const char *text, char *ret_hex)
{
    assert_int_equal(gold_hash_bytes(GOLD_HASH_SHA256, text, strlen(text), ret_hex, NULL), 0);
}

static void
hash_file(const char *path, char *ret_hex)
{
    int fd = gold_open_regular(path, NULL, NULL);
    assert_true(fd >= 0);
    assert_int_equal(gold_hash_fd(NULL, GOLD_HASH_SHA256, fd, path, ret_hex, NULL), 0);
    gold_close(&fd);
}

static const struct gold_step *
find_step(const struct gold_source_result *r, const char *operation)
{
    for (size_t i = 0; i < r->n_steps; i++)
        if (strcmp(r->steps[i].operation, operation) == 0)
            return &r->steps[i];
    return NULL;
}

static bool
has_finding(const struct gold_source_result *r, const char *id)
{
    for (size_t i = 0; i < r->n_findings; i++)
        if (strcmp(r->findings[i].id, id) == 0)
            return true;
    return false;
}

static bool
has_effect(const struct gold_source_result *r, const char *path)
{
    for (size_t i = 0; i < r->n_effects; i++)
        if (strcmp(r->effects[i].path, path) == 0)
            return true;
    return false;
}

static void
work(const struct gold_guest_job *job, struct gold_guest_outcome *out)
{
    struct gold_error *err = NULL;
    if (gold_guest_work(ctx, job, out, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
seals(void **state)
{
    (void)state;
    char base[GOLD_HASH_HEX_MAX], now[GOLD_HASH_HEX_MAX], expected[GOLD_HASH_HEX_MAX];
    hash_file(image, base);
    struct gold_session_disk disk = {.path = overlay, .format = "qcow2"};
    const struct gold_guest_job job = {
        .disks = &disk, .n_disks = 1, .check = true, .seal = true, .trim = true};
    struct gold_guest_outcome out = {0};
    work(&job, &out);
    hash_file(image, now);
    assert_string_equal(base, now);

    assert_string_equal(gold_facts_get(&out.before.facts, "os.distro"), "debian");
    assert_true(has_finding(&out.before, "machine-id-set"));
    hash_text(MACHINE_ID, expected);
    assert_string_equal(gold_facts_get(&out.identity, "machine-id"), expected);
    assert_string_equal(gold_facts_get(&out.identity, "dbus-machine-id"), expected);
    hash_text(FINGERPRINT, expected);
    assert_string_equal(gold_facts_get(&out.identity, "ssh-host-key"), expected);
    assert_null(gold_facts_get(&out.identity, "hostname"));

    assert_int_equal(out.before.n_effects, 0);
    assert_true(has_effect(&out.after, "/etc/machine-id"));
    assert_true(has_effect(&out.after, "/etc/ssh/ssh_host_ed25519_key"));
    assert_false(has_finding(&out.after, "machine-id-set"));
    assert_false(has_finding(&out.after, "free-space-not-cleared"));
    assert_int_equal(gold_source_count_findings(&out.after, GOLD_ERROR), 0);
    assert_int_equal(find_step(&out.after, "machine-id")->status, GOLD_STEP_CHANGED);
    size_t n = 0, enabled = 0;
    for (; gold_operations[n]; n++)
        enabled += gold_operations[n]->enabled_by_default;
    assert_int_equal(out.after.n_steps, enabled);
    for (size_t i = 0; i < out.after.n_steps; i++)
        if (out.after.steps[i].status == GOLD_STEP_SKIPPED)
            assert_true(out.after.steps[i].reason && out.after.steps[i].reason[0]);
    gold_guest_outcome_done(&out);

    /* The proof from outside: flattened, and read without us. */
    phony_run("qemu-img convert -f qcow2 -O raw '%s' '%s.flat'", overlay, overlay);
    phony_run("e2fsck -fn '%s.flat' >/dev/null 2>&1", overlay);
    phony_run("test -z \"$(debugfs -R 'cat /etc/machine-id' '%s.flat' 2>/dev/null)\"", overlay);
    phony_run("debugfs -R 'cat /home/user/kept' '%s.flat' 2>/dev/null | grep -q kept", overlay);
    phony_run("grep -qa '%s' '%s'", SECRET, image);
    phony_run("! grep -qa '%s' '%s.flat'", SECRET,
              overlay); /* trimmed: not even in free blocks */
}

static void
seals_again_without_a_change(void **state)
{
    (void)state;
    struct gold_session_disk disk = {.path = overlay, .format = "qcow2"};
    const struct gold_guest_job job = {.disks = &disk, .n_disks = 1, .seal = true};
    struct gold_guest_outcome out = {0};
    work(&job, &out);
    for (size_t i = 0; i < out.after.n_effects; i++)
        print_error("%s %s %s\n", out.after.effects[i].operation, out.after.effects[i].action,
                    out.after.effects[i].path);
    assert_int_equal(out.after.n_effects, 0);
    assert_int_equal(out.before.n_findings, 0); /* no check was asked for */
    assert_null(gold_facts_get(&out.identity, "machine-id"));
    for (size_t i = 0; i < out.after.n_steps; i++)
        assert_int_not_equal(out.after.steps[i].status, GOLD_STEP_CHANGED);
    gold_guest_outcome_done(&out);
}

static void
an_operation_that_fails_is_an_error(void **state)
{
    (void)state;
    char *over = phony_overlay("frozen.qcow2", frozen);
    struct gold_session_disk disk = {.path = over, .format = "qcow2"};
    struct gold_operation_set set = {0};
    assert_int_equal(gold_operation_set_parse("machine-id", &set, NULL), 0);
    const struct gold_guest_job job = {
        .disks = &disk, .n_disks = 1, .seal = true, .operations = &set};
    struct gold_guest_outcome out = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_guest_work(ctx, &job, &out, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    assert_non_null(strstr(gold_error_message(err), "operation 'machine-id'"));
    assert_non_null(strstr(gold_error_message(err), "/etc/machine-id"));
    gold_error_clear(&err);
    free(over);
}

static void
check_reports_what_seal_refuses(void **state)
{
    (void)state;
    struct gold_session_disk disks[] = {
        {.path = dirty, .format = "raw", .readonly = true},
        {.path = suspended, .format = "raw", .readonly = true},
        {.path = image, .format = "raw", .readonly = true},
    };
    struct gold_guest_job job = {.disks = disks, .n_disks = 3, .check = true};
    struct gold_guest_outcome out = {0};
    work(&job, &out);
    assert_true(has_finding(&out.before, "several-roots"));
    assert_true(has_finding(&out.before, "fs-dirty"));
    assert_true(has_finding(&out.before, "hibernation-image"));
    assert_false(has_finding(&out.before, "no-root"));
    assert_int_equal(out.after.n_steps, 0);
    gold_guest_outcome_done(&out);
}

static void
refuse(const char *path, const char *second, const char *message)
{
    char hash[GOLD_HASH_HEX_MAX], now[GOLD_HASH_HEX_MAX];
    char *over = phony_overlay("refused.qcow2", path);
    hash_file(over, hash);
    struct gold_session_disk disks[] = {{.path = over, .format = "qcow2"},
                                        {.path = second, .format = "raw", .readonly = true}};
    const struct gold_guest_job job = {.disks = disks, .n_disks = second ? 2 : 1, .seal = true};
    struct gold_guest_outcome out = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_guest_work(ctx, &job, &out, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    if (!strstr(gold_error_message(err), message))
        fail_msg("%s", gold_error_message(err));
    assert_non_null(gold_error_hint_text(err));
    gold_error_clear(&err);
    hash_file(over, now);
    assert_string_equal(hash, now); /* not a byte was written */
    assert_int_equal(unlink(over), 0);
    free(over);
}

static void
refuses_a_dirty_guest(void **state)
{
    (void)state;
    refuse(dirty, NULL, "'/dev/sda' was not unmounted cleanly");
}

static void
refuses_a_suspended_guest(void **state)
{
    (void)state;
    refuse(image, suspended, "'/dev/sdb' holds a suspended system");
}

static void
looks(void **state)
{
    (void)state;
    struct gold_session_disk disk = {.path = image, .format = "raw", .readonly = true};
    struct gold_source_result r = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_guest_look(ctx, &disk, 1, NULL, &r, &err), 0);
    assert_string_equal(gold_facts_get(&r.facts, "os.version"), "12");
    assert_non_null(gold_facts_get(&r.facts, "filesystem./dev/sda"));
    assert_string_equal(gold_facts_get(&r.facts, "identity.ssh-host-key"), FINGERPRINT);
    assert_string_equal(gold_facts_get(&r.facts, "identity.hostname"), "template");
    assert_int_equal(r.n_findings, 0);
    gold_source_result_done(&r);
}

/* Runs in a child that is killed at a stop point. */
static void
seal_until(const char *stop, int report_fd)
{
    assert_int_equal(setenv("GOLDSMITH_STOP_AT", stop, 1), 0);
    struct gold_context *own = phony_context();
    const char *run_dir = NULL;
    if (gold_context_run_dir(own, &run_dir, NULL) < 0 ||
        gold_write_all(report_fd, run_dir, strlen(run_dir)) < 0)
        _exit(1);
    gold_close(&report_fd);
    struct gold_session_disk disk = {.path = overlay, .format = "qcow2"};
    const struct gold_guest_job job = {.disks = &disk, .n_disks = 1, .seal = true};
    struct gold_guest_outcome out = {0};
    (void)!gold_guest_work(own, &job, &out, NULL);
    _exit(2);
}

static void
leaves_nothing_when_it_is_killed(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        seal_until("seal.changed", fds[1]);
    gold_close(&fds[1]);
    char run_dir[256] = "";
    assert_true(gold_read_full(fds[0], run_dir, sizeof run_dir - 1) > 0);
    gold_close(&fds[0]);
    /* Where libguestfs puts its sockets is known only while QEMU runs. */
    phony_run(
        "for i in $(seq 600); do for p in $(grep -lsa '[s]ession=%s' /proc/[0-9]*/cmdline); do"
        " tr '\\0' '\\n' <$p | sed -n 's/.*path=\\(.*\\)\\/guestfsd.sock.*/\\1/p' "
        ">'%s/sockets' && test -s '%s/sockets' && exit 0;"
        " done; sleep 0.2; done; exit 1",
        run_dir, phony_dir(), phony_dir());
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    (void)sleep(5);
    assert_int_equal(access(run_dir, F_OK), -1);
    phony_run("! grep -qsa '[s]ession=%s' /proc/[0-9]*/cmdline", run_dir);
    phony_run("! test -e \"$(cat '%s/sockets')\"", phony_dir());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seals),
        cmocka_unit_test(seals_again_without_a_change),
        cmocka_unit_test(an_operation_that_fails_is_an_error),
        cmocka_unit_test(check_reports_what_seal_refuses),
        cmocka_unit_test(refuses_a_dirty_guest),
        cmocka_unit_test(refuses_a_suspended_guest),
        cmocka_unit_test(looks),
        cmocka_unit_test(leaves_nothing_when_it_is_killed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
