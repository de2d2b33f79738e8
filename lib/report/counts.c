/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What all renderings count and name alike. Judges nothing: verdicts come with the document. */
#include <string.h>

#include "core/result.h"
#include "report/render.h"

struct gold_report_counts
gold_report_count(const struct gold_document *doc)
{
    struct gold_report_counts n = {.sources = doc->n_sources};
    for (size_t i = 0; i < doc->n_sources; i++) {
        const struct gold_source_result *src = &doc->sources[i];
        if (src->error)
            n.failed++;
        else
            n.ok++;
        for (size_t j = 0; j < src->n_findings; j++) {
            if (src->findings[j].waived)
                n.waived++;
            else
                n.findings[src->findings[j].severity]++;
        }
    }
    return n;
}

static const char *const codes[] = {
    [GOLD_ERROR_USAGE] = "usage",
    [GOLD_ERROR_IO] = "io",
    [GOLD_ERROR_FORMAT] = "format",
    [GOLD_ERROR_UNSUPPORTED] = "unsupported",
    [GOLD_ERROR_BUSY] = "busy",
    [GOLD_ERROR_GUEST] = "guest",
    [GOLD_ERROR_HYPERVISOR] = "hypervisor",
    [GOLD_ERROR_CHECK] = "check",
    [GOLD_ERROR_CHANGED] = "changed",
    [GOLD_ERROR_CANCELLED] = "cancelled",
    [GOLD_ERROR_NOMEM] = "nomem",
};
#define N_CODES ((int)(sizeof(codes) / sizeof(codes[0])))

const char *
gold_report_code_name(int code)
{
    return code > 0 && code < N_CODES ? codes[code] : NULL;
}

int
gold_report_code_parse(const char *name)
{
    for (int i = 1; i < N_CODES; i++)
        if (strcmp(codes[i], name) == 0)
            return i;
    return 0;
}

struct gold_headline
gold_report_headline(const struct gold_document *doc)
{
    static const char *const words[] = {
        [GOLD_VERDICT_NONE] = "DONE",       [GOLD_VERDICT_PASS] = "PASS",
        [GOLD_VERDICT_FAIL] = "FAIL",       [GOLD_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
        [GOLD_VERDICT_SKIPPED] = "SKIPPED", [GOLD_VERDICT_ERROR] = "ERROR",
    };
    enum gold_verdict v = gold_document_verdict(doc);
    if (gold_report_count(doc).failed > 0)
        return (struct gold_headline){.word = "FAILED", .tone = GOLD_VERDICT_ERROR};
    bool calm = v == GOLD_VERDICT_NONE || v == GOLD_VERDICT_PASS || v == GOLD_VERDICT_SKIPPED;
    if (calm && gold_document_exit_status(doc) == 3)
        return (struct gold_headline){.word = "FINDINGS", .tone = GOLD_VERDICT_FAIL};
    return (struct gold_headline){.word = words[v], .tone = v};
}
