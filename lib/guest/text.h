/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Configuration files as bytes: lines, fields and edits that leave every other byte alone.
 * Nothing here knows a format beyond blanks, '#' and line ends; NUL bytes and CRLF are data
 * like any other.
 */
#ifndef GOLD_GUEST_TEXT_H
#define GOLD_GUEST_TEXT_H

#include <stdbool.h>

#include "core/str.h"
#include "core/vec.h"

struct gold_span {
    size_t offset, len;
    unsigned line; /* from 1 */
};
GOLD_VEC(gold_spans, struct gold_span);
#define GOLD_CLEANUP_SPANS GOLD_CLEANUP(gold_spans_clear)

/* Walks over lines. Start with zeroes. The span has no line end (neither "\n" nor "\r\n"). */
struct gold_lines {
    size_t pos;
    unsigned line;
};
bool gold_lines_next(const char *text, size_t len, struct gold_lines *walk,
                     struct gold_span *ret);

static inline bool
gold_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Does the text at the span equal s? */
bool gold_span_is(const char *text, const struct gold_span *span, const char *s);
/* The span without blanks at both ends. */
struct gold_span gold_span_trim(const char *text, struct gold_span span);
/* The next word of *rest (which shrinks); false at its end. */
bool gold_span_word(const char *text, struct gold_span *rest, struct gold_span *ret);

/* Lines of blank-separated fields (fstab, crypttab): the first four of each line that is
 * neither empty nor a comment. */
#define GOLD_FIELDS_MAX 4
struct gold_fields {
    struct gold_span f[GOLD_FIELDS_MAX];
    size_t n;
};
bool gold_fields_next(const char *text, size_t len, struct gold_lines *walk,
                      struct gold_fields *ret);
/* Is `word` one of the comma-separated options of the span (whole, or before a '=')? */
bool gold_options_have(const char *text, const struct gold_span *options, const char *word);

/* Replacements over one text, in ascending order, not overlapping. */
struct gold_text_edit {
    size_t offset, len;
    char *bytes; /* owned */
};
struct gold_text_edits {
    struct gold_text_edit *items;
    size_t n, cap;
};
void gold_text_edits_done(struct gold_text_edits *e);
#define GOLD_CLEANUP_TEXT_EDITS GOLD_CLEANUP(gold_text_edits_done)
/* "" deletes. An edit that begins before the end of the last one is a bug (assertion). */
GOLD_MUST_CHECK int gold_text_edits_add(struct gold_text_edits *e, size_t offset, size_t len,
                                        const char *bytes, struct gold_error **err);
/* Deletes a word together with the blanks that set it off. */
GOLD_MUST_CHECK int gold_text_edits_drop_word(struct gold_text_edits *e, const char *text,
                                              size_t len, const struct gold_span *word,
                                              struct gold_error **err);
/* The edited text, NUL-terminated; free(). */
GOLD_MUST_CHECK char *gold_text_edits_apply(const struct gold_text_edits *e, const char *text,
                                            size_t len, size_t *ret_len,
                                            struct gold_error **err);

#endif
