#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who may use whom: reads the includes of every source below lib/ and cli/ and holds them against the table. With
# --self-test it plants violations in a copy and expects each to be found.
set -eu
root=${1:-.}

allowed() { # room -> rooms it may include
  case $1 in
  core) echo core ;;
  qemu) echo core qemu ;;
  formats) echo core formats ;;
  guest) echo core qemu guest ;;
  hypervisor) echo core qemu formats hypervisor ;;
  validate) echo core qemu formats hypervisor validate ;;
  report) echo core report ;;
  template) echo core template ;;
  workflow) echo core formats qemu guest hypervisor validate report template workflow ;;
  esac
}

libraries() { # room -> external headers it may include, as a grep pattern
  case $1 in
  core) echo 'openssl/' ;;
  formats) echo 'libxml/' ;;
  qemu) echo 'jansson.h' ;;
  guest) echo 'guestfs.h' ;;
  hypervisor) echo 'libvirt/|jansson.h' ;;
  validate) echo 'jansson.h' ;;
  report) echo 'jansson.h' ;;
  template) echo 'yaml.h' ;;
  *) echo '^$' ;;
  esac
}
external='openssl/|libxml/|jansson\.h|guestfs\.h|libvirt/|yaml\.h|glib'

check_tree() {
  bad=0
  for room in core formats qemu guest hypervisor validate report template workflow; do
    for file in $(find "$1/lib/$room" -name '*.[ch]' | LC_ALL=C sort); do
      for used in $(sed -n 's/^# *include "\([a-z]*\/[a-z_/]*\.h\)".*/\1/p' "$file" | sort -u); do
        # formats may read image headers, which open nothing.
        [ "$room $used" != "formats qemu/headers.h" ] || continue
        case " $(allowed "$room") " in
        *" ${used%%/*} "*) ;;
        *) echo "$file: room '$room' includes '$used'"; bad=1 ;;
        esac
      done
      for used in $(sed -n 's/^# *include <\([^>]*\)>.*/\1/p' "$file" | grep -E "$external" || true); do
        echo "$used" | grep -qE "$(libraries "$room")" || {
          echo "$file: room '$room' includes <$used>"
          bad=1
        }
      done
    done
  done
  # The agent runs alone in a guest: no library at all.
  if [ -d "$1/lib/validate/agent" ]; then
    if grep -nE '^# *include <(jansson|guestfs|libxml|libvirt|openssl)' -r "$1/lib/validate/agent"; then bad=1; fi
  fi
  # The command sees installed headers only.
  for file in $(find "$1/cli" -name '*.[ch]' | LC_ALL=C sort); do
    if grep -nE '^# *include "[a-z]+/' "$file"; then
      echo "$file: the command includes an internal header"
      bad=1
    fi
    if grep -nE "^# *include <($external)" "$file"; then
      echo "$file: the command uses a library of its own"
      bad=1
    fi
  done
  # Only the command prints, exits, and reads the environment. stop.c is for kill tests and is not in a release.
  for file in $(find "$1/lib" -name '*.c' ! -path '*/agent/*' ! -name guard_main.c ! -name stop.c | LC_ALL=C sort); do
    if grep -nE '(^|[^a-z_.>])(printf|puts|exit|abort|getenv|setlocale|secure_getenv) *\(' "$file" |
      grep -vE '^[0-9]+: *(\*|/\*)'; then
      echo "$file: prints, exits or reads the environment"
      bad=1
    fi
    if grep -nE '(^|[^a-z_])(atoi|atol|strtol|strtoul|strtoull|strtoll|strtod|atof|sprintf|strcpy|strcat) *\(' "$file" |
      grep -v number.c; then
      case $file in */core/number.c) ;; *) echo "$file: banned function"; bad=1 ;; esac
    fi
  done
  return $bad
}

if [ "${2:-}" != --self-test ]; then
  check_tree "$root"
  echo "layers: clean"
  exit 0
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
expect_violation() { # file line
  rm -rf "$copy/t"
  mkdir "$copy/t"
  cp -r "$root/lib" "$root/cli" "$copy/t/"
  printf '%s\n' "$2" >>"$copy/t/$1"
  if check_tree "$copy/t" >/dev/null; then
    echo "not caught: $1: $2"
    exit 1
  fi
}
expect_violation lib/core/str.c '#include "formats/xml.h"'
expect_violation lib/formats/patch.c '#include "guest/session.h"'
expect_violation lib/formats/patch.c '#include "qemu/image.h"'
expect_violation lib/report/json.c '#include "validate/payload.h"'
expect_violation lib/guest/scene.c '#include <libvirt/libvirt.h>'
expect_violation lib/core/str.c '#include <glib.h>'
expect_violation cli/main.c '#include "core/error.h"'
expect_violation lib/core/str.c 'void f(void) { exit(1); }'
expect_violation lib/core/str.c 'int g(void) { return atoi("1"); }'
echo "layers: every planted violation was caught"
