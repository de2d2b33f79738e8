/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* `inspect`: what is it. Reads; judges nothing. */
#include <goldsmith/workflow.h>

#include "core/number.h"
#include "guest/work.h"
#include "workflow/run.h"
#include "workflow/target.h"

static int
add_number(struct gold_facts *facts, const char *name, uint64_t v, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = gold_format(err, "%llu", (unsigned long long)v);
    return text ? gold_facts_add(facts, name, text, err) : -1;
}

static int
add_text(struct gold_facts *facts, const char *name, const char *value, struct gold_error **err)
{
    return value ? gold_facts_add(facts, name, value, err) : 0;
}

static int
disk_facts(const struct gold_disk *disk, struct gold_facts *facts, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;
    gold_str_printf(&line, "%s: %s%s%s", disk->target ? disk->target : "?",
                    disk->device ? disk->device : "disk", disk->bus ? " on " : "",
                    disk->bus ? disk->bus : "");
    if (disk->source)
        gold_str_printf(&line, ", %s", disk->source);
    if (disk->format)
        gold_str_printf(&line, " (%s)", disk->format);
    if (disk->boot_order)
        gold_str_printf(&line, ", boot order %u", disk->boot_order);
    if (gold_str_finish(&line, "disk description", err) < 0 ||
        gold_facts_add(facts, "definition.disk", gold_str_text(&line), err) < 0)
        return -1;
    for (unsigned k = 0; k < GOLD_IOTUNE_NUMBERS; k++) {
        if (!disk->iotune.value[k])
            continue;
        GOLD_CLEANUP_FREE char *limit =
            gold_format(err, "%s: %s %llu", disk->target ? disk->target : "?",
                        gold_iotune_name(k), (unsigned long long)disk->iotune.value[k]);
        if (!limit || gold_facts_add(facts, "definition.limit", limit, err) < 0)
            return -1;
    }
    return 0;
}

static int
definition_facts(const struct gold_definition *def, struct gold_facts *facts,
                 struct gold_error **err)
{
    if (add_text(facts, "definition.name", def->name, err) < 0 ||
        add_text(facts, "definition.uuid", def->uuid, err) < 0 ||
        add_text(facts, "definition.machine", def->machine, err) < 0 ||
        add_text(facts, "definition.firmware", def->firmware, err) < 0 ||
        (def->memory && add_number(facts, "definition.memory", def->memory, err) < 0) ||
        (def->vcpus && add_number(facts, "definition.vcpus", def->vcpus, err) < 0))
        return -1;
    for (size_t i = 0; i < def->n_disks; i++)
        if (disk_facts(&def->disks[i], facts, err) < 0)
            return -1;
    const struct gold_disk *boot = gold_definition_boot_disk(def);
    if (boot && add_text(facts, "definition.boot-disk", boot->target, err) < 0)
        return -1;
    for (size_t i = 0; i < def->n_nics; i++)
        if (add_text(facts, "definition.mac", def->nics[i].mac, err) < 0)
            return -1;
    return 0;
}

static int
image_facts(const struct gold_workset *ws, struct gold_facts *facts, struct gold_error **err)
{
    for (size_t i = 0; i < gold_workset_count(ws); i++) {
        const struct gold_image_facts *f = gold_workset_facts(ws, i);
        GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;
        gold_str_printf(&line, "%s: %s%s%s, ", gold_workset_image(ws, i),
                        gold_image_format_name(f->format), f->subformat ? " " : "",
                        f->subformat ? f->subformat : "");
        gold_append_size(&line, f->virtual_size);
        if (f->backing_file)
            gold_str_printf(&line, ", backed by %s", f->backing_file);
        if (f->internal_snapshots)
            gold_str_printf(&line, ", %u internal snapshots", f->internal_snapshots);
        if (gold_str_finish(&line, "image description", err) < 0 ||
            gold_facts_add(facts, "image", gold_str_text(&line), err) < 0)
            return -1;
    }
    return 0;
}

static int
inspect_source(struct gold_context *ctx, const char *source, const void *opaque,
               struct gold_source_result *src, struct gold_error **err)
{
    const struct gold_inspect_options *opts = opaque;
    GOLD_CLEANUP_TARGET struct gold_target t = {0};

    if (gold_target_open(ctx, source, &opts->image, GOLD_TARGET_READ, &t, src, err) < 0)
        return -1;
    if (t.definition && definition_facts(t.definition, &src->facts, err) < 0)
        return -1;
    if (t.n_images == 0)
        return 0;
    GOLD_CLEANUP_WORKSET struct gold_workset *ws =
        gold_workset_open(ctx, t.images, t.n_images, GOLD_WORKSET_READ_ONLY, err);
    if (!ws || image_facts(ws, &src->facts, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE struct gold_session_disk *disks = NULL;
    if (gold_target_session_disks(ws, true, &disks, err) < 0)
        return -1;
    return gold_guest_look(ctx, disks, t.n_images, opts->image.root, src, err);
}

int
gold_inspect(struct gold_context *ctx, const char *const *sources, size_t n_sources,
             const struct gold_inspect_options *opts, struct gold_document **ret_doc,
             struct gold_error **err)
{
    return gold_run_sources(ctx, "inspect", sources, n_sources, GOLD_ERROR, false,
                            inspect_source, opts, ret_doc, err);
}
