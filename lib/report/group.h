/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The effects of a source, grouped by the operation that had them. */
#ifndef GOLD_REPORT_GROUP_H
#define GOLD_REPORT_GROUP_H

#include "report/render.h"

struct gold_effect_group {
    const char *operation; /* borrowed */
    const size_t *indexes; /* into src->effects, in their order */
    size_t n;
    bool shown; /* for the renderings: already printed */
};

struct gold_effect_groups {
    struct gold_effect_group *items; /* sorted by operation */
    size_t n;
    size_t *order;
};

GOLD_MUST_CHECK int gold_effect_groups_make(const struct gold_source_result *src,
                                            struct gold_effect_groups *ret,
                                            struct gold_error **err);
/* NULL when that operation has none. */
struct gold_effect_group *gold_effect_groups_find(const struct gold_effect_groups *groups,
                                                  const char *operation);
void gold_effect_groups_done(struct gold_effect_groups *groups);
#define GOLD_CLEANUP_EFFECT_GROUPS GOLD_CLEANUP(gold_effect_groups_done)

#endif
