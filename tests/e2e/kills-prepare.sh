# SPDX-License-Identifier: LGPL-2.1-or-later
# SIGKILL at each named stop point of prepare, on a real guest whose clones are only compared.
. "$(dirname "$0")/functions.sh"
requires mmdebstrap

sh "$SOURCE_DIR/tests/guests/debian.sh" guest.qcow2 --definition guest.xml >../guest.log 2>&1 || { tail ../guest.log >&2; exit 1; }
cp guest.qcow2 ../before.qcow2
cp guest.xml ../before.xml
cat >identity.yaml <<'EOF'
goldsmith: 1
name: identity
definition:
  identity: reset
validate:
  clones: 1
  payloads:
    - {payload: clone-identity}
EOF
points="seal.verified prepare.sealed validate.started validate.running validate.judged prepare.proved commit.renamed
  place.images prepare.done"
for point in $points; do
  cp ../before.qcow2 guest.qcow2
  cp ../before.xml guest.xml
  status=0
  GOLDSMITH_STOP_AT=$point "$GOLDSMITH" prepare guest.xml --template identity.yaml >../out 2>../err </dev/null || status=$?
  [ "$status" -eq 137 ] || { fail "prepare does not pass the stop point $point (exit $status)"; tail -5 ../out ../err >&2; }
  quiet
  "$GOLDSMITH" check guest.qcow2 >../out 2>../err </dev/null && checked=0 || checked=$?
  nothing_left guest.qcow2 guest.xml identity.yaml
  cmp -s guest.qcow2 ../before.qcow2 && expected=3 || expected=0
  [ "$checked" -eq "$expected" ] || { fail "$point: check exits $checked, not $expected"; head -20 ../out ../err >&2; }
  "$GOLDSMITH" check --images no guest.xml >/dev/null 2>&1 || fail "$point: the definition is no definition"
done

# Ctrl-C while a clone boots: exit 130, nothing written, nothing left.
cp ../before.qcow2 guest.qcow2
cp ../before.xml guest.xml
"$GOLDSMITH" prepare guest.xml --template identity.yaml --progress json >../out 2>../err </dev/null &
pid=$!
waited=0
until grep -q 'boot clone-1' ../err || [ $waited -gt 600 ]; do
  sleep 0.5
  waited=$((waited + 1))
done
sleep 3
kill -INT $pid
status=0
wait $pid || status=$?
[ "$status" -eq 130 ] || { fail "Ctrl-C while a clone boots exits $status"; tail -5 ../err >&2; }
nothing_left guest.qcow2 guest.xml identity.yaml
same guest.qcow2 ../before.qcow2
same guest.xml ../before.xml
done_testing
