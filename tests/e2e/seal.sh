# SPDX-License-Identifier: LGPL-2.1-or-later
# Seal and check of a small guest, as a user would, for qcow2 and raw.
. "$(dirname "$0")/functions.sh"
requires mke2fs

phony guest.qcow2 qcow2
cp guest.qcow2 ../before.qcow2

expect 3 check --json guest.qcow2
json 'sorted({f["id"] for f in d["sources"][0]["findings"] if f["severity"] == "error"} & {"machine-id-set", "ssh-host-keys", "kernel-device-names"})' \
  "['kernel-device-names', 'machine-id-set', 'ssh-host-keys']"
same guest.qcow2 ../before.qcow2

expect 0 seal --dry-run guest.qcow2
says /etc/machine-id
same guest.qcow2 ../before.qcow2

expect 0 seal --json guest.qcow2
json 'd["sources"][0]["status"]' ok
json '[o["operation"] for o in d["sources"][0]["operations"]][-1]' machine-id
expect 0 check guest.qcow2
qemu-img check -q guest.qcow2 || fail "the sealed image is damaged"

# Sealing again finds nothing to do.
expect 0 seal --json guest.qcow2
json '[o["operation"] for o in d["sources"][0]["operations"] if o["status"] == "changed"]' "[]"
nothing_left guest.qcow2

# To a new file; the source is only read.
cp ../before.qcow2 guest.qcow2
expect 0 seal guest.qcow2 -o sealed.raw
same guest.qcow2 ../before.qcow2
expect 0 check sealed.raw
expect 2 seal guest.qcow2 -o sealed.raw
says "exists"
rm sealed.raw

# A definition brings its image along; its own identity is reset in the same run.
definition web.xml "$PWD/guest.qcow2"
expect 0 seal web.xml
if grep -q 4dea22b3 web.xml; then fail "the uuid is the old one"; fi
if grep -q 6b:3c:58 web.xml; then fail "the MAC is the old one"; fi
grep -q 'the comment stays' web.xml || fail "a comment is lost"
expect 0 check web.xml
nothing_left guest.qcow2 web.xml

# Raw.
phony guest.raw raw
expect 0 seal guest.raw
expect 0 check guest.raw
nothing_left guest.qcow2 guest.raw web.xml
done_testing
