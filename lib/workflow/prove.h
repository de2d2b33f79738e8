/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From what the workflow knows of a template to a plan of validation. Shared by validate and
 * prepare. */
#ifndef GOLD_WORKFLOW_PROVE_H
#define GOLD_WORKFLOW_PROVE_H

#include "validate/validate.h"
#include "workflow/edit.h"
#include "workflow/target.h"

struct gold_proof {
    const struct gold_target *target;
    const struct gold_definition *definition; /* as it will be; NULL for a bare image */
    struct gold_workset *ws;                  /* clones stand on its overlays */
    const struct gold_template *tmpl;         /* NULL: default payloads */
    const char *const *only;                  /* names of payloads, or NULL */
    unsigned clones;                          /* 0: the template file's, else 2 */
    const char *root;
    const struct gold_facts *identity; /* SHA-256 that seal recorded, or NULL */
    const char *uri;
    enum gold_keep keep;
};

/* Boots, measures, judges; src->verdict says how it ended. */
GOLD_MUST_CHECK int gold_prove(struct gold_context *ctx, const struct gold_proof *proof,
                               struct gold_source_result *src, struct gold_error **err);

#endif
