/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `check`: read-only pre-flight checks. Images are looked at through an overlay, so nothing can
 * be written to them. */
#include <goldsmith/workflow.h>

#include "guest/work.h"
#include "workflow/run.h"
#include "workflow/target.h"

static int
check_images(struct gold_context *ctx, const struct gold_target *t,
             const struct gold_image_options *image, struct gold_source_result *src,
             struct gold_error **err)
{
    GOLD_CLEANUP_WORKSET struct gold_workset *ws =
        gold_workset_open(ctx, t->images, t->n_images, GOLD_WORKSET_READ_ONLY, err);
    if (!ws)
        return -1;
    GOLD_CLEANUP_FREE struct gold_session_disk *disks = NULL;
    if (gold_target_session_disks(ws, true, &disks, err) < 0)
        return -1;
    struct gold_guest_job job = {
        .disks = disks, .n_disks = t->n_images, .root = image->root, .check = true};
    GOLD_CLEANUP(gold_guest_outcome_done) struct gold_guest_outcome outcome = {0};
    if (gold_guest_work(ctx, &job, &outcome, err) < 0)
        return -1;
    return gold_source_absorb(src, &outcome.before, err);
}

static int
check_source(struct gold_context *ctx, const char *source, const void *opaque,
             struct gold_source_result *src, struct gold_error **err)
{
    const struct gold_check_options *opts = opaque;
    GOLD_CLEANUP_TARGET struct gold_target t = {0};

    if (gold_target_open(ctx, source, &opts->image, GOLD_TARGET_READ, &t, src, err) < 0)
        return -1;
    if (t.definition && gold_domain_check(t.definition, src, err) < 0)
        return -1;
    if (t.n_images > 0 && check_images(ctx, &t, &opts->image, src, err) < 0)
        return -1;
    enum gold_severity fail_on = opts->has_fail_on ? opts->fail_on : GOLD_ERROR;
    src->verdict =
        gold_source_count_findings(src, fail_on) ? GOLD_VERDICT_FAIL : GOLD_VERDICT_PASS;
    return 0;
}

int
gold_check(struct gold_context *ctx, const char *const *sources, size_t n_sources,
           const struct gold_check_options *opts, struct gold_document **ret_doc,
           struct gold_error **err)
{
    return gold_run_sources(ctx, "check", sources, n_sources,
                            opts->has_fail_on ? opts->fail_on : GOLD_ERROR, false, check_source,
                            opts, ret_doc, err);
}
