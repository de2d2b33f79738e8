/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The patch set: an edit as byte ranges {offset, old length, new bytes} over the original
 * bytes. Ranges are kept sorted and never overlap; two insertions at one offset stay in the
 * order in which they were added. Everything that is outside the ranges is by construction the
 * same in the result.
 */
#ifndef GOLD_FORMATS_PATCH_H
#define GOLD_FORMATS_PATCH_H

#include <stdint.h>

#include "core/cleanup.h"
#include "core/str.h"

struct gold_patch_range {
    size_t offset, old_len;
    char *bytes; /* new bytes; NULL when new_len is 0 */
    size_t new_len;
};

struct gold_patch {
    struct gold_patch_range *items;
    size_t n, cap;
};

void gold_patch_done(struct gold_patch *p);
#define GOLD_CLEANUP_PATCH GOLD_CLEANUP(gold_patch_done)

/* Copies bytes. USAGE when the range overlaps one that is there. */
GOLD_MUST_CHECK int gold_patch_add(struct gold_patch *p, size_t offset, size_t old_len,
                                   const char *bytes, size_t new_len, struct gold_error **err);
/* New bytes; *ret: free(), NUL-terminated. FORMAT when a range lies outside. */
GOLD_MUST_CHECK int gold_patch_apply(const struct gold_patch *p, const char *old,
                                     size_t old_len, char **ret, size_t *ret_len,
                                     struct gold_error **err);
/* The patch that leads from the result back to `old`. */
GOLD_MUST_CHECK int gold_patch_inverse(const struct gold_patch *p, const char *old,
                                       size_t old_len, struct gold_patch *ret,
                                       struct gold_error **err);
/* Unified diff with 3 lines of context; empty when nothing changes. Lines end at LF; CR is kept
 * as part of the line. */
GOLD_MUST_CHECK int gold_patch_diff(const struct gold_patch *p, const char *old, size_t old_len,
                                    const char *old_name, const char *new_name,
                                    struct gold_str *ret, struct gold_error **err);

#endif
