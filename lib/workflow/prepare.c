/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `prepare`, the main job: check, seal, edit, validate, and only then commit. The first check
 * only records. Clones stand on the uncommitted, sealed overlays; when they pass, the overlays
 * go into the images and the edited definition into its file. Until that moment nothing of the
 * source has been written.
 */
#include <goldsmith/workflow.h>

#include <string.h>
#include <time.h>

#include "workflow/prove.h"
#include "workflow/run.h"
#include "workflow/sealing.h"

struct prepare_job {
    const struct gold_prepare_options *opts;
    const struct gold_template *tmpl;
    struct gold_operation_set operations;
};

static bool
waiver_holds(const struct gold_template_waiver *w)
{
    char today[sizeof("YYYY-MM-DD")];
    time_t now = time(NULL);
    struct tm tm;

    if (!w->until)
        return true;
    if (!gmtime_r(&now, &tm) || strftime(today, sizeof(today), "%Y-%m-%d", &tm) == 0)
        return false;
    return strcmp(today, w->until) <= 0; /* ISO dates sort as text */
}

static int
waive(const struct gold_template *t, struct gold_source_result *src, struct gold_error **err)
{
    for (size_t i = 0; i < src->n_findings; i++) {
        struct gold_finding *f = &src->findings[i];
        for (size_t w = 0; w < t->n_waivers; w++) {
            if (!gold_streq(t->waivers[w].id, f->id) || !waiver_holds(&t->waivers[w]))
                continue;
            f->waived = true;
            if (gold_str_replace(&f->waive_reason, t->waivers[w].reason, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* One appliance launch does check, seal and verify. The findings of the first check are kept as
   facts of what was there; those of the verify are the result. */
static int
seal_images(struct gold_context *ctx, const struct prepare_job *job,
            const struct gold_workset *ws, struct gold_facts *ret_identity,
            struct gold_source_result *src, struct gold_error **err)
{
    const struct gold_sealing how = {
        .check = true,
        .operations = &job->operations,
        .machine_id = job->tmpl->machine_id,
        .zero_free = job->opts->zero_free,
        .root = job->opts->image.root,
    };
    GOLD_CLEANUP(gold_guest_outcome_done) struct gold_guest_outcome outcome = {0};

    if (gold_seal_workset(ctx, ws, &how, &outcome, err) < 0)
        return -1;
    for (size_t i = 0; i < outcome.before.n_findings; i++) {
        const struct gold_finding *f = &outcome.before.findings[i];
        GOLD_CLEANUP_FREE char *text =
            gold_format(err, "%s%s%s: %s", f->id, f->file ? " in " : "", f->file ? f->file : "",
                        f->message);
        if (!text || gold_facts_add(&src->facts, "found-before", text, err) < 0)
            return -1;
    }
    if (gold_source_absorb(src, &outcome.after, err) < 0 || waive(job->tmpl, src, err) < 0)
        return -1;
    /* What the clones must differ from. Hashed: a report is handed round, an identity is not.
     */
    for (size_t i = 0; i < outcome.identity.n; i++) {
        GOLD_CLEANUP_FREE char *name =
            gold_format(err, "template.%s.sha256", outcome.identity.items[i].name);
        if (!name ||
            gold_facts_add(&src->facts, name, outcome.identity.items[i].value, err) < 0)
            return -1;
    }
    *ret_identity = outcome.identity;
    outcome.identity = (struct gold_facts){0};
    return gold_refuse_findings(src, "not sealed, the image is as it was", err);
}

static int
edit_definition(const struct prepare_job *job, const struct gold_target *t,
                const struct gold_output *output, struct gold_definition_edit *edit,
                struct gold_source_result *src, struct gold_error **err)
{
    const struct gold_definition *def = t->definition;
    GOLD_CLEANUP_WANTED_LIMITS struct gold_wanted_limits limits = {0};

    if (job->tmpl->reset_identity &&
        gold_domain_reset_identity(def, &edit->patch, src, err) < 0)
        return -1;
    if (gold_wanted_limits(job->tmpl, def, &limits, err) < 0 ||
        gold_set_limits(def, &limits, &edit->patch, err) < 0)
        return -1;
    if (output && gold_output_redirect(t, output, edit, err) < 0)
        return -1;
    if (gold_definition_edit_finish(def, edit, src, err) < 0)
        return -1;
    return gold_domain_check(edit->after, src, err);
}

static bool
may_commit(const struct prepare_job *job, const struct gold_source_result *src)
{
    if (job->opts->commit == GOLD_COMMIT_ALWAYS)
        return true;
    return src->verdict == GOLD_VERDICT_PASS;
}

static int
prove_and_commit(struct gold_context *ctx, const struct prepare_job *job,
                 const struct gold_target *t, struct gold_workset *ws,
                 const struct gold_output *output, const struct gold_definition_edit *edit,
                 const struct gold_facts *identity, struct gold_source_result *src,
                 struct gold_error **err)
{
    struct gold_proof proof = {
        .target = t,
        .definition = t->definition ? edit->after : NULL,
        .ws = ws,
        .tmpl = job->tmpl,
        .root = job->opts->image.root,
        .identity = identity,
        .uri = job->opts->uri,
        .keep = job->opts->keep,
    };
    gold_stop_point("prepare.sealed");
    if (gold_prove(ctx, &proof, src, err) < 0 || gold_workset_check_unchanged(ws, err) < 0)
        return -1;
    gold_stop_point("prepare.proved");
    if (!may_commit(job, src)) {
        gold_warning(ctx, "nothing was written: the verdict is %s",
                     gold_verdict_name(src->verdict));
        return 0;
    }
    if (gold_check_cancelled(ctx, err) < 0)
        return -1;
    gold_progress(ctx, "commit", -1, NULL);
    if (gold_put_in_place(ws, t, output, edit, err) < 0)
        return -1;
    gold_stop_point("prepare.done");
    return 0;
}

static int
prepare_source(struct gold_context *ctx, const char *source, const void *opaque,
               struct gold_source_result *src, struct gold_error **err)
{
    const struct prepare_job *job = opaque;
    const struct gold_prepare_options *opts = job->opts;
    GOLD_CLEANUP_TARGET struct gold_target t = {0};
    GOLD_CLEANUP_OUTPUT struct gold_output output = {0};
    GOLD_CLEANUP_DEFINITION_EDIT struct gold_definition_edit edit = {0};
    GOLD_CLEANUP(gold_facts_done) struct gold_facts identity = {0};

    if (gold_target_open(ctx, source, &opts->image, GOLD_TARGET_WRITE, &t, src, err) < 0 ||
        (opts->output && gold_output_plan(&t, opts->output, &output, err) < 0))
        return -1;
    if (t.n_images == 0) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' brings no image to prepare", source);
        return -1;
    }
    if (!t.definition && job->tmpl->n_iotune) {
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "'%s' sets IO limits, but '%s' is an image without a definition",
                       job->tmpl->path, source);
        return -1;
    }
    if (t.definition &&
        edit_definition(job, &t, opts->output ? &output : NULL, &edit, src, err) < 0)
        return -1;
    unsigned flags = opts->dry_run  ? GOLD_WORKSET_READ_ONLY
                     : opts->output ? GOLD_WORKSET_KEEP_SOURCE
                                    : 0;
    GOLD_CLEANUP_WORKSET struct gold_workset *ws =
        gold_workset_open(ctx, t.images, t.n_images, flags, err);
    if (!ws || seal_images(ctx, job, ws, &identity, src, err) < 0)
        return -1;
    if (opts->dry_run)
        return 0;
    return prove_and_commit(ctx, job, &t, ws, opts->output ? &output : NULL, &edit, &identity,
                            src, err);
}

int
gold_prepare(struct gold_context *ctx, const char *source,
             const struct gold_prepare_options *opts, struct gold_document **ret_doc,
             struct gold_error **err)
{
    struct prepare_job job = {.opts = opts};

    if (!opts->template_file) {
        gold_error_set(err, GOLD_ERROR_USAGE, "prepare needs a template file");
        return -1;
    }
    GOLD_CLEANUP_TEMPLATE struct gold_template *tmpl =
        gold_template_read(opts->template_file, err);
    if (!tmpl)
        return -1;
    job.tmpl = tmpl;
    if (gold_operation_set_parse(tmpl->operations, &job.operations, err) < 0) {
        gold_error_prefix(err, "%s", tmpl->path);
        return -1;
    }
    return gold_run_sources(ctx, "prepare", &source, 1,
                            tmpl->has_fail_on ? tmpl->fail_on : GOLD_ERROR, opts->dry_run,
                            prepare_source, &job, ret_doc, err);
}
