/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growable strings. Appending past the cap fails as a whole: nothing is ever cut. Escaping for
 * XML and for terminals is in escape.c.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/limits.h"
#include "core/str.h"

void
gold_str_done(struct gold_str *s)
{
    free(s->data);
    s->data = NULL;
    s->len = s->cap = 0;
    s->failed = s->over = false;
}

void
gold_str_clear(struct gold_str *s)
{
    s->len = 0;
    s->failed = s->over = false;
    if (s->data)
        s->data[0] = '\0';
}

/* Makes room for `more` bytes and the NUL. False: s has failed. */
static bool
reserve(struct gold_str *s, size_t more)
{
    size_t limit = s->limit ? s->limit : (size_t)GOLD_LIMIT_STR;
    size_t want, cap;
    char *data;

    if (s->failed)
        return false;
    if (s->len > limit || more > limit - s->len) {
        s->failed = s->over = true;
        return false;
    }
    if (__builtin_add_overflow(s->len, more, &want) || __builtin_add_overflow(want, 1, &want)) {
        s->failed = true;
        return false;
    }
    if (s->data && want <= s->cap)
        return true;
    if (__builtin_mul_overflow(s->cap, (size_t)2, &cap) || cap < want)
        cap = want;
    if (cap < 32)
        cap = 32;
    data = realloc(s->data, cap);
    if (!data) {
        s->failed = true;
        return false;
    }
    s->data = data;
    s->cap = cap;
    return true;
}

void
gold_str_append_len(struct gold_str *s, const void *bytes, size_t len)
{
    if (!reserve(s, len))
        return;
    if (len)
        memcpy(s->data + s->len, bytes, len);
    s->len += len;
    s->data[s->len] = '\0';
}

void
gold_str_append(struct gold_str *s, const char *text)
{
    gold_str_append_len(s, text, text ? strlen(text) : 0);
}

void
gold_str_append_char(struct gold_str *s, char c)
{
    gold_str_append_len(s, &c, 1);
}

void
gold_str_vprintf(struct gold_str *s, const char *fmt, va_list args)
{
    va_list again;
    int n;

    if (s->failed)
        return;
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0) {
        s->failed = true;
        return;
    }
    if (!reserve(s, (size_t)n))
        return;
    if (vsnprintf(s->data + s->len, (size_t)n + 1, fmt, args) != n) {
        s->failed = true;
        return;
    }
    s->len += (size_t)n;
}

void
gold_str_printf(struct gold_str *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    gold_str_vprintf(s, fmt, args);
    va_end(args);
}

const char *
gold_str_text(const struct gold_str *s)
{
    return s->data ? s->data : "";
}

int
gold_str_finish(const struct gold_str *s, const char *what, struct gold_error **err)
{
    if (s->over) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "%s is larger than %zu bytes", what,
                       s->limit ? s->limit : (size_t)GOLD_LIMIT_STR);
        return -1;
    }
    if (s->failed)
        return gold_error_set_nomem(err);
    return 0;
}

char *
gold_str_steal(struct gold_str *s, size_t *ret_len, struct gold_error **err)
{
    if (gold_str_finish(s, "text", err) < 0)
        return NULL;
    if (!s->data) {
        gold_str_append_len(s, "", 0);
        if (s->failed) {
            (void)gold_error_set_nomem(err);
            return NULL;
        }
    }
    if (ret_len)
        *ret_len = s->len;
    s->len = s->cap = 0;
    return gold_steal_ptr(&s->data);
}

char *
gold_strdup(const char *s, struct gold_error **err)
{
    char *copy;

    if (!s)
        return NULL;
    copy = strdup(s);
    if (!copy)
        (void)gold_error_set_nomem(err);
    return copy;
}

char *
gold_strndup(const char *s, size_t n, struct gold_error **err)
{
    char *copy;

    if (!s)
        return NULL;
    copy = strndup(s, n);
    if (!copy)
        (void)gold_error_set_nomem(err);
    return copy;
}

char *
gold_format(struct gold_error **err, const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    int n;

    va_start(args, fmt);
    n = vasprintf(&text, fmt, args);
    va_end(args);
    if (n < 0) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    return text;
}

int
gold_str_replace(char **dst, const char *src, struct gold_error **err)
{
    char *copy = NULL;

    if (src) {
        copy = gold_strdup(src, err);
        if (!copy)
            return -1;
    }
    free(*dst);
    *dst = copy;
    return 0;
}

bool
gold_str_has_prefix(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
gold_str_has_suffix(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);

    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}
