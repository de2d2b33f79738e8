/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The document as JSON, members in a stable order (docs/schema). Everything beyond ASCII is
 * escaped, so that the text is harmless on a terminal too; what is not UTF-8 becomes U+FFFD.
 * Empty lists are left out, but for findings, which every source has.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "core/limits.h"
#include "core/result.h"
#include "report/render.h"

/* Below this a double that is whole is exact as an integer. */
#define WHOLE_MAX 9007199254740992.0

/* jansson's setters steal the value and fail on NULL, so one flag collects every failed
 * allocation. */
static void
set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) < 0)
        *failed = true;
}

static void
push(json_t *array, json_t *value, bool *failed)
{
    if (json_array_append_new(array, value) < 0)
        *failed = true;
}

/* A new string; NULL only when out of memory. */
static json_t *
text(const char *value)
{
    GOLD_CLEANUP_STR struct gold_str clean = {
        .limit = SIZE_MAX / 4}; /* the whole is limited, when it is dumped */
    gold_str_append_utf8(&clean, value);
    return clean.failed ? NULL : json_stringn(gold_str_text(&clean), clean.len);
}

static json_t *
text_or_null(const char *value)
{
    return value ? text(value) : json_null();
}

static void
set_if(json_t *object, const char *key, const char *value, bool *failed)
{
    if (value)
        set(object, key, text(value), failed);
}

/* JSON has no infinities and no NaN: null. */
static json_t *
number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *
count_or_number(double v)
{
    if (isfinite(v) && fabs(v) < WHOLE_MAX && v == floor(v))
        return json_integer((json_int_t)v);
    return number(v);
}

static json_t *
count(size_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *
verdict(enum gold_verdict v)
{
    return text_or_null(gold_verdict_name(v));
}

/* Values of one name become a list. Names that are lists by nature always are one, under their
 * plural. */
static void
set_fact(json_t *object, const struct gold_fact *fact, bool *failed)
{
    GOLD_CLEANUP_STR struct gold_str name = GOLD_STR_INIT;
    gold_str_append_utf8(&name,
                         gold_streq(fact->name, "ssh-host-key") ? "ssh-host-keys" : fact->name);
    bool list = gold_streq(gold_str_text(&name), "ssh-host-keys");
    json_t *value = text(fact->value);
    json_t *there = json_object_get(object, gold_str_text(&name));
    if (name.failed || !value) {
        *failed = true;
        json_decref(value);
    } else if (json_is_array(there)) {
        push(there, value, failed);
    } else if (there || list) {
        json_t *array = json_array();
        if (there)
            push(array, json_incref(there), failed);
        push(array, value, failed);
        set(object, gold_str_text(&name), array, failed);
    } else {
        set(object, gold_str_text(&name), value, failed);
    }
}

static json_t *
facts_json(const struct gold_facts *facts, bool *failed)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < facts->n; i++)
        set_fact(object, &facts->items[i], failed);
    return object;
}

static json_t *
finding_json(const struct gold_finding *f, bool *failed)
{
    json_t *o = json_object();
    set(o, "id", text(f->id), failed);
    set(o, "severity", text(gold_severity_name(f->severity)), failed);
    set(o, "message", text(f->message), failed);
    if (f->file) {
        json_t *where = json_object();
        set(where, "file", text(f->file), failed);
        if (f->line)
            set(where, "line", count(f->line), failed);
        set(o, "where", where, failed);
    }
    set_if(o, "evidence", f->evidence, failed);
    set(o, "fix", text(gold_fix_name(f->fix)), failed);
    set(o, "waived", json_boolean(f->waived), failed);
    set_if(o, "waive_reason", f->waive_reason, failed);
    return o;
}

static json_t *
effect_json(const struct gold_effect *e, bool *failed)
{
    json_t *o = json_object();
    set(o, "operation", text(e->operation), failed);
    set(o, "path", text(e->path), failed);
    set(o, "action", text(e->action), failed);
    set_if(o, "detail", e->detail, failed);
    set(o, "status", text(gold_step_status_name(GOLD_STEP_CHANGED)), failed);
    return o;
}

static json_t *
step_json(const struct gold_step *step, bool *failed)
{
    json_t *o = json_object();
    set(o, "operation", text(step->operation), failed);
    set(o, "status", text(gold_step_status_name(step->status)), failed);
    set_if(o, "reason", step->reason, failed);
    return o;
}

static json_t *
edit_json(const struct gold_edit *e, bool *failed)
{
    json_t *o = json_object();
    set(o, "file", text(e->file), failed);
    set(o, "diff", text(e->diff), failed);
    return o;
}

static json_t *
metric_json(const struct gold_metric *m, bool *failed)
{
    json_t *o = json_object(), *samples = json_array();
    set(o, "name", text(m->name), failed);
    set(o, "unit", text(m->unit), failed);
    if (m->has_expected) {
        set(o, "expected", count_or_number(m->expected), failed);
        set(o, "tolerance", number(m->tolerance), failed);
    }
    for (size_t i = 0; samples && i < m->n_samples; i++)
        push(samples, number(m->samples[i]), failed);
    set(o, "samples", samples, failed);
    set(o, "median", number(m->median), failed);
    set(o, "verdict", verdict(m->verdict), failed);
    set_if(o, "note", m->note, failed);
    return o;
}

static json_t *
measurement_json(const struct gold_measurement *m, bool *failed)
{
    json_t *o = json_object(), *metrics = json_array();
    set(o, "payload", text(m->payload), failed);
    set_if(o, "disk", m->disk, failed);
    set_if(o, "clone", m->clone, failed);
    set(o, "verdict", verdict(m->verdict), failed);
    set(o, "accelerator", text_or_null(m->accelerator), failed);
    for (size_t i = 0; i < m->n_metrics; i++)
        push(metrics, metric_json(&m->metrics[i], failed), failed);
    set(o, "metrics", metrics, failed);
    set(o, "reason", text_or_null(m->reason), failed);
    return o;
}

static json_t *
clone_json(const struct gold_clone_result *c, bool *failed)
{
    json_t *o = json_object();
    set(o, "name", text(c->name), failed);
    set_if(o, "state", c->state, failed);
    set(o, "identity", facts_json(&c->identity, failed), failed);
    return o;
}

/* Sets the list `key` with an entry for each of the n items, unless there are none. */
#define SET_LIST(object, key, items, n, to_json, failed)        \
    do {                                                        \
        json_t *list_ = (n) > 0 ? json_array() : NULL;          \
        for (size_t i_ = 0; i_ < (n); i_++)                     \
            push(list_, to_json(&(items)[i_], failed), failed); \
        if ((n) > 0)                                            \
            set(object, key, list_, failed);                    \
    } while (0)

static json_t *
source_json(const struct gold_source_result *src, bool *failed)
{
    json_t *o = json_object();
    set(o, "source", text(src->source), failed);
    set(o, "kind", text_or_null(src->kind), failed);
    set(o, "status", text(src->error ? "failed" : "ok"), failed);
    set(o, "error", text_or_null(src->error), failed);
    if (src->error) {
        set_if(o, "code", gold_report_code_name(src->error_code), failed);
        set_if(o, "hint", src->hint, failed);
    }
    if (src->verdict != GOLD_VERDICT_NONE)
        set(o, "verdict", verdict(src->verdict), failed);
    if (src->n_findings == 0)
        set(o, "findings", json_array(), failed);
    SET_LIST(o, "findings", src->findings, src->n_findings, finding_json, failed);
    SET_LIST(o, "effects", src->effects, src->n_effects, effect_json, failed);
    SET_LIST(o, "operations", src->steps, src->n_steps, step_json, failed);
    SET_LIST(o, "edits", src->edits, src->n_edits, edit_json, failed);
    SET_LIST(o, "results", src->measurements, src->n_measurements, measurement_json, failed);
    SET_LIST(o, "clones", src->clones, src->n_clones, clone_json, failed);
    if (src->facts.n > 0)
        set(o, "facts", facts_json(&src->facts, failed), failed);
    return o;
}

static json_t *
summary_json(const struct gold_document *doc, bool *failed)
{
    struct gold_report_counts n = gold_report_count(doc);
    json_t *o = json_object(), *findings = json_object();
    set(findings, "error", count(n.findings[GOLD_ERROR]), failed);
    set(findings, "warning", count(n.findings[GOLD_WARNING]), failed);
    set(findings, "info", count(n.findings[GOLD_INFO]), failed);
    if (n.waived)
        set(findings, "waived", count(n.waived), failed);
    set(o, "sources", count(n.sources), failed);
    set(o, "ok", count(n.ok), failed);
    set(o, "failed", count(n.failed), failed);
    set(o, "findings", findings, failed);
    set(o, "verdict", verdict(gold_document_verdict(doc)), failed);
    return o;
}

static json_t *
document_json(const struct gold_document *doc, bool *failed)
{
    json_t *o = json_object(), *sources = json_array();
    set(o, "goldsmith", text(doc->version), failed);
    set(o, "schema", json_integer(GOLD_REPORT_SCHEMA), failed);
    set(o, "command", text(doc->command), failed);
    set_if(o, "started", doc->started, failed);
    if (doc->dry_run)
        set(o, "dry_run", json_true(), failed);
    if (doc->fail_on != GOLD_ERROR)
        set(o, "fail_on", text(gold_severity_name(doc->fail_on)), failed);
    set(o, "summary", summary_json(doc, failed), failed);
    for (size_t i = 0; i < doc->n_sources; i++)
        push(sources, source_json(&doc->sources[i], failed), failed);
    set(o, "sources", sources, failed);
    return o;
}

static int
append_chunk(const char *bytes, size_t len, void *opaque)
{
    struct gold_str *s = opaque;
    gold_str_append_len(s, bytes, len);
    return s->failed ? -1 : 0;
}

int
gold_report_json(struct gold_str *s, const struct gold_document *doc, struct gold_error **err)
{
    bool failed = false;
    json_auto_t *root = document_json(doc, &failed);
    if (!root || failed)
        return gold_error_set_nomem(err);
    /* 15 digits come back as the same 15 digits; 17 would show 0.03 as 0.029999999999999999. */
    size_t flags = JSON_INDENT(2) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15);
    if (json_dump_callback(root, append_chunk, s, flags) < 0 && !s->failed)
        return gold_error_set_nomem(err);
    gold_str_append_char(s, '\n');
    return 0;
}
