/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operations over phony systemd guests: what each finds, changes and leaves, down to the
 * byte; twice, because a second run must find nothing to do.
 */
#include "unit.h"

#include "core/str.h"
#include "guest/bench.h"

#define ID_A      "4c1f0a2b3d4e5f60718293a4b5c6d7e8"
#define UUID_A    "aaaaaaaa-1111-4222-8333-444444444444"
#define UUID_SWAP "bbbbbbbb-1111-4222-8333-444444444444"
#define UUID_B    "cccccccc-1111-4222-8333-444444444444"

/* As Debian 12 leaves itself: nothing makes host keys, D-Bus has the id too, names of disks
 * everywhere. */
static const struct phony_file debian[] = {
    {.path = "/etc/machine-id", .bytes = ID_A "\n", .mode = 0444},
    {.path = "/var/lib/dbus/machine-id", .bytes = ID_A "\n"},
    {.path = "/etc/fstab",
     .bytes = "# /etc/fstab: made by the installer, root was on /dev/vda1\n"
              "/dev/vda1\t/               ext4    errors=remount-ro 0       1\r\n"
              "\n"
              "/dev/vda2  none  swap sw 0 0   # swap on /dev/vda2\n"
              "/dev/sr0        /media/cdrom0   udf,iso9660 user,noauto     0       0\n"
              "/dev/vg/data /data xfs nofail 0 0"},
    {.path = "/etc/crypttab", .bytes = "# nothing\n"},
    {.path = "/etc/default/grub",
     .bytes = "GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT=\"quiet "
              "resume=/dev/vda2\"\nGRUB_CMDLINE_LINUX=\"\"\n"},
    {.path = "/etc/initramfs-tools/conf.d/resume", .bytes = "RESUME=/dev/vda2\n"},
    {.path = "/boot/initrd.img-6.1", .bytes = "x"},
    {.path = "/boot/grub/grub.cfg",
     .bytes = "set root='hd0,msdos1'\nmenuentry 'Debian, with /dev/vda1' {\n"
              "\tsearch --no-floppy --fs-uuid --set=root " UUID_A "\n"
              "\tlinux\t/boot/vmlinuz-6.1 root=/dev/vda1 ro  quiet "
              "resume=/dev/vda2\n\tinitrd\t/boot/initrd.img-6.1\n}\n",
     .mode = 0600},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/bin/ssh-keygen", .bytes = "x", .mode = 0755},
    {.path = "/usr/lib/systemd/system/ssh.service",
     .bytes = "[Service]\nExecStartPre=/usr/sbin/sshd -t\nExecStart=/usr/sbin/sshd -D\n# "
              "ssh-keygen -A\n"},
    {.path = "/etc/systemd/system/multi-user.target.wants/ssh.service",
     .link = "/lib/systemd/system/ssh.service"},
    {.path = "/etc/ssh/sshd_config",
     .bytes = "#HostKey /etc/ssh/ssh_host_rsa_key\nPermitRootLogin no\n"},
    {.path = "/etc/ssh/ssh_host_ed25519_key", .bytes = "secret", .mode = 0600},
    {.path = "/etc/ssh/ssh_host_ed25519_key.pub", .bytes = "ssh-ed25519 AAAA root@template"},
    {.path = "/etc/ssh/ssh_host_rsa_key", .bytes = "secret", .mode = 0600},
    {.path = "/etc/ssh/ssh_host_rsa_key.pub", .bytes = "ssh-rsa AAAA root@template"},
    {.path = "/etc/ssh/moduli", .bytes = "x"},
    {.path = "/var/log/journal/" ID_A "/system.journal", .bytes = "LPKSHHRH", .mode = 0640},
    {.path = "/var/log/journal/remote/other.journal", .bytes = "LPKSHHRH"},
    {.path = "/var/log/syslog", .bytes = "line\n", .mode = 0640},
    {.path = "/var/log/syslog.1", .bytes = "line\n"},
    {.path = "/var/log/syslog.2.gz", .bytes = ""},
    {.path = "/var/log/wtmp", .bytes = "record", .mode = 0664},
    {.path = "/var/log/btmp", .bytes = "", .mode = 0660},
    {.path = "/var/log/apt/history.log", .bytes = "apt install\n"},
    {.path = "/var/log/installer/status", .bytes = "x"},
    {.path = "/var/log/README", .link = "../../usr/share/doc/systemd/README.logs"},
    {.path = "/var/lib/systemd/random-seed", .bytes = "0123", .mode = 0600},
    {.path = "/var/lib/systemd/credential.secret", .bytes = "0123", .mode = 0400},
    {.path = "/var/lib/dhcp/dhclient.eth0.leases", .bytes = "lease {\n}\n"},
    {.path = "/var/lib/dhcp/dhclient6.eth0.leases", .bytes = "default-duid \"\\000\\001\";\n"},
    {.path = "/var/lib/dhcp/dhcpd.leases", .bytes = "# of a server\ndefault-duid \"x\";\n"},
    {.path = "/var/lib/NetworkManager/secret_key",
     .bytes = "\001\002\003version 1",
     .mode = 0600},
    {.path = "/var/lib/NetworkManager/NetworkManager.state", .bytes = "[main]\n"},
    {.path = "/var/lib/systemd/network/lease", .bytes = "x"},
    {0},
};

static const char rhel_grubenv[] =
    "# GRUB Environment Block\nkernelopts=root=/dev/mapper/rl-root "
    "systemd.machine_id=" ID_A " ro \n"
    "############################################################";

/* EL 9: generators of its own, boot loader entries with the id, SELinux labels. */
static const struct phony_file rhel[] = {
    {.path = "/usr/lib/os-release",
     .bytes = "ID=rocky\nVERSION_ID=\"9.3\"\nPRETTY_NAME=\"Rocky Linux 9.3\"\n"},
    {.path = "/etc/selinux/config", .bytes = "SELINUX=enforcing\nSELINUXTYPE=targeted\n"},
    {.path = "/etc/machine-id", .bytes = ID_A "\n", .mode = 0444},
    {.path = "/var/lib/dbus/machine-id", .link = "/etc/machine-id"},
    {.path = "/boot/loader/entries/" ID_A "-5.14.conf",
     .bytes = "title Rocky Linux\nversion 5.14\nmachine-id " ID_A
              "\nlinux /vmlinuz-5.14\ninitrd /initramfs-5.14.img\n"
              "options root=/dev/mapper/rl-root systemd.machine_id=" ID_A
              " ro systemd.machine_id=" ID_A "\ngrub_class rocky\n"},
    {.path = "/etc/kernel/cmdline",
     .bytes = "systemd.machine_id=" ID_A " root=/dev/mapper/rl-root ro\n"},
    {.path = "/boot/grub2/grubenv", .bytes = rhel_grubenv},
    {.path = "/boot/efi/loader/random-seed", .bytes = "0123"},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/bin/ssh-keygen", .bytes = "x", .mode = 0755},
    {.path = "/usr/lib/systemd/system/sshd.service",
     .bytes = "[Unit]\nAfter=network.target "
              "sshd-keygen.target\nWants=sshd-keygen.target\n[Service]\nExecStart=/usr/sbin/"
              "sshd -D\n"},
    {.path = "/usr/lib/systemd/system/sshd-keygen.target",
     .bytes = "[Unit]\nWants=sshd-keygen@rsa.service\nWants=sshd-keygen@ed25519.service\n"},
    {.path = "/usr/lib/systemd/system/sshd-keygen@.service",
     .bytes = "[Unit]\nConditionFileNotEmpty=|!/etc/ssh/ssh_host_%i_key\n[Service]\nExecStart=/"
              "usr/libexec/openssh/sshd-keygen %i\n"},
    {.path = "/etc/systemd/system/multi-user.target.wants/sshd.service",
     .link = "/usr/lib/systemd/system/sshd.service"},
    {.path = "/etc/ssh/ssh_host_ed25519_key", .bytes = "secret", .mode = 0600},
    {.path = "/var/lib/NetworkManager/secret_key", .bytes = "nm-v2:0123", .mode = 0600},
    {.path = "/var/lib/NetworkManager/internal-1234-eth0.lease", .bytes = "ADDRESS=10.0.0.2\n"},
    {.path = "/var/log/messages-20240101", .bytes = "x\n"},
    {.path = "/var/log/sa/sa01", .bytes = "x"},
    {.path = "/var/log/audit/audit.log", .bytes = "x\n", .mode = 0600},
    {0},
};

/* Debian 13 after a sealer that emptied the id and removed the keys: nobody can log in to a
 * clone. */
static const struct phony_file debian13[] = {
    {.path = "/etc/machine-id", .bytes = "", .mode = 0444},
    {.path = "/var/lib/dbus/machine-id", .bytes = ""},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/bin/ssh-keygen", .bytes = "x", .mode = 0755},
    {.path = "/usr/lib/systemd/system/ssh.service",
     .bytes = "[Unit]\nWants=sshd-keygen.service\n[Service]\nExecStart=/usr/sbin/sshd -D\n"},
    {.path = "/usr/lib/systemd/system/ssh.socket", .bytes = "[Socket]\nListenStream=22\n"},
    {.path = "/usr/lib/systemd/system/sshd-keygen.service",
     .bytes =
         "[Unit]\nConditionFirstBoot=yes\n[Service]\nType=oneshot\nExecStart=ssh-keygen -A\n"},
    {.path = "/etc/systemd/system/sockets.target.wants/ssh.socket",
     .link = "/lib/systemd/system/ssh.socket"},
    {.path = "/etc/credstore.encrypted/token", .bytes = "x"},
    {.path = "/var/lib/systemd/credential.secret", .bytes = "0123"},
    {.path = "/etc/systemd/system/our-setup.service",
     .bytes = "[Unit]\nConditionFirstBoot=yes\n[Service]\nExecStart=/x\n"},
    {.path = "/etc/systemd/system/multi-user.target.wants/our-setup.service",
     .link = "../our-setup.service"},
    {0},
};

/* A template as it should be. */
static const struct phony_file clean[] = {
    {.path = "/etc/machine-id", .bytes = "", .mode = 0444},
    {.path = "/var/lib/dbus/machine-id", .link = "/etc/machine-id"},
    {.path = "/etc/fstab",
     .bytes = "UUID=" UUID_A " / ext4 defaults 0 1\n/dev/mapper/vg-home /home ext4 defaults 0 "
              "2\n/dev/md0 /srv xfs defaults 0 0\n"
              "/dev/fd0 /floppy auto noauto 0 0\n"},
    {.path = "/etc/crypttab", .bytes = "root UUID=" UUID_A " none luks\n"},
    {.path = "/boot/grub/grub.cfg",
     .bytes = "linux /vmlinuz root=UUID=" UUID_A " ro\n# linux /vmlinuz root=/dev/sda1\n"},
    {.path = "/boot/loader/entries/6a9857a393724b7a981ebb5b8495b9ea-6.1.conf",
     .bytes = "title x\noptions root=UUID=" UUID_A "\n# machine-id " ID_A "\n"},
    {.path = "/usr/sbin/sshd", .bytes = "x", .mode = 0755},
    {.path = "/usr/lib/systemd/system/sshd.service",
     .bytes = "[Unit]\nWants=sshdgenkeys.service\n"},
    {.path = "/usr/lib/systemd/system/sshdgenkeys.service",
     .bytes = "[Service]\nExecStart=/usr/bin/ssh-keygen -A\n"},
    {.path = "/etc/ssh/sshd_config", .bytes = "HostKey /etc/ssh/ssh_host_ed25519_key\n"},
    {.path = "/var/log/journal/"},
    {.path = "/var/log/wtmp", .bytes = ""},
    {.path = "/var/lib/dhcp/"},
    {.path = "/var/lib/NetworkManager/secret_key", .bytes = "nm-v2:0123"},
    {0},
};

static char *images[4];

static int
setup(void **state)
{
    (void)state;
    char *parts[2] = {
        phony_create("a1.raw", &(struct phony_options){.uuid = UUID_A},
                     (const struct phony_file *const[]){phony_debian, debian, NULL}),
        phony_swap("a2.raw", UUID_SWAP, false)};
    images[0] = phony_partitioned("a.raw", (const char *const *)parts, 2);
    const struct phony_file *const others[] = {rhel, debian13, clean};
    for (size_t i = 0; i < 3; i++) {
        char name[] = "b.raw";
        name[0] = (char)('b' + i);
        images[i + 1] = phony_create(
            name, NULL, (const struct phony_file *const[]){phony_debian, others[i], NULL});
    }
    free(parts[0]);
    free(parts[1]);
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
seals_a_dirty_debian(void **state)
{
    (void)state;
    bench_enter("/dev/sda1", GOLD_MACHINE_ID_AUTO);
    bench_set_label("/etc/fstab", "system_u:object_r:etc_t:s0");
    bench_set_label("/var/log/syslog", "system_u:object_r:var_log_t:s0");
    bench_tell(&(struct bench_story){
        .device = "/dev/sda1",
        .found = "journal-old-id warning safe /var/log/journal/" ID_A ":0\n"
                 "logs-left warning safe /var/log:0\n"
                 "dhcp-duid-store warning safe /var/lib/dhcp/dhclient6.eth0.leases:0\n"
                 "dhcp-leases warning safe /var/lib/dhcp/dhclient.eth0.leases:0\n"
                 "nm-secret-key warning safe /var/lib/NetworkManager/secret_key:0\n"
                 "dhcp-leases warning safe /var/lib/systemd/network/lease:0\n"
                 "kernel-device-names error safe /etc/fstab:2\n"
                 "kernel-device-names error safe /etc/fstab:4\n"
                 "kernel-device-names error safe /boot/grub/grub.cfg:4\n"
                 "kernel-device-names error safe /boot/grub/grub.cfg:4\n"
                 "kernel-device-names error safe /etc/default/grub:2\n"
                 "kernel-device-names error safe /etc/initramfs-tools/conf.d/resume:1\n"
                 "random-seed warning safe /var/lib/systemd/random-seed:0\n"
                 "credential-secret warning safe /var/lib/systemd/credential.secret:0\n"
                 "ssh-host-keys error safe /etc/ssh/ssh_host_ed25519_key:0\n"
                 "ssh-host-keys error safe /etc/ssh/ssh_host_rsa_key:0\n"
                 "dbus-machine-id error safe /var/lib/dbus/machine-id:0\n"
                 "machine-id-set error safe /etc/machine-id:1\n",
        .changed = "journal removed /var/log/journal/" ID_A "\n"
                   "logs truncated /var/log/syslog\n"
                   "logs removed /var/log/syslog.1\n"
                   "logs removed /var/log/syslog.2.gz\n"
                   "logs truncated /var/log/wtmp\n"
                   "logs truncated /var/log/apt/history.log\n"
                   "logs removed /var/log/installer/status\n"
                   "dhcp-leases removed /var/lib/dhcp/dhclient6.eth0.leases\n"
                   "dhcp-leases removed /var/lib/dhcp/dhclient.eth0.leases\n"
                   "dhcp-leases removed /var/lib/NetworkManager/secret_key\n"
                   "dhcp-leases removed /var/lib/systemd/network/lease\n"
                   "kernel-device-names edited /etc/fstab\n"
                   "kernel-device-names edited /boot/grub/grub.cfg\n"
                   "kernel-device-names edited /etc/default/grub\n"
                   "kernel-device-names edited /etc/initramfs-tools/conf.d/resume\n"
                   "random-seed removed /var/lib/systemd/random-seed\n"
                   "random-seed removed /var/lib/systemd/credential.secret\n"
                   "ssh-host-keys created /etc/systemd/system/goldsmith-ssh-keygen.service\n"
                   "ssh-host-keys linked "
                   "/etc/systemd/system/multi-user.target.wants/goldsmith-ssh-keygen.service\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_ed25519_key\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_ed25519_key.pub\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_rsa_key.pub\n"
                   "dbus-machine-id removed /var/lib/dbus/machine-id\n"
                   "dbus-machine-id linked /var/lib/dbus/machine-id\n"
                   "machine-id truncated /etc/machine-id\n",
        .left = ""});
    BENCH_TEXT("/etc/fstab",
               "# /etc/fstab: made by the installer, root was on /dev/vda1\n"
               "UUID=" UUID_A "\t/               ext4    errors=remount-ro 0       1\r\n"
               "\n"
               "UUID=" UUID_SWAP "  none  swap sw 0 0   # swap on /dev/vda2\n"
               "/dev/sr0        /media/cdrom0   udf,iso9660 user,noauto     0       0\n"
               "/dev/vg/data /data xfs nofail 0 0");
    BENCH_TEXT("/boot/grub/grub.cfg",
               "set root='hd0,msdos1'\nmenuentry 'Debian, with /dev/vda1' {\n"
               "\tsearch --no-floppy --fs-uuid --set=root " UUID_A "\n"
               "\tlinux\t/boot/vmlinuz-6.1 root=UUID=" UUID_A
               " ro  quiet resume=UUID=" UUID_SWAP "\n\tinitrd\t/boot/initrd.img-6.1\n}\n");
    BENCH_TEXT("/etc/default/grub",
               "GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT=\"quiet resume=UUID=" UUID_SWAP
               "\"\nGRUB_CMDLINE_LINUX=\"\"\n");
    BENCH_TEXT("/etc/initramfs-tools/conf.d/resume", "RESUME=UUID=" UUID_SWAP "\n");
    BENCH_TEXT("/etc/machine-id", "");
    BENCH_TEXT(
        "/etc/systemd/system/goldsmith-ssh-keygen.service",
        "[Unit]\nDescription=Make SSH host keys that this machine does not "
        "have\nDocumentation=man:ssh-keygen(1)\n"
        "DefaultDependencies=no\nConflicts=shutdown.target\nAfter=local-fs.target\n"
        "Before=ssh.service sshd.service ssh.socket sshd.socket dropbear.service "
        "dropbear.socket shutdown.target\n"
        "RequiresMountsFor=/etc/ssh\nConditionPathExistsGlob=!/etc/ssh/ssh_host_*_key\n\n"
        "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/usr/bin/ssh-keygen -A\n\n"
        "[Install]\nWantedBy=multi-user.target\n");
    char *link = guestfs_readlink(bench_scene()->g, "/var/lib/dbus/machine-id");
    assert_string_equal(link, "/etc/machine-id");
    free(link);
    BENCH_TEXT("/var/lib/dhcp/dhcpd.leases", "# of a server\ndefault-duid \"x\";\n");
    bench_leave();
}

static void
seals_el(void **state)
{
    (void)state;
    bench_enter("/dev/sdb", GOLD_MACHINE_ID_AUTO);
    bench_set_label("/etc/machine-id", "system_u:object_r:machineid_t:s0");
    bench_set_label("/boot/loader/entries/" ID_A "-5.14.conf", "system_u:object_r:boot_t:s0");
    bench_set_label("/var/log/audit/audit.log", "system_u:object_r:auditd_log_t:s0");
    bench_tell(&(struct bench_story){
        .device = "/dev/sdb",
        .found = "logs-left warning safe /var/log:0\n"
                 "dhcp-leases warning safe /var/lib/NetworkManager/internal-1234-eth0.lease:0\n"
                 "esp-random-seed warning safe /boot/efi/loader/random-seed:0\n"
                 "ssh-host-keys error safe /etc/ssh/ssh_host_ed25519_key:0\n"
                 "machine-id-cmdline error safe /boot/grub2/grubenv:2\n"
                 "machine-id-cmdline error safe /boot/loader/entries/" ID_A "-5.14.conf:6\n"
                 "machine-id-cmdline error safe /boot/loader/entries/" ID_A "-5.14.conf:6\n"
                 "machine-id-cmdline error safe /boot/loader/entries/" ID_A "-5.14.conf:3\n"
                 "machine-id-cmdline error safe /etc/kernel/cmdline:1\n"
                 "machine-id-set error safe /etc/machine-id:1\n",
        .changed = "logs removed /var/log/messages-20240101\n"
                   "logs truncated /var/log/audit/audit.log\n"
                   "logs removed /var/log/sa/sa01\n"
                   "dhcp-leases removed /var/lib/NetworkManager/internal-1234-eth0.lease\n"
                   "random-seed removed /boot/efi/loader/random-seed\n"
                   "ssh-host-keys removed /etc/ssh/ssh_host_ed25519_key\n"
                   "machine-id-cmdline edited /boot/grub2/grubenv\n"
                   "machine-id-cmdline edited /boot/loader/entries/" ID_A "-5.14.conf\n"
                   "machine-id-cmdline edited /etc/kernel/cmdline\n"
                   "machine-id truncated /etc/machine-id\n",
        .left = ""});
    BENCH_TEXT(
        "/boot/loader/entries/" ID_A "-5.14.conf",
        "title Rocky Linux\nversion 5.14\nlinux /vmlinuz-5.14\ninitrd /initramfs-5.14.img\n"
        "options root=/dev/mapper/rl-root ro\ngrub_class rocky\n");
    BENCH_TEXT("/etc/kernel/cmdline", "root=/dev/mapper/rl-root ro\n");
    char *env = bench_cat("/boot/grub2/grubenv");
    assert_true(gold_str_has_prefix(
        env, "# GRUB Environment Block\nkernelopts=root=/dev/mapper/rl-root ro \n####"));
    assert_int_equal(strlen(env), strlen(rhel_grubenv));
    free(env);
    bench_leave();
}

static void
repairs_a_debian_13_that_another_sealer_left(void **state)
{
    (void)state;
    bench_tell(&(struct bench_story){
        .device = "/dev/sdc",
        .found = "credential-secret warning manual /var/lib/systemd/credential.secret:0\n"
                 "ssh-hostkey-regen error safe /usr/lib/systemd/system/sshd-keygen.service:0\n"
                 "dbus-machine-id warning safe /var/lib/dbus/machine-id:0\n"
                 "machine-id-policy error safe /etc/machine-id:0\n"
                 "machine-id-policy warning manual /etc/systemd/system/our-setup.service:0\n",
        .changed = "ssh-host-keys created /etc/systemd/system/goldsmith-ssh-keygen.service\n"
                   "ssh-host-keys linked "
                   "/etc/systemd/system/multi-user.target.wants/goldsmith-ssh-keygen.service\n"
                   "dbus-machine-id removed /var/lib/dbus/machine-id\n"
                   "dbus-machine-id linked /var/lib/dbus/machine-id\n",
        .left = "credential-secret warning manual /var/lib/systemd/credential.secret:0\n"
                "machine-id-policy warning manual /etc/systemd/system/our-setup.service:0\n"});
    bench_leave();
}

static void
leaves_a_clean_guest_alone(void **state)
{
    (void)state;
    bench_tell(
        &(struct bench_story){.device = "/dev/sdd", .found = "", .changed = "", .left = ""});
    bench_leave();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seals_a_dirty_debian),
        cmocka_unit_test(seals_el),
        cmocka_unit_test(repairs_a_debian_13_that_another_sealer_left),
        cmocka_unit_test(leaves_a_clean_guest_alone),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
