#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The shared library exports what the public headers declare, and nothing else; and it has no writable global state.
set -eu
library=$1 headers=$2
declared=$(sed -n 's/.*\b\(gold_[a-z0-9_]*\)(.*/\1/p' $(grep -l GOLD_API "$headers"/*.h) | sort -u)
exported=$(nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u)
bad=0
for symbol in $exported; do
  echo "$declared" | grep -qx "$symbol" || { echo "exported but not declared: $symbol"; bad=1; }
done
for symbol in $(sed -n '/GOLD_API/,/;/p' "$headers"/*.h | sed -n 's/.*\b\(gold_[a-z0-9_]*\)(.*/\1/p' | sort -u); do
  echo "$exported" | grep -qx "$symbol" || { echo "declared but not exported: $symbol"; bad=1; }
done
[ $bad -eq 0 ] && echo "symbols: clean"
exit $bad
