/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What seal and prepare have in common: sealing the overlays of a workset, and putting the
 * result in its place. */
#ifndef GOLD_WORKFLOW_SEALING_H
#define GOLD_WORKFLOW_SEALING_H

#include "guest/work.h"
#include "workflow/output.h"

struct gold_sealing {
    bool check; /* also report what was there before */
    const struct gold_operation_set *operations;
    enum gold_machine_id machine_id;
    bool zero_free;
    const char *root;
};

/* One appliance on the overlays; *ret: gold_guest_outcome_done(). Findings are results, not
 * errors. */
GOLD_MUST_CHECK int gold_seal_workset(struct gold_context *ctx, const struct gold_workset *ws,
                                      const struct gold_sealing *how,
                                      struct gold_guest_outcome *ret, struct gold_error **err);

/* Writes to where `output` says, or (NULL) commits the workset and then replaces the
   definition. ws NULL: only a definition; edit is used when the target has one. */
GOLD_MUST_CHECK int gold_put_in_place(struct gold_workset *ws, const struct gold_target *t,
                                      const struct gold_output *output,
                                      const struct gold_definition_edit *edit,
                                      struct gold_error **err);

#endif
