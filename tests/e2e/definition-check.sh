# SPDX-License-Identifier: LGPL-2.1-or-later
# Limits that libvirt would silently drop, and what check says of a good definition.
. "$(dirname "$0")/functions.sh"

definition good.xml /nowhere/web.qcow2 qcow2 '
      <iotune>
        <total_bytes_sec>10485760</total_bytes_sec>
        <read_iops_sec>200</read_iops_sec>
      </iotune>'
expect 0 check --images no good.xml
expect 0 check --images no --json good.xml
json 'd["summary"]["verdict"]' pass
json 'd["sources"][0]["kind"]' definition

definition misspelt.xml /nowhere/web.qcow2 qcow2 '
      <iotune>
        <total_byte_sec>10485760</total_byte_sec>
      </iotune>'
expect 3 check --images no --json misspelt.xml
json '[f["id"] for f in d["sources"][0]["findings"] if f["severity"] == "error"]' "['iotune-unknown-element']"
json '[f["where"]["line"] for f in d["sources"][0]["findings"] if f["severity"] == "error"]' "[16]"

definition units.xml /nowhere/web.qcow2 qcow2 "
      <iotune>
        <total_bytes_sec unit='MiB'>10</total_bytes_sec>
      </iotune>"
expect 3 check --images no units.xml
says iotune-attribute

# An absent image is a finding for check; several sources: one bad one does not stop the others.
expect 0 check good.xml
says definition-disk-missing
printf 'no domain\n' >broken.xml
printf '<network/>\n' >network.xml
expect 1 check --images no --json network.xml good.xml
json '[s["status"] for s in d["sources"]]' "['failed', 'ok']"
done_testing
