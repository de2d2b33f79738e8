#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# From nothing to a proven clone template: installs what is missing, builds, makes a real Debian 12 guest with an identity
# left in it on purpose and a libvirt definition without limits, and runs the main job on them.
#   sh cli/quickstart.sh [DIRECTORY]     default: build/quickstart
set -eu
cd "$(dirname "$0")/.."
work=${1:-build/quickstart}

sh tests/packages.sh build
echo "Building goldsmith ..."
mkdir -p build
{ cmake --preset release && cmake --build --preset release; } >build/release.log 2>&1 || {
  tail -n 40 build/release.log
  exit 1
}

rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
echo "Making a Debian 12 guest that boots from its own disk (about two minutes the first time) ..."
sh tests/guests/debian.sh "$work/debian.qcow2" --definition "$work/debian.xml"

echo "Preparing it with templates/limited-storage.yaml ..."
status=0
build/release/bin/goldsmith prepare "$work/debian.xml" --template templates/limited-storage.yaml \
  --report "$work/result.json" --report "$work/result.html" || status=$?
echo
echo "Exit status $status. Result: $work/result.json"
echo "HTML report: $work/result.html"
exit "$status"
