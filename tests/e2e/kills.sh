# SPDX-License-Identifier: LGPL-2.1-or-later
# SIGKILL at each named stop point of seal and prepare: the image is the old one byte for byte, or sealed and verified, or
# (raw) completed by the next command; after 5 s nothing runs or lies about.
. "$(dirname "$0")/functions.sh"
requires mke2fs

killed_at() { # STOP-POINT ARGUMENT...
  point=$1
  shift
  status=0
  GOLDSMITH_STOP_AT=$point "$GOLDSMITH" "$@" >../out 2>../err </dev/null || status=$?
  case $status in
  137) reached=1 ;;
  *) reached=0 ;;
  esac
}
# Nothing runs after 5 s; a commit that was under way is completed (or taken back) by the next command; after that nothing lies
# about, and the image is the old one or sealed.
settled() { # IMAGE BEFORE
  quiet
  "$GOLDSMITH" check "$1" >../out 2>../err </dev/null && checked=0 || checked=$?
  nothing_left one.qcow2 one.raw
  cmp -s "$1" "$2" && expected=3 || expected=0
  [ "$checked" -eq "$expected" ] || { fail "$point: check exits $checked, not $expected"; head -20 ../out ../err >&2; }
}

phony one.qcow2 qcow2
phony one.raw raw
# In the middle of the work, and where a commit is half done; with "all" at every stop point there is.
for format in qcow2 raw; do
  cp one.$format ../before.$format
  points="seal.launched seal.checked seal.changed seal.verified seal.closed seal.commit"
  if [ "${1:-}" != all ]; then
    [ $format = qcow2 ] && points="seal.changed commit.renamed" || points="journal.ready"
  elif [ $format = qcow2 ]; then
    points="$points commit.rebased commit.linked commit.renamed commit.written commit.done seal.done"
  else
    points="$points journal.ready journal.written seal.done"
  fi
  for point in $points; do
    cp ../before.$format one.$format
    killed_at "$point" seal one.$format
    [ "$reached" -eq 1 ] || fail "seal $format does not pass the stop point $point (exit $status)"
    settled one.$format ../before.$format
  done
done
rm one.qcow2 one.raw
done_testing
