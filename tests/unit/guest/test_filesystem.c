/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Superblocks, ELF headers and the names of devices. */
#include "unit.h"

#include "guest/filesystem.h"

static void
ext_state(void **state)
{
    (void)state;
    unsigned char head[4096] = {0};
    assert_false(gold_ext_is_dirty(head, sizeof head)); /* no magic: not ours to judge */
    head[1024 + 0x38] = 0x53;
    head[1024 + 0x39] = 0xEF;
    assert_true(gold_ext_is_dirty(head, sizeof head)); /* not marked as cleanly unmounted */
    head[1024 + 0x3A] = 1;
    assert_false(gold_ext_is_dirty(head, sizeof head));
    head[1024 + 0x60] = 0x42 | 4;
    assert_true(gold_ext_is_dirty(head, sizeof head)); /* needs_recovery */
    head[1024 + 0x60] = 0x42;
    assert_false(gold_ext_is_dirty(head, sizeof head));
    head[1024 + 0x3A] = 3;
    assert_true(gold_ext_is_dirty(head, sizeof head)); /* errors */
    assert_false(gold_ext_is_dirty(head, 1100));       /* cut off */
    assert_false(gold_ext_is_dirty(head, 0));
}

static void
swap_state(void **state)
{
    (void)state;
    static const char *const suspended[] = {"S1SUSPEND", "S2SUSPEND", "ULSUSPEND",
                                            "LINHIB0001"};
    unsigned char head[4096] = {0};
    memcpy(head + 4086, "SWAPSPACE2", 10);
    assert_false(gold_swap_is_suspended(head, sizeof head));
    for (size_t i = 0; i < 4; i++) {
        memset(head, 0, sizeof head);
        memcpy(head + 4086, suspended[i], strlen(suspended[i]));
        assert_true(gold_swap_is_suspended(head, sizeof head));
        assert_false(gold_swap_is_suspended(head, sizeof head - 1));
    }
}

static void
architectures(void **state)
{
    (void)state;
    static const struct {
        unsigned char bits, order, low, high;
        const char *name;
    } known[] = {
        {2, 1, 62, 0, "x86_64"}, {1, 1, 3, 0, "i386"},      {2, 1, 183, 0, "aarch64"},
        {1, 1, 40, 0, "arm"},    {2, 1, 21, 0, "ppc64le"},  {2, 2, 0, 21, "ppc64"},
        {2, 2, 0, 22, "s390x"},  {2, 1, 243, 0, "riscv64"}, {2, 1, 2, 1, "loongarch64"},
        {1, 1, 62, 0, NULL},     {2, 1, 0xFF, 0xFF, NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        unsigned char head[64] = "\177ELF";
        head[4] = known[i].bits;
        head[5] = known[i].order;
        head[18] = known[i].low;
        head[19] = known[i].high;
        const char *name = gold_elf_architecture(head, sizeof head);
        if (known[i].name)
            assert_string_equal(name, known[i].name);
        else
            assert_null(name);
        assert_null(gold_elf_architecture(head, 19));
    }
    assert_null(
        gold_elf_architecture((const unsigned char *)"#!/bin/sh, and then nothing of use", 34));
}

#define S(text) ((char[]){text})
static struct gold_filesystem filesystems[] = {
    {.device = S("/dev/sda1"),
     .block = S("/dev/sda1"),
     .type = S("ext4"),
     .uuid = S("1234-ABCD"),
     .label = S("ROOT"),
     .partuuid = S("60d5a17e-01")},
    {.device = S("/dev/sdb2"), .block = S("/dev/sdb2"), .type = S("swap"), .uuid = S("5678")},
    {.device = S("/dev/my-vg/root-lv"), .block = S("/dev/my-vg/root-lv"), .type = S("xfs")},
    {.device = S("/dev/sdc"), .block = S("/dev/sdc"), .type = S("ext4")},
};
static const struct gold_guest guest = {.filesystems = filesystems, .n_filesystems = 4};

static void
devices(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        enum gold_device_match match;
        size_t index;
    } cases[] = {
        {"UUID=1234-abcd", GOLD_DEVICE_FOUND, 0},
        {"UUID=\"1234-ABCD\"", GOLD_DEVICE_FOUND, 0},
        {"UUID='5678'", GOLD_DEVICE_FOUND, 1},
        {"LABEL=ROOT", GOLD_DEVICE_FOUND, 0},
        {"LABEL=root", GOLD_DEVICE_MISSING, 0},
        {"PARTUUID=60D5A17E-01", GOLD_DEVICE_FOUND, 0},
        {"PARTUUID=60d5a17e-02", GOLD_DEVICE_MISSING, 0},
        {"UUID=9999", GOLD_DEVICE_MISSING, 0},
        {"UUID=", GOLD_DEVICE_OTHER, 0},
        {"UUID=\"\"", GOLD_DEVICE_OTHER, 0},
        {"/dev/disk/by-uuid/5678", GOLD_DEVICE_FOUND, 1},
        {"/dev/disk/by-label/none", GOLD_DEVICE_MISSING, 0},
        {"/dev/disk/by-partuuid/60d5a17e-01", GOLD_DEVICE_FOUND, 0},
        {"/dev/vda1", GOLD_DEVICE_FOUND, 0},
        {"/dev/xvdb2", GOLD_DEVICE_FOUND, 1},
        {"/dev/hdc", GOLD_DEVICE_FOUND, 3},
        {"/dev/nvme0n1p1", GOLD_DEVICE_FOUND, 0},
        {"/dev/nvme1n1p2", GOLD_DEVICE_FOUND, 1},
        {"/dev/mmcblk2", GOLD_DEVICE_FOUND, 3},
        {"/dev/vdz9", GOLD_DEVICE_OTHER, 0},
        {"/dev/nvme0n2p1", GOLD_DEVICE_OTHER, 0},
        {"/dev/nvme", GOLD_DEVICE_OTHER, 0},
        {"/dev/sda1x", GOLD_DEVICE_OTHER, 0},
        {"/dev/my-vg/root-lv", GOLD_DEVICE_FOUND, 2},
        {"/dev/mapper/my--vg-root--lv", GOLD_DEVICE_FOUND, 2},
        {"/dev/mapper/my-vg-root-lv", GOLD_DEVICE_OTHER, 0},
        {"/dev/mapper/my--vg-root--l", GOLD_DEVICE_OTHER, 0},
        {"/dev/mapper/", GOLD_DEVICE_OTHER, 0},
        {"proc", GOLD_DEVICE_OTHER, 0},
        {"", GOLD_DEVICE_OTHER, 0},
        {"//server/share", GOLD_DEVICE_OTHER, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gold_filesystem *fs = &filesystems[3];
        enum gold_device_match match = gold_guest_find_device(&guest, cases[i].spec, &fs);
        if (match != cases[i].match)
            fail_msg("'%s': %d", cases[i].spec, match);
        if (match == GOLD_DEVICE_FOUND)
            assert_ptr_equal(fs, &filesystems[cases[i].index]);
        else
            assert_null(fs);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ext_state),
        cmocka_unit_test(swap_state),
        cmocka_unit_test(architectures),
        cmocka_unit_test(devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
