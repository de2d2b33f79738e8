/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growable strings with a cap and a sticky failure: append as often as you like, look once at the
 * end with gold_str_finish(). Always NUL-terminated once something was appended; may hold NUL bytes.
 */
#ifndef GOLD_CORE_STR_H
#define GOLD_CORE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/cleanup.h"
#include "core/error.h"

struct gold_str {
    char *data;
    size_t len, cap;
    size_t limit; /* most bytes it may hold; 0: GOLD_LIMIT_STR */
    bool failed;  /* out of memory or over the limit; later appends do nothing */
    bool over;    /* it was the limit */
};

#define GOLD_STR_INIT                                                                                        \
    {                                                                                                        \
        .data = NULL                                                                                         \
    }
#define GOLD_CLEANUP_STR GOLD_CLEANUP(gold_str_done)

void gold_str_done(struct gold_str *s);
void gold_str_clear(struct gold_str *s); /* empties, keeps memory and limit, forgets failure */
void gold_str_append(struct gold_str *s, const char *text);
void gold_str_append_len(struct gold_str *s, const void *bytes, size_t len);
void gold_str_append_char(struct gold_str *s, char c);
void gold_str_printf(struct gold_str *s, const char *fmt, ...) GOLD_PRINTF(2, 3);
void gold_str_vprintf(struct gold_str *s, const char *fmt, va_list args) GOLD_PRINTF(2, 0);
/* The text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD. */
void gold_str_append_utf8(struct gold_str *s, const char *text);
/* Escapes & < > " ' and replaces control characters and invalid UTF-8 by U+FFFD: safe in XML 1.0 and HTML
   text and in attributes of either quote. */
void gold_str_append_xml(struct gold_str *s, const char *text);
/* For a terminal: control characters, escape sequences, invalid UTF-8 and bidirectional controls
   become \xNN or \u{NNNN}; newline too. */
void gold_str_append_terminal(struct gold_str *s, const char *text);
/* The text, never NULL ("" when nothing was appended). */
const char *gold_str_text(const struct gold_str *s);
/* 0, or -1 with NOMEM, or FORMAT "… is larger than N bytes". `what` names the content for the message. */
GOLD_MUST_CHECK int gold_str_finish(const struct gold_str *s, const char *what, struct gold_error **err);
/* Hands over the buffer (never NULL on success; length in *ret_len when not NULL). NULL on failure. */
GOLD_MUST_CHECK char *gold_str_steal(struct gold_str *s, size_t *ret_len, struct gold_error **err);

/* strdup and asprintf that set NOMEM. gold_strdup(NULL) is NULL without an error. */
GOLD_MUST_CHECK char *gold_strdup(const char *s, struct gold_error **err);
GOLD_MUST_CHECK char *gold_strndup(const char *s, size_t n, struct gold_error **err);
GOLD_MUST_CHECK char *gold_format(struct gold_error **err, const char *fmt, ...) GOLD_PRINTF(2, 3);
/* Replaces *dst by a copy of src (NULL allowed); on failure *dst is untouched. */
GOLD_MUST_CHECK int gold_str_replace(char **dst, const char *src, struct gold_error **err);

static inline bool
gold_streq(const char *a, const char *b)
{
    return a == b || (a && b && __builtin_strcmp(a, b) == 0);
}
bool gold_str_has_prefix(const char *s, const char *prefix);
bool gold_str_has_suffix(const char *s, const char *suffix);
/* Is it well-formed UTF-8 (no surrogates, no overlong forms)? */
bool gold_utf8_valid(const char *s, size_t len);

#endif
