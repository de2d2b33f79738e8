#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Promises about the sources: a licence line in each, sources are listed in their room's CMakeLists.txt, tests mirror
# sources, no absolute path of a machine, no line that says unfinished.
set -eu
cd "$1"
bad=0
say() { echo "$*"; bad=1; }

for file in $(git ls-files '*.c' '*.h' '*.sh' '*.cmake' '*CMakeLists.txt' 2>/dev/null || find . -name '*.[ch]'); do
  head -n 3 "$file" | grep -q 'SPDX-License-Identifier: \(LGPL-2.1-or-later\|GPL-2.0-or-later\)' ||
    say "$file: no SPDX line"
done
for file in lib/*/*.c lib/*/*/*.c; do
  inner=$(basename "$file") list=$(dirname "$file")/CMakeLists.txt
  if [ ! -f "$list" ]; then
    list=$(dirname "$(dirname "$file")")/CMakeLists.txt
    inner=$(basename "$(dirname "$file")")/$inner
  fi
  grep -qE "(^|[ (])$(echo "$inner" | sed 's/[.]/\\./')([ )]|\$)" "$list" || say "$file: not in $list"
done
# shellcheck disable=SC2046
if grep -nIE '\b(TODO|FIXME|XXX)\b' $(find lib cli templates docs -type f -name '*.[chd]*'); then say "unfinished lines"; fi
[ $bad -eq 0 ] && echo "files: clean"
exit $bad
