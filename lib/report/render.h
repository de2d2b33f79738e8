/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the renderings share. Each rendering appends to a string whose failure is sticky, so
 * only gold_report_render() looks at the end whether it went well.
 */
#ifndef GOLD_REPORT_RENDER_H
#define GOLD_REPORT_RENDER_H

#include <goldsmith/report.h>

#include "core/str.h"
#include "core/vec.h"

/* The number of the document's format, in the member "schema". */
#define GOLD_REPORT_SCHEMA 1
/* Values in one result file that is read back: bounds the memory that small values take. */
#define GOLD_REPORT_MAX_VALUES 2000000
/* One result file, and one rendering, hold at most this. */
#define GOLD_REPORT_LIMIT GOLD_LIMIT_RESULT_FILE

/* What could not be put into `part` is missing in s too: hands the failure on. */
static inline void
gold_report_taint(struct gold_str *s, const struct gold_str *part)
{
    s->failed = s->failed || part->failed;
    s->over = s->over || part->over;
}

/* Each appends the whole rendering. */
GOLD_MUST_CHECK int gold_report_json(struct gold_str *s, const struct gold_document *doc,
                                     struct gold_error **err);
GOLD_MUST_CHECK int gold_report_text(struct gold_str *s, const struct gold_document *doc,
                                     const struct gold_report_options *opts,
                                     struct gold_error **err);
GOLD_MUST_CHECK int gold_report_html(struct gold_str *s, const struct gold_document *doc,
                                     struct gold_error **err);

/* gold_report_render() with another limit: FORMAT when the rendering is larger. */
GOLD_MUST_CHECK int gold_report_render_within(const struct gold_document *doc,
                                              enum gold_report_format format,
                                              const struct gold_report_options *opts,
                                              size_t limit, char **ret_text, size_t *ret_len,
                                              struct gold_error **err);

/* ---- counts.c ---- */

struct gold_report_counts {
    size_t sources, ok, failed;
    size_t findings[3]; /* by enum gold_severity, without the waived ones */
    size_t waived;
};
struct gold_report_counts gold_report_count(const struct gold_document *doc);
/* "usage", "io", ...: the code of a source's error; NULL for 0 and unknown ones. And back: 0
 * when there is no such word. */
const char *gold_report_code_name(int code);
int gold_report_code_parse(const char *name);
/* The first word of a report for people, and how it is coloured. A failed source or findings at
   or above the document's threshold are not hidden behind the PASS of what was judged. */
struct gold_headline {
    const char *word; /* "PASS", "FAIL", "FAILED", "FINDINGS", "DONE", ... */
    enum gold_verdict tone;
};
struct gold_headline gold_report_headline(const struct gold_document *doc);

/* ---- values.c: numbers as people read them ---- */

/* With about four significant digits and the unit: "200.3 /s", "10 MiB/s", "0.0125 s". */
void gold_report_append_value(struct gold_str *s, double v, const char *unit);
/* "+0.15 %"; an en dash when there is nothing to compare with. */
void gold_report_append_deviation(struct gold_str *s, const struct gold_metric *m);
/* " ± 3 %"; nothing for an exact expectation. */
void gold_report_append_tolerance(struct gold_str *s, const struct gold_metric *m);
/* "3 %". */
void gold_report_append_percent(struct gold_str *s, double ratio);

/* ---- compare.c: what clones share ---- */

enum gold_likeness {
    GOLD_LIKENESS_SINGLE,    /* fewer than two clones: nothing to compare */
    GOLD_LIKENESS_DIFFERENT, /* no two clones have a value in common, and each has one */
    GOLD_LIKENESS_EQUAL,     /* all clones have the same values */
    GOLD_LIKENESS_MIXED,     /* some clones share a value, or have none */
};

struct gold_comparison {
    const char *name; /* borrowed from the clones */
    enum gold_likeness likeness;
    bool must_differ; /* by its name; for emphasis only: the verdict is the payload's */
    size_t rows;      /* the most values of that name that one clone has */
};
GOLD_VEC(gold_comparisons, struct gold_comparison);

/* One entry per name, in the order in which they first appear. */
GOLD_MUST_CHECK int gold_report_compare(const struct gold_source_result *src,
                                        struct gold_comparisons *ret, struct gold_error **err);
const char *
gold_likeness_name(enum gold_likeness likeness); /* "different", "equal", "mixed", "single" */
/* The i-th value of that name, or NULL. */
const char *gold_report_fact(const struct gold_facts *facts, const char *name, size_t i);

/* ---- svg.c ---- */

/* Is there something to see in a plot: several samples, or one with a tolerance? A count is not
 * plotted. */
bool gold_report_has_plot(const struct gold_metric *m);

/* A strip plot of the samples with expected value and tolerance band; nothing when there are no
   finite samples. `id` is unique in the page. */
void gold_report_svg(struct gold_str *s, const struct gold_metric *m, const char *id);

#endif
