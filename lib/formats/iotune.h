/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * IO limits of a disk: libvirt's 20 elements of <iotune>, their rules, and what the rules
 * refuse. Sources: libvirt's formatdomain documentation, QEMU docs/throttle.txt, and
 * experiments with libvirt 9.0 and QEMU 7.2.
 */
#ifndef GOLD_FORMATS_IOTUNE_H
#define GOLD_FORMATS_IOTUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/str.h"

/* In libvirt's order of writing. Bytes per second, operations per second, seconds, bytes. */
enum gold_iotune_key {
    GOLD_TOTAL_BYTES_SEC,
    GOLD_READ_BYTES_SEC,
    GOLD_WRITE_BYTES_SEC,
    GOLD_TOTAL_IOPS_SEC,
    GOLD_READ_IOPS_SEC,
    GOLD_WRITE_IOPS_SEC,
    GOLD_TOTAL_BYTES_SEC_MAX,
    GOLD_READ_BYTES_SEC_MAX,
    GOLD_WRITE_BYTES_SEC_MAX,
    GOLD_TOTAL_IOPS_SEC_MAX,
    GOLD_READ_IOPS_SEC_MAX,
    GOLD_WRITE_IOPS_SEC_MAX,
    GOLD_SIZE_IOPS_SEC,
    GOLD_TOTAL_BYTES_SEC_MAX_LENGTH,
    GOLD_READ_BYTES_SEC_MAX_LENGTH,
    GOLD_WRITE_BYTES_SEC_MAX_LENGTH,
    GOLD_TOTAL_IOPS_SEC_MAX_LENGTH,
    GOLD_READ_IOPS_SEC_MAX_LENGTH,
    GOLD_WRITE_IOPS_SEC_MAX_LENGTH,
    GOLD_IOTUNE_NUMBERS /* how many; group_name is the twentieth element */
};

/* What libvirt and QEMU take at most, for every value. */
#define GOLD_IOTUNE_VALUE_MAX 1000000000000000ULL

struct gold_iotune {
    uint64_t value[GOLD_IOTUNE_NUMBERS]; /* 0: not set */
    char *group_name;                    /* NULL: none */
};

void gold_iotune_done(struct gold_iotune *t);
GOLD_MUST_CHECK int gold_iotune_copy(struct gold_iotune *dst, const struct gold_iotune *src,
                                     struct gold_error **err);
bool gold_iotune_empty(const struct gold_iotune *t);
bool gold_iotune_equal(const struct gold_iotune *a, const struct gold_iotune *b);
/* "total_bytes_sec", ...; "group_name" for GOLD_IOTUNE_NUMBERS. */
const char *gold_iotune_name(unsigned key);
/* Accepts hyphens for underscores; -1: no such key. GOLD_IOTUNE_NUMBERS for group_name. */
int gold_iotune_key(const char *name);
/* Sets one from text: byte keys take sizes ("10MiB"), the others whole numbers; 0 or "" clears
   it. Only this value changes: siblings stay as they are. */
GOLD_MUST_CHECK int gold_iotune_set(struct gold_iotune *t, const char *name, const char *value,
                                    struct gold_error **err);
/* Every conflict and range that libvirt or QEMU refuse, at define or at start; the message
 * names the keys. */
GOLD_MUST_CHECK int gold_iotune_check(const struct gold_iotune *t, struct gold_error **err);
/* Legal, but seldom what is meant; `base` is one of the first six keys. Below 2 MB/s or 50
   operations/s a guest may hang; a max without a length (or of 1 s) is an amount that passes at
   once; a burst longer than an hour is a typing error; operations without a size and without a
   byte limit let one huge request count as one. */
bool gold_iotune_small(const struct gold_iotune *t, unsigned base);
bool gold_iotune_bucket(const struct gold_iotune *t, unsigned base);
bool gold_iotune_long_burst(const struct gold_iotune *t, unsigned base);
bool gold_iotune_unsized(const struct gold_iotune *t);
/* Lines for people: burst length L*M/(M-A), what to expect in a measurement, warnings (below 2
   MB/s, max without length is a bucket, IOPS without size_iops_sec). */
GOLD_MUST_CHECK int gold_iotune_explain(const struct gold_iotune *t, struct gold_str *ret,
                                        struct gold_error **err);

#endif
