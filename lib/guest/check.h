/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checking is a table of checks (besides the operations' verify). Each is one const struct in checks/. */
#ifndef GOLD_GUEST_CHECK_H
#define GOLD_GUEST_CHECK_H

#include <goldsmith/list.h>

#include "guest/scene.h"

enum gold_check_stage {
    GOLD_CHECK_DEVICES, /* before anything is mounted read-write: sees sc->guest only */
    GOLD_CHECK_MOUNTED, /* with the root at / */
    GOLD_CHECK_SEALED   /* at the end of seal only: what sealing itself has to report */
};

struct gold_check_entry {
    struct gold_about about;
    const char *const *finding_ids;
    enum gold_check_stage stage;
    int (*run)(struct gold_scene *sc, struct gold_error **err);
};

extern const struct gold_check_entry *const gold_checks[];

#endif
