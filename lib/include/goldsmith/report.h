/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renderings of a document. Nothing is recomputed here: what the document says is what is shown. */
#ifndef GOLDSMITH_REPORT_H
#define GOLDSMITH_REPORT_H

#include <goldsmith/context.h>
#include <goldsmith/result.h>

enum gold_report_format { GOLD_REPORT_JSON, GOLD_REPORT_TEXT, GOLD_REPORT_HTML };

struct gold_report_options {
    bool color;   /* text: ANSI colours */
    bool verbose; /* text: every step and effect, not only what changed */
};

/* *ret_text is NUL-terminated, to be freed with free(). opts may be NULL. */
GOLD_API GOLD_MUST_CHECK int gold_report_render(const struct gold_document *doc, enum gold_report_format format,
                                                const struct gold_report_options *opts, char **ret_text,
                                                size_t *ret_len, struct gold_error **err);
/* Reads a JSON document that gold_report_render made. `name` is for messages. */
GOLD_API GOLD_MUST_CHECK int gold_report_parse(const char *json, size_t len, const char *name,
                                               struct gold_document **ret_doc, struct gold_error **err);
/* Text that may come from a guest, made safe for a terminal: control characters, escape sequences and bidirectional
   controls become visible. free(); NULL when out of memory. */
GOLD_API char *gold_report_escape(const char *text);
/* A progress event as one line of JSON, without newline. free(); NULL when out of memory. */
GOLD_API char *gold_report_progress(const struct gold_progress_event *event);
/* Writes a file so that at every instant it is the old or the new one. */
GOLD_API GOLD_MUST_CHECK int gold_report_write(const struct gold_document *doc, enum gold_report_format format,
                                               const char *path, struct gold_error **err);

#endif
