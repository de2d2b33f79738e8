# SPDX-License-Identifier: LGPL-2.1-or-later
# One clear error that names the file, the documented status, the source untouched, nothing left behind. No appliance.
. "$(dirname "$0")/functions.sh"
requires qemu-img

: >empty.img
mkdir folder
printf 'hello, I am a text\n' >text.img
qemu-img create -q -f qcow2 whole.qcow2 64M
qemu-io -f qcow2 -c 'write -P 7 0 8M' whole.qcow2 >/dev/null
head -c 300000 whole.qcow2 >truncated.qcow2
qemu-img create -q -f qcow2 base.qcow2 8M
qemu-img create -q -f qcow2 -F qcow2 -b "$PWD/base.qcow2" orphan.qcow2
rm base.qcow2
qemu-img create -q -f qcow2 -F qcow2 -b "$PWD/whole.qcow2" child.qcow2
qemu-img convert -f qcow2 -O vmdk -o subformat=streamOptimized whole.qcow2 stream.vmdk
printf 'x' | tar cf package.ova --files-from=/dev/null
printf '<domain><name>x</name>\n<devices></domain>\n' >torn.xml
printf '<network><name>n</name></network>\n' >network.xml
printf '<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>\n<domain><name>&b;</name></domain>\n' >bomb.xml
{ printf '<domain><!--'; head -c 100000000 /dev/zero | tr '\0' x; printf -- '--></domain>\n'; } >huge.xml
listing=$(ls -A | LC_ALL=C sort)
sums=$(find . -type f -exec sha256sum {} + | sort)

bad() { # FILE TEXT
  for command in seal check inspect; do
    expect 1 "$command" "$1"
    says "$1"
    [ -z "${2:-}" ] || says "$2"
  done
}
bad absent.img
bad empty.img empty
bad folder directory
bad truncated.qcow2 truncated
bad orphan.qcow2
bad torn.xml "torn.xml:2"
bad network.xml network
bad bomb.xml
bad huge.xml large
expect 1 seal --images no network.xml
expect 1 check --format qcow2 text.img
says text.img
expect 1 check --format nonsense whole.qcow2
expect 1 seal child.qcow2
says --allow-backing
expect 1 seal stream.vmdk
says " -o"
expect 1 seal whole.qcow2
says child.qcow2

# In use: somebody holds QEMU's locks.
rm child.qcow2
qemu-img create -q -f qcow2 used.qcow2 8M
mkfifo hold
qemu-io -f qcow2 used.qcow2 <hold >/dev/null 2>&1 &
holder=$!
exec 8>hold
sleep 1
expect 1 seal used.qcow2
says used.qcow2
expect 1 check used.qcow2
exec 8>&-
wait $holder
rm -f hold used.qcow2

# No permission, where there is an ordinary user who can run the command at all.
chmod 755 .. .
chmod 600 whole.qcow2
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
if [ "$(id -u)" -eq 0 ] && as_nobody "$GOLDSMITH" --version >/dev/null 2>&1; then
  status=0
  as_nobody "$GOLDSMITH" check whole.qcow2 >../out 2>../err </dev/null || status=$?
  [ "$status" -eq 1 ] || fail "no permission exits $status"
  says "whole.qcow2"
  says "Permission denied"
fi

# A read-only file system, in a mount namespace of its own.
cat >../readonly.sh <<'EOF'
mount -t tmpfs -o size=16m none "$1" && cp whole.qcow2 "$1/disk.qcow2" && mount -o remount,ro "$1" || exit 77
exec "$GOLDSMITH" seal "$1/disk.qcow2"
EOF
mkdir ../ro
status=0
unshare -m sh ../readonly.sh "$PWD/../ro" >../out 2>../err </dev/null || status=$?
[ "$status" -eq 1 ] || { fail "a read-only file system exits $status"; cat ../out ../err >&2; }
says "disk.qcow2"
says "Read-only file system"

printf 'goldsmith: 1\nname: x\nnonsense: 1\n' >bad.yaml
definition web.xml "$PWD/whole.qcow2"
expect 2 prepare web.xml
expect 1 prepare web.xml --template bad.yaml
says "bad.yaml:3:1"
says nonsense
expect 1 prepare web.xml --template absent.yaml
rm bad.yaml web.xml

same /dev/null empty.img
[ "$(printf '%s' "$listing" | grep -v child.qcow2)" = "$(ls -A | LC_ALL=C sort)" ] || fail "files came or went: $(ls -A | tr '\n' ' ')"
[ "$(printf '%s' "$sums" | grep -v child.qcow2)" = "$(find . -type f -exec sha256sum {} + | sort)" ] || fail "a source was changed"
[ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls -A "$TMPDIR")"
done_testing
