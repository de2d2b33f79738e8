/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cuts the raw bytes of an XML document into spans that tile it. It must be right about every
 * well-formed document in an encoding that contains ASCII; it need not notice every error,
 * because libxml2 reads the same bytes.
 */
#include "formats/xml_scan.h"

#include <string.h>

#include "core/limits.h"

struct scanner {
    struct gold_xml *x;
    const char *name; /* of the file, for messages */
    size_t at;
    unsigned line; /* of `at` */
    size_t open[GOLD_LIMIT_XML_DEPTH];
    unsigned depth;
};

static int
fail(const struct scanner *s, enum gold_code code, struct gold_error **err, const char *what)
{
    gold_error_set(err, code, "%s:%u: %s", s->name, s->line, what);
    return -1;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Ends a name: nothing of this can be part of one in ASCII, and bytes above are all taken. */
static bool
ends_name(char c)
{
    return is_blank(c) || c == '>' || c == '/' || c == '=' || c == '<' || c == '"' || c == '\'';
}

static bool
looking_at(const struct scanner *s, size_t at, const char *what)
{
    size_t n = strlen(what);
    return s->x->len - at >= n && memcmp(s->x->text + at, what, n) == 0;
}

/* The offset behind the next `what` from `at` on; 0 when there is none. */
static size_t
behind(const struct scanner *s, size_t at, const char *what)
{
    if (at > s->x->len)
        return 0;
    const char *found = memmem(s->x->text + at, s->x->len - at, what, strlen(what));
    return found ? (size_t)(found - s->x->text) + strlen(what) : 0;
}

static struct gold_xml_span *
add_span(struct scanner *s, enum gold_xml_span_kind kind, size_t end, struct gold_error **err)
{
    struct gold_xml *x = s->x;

    if (x->n_spans >= GOLD_LIMIT_XML_NODES) {
        (void)fail(s, GOLD_ERROR_UNSUPPORTED, err, "too many elements");
        return NULL;
    }
    if (x->n_spans == x->cap_spans) {
        void *items = x->spans;
        if (gold_vec_grow(&items, x->n_spans, &x->cap_spans, sizeof(x->spans[0]), err) < 0)
            return NULL;
        x->spans = items;
    }
    struct gold_xml_span *span = &x->spans[x->n_spans];
    *span = (struct gold_xml_span){.kind = kind,
                                   .offset = s->at,
                                   .len = end - s->at,
                                   .match = x->n_spans,
                                   .line = s->line};
    x->n_spans++;
    for (size_t i = s->at; i < end; i++)
        s->line += x->text[i] == '\n';
    s->at = end;
    return span;
}

static int
add_attribute(struct scanner *s, struct gold_xml_attribute a, struct gold_error **err)
{
    struct gold_xml *x = s->x;

    if (x->n_attributes >= GOLD_LIMIT_XML_NODES)
        return fail(s, GOLD_ERROR_UNSUPPORTED, err, "too many attributes");
    if (x->n_attributes == x->cap_attributes) {
        void *items = x->attributes;
        if (gold_vec_grow(&items, x->n_attributes, &x->cap_attributes, sizeof(a), err) < 0)
            return -1;
        x->attributes = items;
    }
    x->attributes[x->n_attributes++] = a;
    return 0;
}

static size_t
skip_blanks(const struct scanner *s, size_t at)
{
    while (at < s->x->len && is_blank(s->x->text[at]))
        at++;
    return at;
}

static size_t
skip_name(const struct scanner *s, size_t at)
{
    while (at < s->x->len && !ends_name(s->x->text[at]))
        at++;
    return at;
}

/* One attribute; *at moves behind it. */
static int
scan_attribute(struct scanner *s, size_t *at, struct gold_error **err)
{
    const char *text = s->x->text;
    struct gold_xml_attribute a = {.name = *at};
    size_t i = skip_name(s, *at);

    a.name_len = i - a.name;
    i = skip_blanks(s, i);
    if (a.name_len == 0 || i >= s->x->len || text[i] != '=')
        return fail(s, GOLD_ERROR_FORMAT, err, "a tag is not well-formed");
    i = skip_blanks(s, i + 1);
    if (i >= s->x->len || (text[i] != '"' && text[i] != '\''))
        return fail(s, GOLD_ERROR_FORMAT, err, "an attribute's value is not quoted");
    a.quote = text[i];
    a.value = i + 1;
    const char *end = memchr(text + a.value, a.quote, s->x->len - a.value);
    if (!end)
        return fail(s, GOLD_ERROR_FORMAT, err, "an attribute's value does not end");
    a.value_len = (size_t)(end - text) - a.value;
    *at = a.value + a.value_len + 1;
    return add_attribute(s, a, err);
}

static int
open_element(struct scanner *s, size_t index, struct gold_error **err)
{
    if (s->depth == GOLD_LIMIT_XML_DEPTH)
        return fail(s, GOLD_ERROR_UNSUPPORTED, err, "elements nest too deeply");
    s->open[s->depth++] = index;
    return 0;
}

static int
scan_start_tag(struct scanner *s, struct gold_error **err)
{
    const struct gold_xml *x = s->x;
    size_t name = s->at + 1, at = skip_name(s, name), name_end = at, first = x->n_attributes;

    if (at == name)
        return fail(s, GOLD_ERROR_FORMAT, err, "a tag has no name");
    for (;;) {
        at = skip_blanks(s, at);
        if (at >= x->len)
            return fail(s, GOLD_ERROR_FORMAT, err, "a tag does not end");
        if (x->text[at] == '>' || x->text[at] == '/')
            break;
        if (x->n_attributes - first == GOLD_XML_ATTRIBUTES_MAX)
            return fail(s, GOLD_ERROR_UNSUPPORTED, err, "an element has too many attributes");
        if (scan_attribute(s, &at, err) < 0)
            return -1;
    }
    bool empty = x->text[at] == '/';
    if (empty && (at + 1 >= x->len || x->text[at + 1] != '>'))
        return fail(s, GOLD_ERROR_FORMAT, err, "a tag is not well-formed");
    size_t index = x->n_spans;
    if (!empty && open_element(s, index, err) < 0)
        return -1;
    struct gold_xml_span *span =
        add_span(s, empty ? GOLD_XML_EMPTY_TAG : GOLD_XML_START_TAG, at + (empty ? 2 : 1), err);
    if (!span)
        return -1;
    span->name = name;
    span->name_len = name_end - name;
    span->first_attribute = first;
    span->n_attributes = x->n_attributes - first;
    return 0;
}

static int
scan_end_tag(struct scanner *s, struct gold_error **err)
{
    struct gold_xml *x = s->x;
    size_t name = s->at + 2, name_end = skip_name(s, name), at = skip_blanks(s, name_end);

    if (at >= x->len || x->text[at] != '>')
        return fail(s, GOLD_ERROR_FORMAT, err, "an end tag is not well-formed");
    if (s->depth == 0)
        return fail(s, GOLD_ERROR_FORMAT, err, "an end tag has no start tag");
    size_t open = s->open[--s->depth];
    const struct gold_xml_span *start = &x->spans[open];
    if (start->name_len != name_end - name ||
        memcmp(x->text + start->name, x->text + name, name_end - name) != 0)
        return fail(s, GOLD_ERROR_FORMAT, err, "an end tag does not match its start tag");
    size_t index = x->n_spans;
    struct gold_xml_span *span = add_span(s, GOLD_XML_END_TAG, at + 1, err);
    if (!span)
        return -1;
    span->name = name;
    span->name_len = name_end - name;
    span->match = open;
    x->spans[open].match = index;
    return 0;
}

/* Behind the DOCTYPE that starts at s->at, with its internal subset; 0: it does not end. */
static size_t
doctype_end(const struct scanner *s)
{
    const char *text = s->x->text;
    unsigned brackets = 0;

    for (size_t at = s->at + 2; at < s->x->len;) {
        char c = text[at];
        size_t next = at + 1;
        if (c == '"' || c == '\'') {
            const char quote[2] = {c, '\0'};
            next = behind(s, at + 1, quote);
        } else if (looking_at(s, at, "<!--")) {
            next = behind(s, at + 4, "-->");
        } else if (looking_at(s, at, "<?")) {
            next = behind(s, at + 2, "?>");
        } else if (c == '[') {
            brackets++;
        } else if (c == ']' && brackets > 0) {
            brackets--;
        } else if (c == '>' && brackets == 0) {
            return at + 1;
        }
        if (next == 0)
            return 0;
        at = next;
    }
    return 0;
}

static int
scan_up_to(struct scanner *s, enum gold_xml_span_kind kind, size_t end, const char *what,
           struct gold_error **err)
{
    if (end == 0)
        return fail(s, GOLD_ERROR_FORMAT, err, what);
    return add_span(s, kind, end, err) ? 0 : -1;
}

static int
scan_one(struct scanner *s, struct gold_error **err)
{
    const struct gold_xml *x = s->x;
    size_t at = s->at;

    if (x->text[at] != '<') {
        const char *lt = memchr(x->text + at, '<', x->len - at);
        return add_span(s, GOLD_XML_TEXT, lt ? (size_t)(lt - x->text) : x->len, err) ? 0 : -1;
    }
    if (looking_at(s, at, "<!--"))
        return scan_up_to(s, GOLD_XML_COMMENT, behind(s, at + 4, "-->"),
                          "a comment does not end", err);
    if (looking_at(s, at, "<![CDATA["))
        return scan_up_to(s, GOLD_XML_CDATA, behind(s, at + 9, "]]>"),
                          "a CDATA section does not end", err);
    if (looking_at(s, at, "<!DOCTYPE"))
        return scan_up_to(s, GOLD_XML_DOCTYPE, doctype_end(s), "the DOCTYPE does not end", err);
    if (looking_at(s, at, "<?")) {
        /* A declaration can stand only at the very start. */
        bool first = x->n_spans == 0 || (x->n_spans == 1 && x->spans[0].kind == GOLD_XML_BOM);
        bool declaration =
            first && looking_at(s, at, "<?xml") && at + 5 < x->len && is_blank(x->text[at + 5]);
        return scan_up_to(s, declaration ? GOLD_XML_DECLARATION : GOLD_XML_PI,
                          behind(s, at + 2, "?>"), "a processing instruction does not end",
                          err);
    }
    if (looking_at(s, at, "</"))
        return scan_end_tag(s, err);
    return scan_start_tag(s, err);
}

int
gold_xml_scan(struct gold_xml *x, const char *name, struct gold_error **err)
{
    struct scanner s = {.x = x, .name = name, .line = 1};

    if (looking_at(&s, 0, "\xEF\xBB\xBF") && !add_span(&s, GOLD_XML_BOM, 3, err))
        return -1;
    while (s.at < x->len) {
        if (scan_one(&s, err) < 0)
            return -1;
    }
    if (s.depth > 0) {
        s.line = x->spans[s.open[s.depth - 1]].line;
        return fail(&s, GOLD_ERROR_FORMAT, err, "an element does not end");
    }
    return 0;
}
