/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What results add up to: the words for their enumerations, the worst verdict, the exit status.
 * The only place that knows which failure outranks which.
 */
#include "core/result.h"
#include "core/str.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const severities[] = {
    [GOLD_INFO] = "info", [GOLD_WARNING] = "warning", [GOLD_ERROR] = "error"};
static const char *const fixes[] = {
    [GOLD_FIX_NONE] = "none", [GOLD_FIX_MANUAL] = "manual", [GOLD_FIX_SAFE] = "safe"};
static const char *const verdicts[] = {
    [GOLD_VERDICT_NONE] = NULL,         [GOLD_VERDICT_PASS] = "pass",
    [GOLD_VERDICT_FAIL] = "fail",       [GOLD_VERDICT_INCONCLUSIVE] = "inconclusive",
    [GOLD_VERDICT_SKIPPED] = "skipped", [GOLD_VERDICT_ERROR] = "error"};
static const char *const statuses[] = {[GOLD_STEP_UNCHANGED] = "unchanged",
                                       [GOLD_STEP_CHANGED] = "changed",
                                       [GOLD_STEP_SKIPPED] = "skipped",
                                       [GOLD_STEP_FAILED] = "failed"};

static const char *
name_of(const char *const *words, size_t n, unsigned v)
{
    return v < n ? words[v] : NULL;
}

static int
value_of(const char *const *words, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (words[i] && gold_streq(words[i], name))
            return (int)i;
    }
    return -1;
}

const char *
gold_severity_name(enum gold_severity v)
{
    return name_of(severities, COUNT(severities), v);
}

const char *
gold_fix_name(enum gold_fix v)
{
    return name_of(fixes, COUNT(fixes), v);
}

const char *
gold_verdict_name(enum gold_verdict v)
{
    return name_of(verdicts, COUNT(verdicts), v);
}

const char *
gold_step_status_name(enum gold_step_status v)
{
    return name_of(statuses, COUNT(statuses), v);
}

int
gold_severity_parse(const char *name)
{
    return value_of(severities, COUNT(severities), name);
}

int
gold_fix_parse(const char *name)
{
    return value_of(fixes, COUNT(fixes), name);
}

int
gold_verdict_parse(const char *name)
{
    return value_of(verdicts, COUNT(verdicts), name);
}

int
gold_step_status_parse(const char *name)
{
    return value_of(statuses, COUNT(statuses), name);
}

enum gold_verdict
gold_verdict_worst(enum gold_verdict a, enum gold_verdict b)
{
    static const unsigned char rank[] = {
        [GOLD_VERDICT_NONE] = 0, [GOLD_VERDICT_SKIPPED] = 1,      [GOLD_VERDICT_PASS] = 2,
        [GOLD_VERDICT_FAIL] = 4, [GOLD_VERDICT_INCONCLUSIVE] = 3, [GOLD_VERDICT_ERROR] = 5};

    return rank[a] >= rank[b] ? a : b;
}

size_t
gold_source_count_findings(const struct gold_source_result *src, enum gold_severity least)
{
    size_t n = 0;

    for (size_t i = 0; i < src->n_findings; i++) {
        if (!src->findings[i].waived && src->findings[i].severity >= least)
            n++;
    }
    return n;
}

enum gold_verdict
gold_document_verdict(const struct gold_document *doc)
{
    enum gold_verdict worst = GOLD_VERDICT_NONE;

    for (size_t i = 0; i < doc->n_sources; i++)
        worst = gold_verdict_worst(worst, doc->sources[i].verdict);
    return worst;
}

static int
status_of_failure(const struct gold_source_result *src)
{
    switch (src->error_code) {
    case 0:
        return src->error ? 1 : 0;
    case GOLD_ERROR_USAGE:
        return 2;
    case GOLD_ERROR_CHANGED:
        return 5;
    case GOLD_ERROR_CANCELLED:
        return 130;
    default:
        return 1;
    }
}

static int
status_of_verdict(enum gold_verdict v)
{
    switch (v) {
    case GOLD_VERDICT_ERROR:
        return 1;
    case GOLD_VERDICT_FAIL:
        return 3;
    case GOLD_VERDICT_INCONCLUSIVE:
        return 4;
    default:
        return 0;
    }
}

int
gold_document_exit_status(const struct gold_document *doc)
{
    static const int order[] = {130, 5, 1, 2, 3, 4}; /* the first that occurs */
    bool findings_count =
        gold_streq(doc->command, "check") || gold_streq(doc->command, "prepare");

    for (size_t k = 0; k < COUNT(order); k++) {
        for (size_t i = 0; i < doc->n_sources; i++) {
            const struct gold_source_result *src = &doc->sources[i];

            if (status_of_failure(src) == order[k] ||
                status_of_verdict(src->verdict) == order[k])
                return order[k];
            if (order[k] == 3 && findings_count &&
                gold_source_count_findings(src, doc->fail_on) > 0)
                return 3;
        }
    }
    return 0;
}
