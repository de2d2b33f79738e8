# SPDX-License-Identifier: LGPL-2.1-or-later
# Ctrl-C at any time: exit 130, the source untouched, nothing left. And no space left in the middle of sealing.
. "$(dirname "$0")/functions.sh"
requires mke2fs

phony guest.qcow2 qcow2
cp guest.qcow2 ../before.qcow2
for delay in 0.3 2 6 12; do
  "$GOLDSMITH" seal guest.qcow2 >../out 2>../err </dev/null &
  pid=$!
  sleep $delay
  kill -INT $pid 2>/dev/null || true
  status=0
  wait $pid || status=$?
  if [ "$status" -eq 0 ]; then
    # It was faster than the signal: then it is sealed.
    expect 0 check guest.qcow2
    cp ../before.qcow2 guest.qcow2
  else
    [ "$status" -eq 130 ] || { fail "Ctrl-C after $delay s exits $status"; cat ../err >&2; }
    same guest.qcow2 ../before.qcow2
  fi
  nothing_left guest.qcow2
done

# A full disk: a small tmpfs in a mount namespace of its own.
cat >full.sh <<'EOF'
set -e
mount -t tmpfs -o size=24m none "$1/mnt"
cp "$1/guest.qcow2" "$1/mnt/guest.qcow2"
dd if=/dev/zero of="$1/mnt/ballast" bs=64k >/dev/null 2>&1 || true
truncate -s -131072 "$1/mnt/ballast" || true
status=0
"$GOLDSMITH" seal "$1/mnt/guest.qcow2" >"$1/out" 2>"$1/err" </dev/null || status=$?
cmp "$1/guest.qcow2" "$1/mnt/guest.qcow2" >&2 || status=99
[ "$(ls -A "$1/mnt" | tr '\n' ' ')" = "ballast guest.qcow2 " ] || status=98
exit $status
EOF
mkdir mnt
status=0
unshare -m sh full.sh "$PWD" || status=$?
[ "$status" -eq 1 ] || { fail "a full disk exits $status"; cat out err >&2; }
grep -q "guest.qcow2.*No space left on device" out || { fail "the error of a full disk does not say what is full"; cat out err >&2; }
rm -rf mnt out err full.sh
nothing_left guest.qcow2
done_testing
