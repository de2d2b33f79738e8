/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads back what json.c wrote. Strict about what it knows, so that a damaged file is not
 * rendered as a good result; members that it does not know are ignored, so that a newer file of
 * the same schema can be read. What the summary says is not read: it follows from the rest.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/limits.h"
#include "core/result.h"
#include "report/locate.h"
#include "report/render.h"

/* One clone's identity; keeps the comparison of hostile files short. */
#define MAX_IDENTITY 128

struct reader {
    const char *name, *text;
    size_t len;
};

/* A value and the way to it. */
struct at {
    const struct reader *r;
    const json_t *value; /* NULL: not there */
    struct gold_json_path path;
    bool root;
};

static int
fail(const struct at *at, struct gold_error **err, const char *problem)
{
    GOLD_CLEANUP_STR struct gold_str path = GOLD_STR_INIT;
    GOLD_CLEANUP_STR struct gold_str safe = GOLD_STR_INIT;
    unsigned line = 1, column = 1;
    /* What is missing is missed in the value around it. */
    const struct gold_json_path *place = at->root    ? NULL
                                         : at->value ? &at->path
                                                     : at->path.parent;
    (void)gold_json_locate(at->r->text, at->r->len, place, &line, &column);
    gold_json_path_append(&path, at->root ? NULL : &at->path);
    gold_str_append_terminal(&safe, gold_str_text(&path));
    if (path.failed || safe.failed)
        return gold_error_set_nomem(err);
    gold_error_set(err, GOLD_ERROR_FORMAT, "%s:%u:%u: %s%s%s", at->r->name, line, column,
                   gold_str_text(&safe), at->root ? "" : ": ", problem);
    return -1;
}

/* The member of an object; value NULL when it is absent or null. `ret` must live as long as
 * what is reached through it. */
static struct at
member(const struct at *object, const char *key)
{
    struct at ret = {.r = object->r, .value = json_object_get(object->value, key)};
    ret.path.parent = object->root ? NULL : &object->path;
    ret.path.container = object->value;
    ret.path.key = key;
    if (json_is_null(ret.value))
        ret.value = NULL;
    return ret;
}

static struct at
element(const struct at *array, size_t i)
{
    struct at ret = {.r = array->r, .value = json_array_get(array->value, i)};
    ret.path.parent = &array->path;
    ret.path.container = array->value;
    ret.path.index = i;
    return ret;
}

static int
expect_object(const struct at *at, struct gold_error **err)
{
    return json_is_object(at->value) ? 0 : fail(at, err, "an object is expected here");
}

/* Absent and null leave *dst as it is. */
static int
read_text(const struct at *object, const char *key, char **dst, struct gold_error **err)
{
    struct at m = member(object, key);
    if (!m.value)
        return 0;
    if (!json_is_string(m.value))
        return fail(&m, err, "a string is expected here");
    return gold_str_replace(dst, json_string_value(m.value), err);
}

static int
need_text(const struct at *object, const char *key, char **dst, struct gold_error **err)
{
    struct at m = member(object, key);
    if (!m.value)
        return fail(&m, err, "is missing");
    return read_text(object, key, dst, err);
}

/* A word that `parse` knows; absent or null leaves *dst as it is. */
static int
read_word(const struct at *object, const char *key, int (*parse)(const char *), unsigned *dst,
          struct gold_error **err)
{
    struct at m = member(object, key);
    if (!m.value)
        return 0;
    int v = json_is_string(m.value) ? parse(json_string_value(m.value)) : -1;
    if (v < 0)
        return fail(&m, err, "not one of the known words");
    *dst = (unsigned)v;
    return 0;
}

static int
need_word(const struct at *object, const char *key, int (*parse)(const char *), unsigned *dst,
          struct gold_error **err)
{
    struct at m = member(object, key);
    if (!m.value)
        return fail(&m, err, "is missing");
    return read_word(object, key, parse, dst, err);
}

static int
read_bool(const struct at *object, const char *key, bool *dst, struct gold_error **err)
{
    struct at m = member(object, key);
    if (!m.value)
        return 0;
    if (!json_is_boolean(m.value))
        return fail(&m, err, "true or false is expected here");
    *dst = json_is_true(m.value);
    return 0;
}

/* null is how NaN and the infinities were written. */
static int
read_number(const struct at *at, double *dst, struct gold_error **err)
{
    if (at->value && !json_is_null(at->value) && !json_is_number(at->value))
        return fail(at, err, "a number is expected here");
    *dst = json_is_number(at->value) ? json_number_value(at->value) : (double)NAN;
    return 0;
}

static int
add_fact(const struct at *at, const char *name, struct gold_facts *facts,
         struct gold_error **err)
{
    if (!json_is_string(at->value))
        return fail(at, err, "a string is expected here");
    return gold_facts_add(facts, name, json_string_value(at->value), err);
}

/* {"name": "value", "names": ["value", ...]}; at most `limit` values. */
static int
read_facts(const struct at *object, const char *key, size_t limit, struct gold_facts *facts,
           struct gold_error **err)
{
    struct at all = member(object, key);
    const char *name;
    json_t *value;
    if (!all.value)
        return 0;
    if (expect_object(&all, err) < 0)
        return -1;
    json_object_foreach((json_t *)all.value, name, value)
    {
        struct at m = member(&all, name);
        m.value = value;
        const char *single = strcmp(name, "ssh-host-keys") == 0 ? "ssh-host-key" : name;
        if (!json_is_array(value) && add_fact(&m, single, facts, err) < 0)
            return -1;
        for (size_t i = 0; i < json_array_size(value); i++) {
            struct at item = element(&m, i);
            if (add_fact(&item, single, facts, err) < 0)
                return -1;
        }
        if (facts->n > limit)
            return fail(&all, err, "holds too many values");
    }
    return 0;
}

static int
read_where(const struct at *object, struct gold_finding *f, struct gold_error **err)
{
    struct at where = member(object, "where");
    if (!where.value)
        return 0;
    if (expect_object(&where, err) < 0 || need_text(&where, "file", &f->file, err) < 0)
        return -1;
    struct at line = member(&where, "line");
    if (!line.value)
        return 0;
    if (!json_is_integer(line.value) || json_integer_value(line.value) < 1 ||
        json_integer_value(line.value) > (json_int_t)UINT_MAX)
        return fail(&line, err, "a line number is expected here");
    f->line = (unsigned)json_integer_value(line.value);
    return 0;
}

static int
read_finding(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    unsigned severity = 0, fix = GOLD_FIX_NONE;
    GOLD_CLEANUP_FREE char *id = NULL;
    GOLD_CLEANUP_FREE char *message = NULL;
    if (need_text(at, "id", &id, err) < 0 || need_text(at, "message", &message, err) < 0 ||
        need_word(at, "severity", gold_severity_parse, &severity, err) < 0 ||
        read_word(at, "fix", gold_fix_parse, &fix, err) < 0)
        return -1;
    struct gold_finding *f = gold_source_add_finding(src, id, (enum gold_severity)severity,
                                                     NULL, err, "%s", message);
    if (!f)
        return -1;
    f->fix = (enum gold_fix)fix;
    if (read_where(at, f, err) < 0 || read_text(at, "evidence", &f->evidence, err) < 0 ||
        read_bool(at, "waived", &f->waived, err) < 0 ||
        read_text(at, "waive_reason", &f->waive_reason, err) < 0)
        return -1;
    return 0;
}

static int
read_effect(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *operation = NULL;
    GOLD_CLEANUP_FREE char *path = NULL;
    GOLD_CLEANUP_FREE char *action = NULL;
    GOLD_CLEANUP_FREE char *detail = NULL;
    if (need_text(at, "operation", &operation, err) < 0 ||
        need_text(at, "path", &path, err) < 0 || need_text(at, "action", &action, err) < 0 ||
        read_text(at, "detail", &detail, err) < 0)
        return -1;
    return gold_source_add_effect(src, operation, path, action, detail, err);
}

static int
read_step(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *operation = NULL;
    GOLD_CLEANUP_FREE char *reason = NULL;
    unsigned status = 0;
    if (need_text(at, "operation", &operation, err) < 0 ||
        need_word(at, "status", gold_step_status_parse, &status, err) < 0 ||
        read_text(at, "reason", &reason, err) < 0)
        return -1;
    return gold_source_add_step(src, operation, (enum gold_step_status)status, reason, err);
}

static int
read_edit(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *file = NULL;
    GOLD_CLEANUP_FREE char *diff = NULL;
    if (need_text(at, "file", &file, err) < 0 || need_text(at, "diff", &diff, err) < 0)
        return -1;
    return gold_source_add_edit(src, file, diff, err);
}

static int
read_samples(const struct at *object, struct gold_metric *m, struct gold_error **err)
{
    struct at samples = member(object, "samples");
    if (samples.value && !json_is_array(samples.value))
        return fail(&samples, err, "a list is expected here");
    for (size_t i = 0; i < json_array_size(samples.value); i++) {
        struct at item = element(&samples, i);
        double v = 0;
        if (read_number(&item, &v, err) < 0 || gold_metric_add_sample(m, v, err) < 0)
            return -1;
    }
    return 0;
}

static int
read_metric(const struct at *at, struct gold_measurement *measurement, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name = NULL;
    GOLD_CLEANUP_FREE char *unit = NULL;
    unsigned verdict = GOLD_VERDICT_NONE;
    if (expect_object(at, err) < 0 || need_text(at, "name", &name, err) < 0 ||
        need_text(at, "unit", &unit, err) < 0)
        return -1;
    struct gold_metric *m = gold_measurement_add_metric(measurement, name, unit, err);
    if (!m)
        return -1;
    struct at expected = member(at, "expected"), tolerance = member(at, "tolerance"),
              median = member(at, "median");
    m->has_expected = json_object_get(at->value, "expected") != NULL;
    if (m->has_expected && (read_number(&expected, &m->expected, err) < 0 ||
                            read_number(&tolerance, &m->tolerance, err) < 0))
        return -1;
    if (read_number(&median, &m->median, err) < 0 || read_samples(at, m, err) < 0 ||
        read_word(at, "verdict", gold_verdict_parse, &verdict, err) < 0 ||
        read_text(at, "note", &m->note, err) < 0)
        return -1;
    m->verdict = (enum gold_verdict)verdict;
    return 0;
}

static int
read_measurement(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *payload = NULL;
    unsigned verdict = GOLD_VERDICT_NONE;
    if (need_text(at, "payload", &payload, err) < 0)
        return -1;
    struct gold_measurement *m = gold_source_add_measurement(src, payload, NULL, NULL, err);
    if (!m)
        return -1;
    if (read_text(at, "disk", &m->disk, err) < 0 ||
        read_text(at, "clone", &m->clone, err) < 0 ||
        read_word(at, "verdict", gold_verdict_parse, &verdict, err) < 0 ||
        read_text(at, "accelerator", &m->accelerator, err) < 0 ||
        read_text(at, "reason", &m->reason, err) < 0)
        return -1;
    m->verdict = (enum gold_verdict)verdict;
    struct at metrics = member(at, "metrics");
    if (metrics.value && !json_is_array(metrics.value))
        return fail(&metrics, err, "a list is expected here");
    for (size_t i = 0; i < json_array_size(metrics.value); i++) {
        struct at item = element(&metrics, i);
        if (read_metric(&item, m, err) < 0)
            return -1;
    }
    return 0;
}

static int
read_clone(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name = NULL;
    if (src->n_clones >= GOLD_LIMIT_CLONES)
        return fail(at, err, "too many clones");
    if (need_text(at, "name", &name, err) < 0)
        return -1;
    struct gold_clone_result *c = gold_source_add_clone(src, name, err);
    if (!c || read_text(at, "state", &c->state, err) < 0)
        return -1;
    return read_facts(at, "identity", MAX_IDENTITY, &c->identity, err);
}

/* Each list of a source, and what reads one element of it. */
static const struct {
    const char *key;
    int (*read)(const struct at *at, struct gold_source_result *src, struct gold_error **err);
} lists[] = {
    {"findings", read_finding}, {"effects", read_effect},      {"operations", read_step},
    {"edits", read_edit},       {"results", read_measurement}, {"clones", read_clone},
};

static int
read_list(const struct at *source, const char *key,
          int (*read)(const struct at *at, struct gold_source_result *src,
                      struct gold_error **err),
          struct gold_source_result *src, struct gold_error **err)
{
    struct at list = member(source, key);
    if (!list.value)
        return 0;
    if (!json_is_array(list.value))
        return fail(&list, err, "a list is expected here");
    for (size_t i = 0; i < json_array_size(list.value); i++) {
        struct at item = element(&list, i);
        if (expect_object(&item, err) < 0 || read(&item, src, err) < 0)
            return -1;
    }
    return 0;
}

static int
parse_code(const char *name)
{
    int code = gold_report_code_parse(name);
    return code > 0 ? code : -1;
}

/* status and error say the same thing twice; a file in which they differ was tampered with or
 * damaged. */
static int
read_status(const struct at *at, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *status = NULL;
    unsigned code = 0, verdict = GOLD_VERDICT_NONE;
    struct at m = member(at, "status");
    if (need_text(at, "status", &status, err) < 0 ||
        read_text(at, "error", &src->error, err) < 0 ||
        read_text(at, "hint", &src->hint, err) < 0 ||
        read_word(at, "code", parse_code, &code, err) < 0 ||
        read_word(at, "verdict", gold_verdict_parse, &verdict, err) < 0)
        return -1;
    if (!gold_streq(status, "ok") && !gold_streq(status, "failed"))
        return fail(&m, err, "not one of the known words");
    if (gold_streq(status, "failed") != (src->error != NULL))
        return fail(&m, err,
                    src->error ? "is 'ok', but there is an error"
                               : "is 'failed', but there is no error");
    src->error_code = (int)code;
    src->verdict = (enum gold_verdict)verdict;
    return 0;
}

static int
read_source(const struct at *at, struct gold_document *doc, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name = NULL;
    if (expect_object(at, err) < 0 || need_text(at, "source", &name, err) < 0)
        return -1;
    struct gold_source_result *src = gold_document_add_source(doc, name, err);
    if (!src || read_text(at, "kind", &src->kind, err) < 0 || read_status(at, src, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (read_list(at, lists[i].key, lists[i].read, src, err) < 0)
            return -1;
    return read_facts(at, "facts", SIZE_MAX, &src->facts, err);
}

/* The document's own members; NULL when they are not those of a result. */
static struct gold_document *
read_head(const struct at *root, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *command = NULL;
    GOLD_CLEANUP_FREE char *version = NULL;
    unsigned fail_on = GOLD_ERROR;
    if (expect_object(root, err) < 0 || need_text(root, "goldsmith", &version, err) < 0)
        return NULL;
    struct at schema = member(root, "schema");
    if (!json_is_integer(schema.value) ||
        json_integer_value(schema.value) != GOLD_REPORT_SCHEMA) {
        (void)fail(&schema, err, "this goldsmith reads schema 1 only");
        return NULL;
    }
    if (need_text(root, "command", &command, err) < 0)
        return NULL;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new(command, err);
    if (!doc || gold_str_replace(&doc->version, version, err) < 0)
        return NULL;
    /* A new document starts now; this one did when it says, or does not say. */
    free(gold_steal_ptr(&doc->started));
    if (read_text(root, "started", &doc->started, err) < 0 ||
        read_bool(root, "dry_run", &doc->dry_run, err) < 0 ||
        read_word(root, "fail_on", gold_severity_parse, &fail_on, err) < 0)
        return NULL;
    doc->fail_on = (enum gold_severity)fail_on;
    return gold_steal_ptr(&doc);
}

static struct gold_document *
read_document(const struct at *root, struct gold_error **err)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = read_head(root, err);
    if (!doc)
        return NULL;
    struct at sources = member(root, "sources");
    if (!json_is_array(sources.value)) {
        (void)fail(&sources, err, sources.value ? "a list is expected here" : "is missing");
        return NULL;
    }
    for (size_t i = 0; i < json_array_size(sources.value); i++) {
        struct at item = element(&sources, i);
        if (read_source(&item, doc, err) < 0)
            return NULL;
    }
    return gold_steal_ptr(&doc);
}

int
gold_report_parse(const char *json, size_t len, const char *name,
                  struct gold_document **ret_doc, struct gold_error **err)
{
    json_error_t problem;
    if (len > GOLD_LIMIT_RESULT_FILE || gold_json_count(json, len) > GOLD_REPORT_MAX_VALUES) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is too large for a result file", name);
        return -1;
    }
    json_auto_t *root = json_loadb(json, len, JSON_REJECT_DUPLICATES, &problem);
    /* Where jansson runs out of memory, it mostly says nothing at all. */
    if (!root && (json_error_code(&problem) == json_error_out_of_memory || !*problem.text))
        return gold_error_set_nomem(err);
    if (!root) {
        GOLD_CLEANUP_STR struct gold_str safe = GOLD_STR_INIT;
        gold_str_append_terminal(&safe, problem.text);
        gold_error_set(err, GOLD_ERROR_FORMAT, "%s:%d:%d: %s", name,
                       problem.line > 0 ? problem.line : 1,
                       problem.column > 0 ? problem.column : 1, gold_str_text(&safe));
        return -1;
    }
    struct reader r = {.name = name, .text = json, .len = len};
    struct at at = {.r = &r, .value = root, .root = true};
    struct gold_document *doc = read_document(&at, err);
    if (!doc)
        return -1;
    *ret_doc = doc;
    return 0;
}
