/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filling results; see goldsmith/result.h for what they are. All strings are copied. */
#ifndef GOLD_CORE_RESULT_H
#define GOLD_CORE_RESULT_H

#include <goldsmith/result.h>

#include "core/cleanup.h"

struct gold_document *gold_document_new(const char *command, struct gold_error **err);
GOLD_DEFINE_CLEANUP(struct gold_document *, gold_document_free);
#define GOLD_CLEANUP_DOCUMENT GOLD_CLEANUP(gold_document_free_p)

/* Adds an entry; the pointer is valid until the next one is added. NULL on failure. */
struct gold_source_result *gold_document_add_source(struct gold_document *doc, const char *source,
                                                    struct gold_error **err);
void gold_source_result_done(struct gold_source_result *src);

/* Records that the source failed; takes the error and frees it. */
void gold_source_fail(struct gold_source_result *src, struct gold_error *failure);
/* The finding, to set line, evidence and fix on; NULL on failure. file may be NULL. */
struct gold_finding *gold_source_add_finding(struct gold_source_result *src, const char *id,
                                             enum gold_severity severity, const char *file, struct gold_error **err,
                                             const char *message_fmt, ...) GOLD_PRINTF(6, 7);
GOLD_MUST_CHECK int gold_source_add_effect(struct gold_source_result *src, const char *operation, const char *path,
                                           const char *action, const char *detail, struct gold_error **err);
GOLD_MUST_CHECK int gold_source_add_step(struct gold_source_result *src, const char *operation,
                                         enum gold_step_status status, const char *reason, struct gold_error **err);
GOLD_MUST_CHECK int gold_source_add_edit(struct gold_source_result *src, const char *file, const char *diff,
                                         struct gold_error **err);
struct gold_measurement *gold_source_add_measurement(struct gold_source_result *src, const char *payload,
                                                     const char *disk, const char *clone, struct gold_error **err);
struct gold_metric *gold_measurement_add_metric(struct gold_measurement *m, const char *name, const char *unit,
                                                struct gold_error **err);
GOLD_MUST_CHECK int gold_metric_add_sample(struct gold_metric *m, double sample, struct gold_error **err);
struct gold_clone_result *gold_source_add_clone(struct gold_source_result *src, const char *name,
                                                struct gold_error **err);
GOLD_MUST_CHECK int gold_facts_add(struct gold_facts *facts, const char *name, const char *value,
                                   struct gold_error **err);
/* The first value of that name, or NULL. */
const char *gold_facts_get(const struct gold_facts *facts, const char *name);
void gold_facts_done(struct gold_facts *facts);

/* Words as in JSON: "error", "safe", "pass", "changed", ...; and back (-1: not such a word). */
const char *gold_severity_name(enum gold_severity v);
const char *gold_fix_name(enum gold_fix v);
const char *gold_verdict_name(enum gold_verdict v); /* NONE: NULL */
const char *gold_step_status_name(enum gold_step_status v);
int gold_severity_parse(const char *name);
int gold_fix_parse(const char *name);
int gold_verdict_parse(const char *name);
int gold_step_status_parse(const char *name);
/* error > fail > inconclusive > pass > skipped > none */
enum gold_verdict gold_verdict_worst(enum gold_verdict a, enum gold_verdict b);
/* The number of unwaived findings at or above `least`. */
size_t gold_source_count_findings(const struct gold_source_result *src, enum gold_severity least);

#endif
