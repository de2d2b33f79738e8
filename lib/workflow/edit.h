/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An edited definition: what its bytes become, what it then says, and how it is put in its
 * place. */
#ifndef GOLD_WORKFLOW_EDIT_H
#define GOLD_WORKFLOW_EDIT_H

#include "core/result.h"
#include "formats/domain.h"
#include "template/template.h"

struct gold_definition_edit {
    struct gold_patch patch; /* filled by the caller before gold_definition_edit_finish() */
    char *text;              /* the new bytes */
    size_t len;
    struct gold_definition *after; /* parsed again: what the edit really says */
};

void gold_definition_edit_done(struct gold_definition_edit *e);
#define GOLD_CLEANUP_DEFINITION_EDIT GOLD_CLEANUP(gold_definition_edit_done)

/* Applies the patch, parses the result, and records the diff as an edit of src (nothing when
 * nothing changes). */
GOLD_MUST_CHECK int gold_definition_edit_finish(const struct gold_definition *def,
                                                struct gold_definition_edit *e,
                                                struct gold_source_result *src,
                                                struct gold_error **err);
/* In place; CHANGED when the file no longer holds the bytes that were read. */
GOLD_MUST_CHECK int gold_definition_edit_write(const struct gold_definition *def,
                                               const struct gold_definition_edit *e,
                                               struct gold_error **err);

/* Marks (true) the disks that a selector names: "boot", "all", a target, a file name. marks:
 * one per disk. */
GOLD_MUST_CHECK int gold_select_disks(const struct gold_definition *def, const char *selector,
                                      bool *marks, struct gold_error **err);

/* The limits that a template file asks for. */
struct gold_wanted_limits {
    struct gold_iotune
        *items;  /* one per disk of the definition: its own limits with the template's on top */
    bool *named; /* does the template name this disk? */
    size_t n;
};
GOLD_MUST_CHECK int gold_wanted_limits(const struct gold_template *t,
                                       const struct gold_definition *def,
                                       struct gold_wanted_limits *ret, struct gold_error **err);
/* Writes the limits of the named disks, all at once: for throttle groups it counts how all
 * members are afterwards. */
GOLD_MUST_CHECK int gold_set_limits(const struct gold_definition *def,
                                    const struct gold_wanted_limits *w,
                                    struct gold_patch *patch, struct gold_error **err);
void gold_wanted_limits_done(struct gold_wanted_limits *w);
#define GOLD_CLEANUP_WANTED_LIMITS GOLD_CLEANUP(gold_wanted_limits_done)

#endif
