#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# man.sh SCDOC GOLDSMITH COMMAND SOURCE OUTPUT
set -eu
scdoc=$1 goldsmith=$2 command=$3 source=$4 output=$5
{
  while IFS= read -r line; do
    if [ "$line" = "@OPTIONS@" ]; then "$goldsmith" help --format scd "$command"; else printf '%s\n' "$line"; fi
  done <"$source"
} >"$output.scd"
"$scdoc" <"$output.scd" >"$output.new"
mv "$output.new" "$output"
