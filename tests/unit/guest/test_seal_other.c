/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operations over phony guests without systemd, and over one that is malformed in every way
 * that is known from the field: nothing crashes, what cannot be done is left and reported.
 */
#include "unit.h"

#include "core/str.h"
#include "guest/bench.h"

#define ID_A   "4c1f0a2b3d4e5f60718293a4b5c6d7e8"
#define UUID_A "aaaaaaaa-1111-4222-8333-444444444444"
#define UUID_B "bbbbbbbb-1111-4222-8333-444444444444"
#define UUID_D "dddddddd-1111-4222-8333-444444444444"
#define UUID_C "cccccccc-1111-4222-8333-444444444444"

static const char elf[64] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0\1\0\0";

/* OpenRC; sshd makes its keys itself. */
static const struct phony_file alpine[] = {
    {.path = "/etc/os-release",
     .bytes = "ID=alpine\nVERSION_ID=3.19.0\nPRETTY_NAME=\"Alpine Linux v3.19\"\n"},
    {.path = "/bin/busybox", .bytes = elf, .len = sizeof(elf), .mode = 0755},
    {.path = "/bin/sh", .link = "/bin/busybox"},
    {.path = "/sbin/init", .link = "/bin/busybox"},
    {.path = "/sbin/openrc", .bytes = elf, .len = sizeof(elf), .mode = 0755},
    {.path = "/etc/fstab",
     .bytes = "/dev/vda\t/\text4\trw,relatime 0 "
              "1\n/dev/cdrom\t/media/cdrom\tiso9660\tnoauto,ro 0 0\n"},
    {.path = "/etc/machine-id", .bytes = ID_A "\n"},
    {.path = "/var/lib/dbus/machine-id", .bytes = ID_A "\n"},
    {.path = "/etc/init.d/dbus",
     .bytes = "#!/sbin/openrc-run\nstart_pre() {\n\tdbus-uuidgen --ensure=/etc/machine-id\n}\n",
     .mode = 0755},
    {.path = "/etc/init.d/sshd",
     .bytes = "#!/sbin/openrc-run\nstart_pre() {\n\tssh-keygen -A\n}\n",
     .mode = 0755},
    {.path = "/etc/runlevels/default/sshd", .link = "/etc/init.d/sshd"},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/bin/ssh-keygen", .bytes = "x", .mode = 0755},
    {.path = "/etc/ssh/ssh_host_ed25519_key", .bytes = "secret", .mode = 0600},
    {.path = "/boot/initramfs-virt", .bytes = "x"},
    {.path = "/boot/extlinux.conf",
     .bytes = "DEFAULT virt\nLABEL virt\n  LINUX vmlinuz-virt\n  INITRD initramfs-virt\n"
              "  APPEND root=/dev/vda modules=ext4 quiet\n"},
    {.path = "/etc/update-extlinux.conf",
     .bytes = "overwrite=1\nroot=/dev/vda\ndefault_kernel_opts=\"quiet\"\n"},
    {.path = "/var/lib/seedrng/seed.credit", .bytes = "0123"},
    {.path = "/etc/dhcpcd.duid", .bytes = "00:01"},
    {.path = "/var/lib/dhcpcd/secret", .bytes = "0123"},
    {.path = "/var/lib/dhcpcd/eth0.lease", .bytes = "x"},
    {.path = "/var/log/messages", .bytes = "x\n", .mode = 0640},
    {0},
};

/* The same, but its administrator switched the making of keys off; and nothing else to do. */
static const struct phony_file alpine_without_keygen[] = {
    {.path = "/etc/conf.d/sshd",
     .bytes = "# sshd_disable_keygen=no\nsshd_disable_keygen=\"yes\"\n"},
    {.path = "/etc/ssh/ssh_host_rsa_key", .bytes = "secret", .mode = 0600},
    {0},
};

/* SysV: nothing makes keys; keys in places of their own; dropbear too. No initramfs. */
static const struct phony_file sysv[] = {
    {.path = "/etc/os-release",
     .bytes = "ID=devuan\nVERSION_ID=\"5\"\nPRETTY_NAME=\"Devuan GNU/Linux 5\"\n"},
    {.path = "/bin/dash", .bytes = elf, .len = sizeof(elf), .mode = 0755},
    {.path = "/bin/sh", .link = "dash"},
    {.path = "/sbin/init", .bytes = elf, .len = sizeof(elf), .mode = 0755},
    {.path = "/etc/inittab", .bytes = "id:2:initdefault:\n"},
    {.path = "/etc/rcS.d/README", .bytes = "x"},
    {.path = "/etc/rc2.d/S03ssh", .link = "../init.d/ssh"},
    {.path = "/etc/rc2.d/S03dropbear", .link = "../init.d/dropbear"},
    {.path = "/etc/rc3.d/S03ssh", .link = "../init.d/ssh"},
    {.path = "/etc/init.d/ssh",
     .bytes = "#!/bin/sh\n# run ssh-keygen -A yourself\n/usr/sbin/sshd -t\n",
     .mode = 0755},
    {.path = "/etc/init.d/dropbear", .bytes = "#!/bin/sh\n/usr/sbin/dropbear\n", .mode = 0755},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/sbin/dropbear", .bytes = "x", .mode = 0755},
    {.path = "/usr/bin/dropbearkey", .bytes = "x", .mode = 0755},
    {.path = "/usr/bin/ssh-keygen", .bytes = "x", .mode = 0755},
    {.path = "/etc/ssh/sshd_config", .bytes = "HostKey /etc/ssh/ssh_host_rsa_key\n"},
    {.path = "/etc/ssh/sshd_config.d/keys.conf",
     .bytes = "HostKey /srv/keys/host_ecdsa\nHostKey /srv/keys/other\n"},
    {.path = "/etc/ssh/ssh_host_rsa_key", .bytes = "secret", .mode = 0600},
    {.path = "/etc/ssh/ssh_host_rsa_key.pub", .bytes = "ssh-rsa AAAA"},
    {.path = "/etc/ssh/ssh_host_rsa_key-cert.pub",
     .bytes = "ssh-rsa-cert-v01@openssh.com AAAA"},
    {.path = "/etc/ssh/ssh_host_rsa_key.bak", .bytes = "secret", .mode = 0600},
    {.path = "/srv/keys/host_ecdsa", .bytes = "secret", .mode = 0600},
    {.path = "/srv/keys/other", .bytes = "secret", .mode = 0600},
    {.path = "/srv/keys/other.pub", .bytes = "ssh-ed25519 AAAA"},
    {.path = "/srv/keys/unrelated", .bytes = "x"},
    {.path = "/etc/dropbear/dropbear_rsa_host_key", .bytes = "secret", .mode = 0600},
    {.path = "/etc/dropbear/initramfs/dropbear_rsa_host_key", .bytes = "secret", .mode = 0600},
    {.path = "/etc/machine-id", .bytes = ID_A "\n", .mode = 0444},
    {.path = "/var/lib/dbus/machine-id", .bytes = ID_A "\n"},
    {.path = "/var/lib/urandom/random-seed", .bytes = "0123"},
    {.path = "/etc/fstab", .bytes = "/dev/hda / ext3 defaults 0 1\n"},
    {.path = "/boot/grub/menu.lst",
     .bytes = "# kopt=root=/dev/hda ro\nkernel /vmlinuz root=/dev/hda ro\n"},
    {0},
};

#define ODD_LOG "/var/log/odd \"name\"\nwith \303\244"

static const struct phony_file malformed[] = {
    {.path = "/etc/machine-id", .link = "/var/lib/dbus/machine-id"},
    {.path = "/var/lib/dbus/machine-id", .bytes = ID_A "\n"},
    {.path = "/etc/fstab",
     .bytes = "\r\n/dev/vda\r\n\t\n/dev/vda  /  ext4 defaults 0 1\r\n/dev/sdz9 /nowhere xfs "
              "defaults 0 0\r\n"
              "/dev/sdz8 /later xfs defaults,nofail 0 0\r\n#/dev/vda1\r\n\001\002 garbage \303 "
              "\377"},
    {.path = "/etc/crypttab",
     .bytes = "swap /dev/vdb3 /dev/urandom swap\n# x /dev/vda1\nlonely\n"},
    {.path = "/etc/default/grub",
     .bytes = "GRUB_DISABLE_LINUX_UUID=true\nGRUB_CMDLINE_LINUX=\"never closed root=/dev/vda"},
    {.path = "/boot/initrd.img", .bytes = "x"},
    {.path = "/boot/grub/grub.cfg",
     .bytes = "linux /vmlinuz root=/dev/mapper/loop0p1 ro\nlinux\nlinux \n\tlinux /x root=\n"},
    {.path = "/boot/grub/grubenv",
     .bytes = "kernelopts=root=/dev/vda ro\n########################################"},
    {.path = "/var/log/journal/" ID_A, .link = "/etc"},
    {.path = "/var/log/journal/not-an-id/file", .bytes = "x"},
    {.path = ODD_LOG, .bytes = "x"},
    {.path = ODD_LOG ".gz", .bytes = "x"},
    {.path = "/var/log/link", .link = "/etc/hostname"},
    {.path = "/var/log/.hidden", .bytes = "x"},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755}, /* and no ssh-keygen */
    {.path = "/etc/ssh/sshd_config", .bytes = "HostKey \"/etc/ssh/my key; rm\"\nHostKey\n"},
    {.path = "/etc/ssh/my key; rm", .bytes = "secret", .mode = 0600},
    {.path = "/etc/ssh/ssh_host_rsa_key", .bytes = "secret", .mode = 0600},
    {.path = "/var/lib/NetworkManager/secret_key", .bytes = ""},
    {0},
};

static char *images[4];

static int
setup(void **state)
{
    (void)state;
    const struct phony_file *const *const lists[] = {
        (const struct phony_file *const[]){alpine, NULL},
        (const struct phony_file *const[]){alpine, alpine_without_keygen, NULL},
        (const struct phony_file *const[]){sysv, NULL},
        (const struct phony_file *const[]){phony_debian, malformed, NULL},
    };
    static const char *const uuids[] = {UUID_A, UUID_B, UUID_C, UUID_D};
    for (size_t i = 0; i < 4; i++) {
        char name[] = "a.raw";
        name[0] = (char)('a' + i);
        images[i] = phony_create(name, &(struct phony_options){.uuid = uuids[i]}, lists[i]);
    }
    bench_open((const char *const *)images, 4);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    bench_close();
    for (size_t i = 0; i < 4; i++)
        free(images[i]);
    return 0;
}

static void
seals_openrc(void **state)
{
    (void)state;
    bench_tell(&(struct bench_story){
        .device = "/dev/sda",
        .found = "logs-left warning safe /var/log:0\n"
                 "dhcp-duid-store warning safe /etc/dhcpcd.duid:0\n"
                 "dhcp-duid-store warning safe /var/lib/dhcpcd/secret:0\n"
                 "dhcp-leases warning safe /var/lib/dhcpcd/eth0.lease:0\n"
                 "kernel-device-names error safe /etc/fstab:1\n"
                 "kernel-device-names error safe /etc/update-extlinux.conf:2\n"
                 "kernel-device-names error safe /boot/extlinux.conf:5\n"
                 "random-seed warning safe /var/lib/seedrng/seed.credit:0\n"
                 "ssh-host-keys error safe /etc/ssh/ssh_host_ed25519_key:0\n"
                 "dbus-machine-id error safe /var/lib/dbus/machine-id:0\n"
                 "machine-id-set error safe /etc/machine-id:1\n",
        .changed = "logs truncated /var/log/messages\n"
                   "dhcp-leases removed /etc/dhcpcd.duid\n"
                   "dhcp-leases removed /var/lib/dhcpcd/secret\n"
                   "dhcp-leases removed /var/lib/dhcpcd/eth0.lease\n"
                   "kernel-device-names edited /etc/fstab\n"
                   "kernel-device-names edited /etc/update-extlinux.conf\n"
                   "kernel-device-names edited /boot/extlinux.conf\n"
                   "random-seed removed /var/lib/seedrng/seed.credit\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_ed25519_key\n"
                   "dbus-machine-id removed /var/lib/dbus/machine-id\n"
                   "machine-id removed /etc/machine-id\n",
        .left = ""});
    BENCH_TEXT("/etc/machine-id", "(none)");
    BENCH_TEXT("/var/lib/dbus/machine-id", "(none)");
    BENCH_TEXT(
        "/etc/fstab",
        "UUID=" UUID_A
        "\t/\text4\trw,relatime 0 1\n/dev/cdrom\t/media/cdrom\tiso9660\tnoauto,ro 0 0\n");
    BENCH_TEXT("/etc/update-extlinux.conf",
               "overwrite=1\nroot=UUID=" UUID_A "\ndefault_kernel_opts=\"quiet\"\n");
    BENCH_HAS("/boot/extlinux.conf", "  APPEND root=UUID=" UUID_A " modules=ext4 quiet\n");
    bench_leave();
}

static void
helps_openrc_that_makes_no_keys(void **state)
{
    (void)state;
    bench_enter("/dev/sdb", GOLD_MACHINE_ID_AUTO);
    bench_remember();
    char *changed = bench_run("ssh-host-keys");
    assert_string_equal(changed,
                        "ssh-host-keys created /etc/init.d/goldsmith-ssh-keygen\n"
                        "ssh-host-keys linked /etc/runlevels/default/goldsmith-ssh-keygen\n"
                        "ssh-host-keys removed /etc/ssh/ssh_host_ed25519_key\n"
                        "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key\n");
    free(changed);
    bench_compare();
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen", "#!/sbin/openrc-run\n");
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen", "before sshd dropbear\n");
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen", "exec /usr/bin/ssh-keygen -A ) >/dev/null");
    changed = bench_run("ssh-host-keys");
    assert_string_equal(changed, "");
    free(changed);
    /* an empty file would stop D-Bus here */
    bench_put("/etc/machine-id", "");
    char *found = bench_verify();
    assert_non_null(strstr(found, "machine-id-policy error safe /etc/machine-id:0\n"));
    free(found);
    bench_leave();
}

static void
seals_sysv(void **state)
{
    (void)state;
    bench_tell(&(struct bench_story){
        .device = "/dev/sdc",
        .found =
            "kernel-device-names error safe /etc/fstab:1\n"
            "kernel-device-names error manual /boot/grub/menu.lst:1\n"
            "kernel-device-names error manual /boot/grub/menu.lst:2\n"
            "random-seed warning safe /var/lib/urandom/random-seed:0\n"
            "ssh-host-keys error safe /etc/ssh/ssh_host_rsa_key:0\n"
            "ssh-host-keys error safe /etc/ssh/ssh_host_rsa_key.bak:0\n"
            "ssh-host-keys error safe /etc/dropbear/dropbear_rsa_host_key:0\n"
            "ssh-host-keys error safe /srv/keys/host_ecdsa:0\n"
            "ssh-host-keys error safe /srv/keys/other:0\n"
            "ssh-host-keys warning manual /etc/dropbear/initramfs/dropbear_rsa_host_key:0\n"
            "dbus-machine-id error safe /var/lib/dbus/machine-id:0\n"
            "machine-id-set error safe /etc/machine-id:1\n",
        .changed = "kernel-device-names edited /etc/fstab\n"
                   "random-seed removed /var/lib/urandom/random-seed\n"
                   "ssh-host-keys created /etc/init.d/goldsmith-ssh-keygen\n"
                   "ssh-host-keys linked /etc/rcS.d/S99goldsmith-ssh-keygen\n"
                   "ssh-host-keys linked /etc/rc2.d/S01goldsmith-ssh-keygen\n"
                   "ssh-host-keys linked /etc/rc3.d/S01goldsmith-ssh-keygen\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key.bak\n"
                   "ssh-host-keys removed /etc/dropbear/dropbear_rsa_host_key\n"
                   "ssh-host-keys removed /srv/keys/host_ecdsa\n"
                   "ssh-host-keys removed /srv/keys/other\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key-cert.pub\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key.pub\n"
                   "ssh-host-keys removed /srv/keys/other.pub\n"
                   "dbus-machine-id removed /var/lib/dbus/machine-id\n"
                   "machine-id truncated /etc/machine-id\n",
        .left =
            "kernel-device-names error manual /boot/grub/menu.lst:1\n"
            "kernel-device-names error manual /boot/grub/menu.lst:2\n"
            "ssh-host-keys warning manual /etc/dropbear/initramfs/dropbear_rsa_host_key:0\n"});
    BENCH_TEXT("/etc/machine-id", "");
    BENCH_TEXT("/srv/keys/unrelated", "x");
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen", "# X-Start-Before:    ssh sshd dropbear\n");
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen",
              "( test -s /srv/keys/host_ecdsa || exec /usr/bin/ssh-keygen -q -t ecdsa -N \"\" "
              "-f /srv/keys/host_ecdsa )");
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen",
              "( test -s /srv/keys/other || exec /usr/bin/ssh-keygen -q -t ed25519 -N \"\" -f "
              "/srv/keys/other )");
    BENCH_HAS("/etc/init.d/goldsmith-ssh-keygen",
              "k=/etc/dropbear/dropbear_${t}_host_key; test -s ${k} || /usr/bin/dropbearkey");
    bench_leave();
}

static void
survives_a_malformed_guest(void **state)
{
    (void)state;
    bench_tell(&(struct bench_story){
        .device = "/dev/sdd",
        .found = "journal-old-id warning safe /var/log/journal/" ID_A ":0\n"
                 "logs-left warning safe /var/log:0\n"
                 "kernel-device-names error safe /etc/fstab:4\n"
                 "kernel-device-names error manual /etc/fstab:5\n"
                 "kernel-device-names warning manual /etc/fstab:6\n"
                 "kernel-device-names error manual /etc/crypttab:1\n"
                 "kernel-device-names error manual /boot/grub/grub.cfg:1\n"
                 "kernel-device-names error safe /boot/grub/grubenv:1\n"
                 "kernel-device-names error safe /etc/default/grub:2\n"
                 "kernel-device-names warning manual /etc/default/grub:1\n"
                 "ssh-host-keys error manual /etc/ssh/ssh_host_rsa_key:0\n"
                 "ssh-host-keys error manual /etc/ssh/my key; rm:0\n"
                 "dbus-machine-id error safe /var/lib/dbus/machine-id:0\n"
                 "machine-id-set error safe /etc/machine-id:1\n",
        .changed = "journal removed /var/log/journal/" ID_A "\n"
                   "logs truncated /var/log/.hidden\n"
                   "logs truncated " ODD_LOG "\n"
                   "logs removed " ODD_LOG ".gz\n"
                   "kernel-device-names edited /etc/fstab\n"
                   "kernel-device-names edited /boot/grub/grubenv\n"
                   "kernel-device-names edited /etc/default/grub\n"
                   "dbus-machine-id removed /etc/machine-id\n"
                   "dbus-machine-id created /etc/machine-id\n"
                   "dbus-machine-id removed /var/lib/dbus/machine-id\n"
                   "dbus-machine-id linked /var/lib/dbus/machine-id\n",
        .left = "kernel-device-names error manual /etc/fstab:5\n"
                "kernel-device-names warning manual /etc/fstab:6\n"
                "kernel-device-names error manual /etc/crypttab:1\n"
                "kernel-device-names error manual /boot/grub/grub.cfg:1\n"
                "kernel-device-names warning manual /etc/default/grub:1\n"
                "ssh-host-keys error manual /etc/ssh/ssh_host_rsa_key:0\n"
                "ssh-host-keys error manual /etc/ssh/my key; rm:0\n"});
    BENCH_TEXT("/etc/machine-id", "");
    BENCH_TEXT(
        "/etc/fstab",
        "\r\n/dev/vda\r\n\t\nUUID=" UUID_D
        "  /  ext4 defaults 0 1\r\n/dev/sdz9 /nowhere xfs defaults 0 0\r\n"
        "/dev/sdz8 /later xfs defaults,nofail 0 0\r\n#/dev/vda1\r\n\001\002 garbage \303 \377");
    BENCH_TEXT("/boot/grub/grubenv", "kernelopts=root=UUID=" UUID_D " ro\n#######");
    BENCH_TEXT(
        "/etc/default/grub",
        "GRUB_DISABLE_LINUX_UUID=true\nGRUB_CMDLINE_LINUX=\"never closed root=UUID=" UUID_D);
    BENCH_TEXT("/etc/hostname", "template\n");

    /* no room in the environment block */
    struct gold_error *err = NULL;
    bench_put("/boot/grub/grubenv", "kernelopts=root=/dev/vda\n###");
    assert_int_equal(gold_operations[3]->run(bench_scene(), &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    assert_non_null(strstr(gold_error_message(err), "'/boot/grub/grubenv'"));
    gold_error_free(err);
    bench_leave();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seals_openrc),
        cmocka_unit_test(helps_openrc_that_makes_no_keys),
        cmocka_unit_test(seals_sysv),
        cmocka_unit_test(survives_a_malformed_guest),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
