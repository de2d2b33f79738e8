/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What host and agent say to each other.
 *
 * The payload disk (serial GSPAYLOAD, ext4 without journal, read-only) holds `agent`, a static program, and `plan`, text:
 *
 *   goldsmith-plan 1
 *   nonce 6f0c…                                   32 hex digits, new for each boot
 *   wait 240                                      seconds for the default target
 *   limits name=vda serial=GSLIMIT0 control=GSCONTROL runs=3 seconds=10 read_bytes=262144,1,2 read_iops=4096,1,2
 *   identity
 *   end
 *
 * Lines after `wait` are run in their order by the agent; each payload writes its own (gold_payload.plan). A metric of limits
 * (read_bytes, write_bytes, read_iops, write_iops) says request size, requests in flight, and seconds of ramp before the
 * first measured run; the runs follow the ramp, and each other, in one unbroken stream of requests. The scratch disk
 * that judges the definition's disk number i has the serial GSLIMIT<i>, an equal one without limits is GSCONTROL; both are
 * raw, allocated and filled with incompressible data.
 *
 * The starter in the overlay (guest room) mounts the payload disk read-only at /run/goldsmith and runs `agent main` early in
 * the boot, and `agent reached` when the default target is reached. `main` says hello at once, waits for `reached` (or the
 * plan's wait, or a failed boot), runs the plan, says bye and powers the guest off.
 *
 * The agent answers over the virtio-serial port org.goldsmith.0 (found by /sys/class/virtio-ports/x/name, x any port), one JSON
 * object a line, at most GOLD_LIMIT_CHANNEL_LINE bytes:
 *
 *   {"nonce":"…","seq":1,"type":"hello","agent":1,"kernel":"6.1.0","target":"early"|"emergency"}
 *   {"nonce":"…","seq":2,"type":"reached","state":"running"|"degraded"|"timeout"|…,"failed":["x.service"]}
 *   {"nonce":"…","seq":3,"type":"progress","payload":"limits","percent":40}
 *   {"nonce":"…","seq":4,"type":"limits","name":"vda","metric":"read_bytes","samples":[{"bytes":…,"ops":…,"seconds":…,"stalled":…}],"control":{…}}
 *     stalled: seconds of the run in which nothing completed for longer than a throttle can make up for; for a run that this
 *     spoilt the agent adds another, up to twice as many in all
 *     control: one such sample of the same accesses on the disk without limits; null when that disk is missing
 *   {"nonce":"…","seq":5,"type":"identity","facts":[["machine-id","…"],["ssh-host-key","SHA256:…"], …]}
 *   {"nonce":"…","seq":6,"type":"error","payload":"limits","message":"…"}
 *   {"nonce":"…","seq":7,"type":"bye"}
 *
 * Everything from the guest is data: a line with another nonce, a wrong sequence number, broken JSON, too deep or too long is
 * counted and dropped; the host's verdict never rests on the guest's word alone where the host has counters of its own.
 */
#ifndef GOLD_VALIDATE_PROTOCOL_H
#define GOLD_VALIDATE_PROTOCOL_H

#include <jansson.h>

#include "core/context.h"
#include "core/vec.h"
#include "qemu/headers.h"
#include "validate/names.h"

GOLD_VEC(gold_messages, json_t *);

/* Collects the messages of one boot from raw channel bytes. */
struct gold_protocol {
    char nonce[33];
    struct gold_messages messages; /* owned, every valid message but progress, in order */
    char *line;                    /* what has come of the line under way */
    size_t line_len, line_cap, total;
    size_t values; /* JSON values in the messages that are kept: a cap of its own, for they cost more than text */
    unsigned next_seq;
    unsigned dropped; /* lines that were no message of ours */
    bool line_too_long, hello, reached, bye;
    int percent; /* of the last progress message, -1: none */
};

void gold_protocol_start(struct gold_protocol *p, const char *nonce);
/* FORMAT only when the total cap is exceeded (a guest that floods); NOMEM. */
GOLD_MUST_CHECK int gold_protocol_feed(struct gold_protocol *p, const char *bytes, size_t len, struct gold_error **err);
void gold_protocol_done(struct gold_protocol *p);
/* 32 random hex digits from the host's kernel. */
GOLD_MUST_CHECK int gold_nonce(char ret[33], struct gold_error **err);

/* Builds the payload disk: an ext4 without journal made with mke2fs -d, no mount, no root needed. */
GOLD_MUST_CHECK int gold_payload_disk_create(struct gold_context *ctx, const char *path, const char *plan, struct gold_error **err);
/* A raw file of `size` bytes, allocated, filled with incompressible bytes. */
GOLD_MUST_CHECK int gold_scratch_disk_create(struct gold_context *ctx, const char *path, uint64_t size, struct gold_error **err);
/* DHCP client identifiers (option 61, hex) sent by `mac` in a pcap that QEMU's filter-dump wrote; distinct, in order. A file
   that is absent, empty or cut off yields what can be read. */
GOLD_MUST_CHECK int gold_dhcp_client_ids(const char *pcap, const char *mac, struct gold_strv *ret, struct gold_error **err);

#endif
