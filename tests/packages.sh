#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs what is missing, by name, from the machine's own APT sources: the one place that knows the packages.
#   sh tests/packages.sh build      to build and run goldsmith
#   sh tests/packages.sh test       the same and what the tests need
set -eu

build="build-essential cmake ninja-build pkg-config scdoc
  libguestfs-dev libvirt-dev libxml2-dev libjansson-dev libyaml-dev libssl-dev
  qemu-utils qemu-system-x86 seabios ipxe-qemu libvirt-daemon libvirt-daemon-system supermin guestfs-tools
  linux-image-cloud-amd64 e2fsprogs mmdebstrap extlinux syslinux-common
  ca-certificates debian-archive-keyring fdisk util-linux uuid-runtime"
test="libcmocka-dev libarchive-dev libxml2-utils python3 python3-jsonschema clang-tidy clang-format
  qemu-system-common acl attr procps ntfs-3g locales"

case ${1:-build} in
build) wanted=$build ;;
test) wanted="$build $test" ;;
*) echo "usage: packages.sh build|test" >&2; exit 2 ;;
esac

missing=
for package in $wanted; do
  dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
  echo "packages.sh: these packages are missing, and only root can install them:$missing" >&2
  exit 1
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# A service that a package would start has no init to start it here; and nothing of ours needs one.
apt-get update -qq
# shellcheck disable=SC2086 # a list of names
apt-get install -y -qq --no-install-recommends $missing >/dev/null
