/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic on sizes that come from input: false on overflow, and *ret is then untouched. */
#ifndef GOLD_CORE_CHECKED_H
#define GOLD_CORE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool
gold_add_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
    uint64_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *ret = r;
    return true;
}

static inline bool
gold_mul_u64(uint64_t a, uint64_t b, uint64_t *ret)
{
    uint64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *ret = r;
    return true;
}

/* Is [offset, offset+len) inside [0, size)? */
static inline bool
gold_range_inside(uint64_t offset, uint64_t len, uint64_t size)
{
    return offset <= size && len <= size - offset;
}

/* Stores v in *ret_p if the type of *ret_p can hold it. */
#define gold_narrow(v, ret_p) (!__builtin_add_overflow((v), 0, (ret_p)))

#endif
