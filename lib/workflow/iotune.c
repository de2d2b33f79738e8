/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `iotune`: the IO limits of disks in a definition, as an edit of exactly the lines that must
 * change. */
#include <goldsmith/workflow.h>

#include "core/replace.h"
#include "workflow/edit.h"
#include "workflow/run.h"
#include "workflow/target.h"

static int
apply_settings(const struct gold_iotune_options *opts, struct gold_iotune *limits,
               struct gold_error **err)
{
    if (opts->clear) {
        gold_iotune_done(limits);
        *limits = (struct gold_iotune){0};
    }
    for (size_t i = 0; i < opts->n_settings; i++)
        if (gold_iotune_set(limits, opts->settings[i].name, opts->settings[i].value, err) < 0)
            return -1;
    return gold_iotune_check(limits, err);
}

static int
explain(const struct gold_disk *disk, const struct gold_iotune *limits,
        struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str text = GOLD_STR_INIT;
    if (gold_iotune_explain(limits, &text, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *name =
        gold_format(err, "explain.%s", disk->target ? disk->target : "disk");
    return name ? gold_facts_add(&src->facts, name, gold_str_text(&text), err) : -1;
}

/* The limits that the marked disks are to have; explained where that was asked. */
static int
tune(const struct gold_iotune_options *opts, const struct gold_definition *def,
     const bool *marks, struct gold_wanted_limits *limits, struct gold_source_result *src,
     struct gold_error **err)
{
    for (size_t i = 0; i < def->n_disks; i++) {
        const struct gold_disk *disk = &def->disks[i];
        limits->named[i] = marks[i];
        if (!marks[i])
            continue;
        if ((opts->n_settings || opts->clear) &&
            apply_settings(opts, &limits->items[i], err) < 0) {
            gold_error_prefix(err, "%s:%u: disk '%s'", def->path, disk->line,
                              disk->target ? disk->target : "?");
            return -1;
        }
        if (opts->explain && explain(disk, &limits->items[i], src, err) < 0)
            return -1;
    }
    return 0;
}

struct iotune_job {
    const struct gold_iotune_options *opts;
    char **ret_text;
};

static int
put(const struct gold_definition *def, struct gold_definition_edit *edit,
    const struct iotune_job *job, struct gold_error **err)
{
    const char *output = job->opts->output;
    if (job->opts->dry_run)
        return 0;
    if (!output)
        return gold_definition_edit_write(def, edit, err);
    if (gold_streq(output, "-")) {
        *job->ret_text = gold_steal_ptr(&edit->text);
        return 0;
    }
    return gold_replace_file(output, edit->text, edit->len, 0, 0600, err);
}

static int
iotune_source(struct gold_context *ctx, const char *source, const void *opaque,
              struct gold_source_result *src, struct gold_error **err)
{
    const struct iotune_job *job = opaque;
    struct gold_image_options no_images = {.images = GOLD_IMAGES_NO};
    GOLD_CLEANUP_TARGET struct gold_target t = {0};
    GOLD_CLEANUP_DEFINITION_EDIT struct gold_definition_edit edit = {0};

    if (gold_target_open(ctx, source, &no_images, GOLD_TARGET_WRITE, &t, src, err) < 0)
        return -1;
    if (!t.definition) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is not a definition", source);
        return -1;
    }
    GOLD_CLEANUP_FREE bool *marks = calloc(t.definition->n_disks + 1, sizeof(*marks));
    if (!marks)
        return gold_error_set_nomem(err);
    if (gold_select_disks(t.definition, job->opts->disk, marks, err) < 0)
        return -1;
    GOLD_CLEANUP_WANTED_LIMITS struct gold_wanted_limits limits = {0};
    if (gold_wanted_limits(NULL, t.definition, &limits, err) < 0 ||
        tune(job->opts, t.definition, marks, &limits, src, err) < 0 ||
        gold_set_limits(t.definition, &limits, &edit.patch, err) < 0)
        return -1;
    if (gold_definition_edit_finish(t.definition, &edit, src, err) < 0)
        return -1;
    return put(t.definition, &edit, job, err);
}

int
gold_iotune(struct gold_context *ctx, const char *source,
            const struct gold_iotune_options *opts, struct gold_document **ret_doc,
            char **ret_text, struct gold_error **err)
{
    char *text = NULL;
    struct iotune_job job = {.opts = opts, .ret_text = &text};

    if (!opts->disk) {
        gold_error_set(err, GOLD_ERROR_USAGE, "no disk was named");
        return -1;
    }
    if (!opts->n_settings && !opts->clear && !opts->explain) {
        gold_error_set(err, GOLD_ERROR_USAGE, "nothing to set, to clear or to explain");
        return -1;
    }
    if (gold_run_sources(ctx, "iotune", &source, 1, GOLD_ERROR, opts->dry_run, iotune_source,
                         &job, ret_doc, err) < 0)
        return -1;
    *ret_text = text;
    return 0;
}
