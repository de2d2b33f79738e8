/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `validate`: boots throw-away clones of a template as it stands and judges what they show.
 * Writes nothing. */
#include <goldsmith/workflow.h>

#include "workflow/prove.h"
#include "workflow/run.h"

struct validate_job {
    const struct gold_validate_options *opts;
    const struct gold_template *tmpl;
};

static int
validate_source(struct gold_context *ctx, const char *source, const void *opaque,
                struct gold_source_result *src, struct gold_error **err)
{
    const struct validate_job *job = opaque;
    GOLD_CLEANUP_TARGET struct gold_target t = {0};

    if (gold_target_open(ctx, source, &job->opts->image, GOLD_TARGET_READ, &t, src, err) < 0)
        return -1;
    GOLD_CLEANUP_WORKSET struct gold_workset *ws =
        gold_workset_open(ctx, t.images, t.n_images, GOLD_WORKSET_READ_ONLY, err);
    if (!ws)
        return -1;
    struct gold_proof proof = {
        .target = &t,
        .definition = t.definition,
        .ws = ws,
        .tmpl = job->tmpl,
        .only = job->opts->only,
        .clones = job->opts->clones,
        .root = job->opts->image.root,
        .uri = job->opts->uri,
        .keep = job->opts->keep,
    };
    if (gold_prove(ctx, &proof, src, err) < 0)
        return -1;
    return gold_workset_check_unchanged(ws, err);
}

int
gold_validate(struct gold_context *ctx, const char *source,
              const struct gold_validate_options *opts, struct gold_document **ret_doc,
              struct gold_error **err)
{
    GOLD_CLEANUP_TEMPLATE struct gold_template *tmpl = NULL;
    if (opts->template_file && !(tmpl = gold_template_read(opts->template_file, err)))
        return -1;
    struct validate_job job = {.opts = opts, .tmpl = tmpl};
    return gold_run_sources(ctx, "validate", &source, 1, GOLD_ERROR, false, validate_source,
                            &job, ret_doc, err);
}
