# SPDX-License-Identifier: LGPL-2.1-or-later
# What others miss is caught: a guest sealed by virt-sysprep, and limits that were dropped or misspelt.
. "$(dirname "$0")/functions.sh"
requires mmdebstrap
requires virt-sysprep

sh "$SOURCE_DIR/tests/guests/debian.sh" guest.qcow2 --definition guest.xml >../guest.log 2>&1 || { tail ../guest.log >&2; exit 1; }
LIBGUESTFS_BACKEND=direct LIBGUESTFS_BACKEND_SETTINGS=force_tcg TMPDIR=/tmp virt-sysprep -q -a guest.qcow2 2>../sysprep.log ||
  { cat ../sysprep.log >&2; exit 1; }
expect 3 check --json guest.qcow2
json '"machine-id-set" in [f["id"] for f in d["sources"][0]["findings"] if f["severity"] == "error"]' True
expect 3 validate guest.xml --only clone-identity
says "machine-id"

cat >quick.yaml <<'EOF'
goldsmith: 1
name: quick
definition:
  iotune:
    - {disk: boot, total-bytes-sec: 10MiB, read-iops-sec: 200, write-iops-sec: 180}
validate:
  clones: 1
  payloads:
    - {payload: iotune-limits, runs: 1, seconds: 3}
EOF
# The definition has no limit: the measurement refutes what the template file expects.
expect 3 validate guest.xml --template quick.yaml
says iotune-limits
# It has one that libvirt drops without a word.
sed "s|<target dev='vda' bus='virtio'/>|&<iotune><total_byte_sec>10485760</total_byte_sec></iotune>|" guest.xml >misspelt.xml
if cmp -s guest.xml misspelt.xml; then
  sed 's|<target dev="vda" bus="virtio"/>|&<iotune><total_byte_sec>10485760</total_byte_sec></iotune>|' guest.xml >misspelt.xml
fi
grep -q total_byte_sec misspelt.xml || fail "the sample has no misspelt limit"
expect 3 validate misspelt.xml --template quick.yaml
expect 3 check --images no misspelt.xml
nothing_left guest.qcow2 guest.xml misspelt.xml quick.yaml
done_testing
