/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What QEMU itself says about a running machine, over libvirt's monitor pass-through: libvirt's
 * own block statistics carry no merge counters, and without those an IOPS limit cannot be
 * judged. Read-only commands.
 */
#ifndef GOLD_HYPERVISOR_MONITOR_H
#define GOLD_HYPERVISOR_MONITOR_H

#include <jansson.h>
#include <stdint.h>

#include "hypervisor/machine.h"

struct gold_block_counters {
    uint64_t read_operations, read_merged, read_bytes;
    uint64_t write_operations, write_merged, write_bytes;
};

/* Runs a command without or with arguments (may be NULL; not taken); *ret: json_decref(), the
 * value of "return". */
GOLD_MUST_CHECK int gold_monitor_command(struct gold_machine *m, const char *command,
                                         json_t *arguments, json_t **ret,
                                         struct gold_error **err);
/* The device path of the disk with that serial, "/machine/peripheral/virtio-disk1"; UNSUPPORTED
 *when there is none. ret: free(). */
GOLD_MUST_CHECK int gold_monitor_find_disk(struct gold_machine *m, const char *serial,
                                           char **ret, struct gold_error **err);
/* Counters of the disk at that device path. */
GOLD_MUST_CHECK int gold_monitor_block_counters(struct gold_machine *m, const char *device,
                                                struct gold_block_counters *ret,
                                                struct gold_error **err);
/* The same from an answer of query-blockstats; false when the device is not in it. */
bool gold_block_counters_find(const json_t *answer, const char *device,
                              struct gold_block_counters *ret);

#endif
