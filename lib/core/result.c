/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling and releasing results. Text is copied, and made well-formed UTF-8 on the way in,
 * because much of it comes from guests. An entry is added only once all its strings are there,
 * so a failure leaves the document as it was. Words and totals are in verdict.c.
 */
#include <string.h>
#include <time.h>

#include "core/result.h"
#include "core/str.h"
#include "core/vec.h"

/* A copy of text as UTF-8; NULL stays NULL. 0 or -1. */
static int
copy_text(char **ret, const char *text, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    char *copy = NULL;

    if (text) {
        s.limit = SIZE_MAX / 4; /* what is here already has been capped where it came in */
        gold_str_append_utf8(&s, text);
        copy = gold_str_steal(&s, NULL, err);
        if (!copy)
            return -1;
    }
    *ret = copy;
    return 0;
}

static void
finding_done(struct gold_finding *f)
{
    free(f->id);
    free(f->message);
    free(f->file);
    free(f->evidence);
    free(f->waive_reason);
}

static void
effect_done(struct gold_effect *e)
{
    free(e->operation);
    free(e->path);
    free(e->action);
    free(e->detail);
}

static void
step_done(struct gold_step *s)
{
    free(s->operation);
    free(s->reason);
}

static void
edit_done(struct gold_edit *e)
{
    free(e->file);
    free(e->diff);
}

static void
metric_done(struct gold_metric *m)
{
    free(m->name);
    free(m->unit);
    free(m->samples);
    free(m->note);
}

static void
measurement_done(struct gold_measurement *m)
{
    free(m->payload);
    free(m->disk);
    free(m->clone);
    free(m->accelerator);
    free(m->reason);
    for (size_t i = 0; i < m->n_metrics; i++)
        metric_done(&m->metrics[i]);
    free(m->metrics);
}

static void
clone_done(struct gold_clone_result *c)
{
    free(c->name);
    free(c->state);
    gold_facts_done(&c->identity);
}

void
gold_source_result_done(struct gold_source_result *src)
{
    free(src->source);
    free(src->kind);
    free(src->error);
    free(src->hint);
    gold_facts_done(&src->facts);
    for (size_t i = 0; i < src->n_findings; i++)
        finding_done(&src->findings[i]);
    free(src->findings);
    for (size_t i = 0; i < src->n_effects; i++)
        effect_done(&src->effects[i]);
    free(src->effects);
    for (size_t i = 0; i < src->n_steps; i++)
        step_done(&src->steps[i]);
    free(src->steps);
    for (size_t i = 0; i < src->n_edits; i++)
        edit_done(&src->edits[i]);
    free(src->edits);
    for (size_t i = 0; i < src->n_measurements; i++)
        measurement_done(&src->measurements[i]);
    free(src->measurements);
    for (size_t i = 0; i < src->n_clones; i++)
        clone_done(&src->clones[i]);
    free(src->clones);
    memset(src, 0, sizeof(*src));
}

void
gold_document_free(struct gold_document *doc)
{
    if (!doc)
        return;
    free(doc->version);
    free(doc->command);
    free(doc->started);
    for (size_t i = 0; i < doc->n_sources; i++)
        gold_source_result_done(&doc->sources[i]);
    free(doc->sources);
    free(doc);
}

struct gold_document *
gold_document_new(const char *command, struct gold_error **err)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = calloc(1, sizeof(*doc));
    time_t now = time(NULL);
    char text[sizeof("2026-01-01T00:00:00Z") + 16];
    struct tm tm;

    if (!doc) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    doc->fail_on = GOLD_ERROR;
    if (copy_text(&doc->version, GOLDSMITH_VERSION, err) < 0 ||
        copy_text(&doc->command, command, err) < 0)
        return NULL;
    if (gmtime_r(&now, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) > 0 &&
        copy_text(&doc->started, text, err) < 0)
        return NULL;
    return gold_steal_ptr(&doc);
}

struct gold_source_result *
gold_document_add_source(struct gold_document *doc, const char *source, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *copy = NULL;
    struct gold_source_result *src;

    if (copy_text(&copy, source, err) < 0)
        return NULL;
    src = gold_array_add(&doc->sources, &doc->n_sources, sizeof(*src), err);
    if (src)
        src->source = gold_steal_ptr(&copy);
    return src;
}

void
gold_source_fail(struct gold_source_result *src, struct gold_error *failure)
{
    if (!failure)
        return;
    free(src->error);
    free(src->hint);
    src->error = src->hint = NULL;
    src->error_code = (int)gold_error_code(failure);
    /* Without memory for the text the code still says that it failed. */
    (void)copy_text(&src->error, gold_error_message(failure), NULL);
    (void)copy_text(&src->hint, gold_error_hint_text(failure), NULL);
    gold_error_free(failure);
}

struct gold_finding *
gold_source_add_finding(struct gold_source_result *src, const char *id,
                        enum gold_severity severity, const char *file, struct gold_error **err,
                        const char *message_fmt, ...)
{
    GOLD_CLEANUP(finding_done) struct gold_finding f = {.severity = severity};
    GOLD_CLEANUP_STR struct gold_str message = GOLD_STR_INIT;
    struct gold_finding *added;
    va_list args;

    va_start(args, message_fmt);
    gold_str_vprintf(&message, message_fmt, args);
    va_end(args);
    if (gold_str_finish(&message, "message of a finding", err) < 0 ||
        copy_text(&f.message, gold_str_text(&message), err) < 0 ||
        copy_text(&f.id, id, err) < 0 || copy_text(&f.file, file, err) < 0)
        return NULL;
    added = gold_array_add(&src->findings, &src->n_findings, sizeof(f), err);
    if (!added)
        return NULL;
    *added = f;
    memset(&f, 0, sizeof(f));
    return added;
}

int
gold_source_add_effect(struct gold_source_result *src, const char *operation, const char *path,
                       const char *action, const char *detail, struct gold_error **err)
{
    GOLD_CLEANUP(effect_done) struct gold_effect e = {.operation = NULL};
    struct gold_effect *added;

    if (copy_text(&e.operation, operation, err) < 0 || copy_text(&e.path, path, err) < 0 ||
        copy_text(&e.action, action, err) < 0 || copy_text(&e.detail, detail, err) < 0)
        return -1;
    added = gold_array_add(&src->effects, &src->n_effects, sizeof(e), err);
    if (!added)
        return -1;
    *added = e;
    memset(&e, 0, sizeof(e));
    return 0;
}

int
gold_source_add_step(struct gold_source_result *src, const char *operation,
                     enum gold_step_status status, const char *reason, struct gold_error **err)
{
    GOLD_CLEANUP(step_done) struct gold_step s = {.status = status};
    struct gold_step *added;

    if (copy_text(&s.operation, operation, err) < 0 || copy_text(&s.reason, reason, err) < 0)
        return -1;
    added = gold_array_add(&src->steps, &src->n_steps, sizeof(s), err);
    if (!added)
        return -1;
    *added = s;
    memset(&s, 0, sizeof(s));
    return 0;
}

int
gold_source_add_edit(struct gold_source_result *src, const char *file, const char *diff,
                     struct gold_error **err)
{
    GOLD_CLEANUP(edit_done) struct gold_edit e = {.file = NULL};
    struct gold_edit *added;

    if (copy_text(&e.file, file, err) < 0 || copy_text(&e.diff, diff, err) < 0)
        return -1;
    added = gold_array_add(&src->edits, &src->n_edits, sizeof(e), err);
    if (!added)
        return -1;
    *added = e;
    memset(&e, 0, sizeof(e));
    return 0;
}

struct gold_measurement *
gold_source_add_measurement(struct gold_source_result *src, const char *payload,
                            const char *disk, const char *clone, struct gold_error **err)
{
    GOLD_CLEANUP(measurement_done) struct gold_measurement m = {.payload = NULL};
    struct gold_measurement *added;

    if (copy_text(&m.payload, payload, err) < 0 || copy_text(&m.disk, disk, err) < 0 ||
        copy_text(&m.clone, clone, err) < 0)
        return NULL;
    added = gold_array_add(&src->measurements, &src->n_measurements, sizeof(m), err);
    if (!added)
        return NULL;
    *added = m;
    memset(&m, 0, sizeof(m));
    return added;
}

struct gold_metric *
gold_measurement_add_metric(struct gold_measurement *m, const char *name, const char *unit,
                            struct gold_error **err)
{
    GOLD_CLEANUP(metric_done) struct gold_metric metric = {.name = NULL};
    struct gold_metric *added;

    if (copy_text(&metric.name, name, err) < 0 || copy_text(&metric.unit, unit, err) < 0)
        return NULL;
    added = gold_array_add(&m->metrics, &m->n_metrics, sizeof(metric), err);
    if (!added)
        return NULL;
    *added = metric;
    memset(&metric, 0, sizeof(metric));
    return added;
}

int
gold_metric_add_sample(struct gold_metric *m, double sample, struct gold_error **err)
{
    double *added = gold_array_add(&m->samples, &m->n_samples, sizeof(sample), err);

    if (!added)
        return -1;
    *added = sample;
    return 0;
}

struct gold_clone_result *
gold_source_add_clone(struct gold_source_result *src, const char *name, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *copy = NULL;
    struct gold_clone_result *added;

    if (copy_text(&copy, name, err) < 0)
        return NULL;
    added = gold_array_add(&src->clones, &src->n_clones, sizeof(*added), err);
    if (added)
        added->name = gold_steal_ptr(&copy);
    return added;
}

int
gold_facts_add(struct gold_facts *facts, const char *name, const char *value,
               struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name_copy = NULL;
    GOLD_CLEANUP_FREE char *value_copy = NULL;
    struct gold_fact *added;

    if (copy_text(&name_copy, name, err) < 0 || copy_text(&value_copy, value, err) < 0)
        return -1;
    added = gold_array_add(&facts->items, &facts->n, sizeof(*added), err);
    if (!added)
        return -1;
    added->name = gold_steal_ptr(&name_copy);
    added->value = gold_steal_ptr(&value_copy);
    return 0;
}

const char *
gold_facts_get(const struct gold_facts *facts, const char *name)
{
    for (size_t i = 0; i < facts->n; i++) {
        if (gold_streq(facts->items[i].name, name))
            return facts->items[i].value;
    }
    return NULL;
}

void
gold_facts_done(struct gold_facts *facts)
{
    for (size_t i = 0; i < facts->n; i++) {
        free(facts->items[i].name);
        free(facts->items[i].value);
    }
    free(facts->items);
    facts->items = NULL;
    facts->n = 0;
}
