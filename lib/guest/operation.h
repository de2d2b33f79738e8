/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sealing is a table of operations. Each is one const struct in a file of its own under operations/, named after it.
 */
#ifndef GOLD_GUEST_OPERATION_H
#define GOLD_GUEST_OPERATION_H

#include <goldsmith/list.h>

#include "guest/scene.h"

struct gold_operation {
    struct gold_about about;
    bool enabled_by_default;
    const char *const *finding_ids; /* what verify may report; NULL-terminated */
    /* By files found, never by a distribution's name. 1: run; 0: does not apply, *ret_reason (free()) says why; -1. */
    int (*applies)(struct gold_scene *sc, char **ret_reason, struct gold_error **err);
    /* Changes the guest through the scene. */
    int (*run)(struct gold_scene *sc, struct gold_error **err);
    /* Read-only proof of its effect: a finding for everything that a clone would share. Runs in check too. */
    int (*verify)(struct gold_scene *sc, struct gold_error **err);
};

/* THE table, in run order, identity last; NULL-terminated. */
extern const struct gold_operation *const gold_operations[];

/* "default,-x,y,all,-all": from left to right, starting from the empty set. bits[i] for gold_operations[i]. USAGE with the
   nearest name for one that does not exist. NULL means "default". */
struct gold_operation_set {
    uint64_t bits;
};
GOLD_MUST_CHECK int gold_operation_set_parse(const char *list, struct gold_operation_set *ret, struct gold_error **err);
bool gold_operation_set_has(const struct gold_operation_set *set, size_t i);

#endif
