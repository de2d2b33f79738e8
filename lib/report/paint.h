/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Terminal output for the text rendering: colours that can be off, everything foreign escaped.
 */
#ifndef GOLD_REPORT_PAINT_H
#define GOLD_REPORT_PAINT_H

#include "core/result.h"
#include "report/render.h"

enum gold_paint {
    GOLD_PAINT_NONE,
    GOLD_PAINT_BOLD,
    GOLD_PAINT_DIM,
    GOLD_PAINT_GOOD,
    GOLD_PAINT_BAD,
    GOLD_PAINT_WARN,
    GOLD_PAINT_MARK
};

struct gold_out {
    struct gold_str *s;
    bool color, verbose;
};

/* Escaped text in a colour. */
void gold_out_paint(const struct gold_out *o, enum gold_paint paint, const char *text);
/* The same, filled up with blanks to `width` columns. */
void gold_out_pad(const struct gold_out *o, enum gold_paint paint, const char *text,
                  size_t width);
void gold_out_blanks(const struct gold_out *o, size_t n);
/* Columns that the escaped text takes. */
size_t gold_out_width(const struct gold_out *o, const char *text);
enum gold_paint gold_paint_of_verdict(enum gold_verdict v);
enum gold_paint gold_paint_of_severity(enum gold_severity v);

/* text_tables.c */
void gold_text_measurements(const struct gold_out *o, const struct gold_source_result *src);
GOLD_MUST_CHECK int gold_text_clones(const struct gold_out *o,
                                     const struct gold_source_result *src,
                                     struct gold_error **err);

#endif
