/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The model of QEMU's throttle (docs/throttle.txt), as far as a steady stream of equal requests
 * goes. A request is let through unless a bucket is over, and is charged afterwards: its bytes,
 * and one operation, or size / size_iops_sec operations when it is larger than that. So for a
 * given size the tighter limit alone decides the rate, and a size can mostly be chosen at which
 * the limit in question is the tighter one.
 */
#include "validate/limit_plan.h"

#include <math.h>

#include "core/limits.h"

/* How much tighter the limit under test must be than the other kind, so that jitter does not
 * blur which one it is. */
#define ISOLATION 0.8

struct direction {
    unsigned bytes_keys[2], iops_keys[2]; /* of this direction alone, and of both together */
};

static const struct direction reading = {
    {GOLD_READ_BYTES_SEC, GOLD_TOTAL_BYTES_SEC},
    {GOLD_READ_IOPS_SEC, GOLD_TOTAL_IOPS_SEC},
};
static const struct direction writing = {
    {GOLD_WRITE_BYTES_SEC, GOLD_TOTAL_BYTES_SEC},
    {GOLD_WRITE_IOPS_SEC, GOLD_TOTAL_IOPS_SEC},
};

static const struct {
    const char *wire, *name, *control;
    const struct direction *direction;
    bool is_bytes;
} shapes[GOLD_LIMIT_METRICS] = {
    {"read_bytes", "read_bytes_sec", "control_read_bytes_sec", &reading, true},
    {"write_bytes", "write_bytes_sec", "control_write_bytes_sec", &writing, true},
    {"read_iops", "read_iops", "control_read_iops", &reading, false},
    {"write_iops", "write_iops", "control_write_iops", &writing, false},
};

/* The tighter of two limits that are set; -1: neither is. */
static int
tighter(const struct gold_iotune *t, const unsigned keys[2])
{
    uint64_t a = t->value[keys[0]], b = t->value[keys[1]];
    if (!a && !b)
        return -1;
    return (int)(a && (!b || a <= b) ? keys[0] : keys[1]);
}

/* Operations that a request is charged as. */
static double
charge(const struct gold_iotune *t, uint64_t size)
{
    uint64_t op = t->value[GOLD_SIZE_IOPS_SEC];
    return op && size > op ? (double)size / (double)op : 1;
}

/* Requests a second that a limit lets through; infinite without one. */
static double
rate(const struct gold_iotune *t, int key, bool is_bytes, uint64_t size)
{
    if (key < 0)
        return INFINITY;
    double limit = (double)t->value[key];
    return is_bytes ? limit / (double)size : limit / charge(t, size);
}

static void
choose_size(const struct gold_iotune *t, int own, int other, struct gold_limit_metric *m)
{
    /* 256 KiB is what disks are read by in sequence, and more than 1 MiB a kernel splits. 4 KiB
       suits every medium; 512 bytes costs one with larger blocks a read for each write, so it
       is the second choice. */
    static const uint64_t for_bytes[] = {256 * GOLD_KIB, 512 * GOLD_KIB, GOLD_MIB};
    static const uint64_t for_iops[] = {4096, 512};
    const uint64_t *sizes = m->is_bytes ? for_bytes : for_iops;
    size_t n = m->is_bytes ? 3 : 2, i = 0;
    if (m->is_bytes && t->value[own] > 100 * GOLD_MIB)
        i = 2; /* fewer and larger requests, so that the guest's processor is not what limits */
    for (size_t k = i; k < n; k++) {
        if (rate(t, own, m->is_bytes, sizes[k]) <=
            ISOLATION * rate(t, other, !m->is_bytes, sizes[k])) {
            i = k;
            break;
        }
    }
    m->size = sizes[i];
    double mine = rate(t, own, m->is_bytes, m->size),
           others = rate(t, other, !m->is_bytes, m->size);
    bool alone = mine <= ISOLATION * others;
    m->binding_key = alone || mine <= others ? -1 : other;
    double requests = fmin(mine, others);
    m->expected = m->is_bytes ? requests * (double)m->size : requests;
    double each =
        m->is_bytes ? 100 : 500; /* what one stream surely does even in an emulated machine */
    m->depth = requests <= each       ? 1
               : requests >= 8 * each ? 8
                                      : (unsigned)ceil(requests / each);
}

/* With a maximum M and a length L > 1, a bucket of L * M passes at rate M; without a length, M
 * units pass at any rate. */
static void
plan_burst(const struct gold_iotune *t, unsigned key, unsigned ramp,
           struct gold_limit_metric *m)
{
    unsigned place = key - GOLD_TOTAL_BYTES_SEC;
    double limit = (double)t->value[key],
           max = (double)t->value[GOLD_TOTAL_BYTES_SEC_MAX + place];
    double length = (double)t->value[GOLD_TOTAL_BYTES_SEC_MAX_LENGTH + place];
    m->ramp = ramp;
    if (max <= 0)
        return;
    double burn;
    if (length > 1) {
        m->burst_units = length * max;
        m->burst_rate = max;
        burn = max > limit ? m->burst_units / (max - limit) : INFINITY;
    } else {
        m->burst_units = max;
        burn = max / limit; /* on a medium of at least twice the limit */
    }
    m->burst_too_long = !(burn <= GOLD_LIMIT_BURN_MAX);
    if (!m->burst_too_long)
        m->ramp += (unsigned)ceil(burn);
}

size_t
gold_limit_plan(const struct gold_iotune *t, unsigned ramp,
                struct gold_limit_metric ret[GOLD_LIMIT_METRICS])
{
    size_t n = 0;
    for (size_t i = 0; i < GOLD_LIMIT_METRICS; i++) {
        const struct direction *d = shapes[i].direction;
        int own = tighter(t, shapes[i].is_bytes ? d->bytes_keys : d->iops_keys);
        int other = tighter(t, shapes[i].is_bytes ? d->iops_keys : d->bytes_keys);
        if (own < 0)
            continue;
        struct gold_limit_metric *m = &ret[n++];
        *m = (struct gold_limit_metric){
            .wire = shapes[i].wire,
            .name = shapes[i].name,
            .control = shapes[i].control,
            .unit = shapes[i].is_bytes ? "B/s" : "1/s",
            .is_bytes = shapes[i].is_bytes,
            .key = (unsigned)own,
        };
        choose_size(t, own, other, m);
        plan_burst(t, m->binding_key < 0 ? (unsigned)own : (unsigned)m->binding_key, ramp, m);
    }
    return n;
}
