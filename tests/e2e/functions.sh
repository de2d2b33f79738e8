# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared by the end-to-end tests, which source it first. Each test runs in an empty directory of its own with its own
# temporary directory, so that whatever is left behind is seen.
#
#   GOLDSMITH   the command; SOURCE_DIR   the project
set -eu
export LC_ALL=C
unset GOLDSMITH_STOP_AT NO_COLOR 2>/dev/null || true

scratch=$(mktemp -d /tmp/e2e-XXXXXX)
mkdir "$scratch/tmp" "$scratch/work"
export TMPDIR="$scratch/tmp"
cd "$scratch/work"
name=$(basename "$0" .sh)
failures=0

cleanup() {
  status=$?
  chmod -R u+rwX "$scratch" 2>/dev/null || true
  if [ -n "${GOLDSMITH_KEEP:-}" ]; then echo "kept: $scratch" >&2; else rm -rf "$scratch"; fi
  exit $status
}
trap cleanup EXIT

fail() { echo "FAIL: $*" >&2; failures=$((failures + 1)); }
skip() { echo "SKIP: $*" >&2; trap - EXIT; rm -rf "$scratch"; exit 77; }
requires() { command -v "$1" >/dev/null 2>&1 || skip "$1 is missing"; }

# expect STATUS ARGUMENT... runs goldsmith; stdout in ../out, stderr in ../err
expect() {
  wanted=$1
  shift
  got=0
  "$GOLDSMITH" "$@" >../out 2>../err </dev/null || got=$?
  if [ "$got" -ne "$wanted" ]; then
    fail "'goldsmith $*' exits $got, not $wanted"
    sed 's/^/  out: /' ../out | head -40 >&2
    sed 's/^/  err: /' ../err | head -40 >&2
  fi
}
# says TEXT / says_not TEXT: in what the last command printed
says() { grep -qF -- "$1" ../out ../err || { fail "'$1' is not said"; head -20 ../out ../err >&2; }; }
says_not() { if grep -qF -- "$1" ../out ../err; then fail "'$1' is said"; fi; }
# The system's own Python: that is the one that the package with the schema validator belongs to.
# json FILTER VALUE: a value of the last command's JSON, by a python expression over d; the document must keep its schema
json() {
  value=$(/usr/bin/python3 -c 'import json,jsonschema,sys
d=json.load(open("../out"))
jsonschema.validate(d, json.load(open(sys.argv[2])))
print(eval(sys.argv[1]))' "$1" "$SOURCE_DIR/docs/schema/goldsmith-1.schema.json" 2>&1) || true
  [ "$value" = "$2" ] || fail "JSON $1 is '$value', not '$2'"
}
# golden NAME FILE: equal to what is stored; GOLDSMITH_REGENERATE=1 stores it
golden() {
  if [ -n "${GOLDSMITH_REGENERATE:-}" ]; then cp "$2" "$SOURCE_DIR/tests/e2e/golden/$1"; return; fi
  diff -u "$SOURCE_DIR/tests/e2e/golden/$1" "$2" >&2 || fail "$1 differs from its golden file"
}
same() { cmp -s "$1" "$2" || fail "'$1' and '$2' differ"; }
# After 5 s: no process of ours, no run directory, no socket directory of an appliance.
quiet() {
  deadline=$(($(date +%s) + 5))
  while [ -n "$(ls -A "$TMPDIR")" ] || pgrep -f "$scratch" | grep -qvx "$$"; do
    if [ "$(date +%s)" -ge $deadline ]; then
      fail "left behind: $(ls -A "$TMPDIR" | tr '\n' ' ') $(pgrep -af "$scratch" | cut -c1-200)"
      return
    fi
    sleep 0.2
  done
}
# The same, and only these files are here.
nothing_left() {
  quiet
  found=$(ls -A | LC_ALL=C sort | tr '\n' ' ')
  expected=$(printf '%s\n' "$@" | LC_ALL=C sort | tr '\n' ' ')
  [ "$found" = "$expected" ] || fail "files here: $found, expected: $expected"
}
done_testing() {
  [ "$failures" -eq 0 ] || { echo "$name: $failures failures" >&2; exit 1; }
  echo "$name: passed"
}

# A definition with one virtio disk: definition FILE IMAGE [FORMAT] [IOTUNE-LINES]
definition() {
  cat >"$1" <<EOF
<!-- the comment stays -->
<domain type='kvm'>
  <name>web</name>
  <uuid>4dea22b3-1d52-d8f3-2516-782e98ab3fa0</uuid>
  <memory unit='MiB'>1024</memory>
  <vcpu>2</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
  </os>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='${3:-qcow2}'/>
      <source file='$2'/>
      <target dev='vda' bus='virtio'/>${4:-}
    </disk>
    <interface type='network'>
      <mac address='52:54:00:6b:3c:58'/>
      <source network='default'/>
      <model type='virtio'/>
    </interface>
  </devices>
</domain>
EOF
}

# A small guest without a partition table, made without an appliance: phony FILE [raw|qcow2]
phony() {
  root=$scratch/phony
  rm -rf "$root"
  mkdir -p "$root/etc/ssh" "$root/etc/systemd/system" "$root/usr/lib/systemd/system" "$root/var/lib/dbus" "$root/var/lib/dhcp" \
    "$root/var/lib/systemd" "$root/var/log/journal/0123456789abcdef0123456789abcdef" "$root/usr/bin" "$root/usr/sbin" \
    "$root/boot" "$root/dev" "$root/proc" "$root/sys" "$root/run" "$root/tmp" "$root/root" "$root/etc/systemd/system/multi-user.target.wants"
  ln -s usr/bin "$root/bin"
  ln -s usr/lib "$root/lib"
  ln -s usr/sbin "$root/sbin"
  printf 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12 (phony)"\n' >"$root/etc/os-release"
  printf '0123456789abcdef0123456789abcdef\n' >"$root/etc/machine-id"
  cp "$root/etc/machine-id" "$root/var/lib/dbus/machine-id"
  printf 'phony\n' >"$root/etc/hostname"
  printf '/dev/vda / ext4 defaults 0 1\n' >"$root/etc/fstab"
  printf 'secret host key\n' >"$root/etc/ssh/ssh_host_ed25519_key"
  printf 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEi root@phony\n' >"$root/etc/ssh/ssh_host_ed25519_key.pub"
  printf 'lease { option dhcp-client-identifier 1; }\n' >"$root/var/lib/dhcp/dhclient.eth0.leases"
  head -c 512 /dev/urandom >"$root/var/lib/systemd/random-seed"
  printf 'old\n' >"$root/var/log/syslog"
  printf 'old\n' >"$root/var/log/journal/0123456789abcdef0123456789abcdef/system.journal"
  cp /bin/true "$root/usr/bin/sh"
  cp /bin/true "$root/usr/bin/ssh-keygen"
  cp /bin/true "$root/usr/sbin/sshd"
  mkdir -p "$root/usr/lib/systemd"
  cp /bin/true "$root/usr/lib/systemd/systemd"
  : >"$root/usr/lib/systemd/libsystemd-shared-252.so"
  printf '[Unit]\nDescription=ssh\n[Service]\nExecStart=/usr/sbin/sshd -D\n' >"$root/usr/lib/systemd/system/ssh.service"
  ln -s /usr/lib/systemd/system/ssh.service "$root/etc/systemd/system/multi-user.target.wants/ssh.service"
  truncate -s 96M "$1.raw"
  mke2fs -q -t ext4 -F -d "$root" "$1.raw"
  if [ "${2:-raw}" = qcow2 ]; then
    qemu-img convert -q -f raw -O qcow2 "$1.raw" "$1"
    rm "$1.raw"
  else
    mv "$1.raw" "$1"
  fi
}
