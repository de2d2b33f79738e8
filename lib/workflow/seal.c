/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `seal`: remove what clones must not share, and make sure that it comes back unique on each
 * clone. Everything happens on overlays; they are committed only when the seal's own verify
 * finds nothing that is left.
 */
#include <goldsmith/workflow.h>

#include "workflow/run.h"
#include "workflow/sealing.h"

struct seal_job {
    const struct gold_seal_options *opts;
    struct gold_operation_set operations;
};

static int
seal_images(struct gold_context *ctx, const struct seal_job *job, const struct gold_workset *ws,
            struct gold_source_result *src, struct gold_error **err)
{
    const struct gold_sealing how = {
        .operations = &job->operations,
        .machine_id = job->opts->machine_id,
        .zero_free = job->opts->zero_free,
        .root = job->opts->image.root,
    };
    GOLD_CLEANUP(gold_guest_outcome_done) struct gold_guest_outcome outcome = {0};

    if (gold_seal_workset(ctx, ws, &how, &outcome, err) < 0 ||
        gold_source_absorb(src, &outcome.after, err) < 0)
        return -1;
    return gold_refuse_findings(src, "not sealed, the image is as it was", err);
}

static int
seal_source(struct gold_context *ctx, const char *source, const void *opaque,
            struct gold_source_result *src, struct gold_error **err)
{
    const struct seal_job *job = opaque;
    const struct gold_seal_options *opts = job->opts;
    GOLD_CLEANUP_TARGET struct gold_target t = {0};
    GOLD_CLEANUP_OUTPUT struct gold_output output = {0};
    GOLD_CLEANUP_DEFINITION_EDIT struct gold_definition_edit edit = {0};
    GOLD_CLEANUP_WORKSET struct gold_workset *ws = NULL;

    if (gold_target_open(ctx, source, &opts->image, GOLD_TARGET_WRITE, &t, src, err) < 0 ||
        (opts->output && gold_output_plan(&t, opts->output, &output, err) < 0))
        return -1;
    if (t.definition && (gold_domain_reset_identity(t.definition, &edit.patch, src, err) < 0 ||
                         (opts->output && gold_output_redirect(&t, &output, &edit, err) < 0) ||
                         gold_definition_edit_finish(t.definition, &edit, src, err) < 0))
        return -1;
    if (t.n_images > 0) {
        unsigned flags = opts->dry_run  ? GOLD_WORKSET_READ_ONLY
                         : opts->output ? GOLD_WORKSET_KEEP_SOURCE
                                        : 0;
        ws = gold_workset_open(ctx, t.images, t.n_images, flags, err);
        if (!ws || seal_images(ctx, job, ws, src, err) < 0)
            return -1;
    }
    if (opts->dry_run)
        return 0;
    if (gold_check_cancelled(ctx, err) < 0)
        return -1;
    gold_stop_point("seal.commit");
    if (gold_put_in_place(ws, &t, opts->output ? &output : NULL, &edit, err) < 0)
        return -1;
    gold_stop_point("seal.done");
    return 0;
}

int
gold_seal(struct gold_context *ctx, const char *const *sources, size_t n_sources,
          const struct gold_seal_options *opts, struct gold_document **ret_doc,
          struct gold_error **err)
{
    struct seal_job job = {.opts = opts};
    if (gold_operation_set_parse(opts->operations, &job.operations, err) < 0)
        return -1;
    return gold_run_sources(ctx, "seal", sources, n_sources, GOLD_ERROR, opts->dry_run,
                            seal_source, &job, ret_doc, err);
}
