/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The starter in a throw-away overlay, and the script itself, run against a pretended /sys and
 * mount. */
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "core/io.h"
#include "core/result.h"
#include "guest/phony.h"
#include "guest/work.h"
#include "validate/names.h"

#define MACHINE_ID "0123456789abcdef0123456789abcdef"
#define PUBLIC_KEY                                                                      \
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICtv5fFEQfpw5sUwjtjSDXoT7F9Rr8/M7HpWc5mA2835 " \
    "root@template\n"
#define FINGERPRINT "SHA256:KONZSOGUzTbkVSrWIHKrnIcCcIf4cjB9HSFPXVrydW0"

static const struct phony_file identity[] = {
    {.path = "/etc/machine-id", .bytes = MACHINE_ID "\n"},
    {.path = "/var/lib/dbus/machine-id", .link = "/etc/machine-id"},
    {.path = "/etc/ssh/ssh_host_ed25519_key.pub", .bytes = PUBLIC_KEY},
    {.path = "/etc/ssh/ssh_host_broken_key.pub", .bytes = "no key\n"},
    {.path = "/etc/hostname", .bytes = "# the name\n  web-1 \n"},
    {0},
};
static const struct phony_file alpine[] = {
    {.path = "/etc/os-release", .bytes = "ID=alpine\n"},
    {.path = "/sbin/init", .link = "/bin/busybox"},
    {.path = "/sbin/openrc", .bytes = "x"},
    {0},
};

static struct gold_context *ctx;

static int
setup(void **state)
{
    (void)state;
    ctx = phony_context();
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    gold_context_free(ctx);
    phony_cleanup();
    return 0;
}

static char *
cat(const char *image, const char *path)
{
    phony_run("debugfs -R 'cat %s' '%s' 2>/dev/null >'%s/out'", path, image, phony_dir());
    char *name = gold_path_join(phony_dir(), "out", NULL), *text = NULL;
    size_t len = 0;
    assert_int_equal(gold_read_file(name, 1 << 20, &text, &len, NULL), 0);
    free(name);
    return text;
}

static void
expect_link(const char *image, const char *path, const char *target)
{
    phony_run("debugfs -R 'stat %s' '%s' 2>/dev/null | grep -q 'Fast link dest: \"%s\"'", path,
              image, target);
}

static void
a_systemd_guest(void **state)
{
    (void)state;
    char *image = phony_create(
        "debian", NULL, (const struct phony_file *const[]){phony_debian, identity, NULL});
    char *overlay = phony_overlay("debian.qcow2", image), *flat = NULL;
    struct gold_session_disk disk = {.path = overlay, .format = "qcow2"};
    enum gold_init init = GOLD_INIT_UNKNOWN;
    struct gold_facts facts = {0};
    struct gold_error *err = NULL;
    if (gold_guest_inject_starter(ctx, &disk, 1, NULL, &init, &facts, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    assert_int_equal(init, GOLD_INIT_SYSTEMD);
    assert_string_equal(gold_facts_get(&facts, "machine-id"), MACHINE_ID);
    assert_string_equal(gold_facts_get(&facts, "dbus-machine-id"), MACHINE_ID);
    assert_string_equal(gold_facts_get(&facts, "ssh-host-key"), FINGERPRINT);
    assert_string_equal(gold_facts_get(&facts, "hostname"), "web-1");
    assert_int_equal(facts.n, 4);
    gold_facts_done(&facts);

    assert_true(asprintf(&flat, "%s.flat", overlay) > 0);
    phony_run("qemu-img convert -f qcow2 -O raw '%s' '%s'", overlay, flat);
    char *unit = cat(flat, "/etc/systemd/system/goldsmith-reached.service");
    assert_non_null(strstr(unit, "After=multi-user.target graphical.target"));
    free(unit);
    unit = cat(flat, "/etc/systemd/system/goldsmith-agent.service");
    assert_non_null(strstr(unit, "ExecStart=/bin/sh /etc/goldsmith-starter main\n"));
    assert_non_null(strstr(unit, "DefaultDependencies=no\n"));
    free(unit);
    expect_link(flat, "/etc/systemd/system/sysinit.target.wants/goldsmith-agent.service",
                "/etc/systemd/system/goldsmith-agent.service");
    expect_link(flat, "/etc/systemd/system/emergency.target.wants/goldsmith-agent.service",
                "/etc/systemd/system/goldsmith-agent.service");
    expect_link(flat, "/etc/systemd/system/rescue.target.wants/goldsmith-agent.service",
                "/etc/systemd/system/goldsmith-agent.service");
    expect_link(flat, "/etc/systemd/system/multi-user.target.wants/goldsmith-reached.service",
                "/etc/systemd/system/goldsmith-reached.service");
    expect_link(flat, "/etc/systemd/system/graphical.target.wants/goldsmith-reached.service",
                "/etc/systemd/system/goldsmith-reached.service");
    /* The names on which the validation and its agent rely. */
    char *script = cat(flat, "/etc/goldsmith-starter");
    assert_non_null(strstr(script, "*" GOLD_PAYLOAD_SERIAL "*"));
    assert_non_null(strstr(script, "blkid -L " GOLD_PAYLOAD_LABEL " "));
    assert_non_null(strstr(script, "at=" GOLD_AGENT_MOUNT "\n"));
    assert_non_null(strstr(script, "exec \"$at/" GOLD_AGENT_NAME "\" \"$1\"\n"));
    free(script);
    /* The units are what systemd takes them for. */
    phony_run(
        "command -v systemd-analyze >/dev/null || exit 0; mkdir '%s/units' && cd '%s/units' && "
        "for u in agent reached; do debugfs -R \"cat "
        "/etc/systemd/system/goldsmith-$u.service\" '%s' 2>/dev/null "
        ">goldsmith-$u.service; done; ! systemd-analyze verify ./goldsmith-*.service 2>&1 | "
        "grep goldsmith-",
        phony_dir(), phony_dir(), flat);
    free(flat);
    free(overlay);
    free(image);
}

static void
another_init_is_refused(void **state)
{
    (void)state;
    char *image =
        phony_create("alpine", NULL, (const struct phony_file *const[]){alpine, NULL});
    char *overlay = phony_overlay("alpine.qcow2", image);
    struct gold_session_disk disk = {.path = overlay, .format = "qcow2"};
    enum gold_init init = GOLD_INIT_UNKNOWN;
    struct gold_facts facts = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_guest_inject_starter(ctx, &disk, 1, NULL, &init, &facts, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_UNSUPPORTED);
    assert_non_null(strstr(gold_error_message(err), "'openrc'"));
    assert_int_equal(facts.n, 0);
    gold_error_clear(&err);
    free(overlay);
    free(image);
}

/* The script from the first test, with its directories moved below a scratch one and its
 * programs pretended. */
static void
the_script(void **state)
{
    (void)state;
    const char *d = phony_dir();
    phony_run("debugfs -R 'cat /etc/goldsmith-starter' '%s/debian.qcow2.flat' 2>/dev/null "
              ">'%s/starter'",
              d, d);
    phony_run("sh -n '%s/starter'", d);
    phony_run("cd '%s' && mkdir -p sys/block/vda sys/block/vdb/device dev bin && printf other "
              ">sys/block/vda/serial && "
              "printf GSPAYLOAD >sys/block/vdb/device/serial",
              d);
    phony_run("cd '%s' && sed -i -e \"s#/sys/#$PWD/sys/#g; s#/dev/disk#$PWD/dev/disk#g; "
              "s#at=.*#at=$PWD/run#; "
              "s#^PATH=#PATH=$PWD/bin:#; s#-b \\\"/dev/#-n \\\"/dev/#\" starter",
              d);
    /* mount makes the agent appear, which says how it was called. */
    phony_run("cd '%s' && printf '#!/bin/sh\\necho \"$*\" >>%s/mounts\\nfor a; do at=$a; "
              "done\\nprintf \"#!/bin/sh\\\\necho "
              "\\\\$1 >%s/called\\\\n\" >$at/agent\\nchmod 755 $at/agent\\n' >bin/mount && "
              "printf '#!/bin/sh\\nexit 1\\n' "
              ">bin/modprobe && cp bin/modprobe bin/blkid && printf '#!/bin/sh\\nexit 0\\n' "
              ">bin/sleep && chmod 755 bin/*",
              d, d, d);
    phony_run("cd '%s' && sh starter main && test \"$(cat called)\" = main", d);
    phony_run("cd '%s' && test \"$(cat mounts)\" = \"-t ext4 -o ro /dev/vdb $PWD/run\"", d);
    phony_run("cd '%s' && sh starter reached && test \"$(cat called)\" = reached && test $(wc "
              "-l <mounts) = 1",
              d);
    /* With SELinux the disk gets a context. */
    phony_run("cd '%s' && rm run/agent mounts && mkdir -p sys/fs/selinux && touch "
              "sys/fs/selinux/enforce && "
              "sh starter main && grep -q context=system_u:object_r:bin_t:s0 mounts",
              d);
    /* Nothing there: it gives up. */
    phony_run("cd '%s' && rm run/agent && rm -r sys/block/vdb && ! sh starter main 2>/dev/null",
              d);
    phony_run("cd '%s' && ! sh starter reached 2>/dev/null && ! sh starter else", d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_systemd_guest),
        cmocka_unit_test(another_init_is_refused),
        cmocka_unit_test(the_script),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
