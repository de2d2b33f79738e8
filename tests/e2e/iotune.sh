# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/functions.sh"

definition web.xml /nowhere/web.qcow2
cp web.xml before.xml

expect 0 iotune web.xml --disk vda --total-bytes-sec 10MiB --read-iops-sec 200 --write-iops-sec 180 --dry-run
golden iotune-dry-run.txt ../out
same web.xml before.xml

expect 0 iotune web.xml --disk boot --total-bytes-sec 10MiB --read-iops-sec 200 --write-iops-sec 180
[ "$(diff before.xml web.xml | grep -c '^[<>]')" -eq 5 ] || fail "other lines than the five of iotune changed"
grep -q '<total_bytes_sec>10485760</total_bytes_sec>' web.xml || fail "10 MiB is not 10485760"
cp web.xml limited.xml

# The same again changes nothing; one value leaves its siblings; 0 drops; --clear restores the original bytes.
expect 0 iotune web.xml --disk vda --total-bytes-sec 10485760
same web.xml limited.xml
expect 0 iotune web.xml --disk vda --read-iops-sec 300
grep -q '<write_iops_sec>180</write_iops_sec>' web.xml || fail "a sibling was reset"
expect 0 iotune web.xml --disk vda --read-iops-sec 0
if grep -q read_iops_sec web.xml; then fail "0 does not drop the limit"; fi
expect 0 iotune web.xml --disk all --clear
same web.xml before.xml

# Refused before anything is written.
for bad in '--total-bytes-sec 10MiB --read-bytes-sec 5MiB' '--read-iops-sec-max 5' '--read-iops-sec 9 --read-iops-sec-max 5' \
  '--size-iops-sec 4096' '--read-iops-sec 5 --read-iops-sec-max-length 5' '--total-bytes-sec 1000000000000001' '--group-name g'; do
  # shellcheck disable=SC2086
  expect 2 iotune web.xml --disk vda $bad
  same web.xml before.xml
done
expect 2 iotune web.xml --disk vda --total-bytes-sec 10M
says "10M"
expect 2 iotune web.xml --disk vdz --read-iops-sec 5
expect 2 iotune web.xml --read-iops-sec 5
expect 2 iotune web.xml --disk vda
same web.xml before.xml

# To standard output, and to another file.
expect 0 iotune web.xml --disk vda --read-iops-sec 5 -o -
grep -q '<read_iops_sec>5</read_iops_sec>' ../out || fail "-o - prints no definition"
expect 0 iotune web.xml --disk vda --read-iops-sec 5 -o other.xml

same web.xml before.xml

# CRLF stays.
sed 's/$/\r/' before.xml >crlf.xml
expect 0 iotune crlf.xml --disk vda --read-iops-sec 200
[ "$(grep -c "$(printf '\r')$" crlf.xml)" -eq "$(wc -l <crlf.xml)" ] || fail "a line lost its CR"

nothing_left before.xml web.xml limited.xml other.xml crlf.xml
done_testing
