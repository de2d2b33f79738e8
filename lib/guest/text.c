/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines, fields and byte edits of configuration files. Does not read or write guests. */
#include <assert.h>
#include <string.h>

#include "guest/text.h"

bool
gold_lines_next(const char *text, size_t len, struct gold_lines *walk, struct gold_span *ret)
{
    if (walk->pos >= len)
        return false;
    const char *start = text + walk->pos;
    const char *nl = memchr(start, '\n', len - walk->pos);
    size_t n = nl ? (size_t)(nl - start) : len - walk->pos;
    ret->offset = walk->pos;
    ret->len = n;
    ret->line = ++walk->line;
    walk->pos += n + (nl ? 1 : 0);
    if (ret->len > 0 && start[ret->len - 1] == '\r')
        ret->len--;
    return true;
}

bool
gold_span_is(const char *text, const struct gold_span *span, const char *s)
{
    return strlen(s) == span->len && memcmp(text + span->offset, s, span->len) == 0;
}

struct gold_span
gold_span_trim(const char *text, struct gold_span span)
{
    while (span.len > 0 && gold_is_blank(text[span.offset])) {
        span.offset++;
        span.len--;
    }
    while (span.len > 0 && gold_is_blank(text[span.offset + span.len - 1]))
        span.len--;
    return span;
}

bool
gold_span_word(const char *text, struct gold_span *rest, struct gold_span *ret)
{
    *rest = gold_span_trim(text, *rest);
    if (rest->len == 0)
        return false;
    size_t n = 0;
    while (n < rest->len && !gold_is_blank(text[rest->offset + n]))
        n++;
    *ret = (struct gold_span){.offset = rest->offset, .len = n, .line = rest->line};
    rest->offset += n;
    rest->len -= n;
    return true;
}

bool
gold_fields_next(const char *text, size_t len, struct gold_lines *walk, struct gold_fields *ret)
{
    struct gold_span line;
    while (gold_lines_next(text, len, walk, &line)) {
        ret->n = 0;
        while (ret->n < GOLD_FIELDS_MAX && gold_span_word(text, &line, &ret->f[ret->n]))
            ret->n++;
        if (ret->n > 0 && text[ret->f[0].offset] != '#')
            return true;
    }
    return false;
}

bool
gold_options_have(const char *text, const struct gold_span *options, const char *word)
{
    size_t n = strlen(word), pos = 0;
    const char *o = text + options->offset;
    while (pos < options->len) {
        const char *comma = memchr(o + pos, ',', options->len - pos);
        size_t m = comma ? (size_t)(comma - (o + pos)) : options->len - pos;
        if (m >= n && memcmp(o + pos, word, n) == 0 && (m == n || o[pos + n] == '='))
            return true;
        pos += m + 1;
    }
    return false;
}

void
gold_text_edits_done(struct gold_text_edits *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->items[i].bytes);
    free(e->items);
    *e = (struct gold_text_edits){0};
}

static size_t
last_end(const struct gold_text_edits *e)
{
    return e->n > 0 ? e->items[e->n - 1].offset + e->items[e->n - 1].len : 0;
}

int
gold_text_edits_add(struct gold_text_edits *e, size_t offset, size_t len, const char *bytes,
                    struct gold_error **err)
{
    assert(offset >= last_end(e));
    char *copy = gold_strdup(bytes, err);
    if (!copy)
        return -1;
    if (e->n == e->cap) {
        void *items = e->items;
        if (gold_vec_grow(&items, e->n, &e->cap, sizeof(*e->items), err) < 0) {
            free(copy);
            return -1;
        }
        e->items = items;
    }
    e->items[e->n++] = (struct gold_text_edit){.offset = offset, .len = len, .bytes = copy};
    return 0;
}

int
gold_text_edits_drop_word(struct gold_text_edits *e, const char *text, size_t len,
                          const struct gold_span *word, struct gold_error **err)
{
    size_t floor = last_end(e), from = word->offset, to = word->offset + word->len;
    while (from > floor && gold_is_blank(text[from - 1]))
        from--;
    /* The first of its list takes the blanks behind it instead, as does one whose blanks went
     * with its neighbour. */
    if (from == word->offset || from == 0 || text[from - 1] == '\n') {
        from = word->offset;
        while (to < len && gold_is_blank(text[to]))
            to++;
    }
    return gold_text_edits_add(e, from, to - from, "", err);
}

char *
gold_text_edits_apply(const struct gold_text_edits *e, const char *text, size_t len,
                      size_t *ret_len, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str out = GOLD_STR_INIT;
    size_t pos = 0;
    for (size_t i = 0; i < e->n; i++) {
        assert(e->items[i].offset + e->items[i].len <= len);
        gold_str_append_len(&out, text + pos, e->items[i].offset - pos);
        gold_str_append(&out, e->items[i].bytes);
        pos = e->items[i].offset + e->items[i].len;
    }
    gold_str_append_len(&out, text + pos, len - pos);
    return gold_str_steal(&out, ret_len, err);
}
