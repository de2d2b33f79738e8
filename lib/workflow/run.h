/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every workflow does around its own work: the document, one entry per source, errors into
 * their entry. */
#ifndef GOLD_WORKFLOW_RUN_H
#define GOLD_WORKFLOW_RUN_H

#include "core/context.h"
#include "core/result.h"

typedef int (*gold_source_fn)(struct gold_context *ctx, const char *source, const void *opts,
                              struct gold_source_result *src, struct gold_error **err);

/* Runs fn for each source. An error becomes the entry's; only cancellation stops the rest (each
   of which is then recorded as interrupted). */
GOLD_MUST_CHECK int gold_run_sources(struct gold_context *ctx, const char *command,
                                     const char *const *sources, size_t n,
                                     enum gold_severity fail_on, bool dry_run,
                                     gold_source_fn fn, const void *opts,
                                     struct gold_document **ret_doc, struct gold_error **err);
/* Moves everything that `from` holds behind what `to` holds; from is empty afterwards. */
GOLD_MUST_CHECK int gold_source_absorb(struct gold_source_result *to,
                                       struct gold_source_result *from,
                                       struct gold_error **err);
/* Error-level findings that nothing waives, as an error with code CHECK that names the first
 * few; 0 when there are none. */
GOLD_MUST_CHECK int gold_refuse_findings(const struct gold_source_result *src, const char *what,
                                         struct gold_error **err);

#endif
