/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the limits of a disk to the accesses that show each of them, and the rate that each must
 * then have. */
#ifndef GOLD_VALIDATE_LIMIT_PLAN_H
#define GOLD_VALIDATE_LIMIT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/iotune.h"

#define GOLD_LIMIT_METRICS  4   /* read and write, bytes and operations */
#define GOLD_LIMIT_RAMP_MAX 600 /* longest ramp that an agent is asked for, seconds */
#define GOLD_LIMIT_BURN_MAX 60  /* a burst that lasts longer is not waited for, seconds */

struct gold_limit_metric {
    const char *wire;    /* for the agent: "read_bytes" */
    const char *name;    /* in results: "read_bytes_sec" */
    const char *unit;    /* "B/s" or "1/s" */
    const char *control; /* the same without limits: "control_read_bytes_sec" */
    bool is_bytes;
    unsigned key;    /* the limit that it judges */
    double expected; /* in `unit` */
    uint64_t size;   /* bytes a request */
    unsigned depth;  /* requests in flight */
    unsigned ramp;   /* seconds before the first measured run */
    int binding_key; /* another limit binds first whatever the size of requests; -1: none does
                      */
    double burst_units;  /* how much passes above the limit before it holds; 0: no burst
                            configured */
    double burst_rate;   /* at most at this rate; 0: at any */
    bool burst_too_long; /* cannot be burnt in bearable time: not measured */
};

/* How many metrics there are to measure, 0 to 4; in the order in which they are measured. */
size_t gold_limit_plan(const struct gold_iotune *t, unsigned ramp,
                       struct gold_limit_metric ret[GOLD_LIMIT_METRICS]);

#endif
