#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Help of every command: at most 80 columns, on stdout, exit 0; unknown options and commands on stderr, exit 2; manual
# pages and completion agree with the tables.
set -eu
goldsmith=$1 docs=$2
bad=0
say() { echo "$*"; bad=1; }
commands=$("$goldsmith" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 10 ] || say "only these commands: $commands"

for command in '' $commands; do
  # shellcheck disable=SC2086
  out=$("$goldsmith" $command --help 2>/dev/null) || say "'$command --help' fails"
  [ -n "$out" ] || say "'$command --help' prints nothing"
  long=$(echo "$out" | awk 'length > 80' | head -n 1)
  [ -z "$long" ] || say "'$command --help' is too wide: $long"
  status=0
  # shellcheck disable=SC2086
  err=$("$goldsmith" $command --no-such-option 2>&1 >/dev/null) || status=$?
  [ "$status" -eq 2 ] || say "'$command --no-such-option' exits $status"
  echo "$err" | grep -q "no-such-option" || say "'$command --no-such-option' does not name the option"
done
status=0
"$goldsmith" nonsense 2>/dev/null || status=$?
[ "$status" -eq 2 ] || say "an unknown command exits $status"

completion=$("$goldsmith" help --format bash)
for command in $commands; do
  for option in $("$goldsmith" "$command" --help | sed -n 's/^  .*\(--[a-z-]*\).*/\1/p' | sort -u); do
    echo "$completion" | grep -q -- "$option" || say "completion lacks $option of $command"
  done
  case $command in help | explain | list) continue ;; esac
  page=$docs/man/goldsmith-$command.1.scd
  [ -f "$page" ] || { say "no manual page for $command"; continue; }
  grep -q '^@OPTIONS@$' "$page" || say "$page: no @OPTIONS@ line"
done
bash -n -c "$completion" || say "completion is no bash"
[ $bad -eq 0 ] && echo "help: clean"
exit $bad
