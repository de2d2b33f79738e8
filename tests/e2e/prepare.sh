# SPDX-License-Identifier: LGPL-2.1-or-later
# The main job on a real Debian guest: sealed, limited, proved.
. "$(dirname "$0")/functions.sh"
requires mmdebstrap

sh "$SOURCE_DIR/tests/guests/debian.sh" guest.qcow2 --definition guest.xml >../guest.log 2>&1 || { tail ../guest.log >&2; exit 1; }
cp guest.xml ../before.xml
expect 3 check guest.xml
says machine-id-set

expect 0 prepare guest.xml --template "$SOURCE_DIR/templates/limited-storage.yaml" --json --report ../result.html
cp ../out ../result.json
json 'd["summary"]["verdict"]' pass
# The machine-ids of the clones and of the template all differ.
json 'len({dict((k, v) for k, v in c["identity"].items())["machine-id"] for c in d["sources"][0]["clones"]})' 2
json '"8d1f4f0bc7f94ab89a3c6ac2ffbd0f5e" in str(d)' False
json 'd["sources"][0]["facts"]["template.machine-id.sha256"]' "$(printf 8d1f4f0bc7f94ab89a3c6ac2ffbd0f5e | sha256sum | cut -d' ' -f1)"
json 'any(__import__("hashlib").sha256(c["identity"]["machine-id"].encode()).hexdigest() in str(d["sources"][0]["facts"]) for c in d["sources"][0]["clones"])' False
json 'all(c["identity"]["ssh-host-keys"] for c in d["sources"][0]["clones"])' True
# The limits hold within 3 %.
json 'sorted({(m["name"], m["expected"]) for r in d["sources"][0]["results"] if r["payload"] == "iotune-limits" for m in r["metrics"] if m.get("expected")})' \
  "[('read_bytes_sec', 10485760), ('read_iops', 200), ('write_bytes_sec', 10485760), ('write_iops', 180)]"
json 'all(abs(m["median"] / m["expected"] - 1) <= 0.03 for r in d["sources"][0]["results"] if r["payload"] == "iotune-limits" for m in r["metrics"] if m.get("expected"))' True
grep -q '<total_bytes_sec>10485760</total_bytes_sec>' guest.xml || fail "the definition has no limit"
[ "$(diff ../before.xml guest.xml | grep -c '^>')" -le 8 ] || fail "more lines changed than were meant"
grep -q '<svg' ../result.html || fail "the HTML report shows no picture"
expect 0 report ../result.json
says pass
expect 0 check guest.xml
qemu-img check -q guest.qcow2 || fail "the image is damaged"
nothing_left guest.qcow2 guest.xml
done_testing
