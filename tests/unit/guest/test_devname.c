/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel device names: which are, and what they are resolved to. A wrong guess is worse than
 * none. */
#include "unit.h"

#include "guest/devname.h"

static void
knows_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *disk; /* disk NULL: not such a name */
        unsigned index, part;
        bool leftover;
    } cases[] = {
        {"/dev/sda1", "sda", 0, 1, false},
        {"/dev/sda", "sda", 0, 0, false},
        {"/dev/hdb12", "hdb", 1, 12, false},
        {"/dev/vdz3", "vdz", 25, 3, false},
        {"/dev/sdaa1", "sdaa", 26, 1, false},
        {"/dev/xvda1", "xvda", 0, 1, false},
        {"/dev/nvme0n1p2", "nvme0n1", 0, 2, false},
        {"/dev/nvme1n1", "nvme1n1", 1, 0, false},
        {"/dev/mmcblk0p1", "mmcblk0", 0, 1, false},
        {"/dev/loop0p1", "loop0", 0, 1, true},
        {"/dev/mapper/loop0p1", "loop0", 0, 1, true},
        {"/dev/loop0", NULL, 0, 0, false},
        {"/dev/sr0", NULL, 0, 0, false},
        {"/dev/cdrom", NULL, 0, 0, false},
        {"/dev/fd0", NULL, 0, 0, false},
        {"/dev/md0", NULL, 0, 0, false},
        {"/dev/md/root", NULL, 0, 0, false},
        {"/dev/dm-0", NULL, 0, 0, false},
        {"/dev/mapper/vg-root", NULL, 0, 0, false},
        {"/dev/mapper/sda1", NULL, 0, 0, false},
        {"/dev/vg/root", NULL, 0, 0, false},
        {"/dev/sda0", NULL, 0, 0, false},
        {"/dev/sda1x", NULL, 0, 0, false},
        {"/dev/sdA1", NULL, 0, 0, false},
        {"/dev/sd", NULL, 0, 0, false},
        {"/dev/sdabcd", NULL, 0, 0, false},
        {"/dev/sda99999999999999999999", NULL, 0, 0, false},
        {"/dev/nvme0n1p", NULL, 0, 0, false},
        {"/dev/nvme0n12x", NULL, 0, 0, false},
        {"/dev/nvme0", NULL, 0, 0, false},
        {"/dev/disk/by-id/x", NULL, 0, 0, false},
        {"UUID=1", NULL, 0, 0, false},
        {"sda1", NULL, 0, 0, false},
        {"", NULL, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gold_devname d;
        bool is = gold_devname_parse(cases[i].name, strlen(cases[i].name), &d);
        if (is != (cases[i].disk != NULL))
            fail_msg("'%s'", cases[i].name);
        if (!is)
            continue;
        assert_string_equal(d.disk, cases[i].disk);
        assert_int_equal(d.index, cases[i].index);
        assert_int_equal(d.part, cases[i].part);
        assert_int_equal(d.leftover, cases[i].leftover);
    }
}

#define S(text) ((char *)(text))

/* One disk: boot, root, swap, LUKS, and one without a file system. */
static struct gold_filesystem one[] = {
    {.device = S("/dev/sda1"), .type = S("ext2"), .uuid = S("u-boot"), .partuuid = S("p-1")},
    {.device = S("/dev/sda2"),
     .type = S("ext4"),
     .uuid = S("u-root"),
     .partuuid = S("p-2"),
     .label = S("root")},
    {.device = S("/dev/sda3"), .type = S("swap"), .uuid = S("u-swap"), .partuuid = S("p-3")},
    {.device = S("/dev/sda4"),
     .type = S("crypto_LUKS"),
     .uuid = S("u-luks"),
     .partuuid = S("p-4")},
    {.device = S("/dev/sda5"), .type = S("unknown"), .partuuid = S("p-5")},
    {.device = S("/dev/sda6"),
     .type = S("LVM2_member"),
     .uuid = S("u-pv"),
     .partuuid = S("p-6")},
    {.device = S("/dev/vg/home"), .type = S("xfs"), .uuid = S("u-home")},
};
static const struct gold_guest guest_one = {.filesystems = one,
                                            .n_filesystems = sizeof(one) / sizeof(one[0])};
static const struct gold_root root_one = {.device = S("/dev/sda2")};

static struct gold_filesystem two[] = {
    {.device = S("/dev/sda1"), .type = S("ext4"), .uuid = S("u-a1")},
    {.device = S("/dev/sda2"), .type = S("swap"), .uuid = S("u-a2")},
    {.device = S("/dev/sdb1"), .type = S("ext4"), .uuid = S("u-b1"), .label = S("data")},
    {.device = S("/dev/sdb2"), .type = S("xfs"), .uuid = S("u-b2")},
};
static const struct gold_guest guest_two = {.filesystems = two, .n_filesystems = 4};
static const struct gold_root root_two = {.device = S("/dev/sda1")};
static const struct gold_root root_lvm = {.device = S("/dev/vg/root")};

static struct gold_filesystem twins[] = {
    {.device = S("/dev/sda1"), .type = S("ext4"), .uuid = S("same"), .partuuid = S("p-a")},
    {.device = S("/dev/sdb1"), .type = S("ext4"), .uuid = S("SAME"), .partuuid = S("p-b")},
    {.device = S("/dev/sdb2"), .type = S("ext4"), .uuid = S("bad value\n")},
};
static const struct gold_guest guest_twins = {.filesystems = twins, .n_filesystems = 3};

struct question {
    const struct gold_guest *guest;
    const struct gold_root *root;
    const char *fstab, *name;
    enum gold_devuse use;
    const char *type;
    bool partuuid_only;
    const char *answer; /* or NULL */
};

static const struct question questions[] = {
    /* one disk */
    {&guest_one, &root_one, "", "/dev/vda1", GOLD_DEVUSE_FS, "ext2", false, "UUID=u-boot"},
    {&guest_one, &root_one, "", "/dev/sda1", GOLD_DEVUSE_FS, "auto", false, "UUID=u-boot"},
    {&guest_one, &root_one, "", "/dev/sda1", GOLD_DEVUSE_FS, "ext4", false, "UUID=u-boot"},
    {&guest_one, &root_one, "", "/dev/sda1", GOLD_DEVUSE_FS, "xfs", false, NULL},
    {&guest_one, &root_one, "", "/dev/nvme0n1p2", GOLD_DEVUSE_ROOT, "ext4", false,
     "UUID=u-root"},
    {&guest_one, &root_one, "", "/dev/mapper/loop0p2", GOLD_DEVUSE_ROOT, NULL, false,
     "UUID=u-root"},
    {&guest_one, &root_one, "", "/dev/sda3", GOLD_DEVUSE_SWAP, NULL, false, "UUID=u-swap"},
    {&guest_one, &root_one, "", "/dev/sda1", GOLD_DEVUSE_SWAP, NULL, false, NULL},
    {&guest_one, &root_one, "", "/dev/sda3", GOLD_DEVUSE_FS, "auto", false, NULL},
    {&guest_one, &root_one, "", "/dev/sda4", GOLD_DEVUSE_LUKS, NULL, false, "UUID=u-luks"},
    {&guest_one, &root_one, "", "/dev/sda4", GOLD_DEVUSE_FS, NULL, false, NULL},
    {&guest_one, &root_one, "", "/dev/sda6", GOLD_DEVUSE_FS, "auto", false, NULL},
    {&guest_one, &root_one, "", "/dev/sda9", GOLD_DEVUSE_FS, "auto", false, NULL},
    /* swap that is encrypted anew at each boot loses its UUID; the partition keeps its own */
    {&guest_one, &root_one, "", "/dev/sda3", GOLD_DEVUSE_PLAIN, NULL, false, "PARTUUID=p-3"},
    {&guest_one, &root_one, "", "/dev/sda5", GOLD_DEVUSE_PLAIN, NULL, false, "PARTUUID=p-5"},
    {&guest_one, &root_one, "", "/dev/sda1", GOLD_DEVUSE_PLAIN, NULL, false, NULL},
    {&guest_two, &root_two, "", "/dev/sda2", GOLD_DEVUSE_PLAIN, NULL, false, NULL},
    /* without an initramfs */
    {&guest_one, &root_one, "", "/dev/sda2", GOLD_DEVUSE_ROOT, NULL, true, "PARTUUID=p-2"},
    {&guest_two, &root_two, "", "/dev/sda1", GOLD_DEVUSE_ROOT, NULL, true, NULL},
    /* a second disk that was not supplied */
    {&guest_one, &root_one, "/dev/sda2 / ext4\n", "/dev/sdb1", GOLD_DEVUSE_FS, "ext2", false,
     NULL},
    {&guest_one, &root_one, "", "/dev/sdb1", GOLD_DEVUSE_FS, "ext2", false, NULL},
    /* this disk was the second one where the guest was made, as its root says */
    {&guest_one, &root_one, "/dev/sdb2 / ext4\n", "/dev/sdb1", GOLD_DEVUSE_FS, "ext2", false,
     "UUID=u-boot"},
    {&guest_one, &root_one, "/dev/sdb2 / ext4\n", "/dev/sda1", GOLD_DEVUSE_FS, "ext2", false,
     NULL},
    /* two disks: the root tells which is which */
    {&guest_two, &root_two, "/dev/vda1 / ext4\n", "/dev/vdb1", GOLD_DEVUSE_FS, "ext4", false,
     "UUID=u-b1"},
    {&guest_two, &root_two, "/dev/vdb1 / ext4\n", "/dev/vda1", GOLD_DEVUSE_FS, "ext4", false,
     "UUID=u-b1"},
    {&guest_two, &root_two, "/dev/vdb1 / ext4\n", "/dev/vdb2", GOLD_DEVUSE_SWAP, NULL, false,
     "UUID=u-a2"},
    /* several could be meant */
    {&guest_two, &root_lvm, "", "/dev/sdb1", GOLD_DEVUSE_FS, "ext4", false, NULL},
    {&guest_two, &root_lvm, "", "/dev/sdb2", GOLD_DEVUSE_FS, "xfs", false, "UUID=u-b2"},
    {&guest_two, &root_lvm, "", "/dev/sdc1", GOLD_DEVUSE_FS, "ext4", false, NULL},
    /* one of the two has a name in fstab already */
    {&guest_two, &root_lvm, "UUID=u-a1 / ext4\n", "/dev/sdb1", GOLD_DEVUSE_FS, "ext4", false,
     "UUID=u-b1"},
    {&guest_two, &root_lvm, "LABEL=\"data\" /d ext4\n", "/dev/sda1", GOLD_DEVUSE_FS, "ext4",
     false, "UUID=u-a1"},
    /* a UUID that two have names neither */
    {&guest_twins, &root_two, "", "/dev/sda1", GOLD_DEVUSE_ROOT, NULL, false, "PARTUUID=p-a"},
    {&guest_twins, &root_lvm, "", "/dev/sdb2", GOLD_DEVUSE_FS, "ext4", false, NULL},
    /* whole disks */
    {&guest_one, &root_one, "", "/dev/vda", GOLD_DEVUSE_FS, "ext4", false, NULL},
};

static void
resolves_only_what_is_sure(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
        const struct question *q = &questions[i];
        GOLD_CLEANUP_DEVMAP struct gold_devmap map = {0};
        GOLD_CLEANUP_FREE char *answer = NULL;
        struct gold_devname name;
        const char *why = NULL;
        assert_int_equal(
            gold_devmap_init(&map, q->guest, q->root, q->fstab, strlen(q->fstab), NULL), 0);
        assert_true(gold_devname_parse(q->name, strlen(q->name), &name));
        assert_int_equal(gold_devmap_resolve(&map, &name, q->use, q->type, q->partuuid_only,
                                             &answer, &why, NULL),
                         0);
        if (!gold_streq(answer, q->answer))
            fail_msg("question %zu, '%s': %s", i, q->name, answer ? answer : why);
        if (!answer)
            assert_non_null(why);
    }
}

static void
learns_from_kernel_parameters(void **state)
{
    (void)state;
    GOLD_CLEANUP_DEVMAP struct gold_devmap map = {0};
    GOLD_CLEANUP_FREE char *answer = NULL;
    struct gold_devname root, data, other;
    const char *why;
    assert_int_equal(gold_devmap_init(&map, &guest_two, &root_two, NULL, 0, NULL), 0);
    assert_true(gold_devname_parse("/dev/vdb1", 9, &root) &&
                gold_devname_parse("/dev/vda1", 9, &data) &&
                gold_devname_parse("/dev/vdc7", 9, &other));
    assert_int_equal(gold_devmap_pin_root(&map, &other, NULL),
                     0); /* another partition number: another system's root */
    assert_int_equal(map.n_pins, 0);
    assert_int_equal(gold_devmap_pin_root(&map, &root, NULL), 0);
    assert_int_equal(gold_devmap_pin_root(&map, &root, NULL), 0);
    assert_int_equal(map.n_pins, 1);
    assert_int_equal(
        gold_devmap_resolve(&map, &data, GOLD_DEVUSE_FS, "ext4", false, &answer, &why, NULL),
        0);
    assert_string_equal(answer, "UUID=u-b1");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_names),
        cmocka_unit_test(resolves_only_what_is_sure),
        cmocka_unit_test(learns_from_kernel_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
