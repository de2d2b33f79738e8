/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each check finds what it is for and nothing else. Those of devices need no appliance; those
 * of files share one. */
#include "unit.h"

#include "core/table.h"
#include "guest/checks.h"
#include "guest/phony.h"

#define S(text)   ((char[]){text})
#define ROOT_UUID "11111111-2222-3333-4444-555555555511"
#define DEAD      "99999999-0000-0000-0000-00000000000"

static const struct phony_file good[] = {
    {.path = "/etc/fstab",
     .bytes = "UUID=" ROOT_UUID " / ext4 defaults 0 1\nLABEL=GOOD /again ext4 noauto 0 0\nproc "
              "/proc proc defaults 0 0\n"
              "UUID=" DEAD "1 /data ext4 defaults,nofail 0 2\nLABEL=gone /mnt auto noauto 0 "
              "0\n/dev/sr0 /cd iso9660 noauto 0 0\n"
              "#UUID=" DEAD "2 /x ext4 defaults 0 0\n"},
    {.path = "/etc/default/grub",
     .bytes = "#resume=UUID=" DEAD "1\nGRUB_CMDLINE_LINUX=\"root=UUID=" ROOT_UUID " quiet\"\n"},
    {.path = "/etc/crypttab", .bytes = "none UUID=" DEAD "3 none luks,nofail\n"},
    {0},
};
static const struct phony_file bad[] = {
    {.path = "/bin/sh", .bytes = "x"},
    {.path = "/etc/fstab",
     .bytes = "# the root\nUUID=" DEAD "1 / ext4 defaults 0 1\nLABEL=gone none swap sw 0 "
              "0\nPARTUUID=0badf00d-01 /boot ext4 ro 0 0\n"},
    {.path = "/etc/crypttab", .bytes = "secret UUID=" DEAD "4 none luks\n"},
    {.path = "/etc/default/grub",
     .bytes =
         "GRUB_CMDLINE_LINUX=\"quiet resume=UUID=" DEAD "5\"\nX=\"resume=UUID=" DEAD "5\"\n"},
    {.path = "/etc/initramfs-tools/conf.d/resume", .bytes = "RESUME=UUID=" DEAD "6\n"},
    {.path = "/boot/loader/entries/a.conf",
     .bytes = "title x\noptions root=LABEL=gone rd.luks.uuid=luks-" DEAD "7 rw\n"},
    {0},
};

static char *images[2];
static struct gold_context *ctx;
static struct gold_session *session;
static struct gold_guest *guest;
static struct gold_source_result result;

static int
setup(void **state)
{
    (void)state;
    images[0] =
        phony_create("good", &(struct phony_options){.uuid = ROOT_UUID, .label = "GOOD"},
                     (const struct phony_file *const[]){phony_debian, good, NULL});
    images[1] = phony_create("bad", NULL, (const struct phony_file *const[]){bad, NULL});
    ctx = phony_context();
    session = phony_session(ctx, true, (const char *const *)images, 2);
    guest = gold_guest_inspect(session, NULL);
    assert_non_null(guest);
    assert_int_equal(guest->n_roots, 2);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    gold_guest_free(guest);
    gold_session_free(session);
    gold_context_free(ctx);
    free(images[0]);
    free(images[1]);
    phony_cleanup();
    return 0;
}

static int
forget(void **state)
{
    (void)state;
    gold_source_result_done(&result);
    result = (struct gold_source_result){0};
    if (session)
        (void)guestfs_umount_all(gold_session_handle(session));
    return 0;
}

static void
run(const struct gold_check_entry *check, const struct gold_guest *g,
    const struct gold_root *root)
{
    struct gold_scene sc = {.ctx = ctx,
                            .session = session,
                            .g = gold_session_handle(session),
                            .guest = g,
                            .root = root,
                            .entry = check->about.name,
                            .src = &result};
    struct gold_error *err = NULL;
    if (check->stage == GOLD_CHECK_MOUNTED)
        assert_int_equal(gold_guest_mount(session, root, true, &err), 0);
    if (check->run(&sc, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    for (size_t i = 0; i < result.n_findings; i++)
        assert_string_equal(result.findings[i].id, check->finding_ids[0]);
}

static void
the_table(void **state)
{
    (void)state;
    const struct gold_about *abouts[64];
    size_t n = 0;
    for (; gold_checks[n]; n++) {
        abouts[n] = &gold_checks[n]->about;
        assert_non_null(gold_checks[n]->run);
        assert_non_null(gold_checks[n]->finding_ids[0]);
    }
    assert_int_equal(n, 7);
    struct gold_error *err = NULL;
    if (gold_about_lint(abouts, n, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
no_root(void **state)
{
    (void)state;
    struct gold_filesystem fs = {
        .device = S("/dev/sda1"), .block = S("/dev/sda1"), .type = S("crypto_LUKS")};
    const struct gold_guest none = {.filesystems = &fs, .n_filesystems = 1}, blank = {0};
    run(&gold_check_no_root, guest, NULL);
    assert_int_equal(result.n_findings, 0);
    run(&gold_check_no_root, &none, NULL);
    assert_int_equal(result.n_findings, 1);
    assert_int_equal(result.findings[0].severity, GOLD_ERROR);
    assert_non_null(strstr(result.findings[0].message, "encrypted"));
    assert_string_equal(result.findings[0].evidence, "/dev/sda1: crypto_LUKS");
    run(&gold_check_no_root, &blank, NULL);
    assert_int_equal(result.n_findings, 2);
}

static void
several_roots(void **state)
{
    (void)state;
    const struct gold_guest one = {.roots = guest->roots, .n_roots = 1};
    run(&gold_check_several_roots, &one, NULL);
    run(&gold_check_several_roots, guest, &guest->roots[0]); /* one was chosen */
    assert_int_equal(result.n_findings, 0);
    run(&gold_check_several_roots, guest, NULL);
    assert_int_equal(result.n_findings, 1);
    assert_non_null(strstr(result.findings[0].evidence, "/dev/sda: Debian"));
}

static void
hibernation_and_dirt(void **state)
{
    (void)state;
    struct gold_filesystem fs[] = {
        {.device = S("/dev/sda1"), .block = S("/dev/sda1"), .type = S("ext4")},
        {.device = S("/dev/sda2"), .block = S("/dev/sda2"), .type = S("swap")},
        {.device = S("btrfsvol:/dev/vg/lv/@"), .block = S("/dev/vg/lv"), .type = S("btrfs")},
    };
    struct gold_mount mounts[] = {{.device = S("btrfsvol:/dev/vg/lv/@"), .where = S("/")}};
    const struct gold_root root = {
        .device = S("btrfsvol:/dev/vg/lv/@"), .mounts = mounts, .n_mounts = 1};
    const struct gold_guest g = {.filesystems = fs, .n_filesystems = 3};
    run(&gold_check_hibernation_image, &g, &root);
    run(&gold_check_fs_dirty, &g, &root);
    assert_int_equal(result.n_findings, 0);
    fs[1].hibernated = true;
    run(&gold_check_hibernation_image, &g, &root);
    assert_int_equal(result.n_findings, 1);
    assert_int_equal(result.findings[0].severity, GOLD_ERROR);
    assert_non_null(strstr(result.findings[0].message, "'/dev/sda2'"));
    (void)forget(NULL);
    fs[0].dirty = fs[2].dirty = true;
    run(&gold_check_fs_dirty, &g, &root);
    assert_int_equal(result.n_findings, 2);
    assert_int_equal(result.findings[0].severity, GOLD_WARNING); /* not of the chosen system */
    assert_int_equal(result.findings[1].severity, GOLD_ERROR);
    (void)forget(NULL);
    run(&gold_check_fs_dirty, &g, NULL);
    assert_int_equal(result.findings[0].severity, GOLD_ERROR);
}

static void
free_space(void **state)
{
    (void)state;
    struct gold_scene sc = {.src = &result, .entry = "free-space"};
    assert_int_equal(gold_check_free_space.run(&sc, NULL), 0);
    assert_int_equal(result.n_findings, 0);
    assert_int_equal(gold_strv_add(&sc.uncleared, "/boot", NULL), 0);
    assert_int_equal(gold_check_free_space.run(&sc, NULL), 0);
    assert_int_equal(result.n_findings, 1);
    assert_int_equal(result.findings[0].severity, GOLD_WARNING);
    gold_scene_done(&sc);
}

static const struct gold_root *
root_on(const char *device)
{
    const struct gold_root *root = gold_guest_choose_root(guest, device, NULL);
    assert_non_null(root);
    return root;
}

static void
dead_references_none(void **state)
{
    (void)state;
    run(&gold_check_dead_references, guest, root_on("/dev/sda"));
    assert_int_equal(result.n_findings, 0);
}

static const struct gold_finding *
find_evidence(const char *file, const char *evidence)
{
    for (size_t i = 0; i < result.n_findings; i++)
        if (strcmp(result.findings[i].file, file) == 0 &&
            strcmp(result.findings[i].evidence, evidence) == 0)
            return &result.findings[i];
    fail_msg("no finding for '%s' in '%s'", evidence, file);
    return NULL;
}

static void
dead_references_all(void **state)
{
    (void)state;
    run(&gold_check_dead_references, guest, root_on("/dev/sdb"));
    const struct gold_finding *f = find_evidence("/etc/fstab", "UUID=" DEAD "1");
    assert_int_equal(f->line, 2);
    assert_int_equal(f->severity, GOLD_ERROR);
    assert_int_equal(find_evidence("/etc/fstab", "LABEL=gone")->severity, GOLD_WARNING);
    (void)find_evidence("/etc/fstab", "PARTUUID=0badf00d-01");
    (void)find_evidence("/etc/crypttab", "UUID=" DEAD "4");
    (void)find_evidence("/etc/default/grub", "UUID=" DEAD "5");
    (void)find_evidence("/etc/initramfs-tools/conf.d/resume", "UUID=" DEAD "6");
    (void)find_evidence("/boot/loader/entries/a.conf", "LABEL=gone");
    assert_int_equal(find_evidence("/boot/loader/entries/a.conf", "UUID=" DEAD "7")->line, 2);
    assert_int_equal(result.n_findings, 8);
}

static void
dead_references_with_encryption(void **state)
{
    (void)state;
    struct gold_filesystem fs = {
        .device = S("/dev/sdc"), .block = S("/dev/sdc"), .type = S("crypto_LUKS")};
    const struct gold_guest encrypted = {.filesystems = &fs, .n_filesystems = 1};
    run(&gold_check_dead_references, &encrypted, root_on("/dev/sdb"));
    assert_int_equal(result.n_findings, 8);
    assert_int_equal(gold_source_count_findings(&result, GOLD_ERROR), 0);
}

static void
unknown_distro(void **state)
{
    (void)state;
    run(&gold_check_unknown_distro, guest, root_on("/dev/sda"));
    assert_int_equal(result.n_findings, 0);
    (void)forget(NULL);
    run(&gold_check_unknown_distro, guest, root_on("/dev/sdb"));
    assert_int_equal(result.n_findings, 1);
    assert_int_equal(result.findings[0].severity, GOLD_WARNING);
    assert_non_null(strstr(result.findings[0].message, "neither"));
    assert_non_null(strstr(result.findings[0].evidence, "machine-id"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),
        cmocka_unit_test_teardown(no_root, forget),
        cmocka_unit_test_teardown(several_roots, forget),
        cmocka_unit_test_teardown(hibernation_and_dirt, forget),
        cmocka_unit_test_teardown(free_space, forget),
        cmocka_unit_test_teardown(dead_references_none, forget),
        cmocka_unit_test_teardown(dead_references_all, forget),
        cmocka_unit_test_teardown(dead_references_with_encryption, forget),
        cmocka_unit_test_teardown(unknown_distro, forget),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
