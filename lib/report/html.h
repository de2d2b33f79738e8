/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the HTML page. */
#ifndef GOLD_REPORT_HTML_H
#define GOLD_REPORT_HTML_H

#include "core/result.h"
#include "report/group.h"
#include "report/render.h"

/* html_style.c */
extern const char gold_html_style[];

/* html_parts.c: text from anywhere, harmless in HTML: control characters and those that change
   the direction of text are shown as codes, the rest is escaped. NULL is nothing. */
void gold_html_text(struct gold_str *s, const char *text);
/* <TAG class="CLASS">text</TAG>; class may be NULL. */
void gold_html_element(struct gold_str *s, const char *tag, const char *class,
                       const char *text);
/* A mark with a sign and a word, so that colour is not needed. */
void gold_html_verdict(struct gold_str *s, enum gold_verdict v);
const char *gold_html_verdict_class(enum gold_verdict v);
const char *gold_html_verdict_sign(enum gold_verdict v);

void gold_html_findings(struct gold_str *s, const struct gold_source_result *src);
void gold_html_edits(struct gold_str *s, const struct gold_source_result *src);
void gold_html_facts(struct gold_str *s, const struct gold_source_result *src);
GOLD_MUST_CHECK int gold_html_operations(struct gold_str *s,
                                         const struct gold_source_result *src,
                                         struct gold_error **err);

/* html_tables.c. source: the number of the source in the page, for ids. */
void gold_html_measurements(struct gold_str *s, const struct gold_source_result *src,
                            size_t source);
GOLD_MUST_CHECK int gold_html_clones(struct gold_str *s, const struct gold_source_result *src,
                                     struct gold_error **err);

#endif
