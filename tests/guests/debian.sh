#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds a real Debian guest that boots from its own disk, for tests and for the quick start: packages of the Debian
# mirror that this machine's own APT uses, extlinux, console on ttyS0. It is left like a machine that was in use, so
# that there is something to seal: machine-id, SSH host keys, a DHCP lease, logs, a random seed, device names in
# fstab and in the boot loader.
#
# The first build takes a minute or two and is kept in the user's cache; later calls copy it. It does not boot what
# it builds, and it needs no privilege beyond what mmdebstrap needs.
#
# usage: sh tests/guests/debian.sh OUTPUT [--format qcow2|raw] [--suite NAME] [--definition XML]
#
# OUTPUT must not exist. --definition also writes a libvirt domain that uses it (without IO limits).
# GOLDSMITH_DEBIAN_MIRROR in the environment names another mirror.
set -eu
LC_ALL=C
export LC_ALL

packages=linux-image-cloud-amd64,systemd-sysv,udev,dbus,openssh-server,ifupdown,isc-dhcp-client,iproute2,kmod
size=2G
machine_id=8d1f4f0bc7f94ab89a3c6ac2ffbd0f5e

die() {
    echo "debian.sh: $*" >&2
    exit 1
}

output='' format=qcow2 suite=bookworm definition=''
while [ $# -gt 0 ]; do
    case $1 in
    --format | --suite | --definition)
        [ $# -ge 2 ] || die "option '$1' needs a value"
        case $1 in
        --format) format=$2 ;;
        --suite) suite=$2 ;;
        --definition) definition=$2 ;;
        esac
        shift 2
        ;;
    -*) die "unknown option '$1'" ;;
    *)
        [ -z "$output" ] || die "more than one output: '$output' and '$1'"
        output=$1
        shift
        ;;
    esac
done
[ -n "$output" ] || die 'usage: debian.sh OUTPUT [--format qcow2|raw] [--suite NAME] [--definition XML]'
case $format in qcow2 | raw) ;; *) die "format is qcow2 or raw, not '$format'" ;; esac
[ ! -e "$output" ] || die "'$output' exists"

# The mirror of the machine's own Debian sources; other vendors' sources are not looked at.
find_mirror() {
    if [ -n "${GOLDSMITH_DEBIAN_MIRROR:-}" ]; then
        echo "$GOLDSMITH_DEBIAN_MIRROR"
        return
    fi
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' 2>/dev/null |
        awk -F'|' '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# Before the first `apt-get update` APT does not know the origin of its sources, only who signs them.
find_mirror_unfetched() {
    apt-get indextargets --format '$(SIGNED_BY)|$(RELEASE)|$(SITE)' 'Created-By: Packages' 2>/dev/null |
        awk -F'|' -v suite="$suite" '$1 ~ /debian-archive/ && $2 == suite { print $3; exit }'
}

# Everything that is in the guest but in no package.
make_files() {
    root=$1
    mkdir -p "$root/etc/network" "$root/etc/ssh" "$root/boot/extlinux" "$root/var/lib/dbus" "$root/var/lib/dhcp" \
        "$root/var/lib/systemd" "$root/var/log"
    echo 'debian-guest' >"$root/etc/hostname"
    printf '127.0.0.1\tlocalhost\n127.0.1.1\tdebian-guest\n' >"$root/etc/hosts"
    printf '/dev/vda1\t/\text4\terrors=remount-ro\t0\t1\n' >"$root/etc/fstab"
    printf 'auto lo\niface lo inet loopback\n\nallow-hotplug eth0\niface eth0 inet dhcp\n' \
        >"$root/etc/network/interfaces"
    echo "$machine_id" >"$root/etc/machine-id"
    # dbus-uuidgen makes a regular file, and systemd takes a new machine-id from it.
    echo "$machine_id" >"$root/var/lib/dbus/machine-id"
    cat >"$root/var/lib/dhcp/dhclient.eth0.leases" <<'END'
default-duid "\000\001\000\001.\012\013\014RT\000\252\273\314";
lease {
  interface "eth0";
  fixed-address 192.168.122.57;
  option subnet-mask 255.255.255.0;
  option dhcp-lease-time 3600;
  option dhcp-server-identifier 192.168.122.1;
  renew 1 2024/01/01 00:30:00;
  rebind 1 2024/01/01 00:50:00;
  expire 1 2024/01/01 01:00:00;
}
END
    head -c 512 /dev/urandom >"$root/var/lib/systemd/random-seed"
    chmod 600 "$root/var/lib/systemd/random-seed"
    echo 'Jan  1 00:00:01 debian-guest sshd[312]: Accepted publickey for root from 192.168.122.1 port 51934' \
        >"$root/var/log/auth.log"
    echo 'Jan  1 00:00:01 debian-guest kernel: Linux version' >"$root/var/log/syslog"
    cat >"$root/boot/extlinux/extlinux.conf" <<'END'
default linux
prompt 0
timeout 1
label linux
  kernel /vmlinuz
  initrd /initrd.img
  append root=/dev/vda1 ro console=tty0 console=ttyS0,115200 net.ifnames=0
END
}

# build RAW: everything happens in $work, which the trap removes.
build() {
    for program in mmdebstrap guestfish qemu-img tar ssh-keygen; do
        command -v "$program" >/dev/null || die "'$program' is not installed"
    done
    mbr=''
    for file in /usr/lib/EXTLINUX/mbr.bin /usr/lib/syslinux/mbr/mbr.bin /usr/share/syslinux/mbr.bin; do
        [ ! -r "$file" ] || { mbr=$file; break; }
    done
    [ -n "$mbr" ] || die 'no mbr.bin of syslinux found (package extlinux)'
    mirror=$(find_mirror)
    [ -n "$mirror" ] || mirror=$(find_mirror_unfetched)
    [ -n "$mirror" ] || die 'this machine has no Debian APT source; set GOLDSMITH_DEBIAN_MIRROR'

    # initramfs-tools and the kernel make the links in / only when this file says so.
    mmdebstrap --quiet --variant=minbase --include="$packages" \
        --setup-hook='mkdir -p "$1/etc" && printf "do_symlinks = yes\nlink_in_boot = no\n" >"$1/etc/kernel-img.conf"' \
        --customize-hook='rm -f "$1"/etc/ssh/ssh_host_* && ssh-keygen -q -A -f "$1"' \
        "$suite" "$work/root.tar" "$mirror" >&2
    mkdir "$work/files"
    make_files "$work/files"
    tar -C "$work/files" --owner=0 --group=0 --numeric-owner --no-overwrite-dir -cf "$work/files.tar" etc boot var

    # extlinux reads ext4 only without these two features.
    LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg guestfish >&2 <<END
sparse "$1" $size
run
part-init /dev/sda mbr
part-add /dev/sda p 2048 -1
part-set-bootable /dev/sda 1 true
mkfs ext4 /dev/sda1 features:^64bit,^metadata_csum label:debian-root
mount /dev/sda1 /
tar-in "$work/root.tar" / xattrs:true
tar-in "$work/files.tar" /
chmod 0755 /
extlinux /boot/extlinux
upload "$mbr" /tmp/mbr.bin
copy-file-to-device /tmp/mbr.bin /dev/sda size:440
rm /tmp/mbr.bin
sync
umount /
END
}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/goldsmith/guests
mkdir -p "$cache"
key=$( (cat "$0"; echo "$suite $packages $size") | sha256sum | cut -c1-20)
kept=$cache/debian-$suite-$key.$format
work=''
trap '[ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# One builder at a time; the others find its result.
exec 9>"$cache/lock"
flock 9
if [ ! -e "$kept" ]; then
    work=$(mktemp -d "$cache/build.XXXXXX")
    chmod 755 "$work"
    raw=$cache/debian-$suite-$key.raw
    if [ ! -e "$raw" ]; then
        echo "debian.sh: building a $suite guest, once" >&2
        build "$work/disk.raw"
        mv "$work/disk.raw" "$raw"
    fi
    if [ "$format" = qcow2 ]; then
        qemu-img convert -f raw -O qcow2 "$raw" "$work/disk.qcow2"
        mv "$work/disk.qcow2" "$kept"
    fi
fi
flock -u 9
exec 9>&-

cp --reflink=auto --sparse=always "$kept" "$output"
chmod 644 "$output"

if [ -n "$definition" ]; then
    path=$(readlink -f "$output")
    cat >"$definition" <<END
<domain type='kvm'>
  <name>debian-guest</name>
  <uuid>3b0c7f5e-5a3f-4d0e-9a55-0d8a1c2f6e21</uuid>
  <memory unit='MiB'>1024</memory>
  <vcpu>2</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <boot dev='hd'/>
  </os>
  <features>
    <acpi/>
    <apic/>
  </features>
  <clock offset='utc'/>
  <devices>
    <!-- the disk that becomes a template -->
    <disk type='file' device='disk'>
      <driver name='qemu' type='$format' cache='none'/>
      <source file='$path'/>
      <target dev='vda' bus='virtio'/>
    </disk>
    <interface type='network'>
      <mac address='52:54:00:aa:bb:cc'/>
      <source network='default'/>
      <model type='virtio'/>
    </interface>
    <serial type='pty'/>
    <console type='pty'/>
  </devices>
</domain>
END
fi
