/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host's own view of the disks that a guest measures: QEMU's counters, looked at once a
 * second, give the highest rates that really passed. It judges nothing; a limit's verdict
 * quotes it.
 */
#ifndef GOLD_VALIDATE_REFEREE_H
#define GOLD_VALIDATE_REFEREE_H

#include "core/result.h"
#include "hypervisor/monitor.h"

#define GOLD_REFEREE_WINDOW 5 /* seconds over which a rate is taken */

struct gold_referee_sample {
    int64_t at; /* ms */
    struct gold_block_counters counters;
};

struct gold_referee {
    const char *target; /* the definition's disk that is judged; borrowed */
    char *serial;       /* of its scratch disk */
    char *device;       /* in QEMU, found at the first look */
    bool given_up;
    struct gold_referee_sample window[GOLD_REFEREE_WINDOW + 1]; /* ring */
    unsigned n;                                                 /* samples that came */
    struct gold_block_counters last;
    double peak_read_ops, peak_write_ops, peak_read_bytes, peak_write_bytes; /* per second */
};

void gold_referee_done(struct gold_referee *r);
/* Takes a sample from a running machine. A failure ends the observation, with a debug line. */
void gold_referee_look(struct gold_context *ctx, struct gold_referee *r, struct gold_machine *m,
                       int64_t now);
/* The arithmetic of it. */
void gold_referee_add(struct gold_referee *r, const struct gold_block_counters *counters,
                      int64_t now);
/* Adds host_... metrics to the measurements of this disk, unjudged. */
GOLD_MUST_CHECK int gold_referee_report(const struct gold_referee *r,
                                        struct gold_source_result *src,
                                        struct gold_error **err);

#endif
