/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source, told apart and opened: an image, or a definition with the images that it brings
 * along. */
#ifndef GOLD_WORKFLOW_TARGET_H
#define GOLD_WORKFLOW_TARGET_H

#include <goldsmith/workflow.h>

#include "core/result.h"
#include "formats/domain.h"
#include "guest/session.h"
#include "qemu/workset.h"

/* What a command wants to do decides whether an absent image is left out or an error. */
enum gold_target_use { GOLD_TARGET_READ, GOLD_TARGET_WRITE };

struct gold_target {
    const char *source;                 /* borrowed */
    struct gold_definition *definition; /* NULL: a bare image */
    struct gold_strv paths;             /* absolute paths of the images */
    struct gold_workset_image *images;  /* one per path */
    const struct gold_disk *
        *disks; /* one per path: its disk in the definition, NULL for a bare image */
    size_t n_images;
};

/* Sets src->kind as soon as it is known. */
GOLD_MUST_CHECK int gold_target_open(struct gold_context *ctx, const char *source,
                                     const struct gold_image_options *opts,
                                     enum gold_target_use use, struct gold_target *ret,
                                     struct gold_source_result *src, struct gold_error **err);
void gold_target_done(struct gold_target *t);
#define GOLD_CLEANUP_TARGET GOLD_CLEANUP(gold_target_done)

/* The drives of an appliance that works on the workset's overlays. *ret: free(); the strings
 * are the workset's. */
GOLD_MUST_CHECK int gold_target_session_disks(const struct gold_workset *ws, bool readonly,
                                              struct gold_session_disk **ret,
                                              struct gold_error **err);

#endif
