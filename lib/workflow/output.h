/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where results go with -o: new files beside each other, the source only read. */
#ifndef GOLD_WORKFLOW_OUTPUT_H
#define GOLD_WORKFLOW_OUTPUT_H

#include "workflow/edit.h"
#include "workflow/target.h"

struct gold_output {
    struct gold_strv images; /* absolute path of each new image, in the target's order */
    enum gold_image_format *formats;
    char *definition; /* NULL for a bare image */
};

/* Plans the names: a bare image goes to the file `output` (or into the directory of that name,
   under its own name; the extension says the format, else it keeps its own); a definition and
   its images go into the directory `output`, which is made when absent. Nothing that exists is
   overwritten. */
GOLD_MUST_CHECK int gold_output_plan(const struct gold_target *t, const char *output,
                                     struct gold_output *ret, struct gold_error **err);
/* Adds the new source paths to the patch of the definition. */
GOLD_MUST_CHECK int gold_output_redirect(const struct gold_target *t,
                                         const struct gold_output *o,
                                         struct gold_definition_edit *edit,
                                         struct gold_error **err);
/* Writes the images and the definition; on failure what was written is removed again. edit:
 * NULL for a bare image. */
GOLD_MUST_CHECK int gold_output_write(struct gold_workset *ws, const struct gold_output *o,
                                      const struct gold_definition_edit *edit,
                                      struct gold_error **err);
void gold_output_done(struct gold_output *o);
#define GOLD_CLEANUP_OUTPUT GOLD_CLEANUP(gold_output_done)

#endif
