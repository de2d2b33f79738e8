#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, builds, runs the tests, and ends with one line: N passed, N failed, N skipped.
#   sh tests/run.sh              everything but what is labelled slow
#   sh tests/run.sh --all        everything
#   sh tests/run.sh --label L    only tests of that label (unit, fault, fuzz, meta, e2e, guest, boot)
set -eu
cd "$(dirname "$0")/.."

slow="|slow"
only=
while [ $# -gt 0 ]; do
  case $1 in
  --all) slow= ;;
  --label) only=$2; shift ;;
  *) echo "usage: run.sh [--all] [--label LABEL]" >&2; exit 2 ;;
  esac
  shift
done

sh tests/packages.sh test
jobs=$(nproc)

# What needs no appliance runs plain and under the sanitizers; what boots appliances and guests takes minutes and runs once,
# under the sanitizers.
for preset in dev asan; do
  cmake --preset "$preset" >"build-$preset.log" 2>&1 || { mkdir -p build; cat "build-$preset.log"; exit 1; }
  mkdir -p build && mv "build-$preset.log" build/
  cmake --build --preset "$preset" -- -j "$jobs" >"build/$preset-build.log" 2>&1 || {
    grep -E 'error|warning|FAILED' "build/$preset-build.log" | head -60
    exit 1
  }
done

passed=0 failed=0 skipped=0
run() { # run PRESET JOBS LABELS LEFT-OUT-LABELS
  preset=$1
  echo "== $1: $3"
  log=build/$1-tests-$2.log
  ctest --preset "$1" --no-tests=ignore -j "$2" -L "$3" -LE "$4$slow" >"$log" 2>&1 || true
  grep -E '^ *[0-9]+/[0-9]+ Test' "$log" || true
  if ! grep -qE 'tests failed out of|No tests were found' "$log"; then
    cat "$log"
    failed=$((failed + 1))
    return
  fi
  f=$(sed -n 's/.*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)/\1/p' "$log")
  t=$(sed -n 's/.*% tests passed, \([0-9]*\) tests failed out of \([0-9]*\)/\2/p' "$log")
  s=$(grep -c '\*\*\*Skipped' "$log" || true)
  [ "${f:-0}" -eq 0 ] || tail -n 1500 "$log"
  # Single cases that a program skipped while the rest of it ran: said aloud, too.
  sed -n 's/^\[  SKIPPED \] \([a-z_0-9]*\)$/partly skipped: \1/p' "build/$1/Testing/Temporary/LastTest.log" | sort -u
  passed=$((passed + ${t:-0} - ${f:-0} - s))
  failed=$((failed + ${f:-0}))
  skipped=$((skipped + s))
}
quick="unit|fault|fuzz|meta|e2e"
if [ -n "$only" ]; then
  run dev "$jobs" "^($only)\$" "guest|boot"
  run asan 1 "^($only)\$" "meta"
else
  run dev "$jobs" "^($quick)\$" "guest|boot"
  run asan "$jobs" "^($quick)\$" "meta|guest|boot"
  # Appliances and guests one at a time, with nothing else beside them: what they measure is a rate.
  run asan 1 "^(guest|boot)\$" "meta"
fi

# In CI a promise is kept or broken: a skip of anything but a missing corpus is a failure.
if [ -n "${CI:-}" ] && [ "$skipped" -gt 0 ]; then
  echo "in CI nothing may be skipped"
  failed=$((failed + skipped))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
