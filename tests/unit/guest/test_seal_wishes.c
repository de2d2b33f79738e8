/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One systemd guest in many states: every kind of machine-id file, every wish, and everything
 * that may or may not make SSH host keys. One appliance serves all.
 */
#include "unit.h"

#include "core/str.h"
#include "guest/bench.h"
#include "guest/ssh_keys.h"

#define ID_A "4c1f0a2b3d4e5f60718293a4b5c6d7e8"

static const struct phony_file extra[] = {
    {.path = "/etc/machine-id", .bytes = ID_A "\n", .mode = 0444},
    {.path = "/usr/lib/systemd/system-preset/99-default-disable.preset",
     .bytes = "disable *\n"},
    {.path = "/usr/lib/systemd/system-preset/90-default.preset",
     .bytes = "enable known.service\n"},
    {.path = "/etc/systemd/system/multi-user.target.wants/known.service",
     .link = "/usr/lib/systemd/system/known.service"},
    {0},
};
static char *image;

static int
setup(void **state)
{
    (void)state;
    image = phony_create("one.raw", NULL,
                         (const struct phony_file *const[]){phony_debian, extra, NULL});
    bench_open((const char *const[]){image}, 1);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    bench_close();
    free(image);
    return 0;
}

static void
enter(enum gold_machine_id wish)
{
    bench_enter("/dev/sda", wish);
}

static void
expect_text(char *have, const char *want)
{
    assert_string_equal(have, want);
    free(have);
}

static void
empties_every_state(void **state)
{
    (void)state;
    static const struct {
        const char *text, *found;
    } cases[] = {
        {ID_A, "machine-id-set error safe /etc/machine-id:1\n"},
        {"4C1F0A2B3D4E5F60718293A4B5C6D7E8\n", "machine-id-set error safe /etc/machine-id:1\n"},
        {"\n", "machine-id-malformed warning safe /etc/machine-id:0\n"},
        {ID_A "\r\n", "machine-id-malformed warning safe /etc/machine-id:0\n"},
        {"4c1f0a2b-3d4e-5f60-7182-93a4b5c6d7e8\n",
         "machine-id-malformed warning safe /etc/machine-id:0\n"},
        {"00000000000000000000000000000000\n",
         "machine-id-malformed warning safe /etc/machine-id:0\n"},
    };
    enter(GOLD_MACHINE_ID_AUTO);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bench_put("/etc/machine-id", cases[i].text);
        bench_remember();
        expect_text(bench_verify(), cases[i].found);
        expect_text(bench_run("machine-id"), "machine-id truncated /etc/machine-id\n");
        bench_compare();
        expect_text(bench_verify(), "");
        expect_text(bench_run("machine-id"), "");
        BENCH_TEXT("/etc/machine-id", "");
    }
    bench_leave();
}

static void
makes_a_file_of_whatever_is_there(void **state)
{
    (void)state;
    enter(GOLD_MACHINE_ID_AUTO);
    guestfs_h *g = bench_scene()->g;
    struct gold_error *err = NULL;

    assert_int_equal(guestfs_rm(g, "/etc/machine-id"), 0);
    expect_text(bench_verify(), "machine-id-policy warning safe /etc/machine-id:0\n");
    expect_text(bench_run("machine-id"), "machine-id created /etc/machine-id\n");
    struct guestfs_statns *st = guestfs_lstatns(g, "/etc/machine-id");
    assert_int_equal(st->st_mode & 07777, 0444);
    guestfs_free_statns(st);

    /* a symlink to a file that systemd finds is written through */
    assert_int_equal(guestfs_rm(g, "/etc/machine-id"), 0);
    bench_put("/var/lib/the-id", ID_A "\n");
    assert_int_equal(guestfs_ln_s(g, "/var/lib/the-id", "/etc/machine-id"), 0);
    expect_text(bench_verify(), "machine-id-set error safe /etc/machine-id:1\n");
    expect_text(bench_run("machine-id"), "machine-id truncated /etc/machine-id\n");
    BENCH_TEXT("/var/lib/the-id", "");
    assert_int_equal(guestfs_is_symlink(g, "/etc/machine-id"), 1);
    expect_text(bench_verify(), "");

    /* one to a file system that is mounted later is replaced, and its target emptied */
    struct gold_mount var = {.device = (char *)"/dev/sda9", .where = (char *)"/var"};
    struct gold_root with_var = *bench_scene()->root;
    with_var.mounts = &var;
    with_var.n_mounts = 1;
    bench_scene()->root = &with_var;
    bench_put("/var/lib/the-id", ID_A "\n");
    expect_text(bench_verify(), "machine-id-set error safe /etc/machine-id:1\n"
                                "machine-id-malformed warning safe /etc/machine-id:0\n");
    expect_text(bench_run("machine-id"),
                "machine-id truncated /etc/machine-id\nmachine-id removed /etc/machine-id\n"
                "machine-id created /etc/machine-id\n");
    BENCH_TEXT("/var/lib/the-id", "");
    assert_int_equal(guestfs_is_symlink(g, "/etc/machine-id"), 0);

    /* a dangling one, a loop */
    static const char *const targets[] = {"/nowhere/id", "machine-id"};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(guestfs_rm(g, "/etc/machine-id"), 0);
        assert_int_equal(guestfs_ln_s(g, targets[i], "/etc/machine-id"), 0);
        expect_text(bench_run("machine-id"),
                    "machine-id removed /etc/machine-id\nmachine-id created /etc/machine-id\n");
        expect_text(bench_verify(), "");
    }

    /* directories */
    assert_int_equal(guestfs_rm(g, "/etc/machine-id"), 0);
    assert_int_equal(guestfs_mkdir(g, "/etc/machine-id"), 0);
    bench_put("/etc/machine-id/file", "x");
    expect_text(bench_verify(), "machine-id-malformed warning safe /etc/machine-id:0\n");
    size_t last = 0;
    while (gold_operations[last + 1])
        last++;
    assert_int_equal(gold_operations[last]->run(bench_scene(), &err), -1);
    assert_non_null(strstr(gold_error_message(err), "not empty"));
    gold_error_free(err);
    assert_int_equal(guestfs_rm(g, "/etc/machine-id/file"), 0);
    expect_text(bench_run("machine-id"),
                "machine-id removed /etc/machine-id\nmachine-id created /etc/machine-id\n");
    bench_leave();
}

static void
grants_wishes(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    size_t last = 0;
    while (gold_operations[last + 1])
        last++;

    enter(GOLD_MACHINE_ID_KEEP);
    guestfs_h *g = bench_scene()->g;
    bench_put("/etc/machine-id", ID_A "\n");
    bench_put("/var/lib/dbus/machine-id", ID_A "\n");
    bench_remember();
    expect_text(bench_run(NULL), "");
    assert_int_equal(gold_operations[last]->run(bench_scene(), NULL), 0);
    bench_compare();
    expect_text(bench_verify(), "dbus-machine-id warning none /var/lib/dbus/machine-id:0\n"
                                "machine-id-set warning none /etc/machine-id:1\n");
    assert_int_equal(guestfs_rm(g, "/var/lib/dbus/machine-id"), 0);
    bench_leave();

    enter(GOLD_MACHINE_ID_UNINITIALIZED);
    expect_text(bench_run("machine-id"), "machine-id edited /etc/machine-id\n");
    BENCH_TEXT("/etc/machine-id", "uninitialized\n");
    expect_text(bench_run("machine-id"), "");
    expect_text(bench_verify(), "");
    /* a service that a first boot would switch off: who asks for it is warned ... */
    assert_int_equal(guestfs_ln_s(g, "/x.service",
                                  "/etc/systemd/system/multi-user.target.wants/ours.service"),
                     0);
    expect_text(bench_verify(), "machine-id-policy warning manual /etc/machine-id:1\n");
    expect_text(bench_run("machine-id"), "");
    bench_leave();
    /* ... who does not is spared it */
    enter(GOLD_MACHINE_ID_AUTO);
    expect_text(bench_verify(), "machine-id-policy error safe /etc/machine-id:1\n");
    expect_text(bench_run("machine-id"), "machine-id truncated /etc/machine-id\n");
    assert_int_equal(guestfs_rm(g, "/etc/systemd/system/multi-user.target.wants/ours.service"),
                     0);
    /* without one the word stays */
    bench_put("/etc/machine-id", "uninitialized");
    expect_text(bench_run("machine-id"), "");
    expect_text(bench_verify(), "");
    bench_scene()->machine_id = GOLD_MACHINE_ID_EMPTY;
    expect_text(bench_run("machine-id"), "machine-id truncated /etc/machine-id\n");

    /* an old systemd takes the word for damage */
    struct gold_root old = *bench_scene()->root;
    old.systemd_version = 241;
    bench_scene()->root = &old;
    bench_scene()->machine_id = GOLD_MACHINE_ID_AUTO;
    bench_put("/etc/machine-id", "uninitialized\n");
    expect_text(bench_verify(), "machine-id-policy error safe /etc/machine-id:1\n");
    expect_text(bench_run("machine-id"), "machine-id truncated /etc/machine-id\n");
    expect_text(bench_verify(), "");
    bench_scene()->machine_id = GOLD_MACHINE_ID_UNINITIALIZED;
    assert_int_equal(gold_operations[last]->run(bench_scene(), &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    assert_non_null(strstr(gold_error_hint_text(err), "empty"));
    gold_error_clear(&err);
    old.init = GOLD_INIT_OPENRC;
    assert_int_equal(gold_operations[last]->run(bench_scene(), &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    gold_error_clear(&err);
    bench_leave();
}

#define UNITS     "/usr/lib/systemd/system/"
#define ADMIN     "/etc/systemd/system/"
#define WANTS     "/etc/systemd/system/multi-user.target.wants/"
#define CLOUD_CFG "/etc/cloud/cloud.cfg"
#define CLOUD_BASE                                                     \
    {"/usr/bin/cloud-init", "x"},                                      \
    {                                                                  \
        "/usr/lib/systemd/system-generators/cloud-init-generator", "x" \
    }
#define CLOUD_MODULES "cloud_init_modules:\n - migrator\n - ssh\n"
#define EL_UNITS                                                                 \
    {UNITS "sshd.service", "[Unit]\nWants=sshd-keygen.target\n"},                \
        {UNITS "sshd-keygen.target", "[Unit]\nWants=sshd-keygen@rsa.service\n"}, \
    {                                                                            \
        UNITS "sshd-keygen@.service",                                            \
            "[Service]\nExecStart=/usr/libexec/openssh/sshd-keygen %i\n"         \
    }

static const struct {
    const char *files[8][2]; /* path, text; "->target": a symlink */
    enum gold_ssh_regen_how how;
    const char *evidence;
} evidence[] = {
    {{{NULL}}, GOLD_SSH_REGEN_NONE, NULL},
    {{EL_UNITS}, GOLD_SSH_REGEN_GUEST, UNITS "sshd-keygen@.service"},
    {{EL_UNITS, {ADMIN "sshd-keygen@.service", "->/dev/null"}}, GOLD_SSH_REGEN_NONE, NULL},
    {{EL_UNITS, {ADMIN "sshd-keygen.target", "->/dev/null"}}, GOLD_SSH_REGEN_NONE, NULL},
    /* EL 7 */
    {{{UNITS "sshd.service", "[Unit]\nAfter=sshd-keygen.service\nWants=sshd-keygen.service\n"},
      {UNITS "sshd-keygen.service", "[Service]\nExecStart=/usr/sbin/sshd-keygen\n"}},
     GOLD_SSH_REGEN_GUEST,
     UNITS "sshd-keygen.service"},
    /* ordered, not pulled in */
    {{{UNITS "sshd.service", "[Unit]\nAfter=sshd-keygen.service\n"},
      {UNITS "sshd-keygen.service", "[Service]\nExecStart=/usr/sbin/sshd-keygen\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    /* Debian 13, and with a drop-in that takes the condition back */
    {{{UNITS "ssh.service", "[Unit]\nWants=sshd-keygen.service\n"},
      {UNITS "sshd-keygen.service",
       "[Unit]\nConditionFirstBoot=yes\n[Service]\nExecStart=ssh-keygen -A\n"}},
     GOLD_SSH_REGEN_FIRST_BOOT,
     UNITS "sshd-keygen.service"},
    {{{UNITS "ssh.service", "[Unit]\nWants=sshd-keygen.service\n"},
      {UNITS "sshd-keygen.service",
       "[Unit]\nConditionFirstBoot=yes\n[Service]\nExecStart=ssh-keygen -A\n"},
      {ADMIN "sshd-keygen.service.d/always.conf", "[Unit]\nConditionFirstBoot=\n"}},
     GOLD_SSH_REGEN_GUEST,
     UNITS "sshd-keygen.service"},
    /* inside sshd's own unit */
    {{{UNITS "ssh.service", "[Service]\nExecStartPre=-/usr/bin/ssh-keygen -A\n"}},
     GOLD_SSH_REGEN_GUEST,
     UNITS "ssh.service"},
    {{{UNITS "ssh.service", "[Service]\n#ExecStartPre=-/usr/bin/ssh-keygen -A\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{{UNITS "sshd.service", "[Service]\nExecStartPre=/usr/sbin/sshd-gen-keys-start\n"}},
     GOLD_SSH_REGEN_GUEST,
     UNITS "sshd.service"},
    /* an administrator's */
    {{{ADMIN "regenerate_ssh_host_keys.service",
       "[Service]\nExecStart=/bin/sh -c \"rm -f x; /usr/bin/ssh-keygen -A -v\"\n"},
      {WANTS "regenerate_ssh_host_keys.service", "->../regenerate_ssh_host_keys.service"}},
     GOLD_SSH_REGEN_GUEST,
     ADMIN "regenerate_ssh_host_keys.service"},
    {{{ADMIN "regenerate_ssh_host_keys.service",
       "[Service]\nExecStart=/usr/bin/ssh-keygen -A\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    /* keys of a user */
    {{{ADMIN "my-ssh.service",
       "[Service]\nExecStart=/usr/bin/ssh-keygen -t rsa -f /home/x/.ssh/id_rsa\n"},
      {WANTS "my-ssh.service", "->../my-ssh.service"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    /* cloud-init */
    {{CLOUD_BASE, {CLOUD_CFG, CLOUD_MODULES "datasource_list: [ NoCloud, None ]\n"}},
     GOLD_SSH_REGEN_GUEST,
     CLOUD_CFG},
    {{CLOUD_BASE, {CLOUD_CFG, CLOUD_MODULES "datasource_list: [ NoCloud, Ec2, None ]\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{CLOUD_BASE, {CLOUD_CFG, CLOUD_MODULES "datasource_list: [ None ]\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{CLOUD_BASE, {CLOUD_CFG, CLOUD_MODULES "# datasource_list: [ NoCloud ]\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{CLOUD_BASE, {CLOUD_CFG, CLOUD_MODULES}, {"/var/lib/cloud/seed/nocloud/meta-data", "x"}},
     GOLD_SSH_REGEN_GUEST,
     CLOUD_CFG},
    {{CLOUD_BASE,
      {CLOUD_CFG, CLOUD_MODULES "datasource_list: [ NoCloud ]\n"},
      {"/etc/cloud/cloud.cfg.d/99-x.cfg", "datasource_list: [ None ]\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{CLOUD_BASE,
      {CLOUD_CFG, "cloud_init_modules:\n - ssh-import-id\ndatasource_list: [ NoCloud ]\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{CLOUD_BASE,
      {CLOUD_CFG, CLOUD_MODULES "datasource_list: [ NoCloud ]\n"},
      {"/etc/cloud/cloud-init.disabled", ""}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{{"/usr/bin/cloud-init", "x"},
      {CLOUD_CFG, CLOUD_MODULES "datasource_list: [ NoCloud ]\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    /* Fedora leaves the keys to cloud-init: fine when that makes them, or does not run */
    {{EL_UNITS,
      CLOUD_BASE,
      {CLOUD_CFG, "cloud_init_modules:\n - migrator\n"},
      {UNITS "sshd-keygen@.service.d/cloud.conf",
       "[Unit]\nConditionPathExists=!/run/systemd/generator.early/multi-user.target.wants/"
       "cloud-init.target\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
    {{EL_UNITS,
      CLOUD_BASE,
      {CLOUD_CFG, CLOUD_MODULES},
      {UNITS "sshd-keygen@.service.d/cloud.conf",
       "[Unit]\nConditionPathExists=!/run/systemd/generator.early/multi-user.target.wants/"
       "cloud-init.target\n"}},
     GOLD_SSH_REGEN_GUEST,
     UNITS "sshd-keygen@.service"},
    /* ours */
    {{{GOLD_SSH_STARTER_UNIT, "[Service]\nExecStart=/usr/bin/ssh-keygen -A\n"},
      {WANTS "goldsmith-ssh-keygen.service", "->" GOLD_SSH_STARTER_UNIT}},
     GOLD_SSH_REGEN_OURS,
     GOLD_SSH_STARTER_UNIT},
    {{{GOLD_SSH_STARTER_UNIT, "[Service]\nExecStart=/usr/bin/ssh-keygen -A\n"}},
     GOLD_SSH_REGEN_NONE,
     NULL},
};

static void
put(guestfs_h *g, const char *path, const char *text)
{
    char *dir = strdup(path);
    *strrchr(dir, '/') = '\0';
    assert_int_equal(guestfs_mkdir_p(g, dir), 0);
    free(dir);
    if (strncmp(text, "->", 2) == 0)
        assert_int_equal(guestfs_ln_s(g, text + 2, path), 0);
    else
        assert_int_equal(guestfs_write(g, path, text, strlen(text)), 0);
}

static void
weighs_what_makes_host_keys(void **state)
{
    (void)state;
    enter(GOLD_MACHINE_ID_AUTO);
    guestfs_h *g = bench_scene()->g;
    put(g, "/usr/sbin/sshd", "x");
    put(g, "/usr/bin/ssh-keygen", "x");
    bool ok = true;
    for (size_t i = 0; i < sizeof(evidence) / sizeof(evidence[0]); i++) {
        GOLD_CLEANUP_SSH_KEYS struct gold_ssh_keys keys = {0};
        GOLD_CLEANUP_SSH_REGEN struct gold_ssh_regen r = {.how = GOLD_SSH_REGEN_NONE};
        for (size_t k = 0; k < 8 && evidence[i].files[k][0]; k++)
            put(g, evidence[i].files[k][0], evidence[i].files[k][1]);
        assert_int_equal(gold_ssh_keys_find(bench_scene(), &keys, NULL), 0);
        assert_true(keys.sshd && keys.keygen);
        assert_int_equal(gold_ssh_regen_find(bench_scene(), &keys, &r, NULL), 0);
        if (r.how != evidence[i].how || !gold_streq(r.evidence, evidence[i].evidence)) {
            print_error("case %zu: %d by %s\n", i, (int)r.how,
                        r.evidence ? r.evidence : "nothing");
            ok = false;
        }
        static const char *const trees[] = {"/etc/systemd/system",
                                            "/usr/lib/systemd/system",
                                            "/usr/lib/systemd/system-generators",
                                            "/etc/cloud",
                                            "/usr/bin/cloud-init",
                                            "/var/lib/cloud"};
        for (size_t k = 0; k < sizeof(trees) / sizeof(trees[0]); k++)
            assert_int_equal(guestfs_rm_rf(g, trees[k]), 0);
    }
    assert_true(ok);
    bench_leave();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empties_every_state),
        cmocka_unit_test(makes_a_file_of_whatever_is_there),
        cmocka_unit_test(grants_wishes),
        cmocka_unit_test(weighs_what_makes_host_keys),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
