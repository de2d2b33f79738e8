/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inspection of many phony guests in one appliance. A first appliance makes what mke2fs cannot
 * (LVM, btrfs, XFS, NTFS, LUKS) and dies without unmounting, so that the XFS is dirty.
 */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "guest/inspect.h"
#include "guest/phony.h"

#define HOME_UUID "11111111-2222-3333-4444-555555555501"
#define SWAP_UUID "11111111-2222-3333-4444-555555555502"

static const struct phony_file separate_usr[] = {
    {.path = "/etc/os-release", .link = "/usr/lib/os-release"},
    {.path = "/etc/fstab",
     .bytes =
         "LABEL=PUSR /usr ext4 ro 0 0\nUUID=" HOME_UUID " /home ext4 defaults 0 2\n"
         "UUID=" SWAP_UUID
         " none swap sw 0 0\nUUID=99999999-0000-0000-0000-000000000000 /gone ext4 nofail 0 0\n"
         "/swapfile none swap sw 0 0\n/fifo none swap sw 0 0\n"},
    {.path = "/etc/selinux/config",
     .bytes = "# This\nSELINUX=permissive\nSELINUXTYPE=targeted\n"},
    {.path = "/usr/"},
    {.path = "/home/"},
    {.path = "/bin", .link = "usr/bin"},
    {.path = "/sbin", .link = "usr/sbin"},
    {0},
};
static const char elf_aarch64[64] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\267\0\1\0\0";
static const char elf_i386[64] = "\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\3\0\3\0\1\0\0";
static const struct phony_file usr_only[] = {
    {.path = "/lib/os-release",
     .bytes =
         "ID=\"rocky\"\nVERSION_ID=\"9.4\"\nID_LIKE=\"rhel centos\"\nPRETTY_NAME='Rocky 9'\n"},
    {.path = "/bin/bash", .bytes = elf_aarch64, .len = sizeof elf_aarch64, .mode = 0755},
    {.path = "/lib/systemd/systemd", .bytes = "x"},
    {.path = "/lib/systemd/libsystemd-shared-252-32.el9.so", .bytes = "x"},
    {0},
};
static const struct phony_file home_only[] = {{.path = "/somebody/"}, {0}};
static const struct phony_file alpine[] = {
    {.path = "/etc/os-release",
     .bytes = "ID=alpine\nVERSION_ID=3.19.1\nPRETTY_NAME=\"Alpine Linux v3.19\"\n"},
    {.path = "/bin/busybox", .bytes = "x", .mode = 0755},
    {.path = "/sbin/init", .link = "/bin/busybox"},
    {.path = "/sbin/openrc", .bytes = "x", .mode = 0755},
    {.path = "/etc/inittab", .bytes = "::sysinit:/sbin/openrc sysinit\n"},
    {0},
};
static const struct phony_file busybox[] = {
    {.path = "/etc/os-release", .bytes = "NAME=Buildroot\nID=\nVERSION_ID=\x01\xFF\n"},
    {.path = "/bin/busybox", .bytes = "x", .mode = 0755},
    {.path = "/sbin/init", .link = "../bin/busybox"},
    {.path = "/etc/inittab", .bytes = "::once:/bin/true\n"},
    {0},
};
static const struct phony_file sysv[] = {
    {.path = "/etc/fstab", .bytes = "/dev/hda1 / ext3 defaults 0 1\n"},
    {.path = "/etc/inittab", .bytes = "id:3:initdefault:\n"},
    {.path = "/etc/rc2.d/"},
    {.path = "/sbin/init", .bytes = "x", .mode = 0755},
    {.path = "/bin/sh", .bytes = elf_i386, .len = sizeof elf_i386, .mode = 0755},
    {0},
};
static const struct phony_file no_system[] = {
    {.path = "/etc/motd", .bytes = "x"}, {.path = "/data/x", .bytes = "x"}, {0}};

#define LISTS(...)                     \
    (const struct phony_file *const[]) \
    {                                  \
        __VA_ARGS__, NULL              \
    }

enum {
    CLEAN,
    SPLIT,
    USR,
    HOME,
    DIRTY,
    SUSPENDED,
    SWAP,
    ALPINE,
    BUSYBOX,
    SYSV,
    NOTHING,
    PARTITIONED,
    LVM,
    BTRFS,
    XFS,
    NTFS,
    LUKS,
    N_DISKS
};

static char *images[N_DISKS];
static struct gold_context *ctx;
static struct gold_session *session;
static struct gold_guest *guest;
static bool have_luks;

static void
make_images(void)
{
    char swapfile[4096] = {0};
    memcpy(swapfile + 4086, "S1SUSPEND", 9);
    const struct phony_file hibernated[] = {
        {.path = "/swapfile", .bytes = swapfile, .len = sizeof swapfile}, {0}};
    images[CLEAN] =
        phony_create("clean", &(struct phony_options){.label = "CLEAN"}, LISTS(phony_debian));
    images[SPLIT] = phony_create("split", NULL, LISTS(separate_usr, hibernated));
    images[USR] =
        phony_create("usr", &(struct phony_options){.label = "PUSR"}, LISTS(usr_only));
    images[HOME] =
        phony_create("home", &(struct phony_options){.uuid = HOME_UUID}, LISTS(home_only));
    images[DIRTY] =
        phony_create("dirty", &(struct phony_options){.dirty = true}, LISTS(phony_debian));
    images[SUSPENDED] = phony_swap("suspended", NULL, true);
    images[SWAP] = phony_swap("swap", SWAP_UUID, false);
    images[ALPINE] = phony_create("alpine", NULL, LISTS(alpine));
    images[BUSYBOX] =
        phony_create("busybox", &(struct phony_options){.type = "ext2"}, LISTS(busybox));
    images[SYSV] = phony_create("sysv", &(struct phony_options){.type = "ext3"}, LISTS(sysv));
    images[NOTHING] = phony_create("nothing", NULL, LISTS(no_system));
    const char *parts[] = {images[CLEAN], images[SWAP]};
    images[PARTITIONED] = phony_partitioned("partitioned", parts, 2);
    images[LUKS] = gold_path_join(phony_dir(), "luks", NULL);
    phony_run("truncate -s 20M '%s'", images[LUKS]);
    have_luks =
        access("/usr/sbin/cryptsetup", X_OK) == 0 || access("/sbin/cryptsetup", X_OK) == 0;
    if (have_luks)
        phony_run("echo -n secret | cryptsetup -q luksFormat --type luks1 "
                  "--pbkdf-force-iterations 1000 '%s' -",
                  images[LUKS]);
    static const char *const blank[] = {"lvm", "btrfs", "xfs", "ntfs"};
    for (size_t i = 0; i < 4; i++) {
        images[LVM + i] = gold_path_join(phony_dir(), blank[i], NULL);
        phony_run("truncate -s 400M '%s'", images[LVM + i]);
    }
}

static void
fill_root(guestfs_h *g, const char *release)
{
    assert_int_equal(guestfs_mkdir_p(g, "/etc"), 0);
    assert_int_equal(guestfs_write(g, "/etc/os-release", release, strlen(release)), 0);
}

static bool have_ntfs;

static void
make_windows(guestfs_h *g)
{
    assert_int_equal(guestfs_mkfs_opts(g, "ntfs", "/dev/sdd", -1), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
    assert_int_equal(guestfs_mount(g, "/dev/sdd", "/"), 0);
    assert_int_equal(guestfs_mkdir_p(g, "/Windows/System32"), 0);
    assert_int_equal(guestfs_write(g, "/Windows/System32/ntoskrnl.exe", "MZ", 2), 0);
    assert_int_equal(guestfs_write(g, "/hiberfil.sys", "hibr....", 8), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
}

/* Ends without an unmount, as a machine does that is switched off. */
static void
make_odd_file_systems(void)
{
    struct gold_session *s = phony_session(ctx, false, (const char *const *)&images[LVM], 4);
    guestfs_h *g = gold_session_handle(s);
    char *pv[] = {(char *)"/dev/sda", NULL};
    assert_int_equal(guestfs_pvcreate(g, "/dev/sda"), 0);
    assert_int_equal(guestfs_vgcreate(g, "v-g", pv), 0);
    assert_int_equal(guestfs_lvcreate(g, "root", "v-g", 64), 0);
    assert_int_equal(guestfs_mkfs_opts(g, "ext4", "/dev/v-g/root", -1), 0);
    assert_int_equal(guestfs_mount(g, "/dev/v-g/root", "/"), 0);
    fill_root(g, "ID=lvm\n");
    assert_int_equal(
        guestfs_write(g, "/etc/fstab", "/dev/mapper/v--g-root / ext4 defaults 0 1\n", 42), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
    char *devices[] = {(char *)"/dev/sdb", NULL};
    assert_int_equal(guestfs_mkfs_btrfs(g, devices, -1), 0);
    assert_int_equal(guestfs_mount(g, "/dev/sdb", "/"), 0);
    assert_int_equal(guestfs_btrfs_subvolume_create(g, "/@"), 0);
    assert_int_equal(guestfs_btrfs_subvolume_create(g, "/@home"), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
    assert_int_equal(guestfs_mount(g, "btrfsvol:/dev/sdb/@", "/"), 0);
    fill_root(g, "ID=btrfs\n");
    assert_int_equal(guestfs_mkdir(g, "/home"), 0);
    char *uuid = guestfs_vfs_uuid(g, "/dev/sdb"), *fstab = NULL;
    assert_true(
        asprintf(&fstab,
                 "UUID=%s / btrfs subvol=@ 0 0\nUUID=%s /home btrfs rw,subvol=/@home,ssd 0 0\n",
                 uuid, uuid) > 0);
    assert_int_equal(guestfs_write(g, "/etc/fstab", fstab, strlen(fstab)), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
    /* A snapshot of the root, which is no second system. */
    assert_int_equal(guestfs_mount(g, "/dev/sdb", "/"), 0);
    assert_int_equal(guestfs_btrfs_subvolume_snapshot_opts(g, "/@", "/backup", -1), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
    free(uuid);
    free(fstab);
    have_ntfs = guestfs_feature_available(g, (char *[]){(char[]){"ntfs3g"}, NULL}) == 1;
    if (have_ntfs)
        make_windows(g);
    assert_int_equal(guestfs_mkfs_opts(g, "xfs", "/dev/sdc", -1), 0);
    assert_int_equal(guestfs_mount(g, "/dev/sdc", "/"), 0);
    fill_root(g, "ID=xfs\n");
    assert_int_equal(guestfs_umount_all(g), 0);
    assert_int_equal(guestfs_mount(g, "/dev/sdc", "/"), 0);
    assert_int_equal(guestfs_write(g, "/later", "x", 1), 0);
    assert_int_equal(guestfs_sync(g), 0);
    gold_session_free(s);
}

static int
setup(void **state)
{
    (void)state;
    ctx = phony_context();
    make_images();
    make_odd_file_systems();
    session = phony_session(ctx, true, (const char *const *)images, N_DISKS);
    struct gold_error *err = NULL;
    guest = gold_guest_inspect(session, &err);
    if (!guest)
        fail_msg("%s", gold_error_message(err));
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    gold_guest_free(guest);
    gold_session_free(session);
    gold_context_free(ctx);
    for (size_t i = 0; i < N_DISKS; i++)
        free(images[i]);
    phony_cleanup();
    return 0;
}

static const struct gold_filesystem *
find_fs(const char *device)
{
    for (size_t i = 0; i < guest->n_filesystems; i++)
        if (strcmp(guest->filesystems[i].device, device) == 0)
            return &guest->filesystems[i];
    struct gold_facts all = {0};
    assert_int_equal(gold_guest_facts(guest, &all, NULL), 0);
    for (size_t i = 0; i < all.n; i++)
        print_error("%s: %s\n", all.items[i].name, all.items[i].value);
    gold_facts_done(&all);
    fail_msg("no file system '%s'", device);
    return NULL;
}

static const struct gold_root *
find_root(const char *device)
{
    for (size_t i = 0; i < guest->n_roots; i++)
        if (strcmp(guest->roots[i].device, device) == 0)
            return &guest->roots[i];
    return NULL;
}

static const char *
disk(int i)
{
    static char name[16];
    (void)snprintf(name, sizeof name, "/dev/sd%c", 'a' + i);
    return name;
}

static void
file_systems(void **state)
{
    (void)state;
    const struct gold_filesystem *fs = find_fs(disk(CLEAN));
    assert_string_equal(fs->type, "ext4");
    assert_string_equal(fs->label, "CLEAN");
    assert_non_null(fs->uuid);
    assert_null(fs->partuuid);
    assert_false(fs->dirty);
    assert_string_equal(find_fs(disk(HOME))->uuid, HOME_UUID);
    assert_string_equal(find_fs(disk(SWAP))->uuid, SWAP_UUID);
    assert_string_equal(find_fs(disk(SYSV))->type, "ext3");
    assert_string_equal(find_fs("/dev/sdl1")->partuuid, "60d5a17e-01");
    assert_string_equal(find_fs("/dev/sdl2")->type, "swap");
    assert_string_equal(find_fs("/dev/v-g/root")->type, "ext4");
    assert_string_equal(find_fs(disk(XFS))->type, "xfs");
    assert_string_equal(find_fs("btrfsvol:/dev/sdn/@home")->block, "/dev/sdn");
    if (have_luks) {
        assert_string_equal(find_fs(disk(LUKS))->type,
                            "crypto_LUKS"); /* reported and not opened */
        assert_null(find_root(disk(LUKS)));
    } else {
        print_message("an encrypted volume is not tried: there is no cryptsetup\n");
    }
}

static void
dirty_and_suspended(void **state)
{
    (void)state;
    for (size_t i = 0; i < guest->n_filesystems; i++) {
        const struct gold_filesystem *fs = &guest->filesystems[i];
        bool is_dirty =
            strcmp(fs->device, "/dev/sde") == 0 || strcmp(fs->device, "/dev/sdo") == 0;
        bool is_suspended = strcmp(fs->device, "/dev/sdf") == 0 ||
                            strcmp(fs->device, "/dev/sdb") == 0 ||
                            (have_ntfs && strcmp(fs->device, "/dev/sdp") == 0);
        if (fs->dirty != is_dirty || fs->hibernated != is_suspended)
            fail_msg("'%s': dirty %d, suspended %d", fs->device, fs->dirty, fs->hibernated);
    }
    assert_true(find_fs(disk(XFS))->dirty && find_fs(disk(DIRTY))->dirty &&
                find_fs(disk(SUSPENDED))->hibernated);
}

static void
a_debian(void **state)
{
    (void)state;
    const struct gold_root *root = find_root(disk(CLEAN));
    assert_non_null(root);
    assert_string_equal(root->os, "linux");
    assert_string_equal(root->distro, "debian");
    assert_string_equal(root->version, "12");
    assert_string_equal(root->name, "Debian GNU/Linux 12 (bookworm)");
    assert_string_equal(root->arch, "x86_64");
    assert_int_equal(root->init, GOLD_INIT_SYSTEMD);
    assert_int_equal(root->systemd_version, 252);
    assert_false(root->selinux);
    assert_int_equal(root->n_mounts, 1);
    assert_non_null(find_root("/dev/sdl1")); /* the same on a partition */
}

static void
a_separate_usr(void **state)
{
    (void)state;
    const struct gold_root *root = find_root(disk(SPLIT));
    assert_non_null(root);
    assert_string_equal(root->distro, "rocky");
    assert_string_equal(root->id_like, "rhel centos");
    assert_string_equal(root->name, "Rocky 9");
    assert_string_equal(root->arch, "aarch64");
    assert_int_equal(root->systemd_version, 252);
    assert_true(root->selinux);
    assert_int_equal(root->n_mounts, 3);
    assert_string_equal(root->mounts[0].where, "/");
    assert_string_equal(root->mounts[1].where, "/home");
    assert_string_equal(root->mounts[1].device, disk(HOME));
    assert_string_equal(root->mounts[2].where, "/usr");
}

static void
other_inits(void **state)
{
    (void)state;
    const struct gold_root *root = find_root(disk(ALPINE));
    assert_non_null(root);
    assert_int_equal(root->init, GOLD_INIT_OPENRC);
    assert_null(root->arch);
    root = find_root(disk(BUSYBOX));
    assert_non_null(root);
    assert_int_equal(root->init, GOLD_INIT_BUSYBOX);
    assert_null(root->distro);
    assert_string_equal(root->version, "??");
    root = find_root(disk(SYSV));
    assert_non_null(root);
    assert_int_equal(root->init, GOLD_INIT_SYSV);
    assert_string_equal(root->arch, "i386");
    assert_null(root->name);
    assert_null(find_root(disk(NOTHING)));
    assert_null(find_root(disk(HOME)));
}

static void
lvm_btrfs_xfs(void **state)
{
    (void)state;
    const struct gold_root *root = find_root("/dev/v-g/root");
    assert_non_null(root);
    assert_string_equal(root->distro, "lvm");
    assert_non_null(find_root(disk(XFS)));
    assert_string_equal(find_root(disk(XFS))->distro, "xfs");
    root = find_root("btrfsvol:/dev/sdn/@");
    assert_non_null(root);
    assert_int_equal(root->n_mounts, 2);
    assert_string_equal(root->mounts[1].device, "btrfsvol:/dev/sdn/@home");
    assert_string_equal(root->mounts[1].where, "/home");
    assert_non_null(find_fs("btrfsvol:/dev/sdn/backup"));
    assert_null(find_root("btrfsvol:/dev/sdn/backup"));
}

static void
a_windows(void **state)
{
    (void)state;
    if (!have_ntfs) {
        print_message("Windows is not tried: the appliance has no ntfs-3g\n");
        skip();
    }
    const struct gold_root *root = find_root(disk(NTFS));
    assert_non_null(root);
    assert_string_equal(root->os, "windows");
    assert_null(root->distro);
    assert_true(find_fs(disk(NTFS))->hibernated);
}

static void
choosing(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    assert_null(gold_guest_choose_root(guest, NULL, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    assert_non_null(
        strstr(gold_error_message(err), "'/dev/sda' (Debian GNU/Linux 12 (bookworm))"));
    gold_error_clear(&err);
    assert_null(gold_guest_choose_root(guest, "/dev/sdg", &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    gold_error_clear(&err);
    assert_ptr_equal(gold_guest_choose_root(guest, "/dev/sda", NULL), find_root("/dev/sda"));
    assert_ptr_equal(gold_guest_choose_root(guest, "LABEL=CLEAN", NULL), find_root("/dev/sda"));
    assert_ptr_equal(gold_guest_choose_root(guest, "/dev/vda", NULL), find_root("/dev/sda"));
    const struct gold_guest none = {0};
    assert_null(gold_guest_choose_root(&none, NULL, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    gold_error_clear(&err);
    const struct gold_guest one = {.roots = guest->roots, .n_roots = 1};
    assert_ptr_equal(gold_guest_choose_root(&one, NULL, NULL), &guest->roots[0]);
}

static void
facts(void **state)
{
    (void)state;
    struct gold_facts f = {0};
    assert_int_equal(gold_guest_facts(guest, &f, NULL), 0);
    assert_non_null(gold_facts_get(&f, "os.distro"));
    assert_non_null(strstr(gold_facts_get(&f, "filesystem./dev/sde"), "dirty"));
    assert_non_null(strstr(gold_facts_get(&f, "filesystem./dev/sdf"), "hibernated"));
    assert_string_equal(gold_facts_get(&f, "os.init"), "systemd");
    assert_null(gold_facts_get(&f, "os.nothing"));
    gold_facts_done(&f);
}

static void
mounting(void **state)
{
    (void)state;
    guestfs_h *g = gold_session_handle(session);
    struct gold_error *err = NULL;
    /* Even what is dirty can be looked at. */
    static const char *const roots[] = {"/dev/sdb", "/dev/sde", "/dev/sdo",
                                        "btrfsvol:/dev/sdn/@"};
    for (size_t i = 0; i < 4; i++) {
        const struct gold_root *root = find_root(roots[i]);
        assert_non_null(root);
        if (gold_guest_mount(session, root, true, &err) < 0)
            fail_msg("%s", gold_error_message(err));
        assert_int_equal(guestfs_touch(g, "/new"), -1);
        char **mounted = guestfs_mounts(g);
        size_t n = 0;
        for (; mounted[n]; n++)
            free(mounted[n]);
        free(mounted);
        assert_int_equal(n, root->n_mounts);
        assert_int_equal(guestfs_umount_all(g), 0);
    }
    struct gold_root gone = *find_root("/dev/sda");
    struct gold_mount mounts[] = {
        gone.mounts[0],
        {.device = (char *)"/dev/sdd", .where = (char *)"/nowhere", .readonly_options = "ro"}};
    gone.mounts = mounts;
    gone.n_mounts = 2;
    assert_int_equal(gold_guest_mount(session, &gone, true, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "'/nowhere'"));
    gold_error_clear(&err);
    assert_int_equal(guestfs_umount_all(g), 0);
    mounts[1].optional = true;
    assert_int_equal(gold_guest_mount(session, &gone, true, &err), 0);
    assert_int_equal(guestfs_umount_all(g), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_systems), cmocka_unit_test(dirty_and_suspended),
        cmocka_unit_test(a_debian),     cmocka_unit_test(a_separate_usr),
        cmocka_unit_test(other_inits),  cmocka_unit_test(lvm_btrfs_xfs),
        cmocka_unit_test(a_windows),    cmocka_unit_test(choosing),
        cmocka_unit_test(facts),        cmocka_unit_test(mounting),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
