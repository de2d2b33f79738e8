/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splices over the scanner's spans; see the header. The semantics of what is edited are not
 * known here. */
#include "formats/xml_edit.h"

#include <string.h>
#include <strings.h>

#include "formats/xml_tree.h"

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t
span_end(const struct gold_xml_span *span)
{
    return span->offset + span->len;
}

/* The tag, or an error: only an element of this document's tree has one. */
static const struct gold_xml_span *
tag_of(const struct gold_xml *x, const xmlNode *element, struct gold_error **err)
{
    const struct gold_xml_span *span = gold_xml_span_of(x, element);

    if (!span)
        gold_error_set(err, GOLD_ERROR_USAGE, "element '%s' has no place in the file",
                       (const char *)element->name);
    return span;
}

static const struct gold_xml_span *
end_of(const struct gold_xml *x, const struct gold_xml_span *tag)
{
    return &x->spans[tag->match];
}

static size_t
line_start(const struct gold_xml *x, size_t at)
{
    while (at > 0 && x->text[at - 1] != '\n')
        at--;
    return at;
}

/* Is there nothing but blanks before this offset on its line? */
static bool
first_on_line(const struct gold_xml *x, size_t at)
{
    while (at > 0 && is_blank(x->text[at - 1]))
        at--;
    return at == 0 || x->text[at - 1] == '\n';
}

/* The offset behind the line end that follows `at` after blanks; 0: something else follows. */
static size_t
behind_line(const struct gold_xml *x, size_t at)
{
    while (at < x->len && is_blank(x->text[at]))
        at++;
    if (at < x->len && x->text[at] == '\n')
        return at + 1;
    if (at + 1 < x->len && x->text[at] == '\r' && x->text[at + 1] == '\n')
        return at + 2;
    return 0;
}

/* The line end that is used around `at`. */
static const char *
eol_at(const struct gold_xml *x, size_t at)
{
    size_t start = line_start(x, at);
    const char *nl = start > 0 ? x->text + start - 1 : memchr(x->text + at, '\n', x->len - at);

    return nl && nl > x->text && nl[-1] == '\r' ? "\r\n" : "\n";
}

/* ---- escaping ---- */

static bool
is_utf8_file(const struct gold_xml *x)
{
    const char *encoding = (const char *)x->doc->encoding;
    return !encoding || strcasecmp(encoding, "UTF-8") == 0 || strcasecmp(encoding, "UTF8") == 0;
}

void
gold_xml_append_escaped(const struct gold_xml *x, struct gold_str *s, const char *text)
{
    GOLD_CLEANUP_STR struct gold_str safe = GOLD_STR_INIT;

    if (is_utf8_file(x)) {
        gold_str_append_xml(s, text);
        return;
    }
    gold_str_append_xml(&safe, text);
    if (safe.failed)
        s->failed = true;
    for (const unsigned char *c = (const unsigned char *)gold_str_text(&safe); *c; c++) {
        unsigned extra = *c >= 0xF0 ? 3 : *c >= 0xE0 ? 2 : *c >= 0xC0 ? 1 : 0;
        uint32_t code = extra == 3 ? *c & 0x07u : extra == 2 ? *c & 0x0Fu : *c & 0x1Fu;
        if (extra == 0) {
            gold_str_append_char(s, (char)*c);
            continue;
        }
        /* append_xml has made it valid UTF-8. */
        for (unsigned i = 0; i < extra; i++)
            code = (code << 6) | (*++c & 0x3Fu);
        gold_str_printf(s, "&#x%X;", (unsigned)code);
    }
}

/* ---- attributes and text ---- */

static const struct gold_xml_attribute *
find_attribute(const struct gold_xml *x, const struct gold_xml_span *tag, const char *name)
{
    for (size_t i = 0; i < tag->n_attributes; i++) {
        const struct gold_xml_attribute *a = &x->attributes[tag->first_attribute + i];
        if (a->name_len == strlen(name) && memcmp(x->text + a->name, name, a->name_len) == 0)
            return a;
    }
    return NULL;
}

static char
quote_style(const struct gold_xml *x, const struct gold_xml_span *tag)
{
    size_t i = tag->n_attributes > 0 ? tag->first_attribute + tag->n_attributes - 1
                                     : tag->first_attribute;

    if (tag->n_attributes == 0 && i > 0)
        i--; /* the nearest one before */
    return i < x->n_attributes ? x->attributes[i].quote : '\'';
}

int
gold_xml_set_attribute(const struct gold_xml *x, const xmlNode *element, const char *name,
                       const char *value, struct gold_patch *p, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    const struct gold_xml_span *tag = tag_of(x, element, err);

    if (!tag)
        return -1;
    if (gold_streq(gold_xml_attr(element, name), value))
        return 0;
    const struct gold_xml_attribute *a = find_attribute(x, tag, name);
    if (a) {
        gold_xml_append_escaped(x, &s, value);
        if (gold_str_finish(&s, "an attribute", err) < 0)
            return -1;
        return gold_patch_add(p, a->value, a->value_len, gold_str_text(&s), s.len, err);
    }
    char quote = quote_style(x, tag);
    gold_str_printf(&s, " %s=%c", name, quote);
    gold_xml_append_escaped(x, &s, value);
    gold_str_append_char(&s, quote);
    if (gold_str_finish(&s, "an attribute", err) < 0)
        return -1;
    size_t at = tag->name + tag->name_len;
    if (tag->n_attributes > 0) {
        const struct gold_xml_attribute *last =
            &x->attributes[tag->first_attribute + tag->n_attributes - 1];
        at = last->value + last->value_len + 1;
    }
    return gold_patch_add(p, at, 0, gold_str_text(&s), s.len, err);
}

int
gold_xml_rename_attribute(const struct gold_xml *x, const xmlNode *element, const char *name,
                          const char *new_name, struct gold_patch *p, struct gold_error **err)
{
    const struct gold_xml_span *tag = tag_of(x, element, err);

    if (!tag)
        return -1;
    const struct gold_xml_attribute *a = find_attribute(x, tag, name);
    if (!a) {
        gold_error_set(err, GOLD_ERROR_USAGE, "element '%s' has no attribute '%s'",
                       (const char *)element->name, name);
        return -1;
    }
    return gold_patch_add(p, a->name, a->name_len, new_name, strlen(new_name), err);
}

int
gold_xml_drop_attributes(const struct gold_xml *x, const xmlNode *element, struct gold_patch *p,
                         struct gold_error **err)
{
    const struct gold_xml_span *tag = tag_of(x, element, err);

    if (!tag)
        return -1;
    if (tag->n_attributes == 0)
        return 0;
    const struct gold_xml_attribute *last =
        &x->attributes[tag->first_attribute + tag->n_attributes - 1];
    size_t from = tag->name + tag->name_len;
    return gold_patch_add(p, from, last->value + last->value_len + 1 - from, NULL, 0, err);
}

/* <a/> gets a content: the '/' and the blanks before it give way. */
static int
fill_empty_tag(const struct gold_xml *x, const struct gold_xml_span *tag, const char *content,
               struct gold_patch *p, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    size_t from = span_end(tag) - 2;

    while (from > 0 && (is_blank(x->text[from - 1]) || x->text[from - 1] == '\n' ||
                        x->text[from - 1] == '\r'))
        from--;
    gold_str_printf(&s, ">%s</%.*s>", content, (int)tag->name_len, x->text + tag->name);
    if (gold_str_finish(&s, "an element", err) < 0)
        return -1;
    return gold_patch_add(p, from, span_end(tag) - from, gold_str_text(&s), s.len, err);
}

/* The content between the tags: text and CDATA give way to the new text, comments stay. */
static int
replace_content(const struct gold_xml *x, const struct gold_xml_span *tag, const char *content,
                struct gold_patch *p, struct gold_error **err)
{
    const struct gold_xml_span *end = end_of(x, tag);
    bool written = false;

    for (const struct gold_xml_span *span = tag + 1; span < end; span++) {
        if (span->kind == GOLD_XML_COMMENT || span->kind == GOLD_XML_PI)
            continue;
        size_t new_len = written ? 0 : strlen(content);
        if (gold_patch_add(p, span->offset, span->len, content, new_len, err) < 0)
            return -1;
        written = true;
    }
    return written ? 0 : gold_patch_add(p, span_end(tag), 0, content, strlen(content), err);
}

int
gold_xml_set_text(const struct gold_xml *x, const xmlNode *element, const char *text,
                  struct gold_patch *p, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *old = NULL;
    const struct gold_xml_span *tag = tag_of(x, element, err);

    if (!tag || gold_xml_text(element, &old, err) < 0)
        return -1;
    if (gold_streq(old, text))
        return 0;
    gold_xml_append_escaped(x, &s, text);
    if (gold_str_finish(&s, "an element", err) < 0)
        return -1;
    if (tag->kind == GOLD_XML_EMPTY_TAG)
        return fill_empty_tag(x, tag, gold_str_text(&s), p, err);
    return replace_content(x, tag, gold_str_text(&s), p, err);
}

/* ---- whole elements ---- */

int
gold_xml_delete(const struct gold_xml *x, const xmlNode *element, struct gold_patch *p,
                struct gold_error **err)
{
    const struct gold_xml_span *tag = tag_of(x, element, err);

    if (!tag)
        return -1;
    size_t from = tag->offset, to = span_end(end_of(x, tag)), behind = behind_line(x, to);
    if (behind > 0 && first_on_line(x, from)) {
        from = line_start(x, from);
        to = behind;
    }
    return gold_patch_add(p, from, to - from, NULL, 0, err);
}

void
gold_xml_style_done(struct gold_xml_style *style)
{
    free(style->indent);
    free(style->unit);
    *style = (struct gold_xml_style){0};
}

static char *
indent_of(const struct gold_xml *x, const struct gold_xml_span *tag, struct gold_error **err)
{
    size_t start = line_start(x, tag->offset);
    return gold_strndup(x->text + start, tag->offset - start, err);
}

/* By how much the children of `node` stand further in than itself; NULL without an error:
 * cannot be seen there. */
static int
unit_at(const struct gold_xml *x, const xmlNode *node, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *outer = NULL;
    GOLD_CLEANUP_FREE char *inner = NULL;
    const struct gold_xml_span *tag = gold_xml_span_of(x, node);
    const xmlNode *child = gold_xml_child(node, NULL);
    const struct gold_xml_span *child_tag = child ? gold_xml_span_of(x, child) : NULL;

    if (!tag || !child_tag || !first_on_line(x, tag->offset) ||
        !first_on_line(x, child_tag->offset))
        return 0;
    outer = indent_of(x, tag, err);
    inner = outer ? indent_of(x, child_tag, err) : NULL;
    if (!inner)
        return -1;
    if (!gold_str_has_prefix(inner, outer) || strlen(inner) == strlen(outer))
        return 0;
    *ret = gold_strdup(inner + strlen(outer), err);
    return *ret ? 0 : -1;
}

int
gold_xml_child_style(const struct gold_xml *x, const xmlNode *parent,
                     struct gold_xml_style *ret, struct gold_error **err)
{
    GOLD_CLEANUP_XML_STYLE struct gold_xml_style style = {0};
    const struct gold_xml_span *tag = tag_of(x, parent, err);

    if (!tag)
        return -1;
    style.eol = eol_at(x, tag->offset);
    style.quote = quote_style(x, tag);
    for (const xmlNode *n = parent; n && n->type == XML_ELEMENT_NODE && !style.unit;
         n = n->parent) {
        if (unit_at(x, n, &style.unit, err) < 0)
            return -1;
    }
    if (!style.unit && !(style.unit = gold_strdup("  ", err)))
        return -1;
    const xmlNode *child = gold_xml_child(parent, NULL);
    const struct gold_xml_span *child_tag = child ? gold_xml_span_of(x, child) : NULL;
    if (child_tag && first_on_line(x, child_tag->offset)) {
        style.indent = indent_of(x, child_tag, err);
    } else if (!child_tag && first_on_line(x, tag->offset)) {
        GOLD_CLEANUP_FREE char *outer = indent_of(x, tag, err);
        style.indent = outer ? gold_format(err, "%s%s", outer, style.unit) : NULL;
    } else {
        *ret = style;
        style = (struct gold_xml_style){0};
        return 0;
    }
    if (!style.indent)
        return -1;
    *ret = style;
    style = (struct gold_xml_style){0};
    return 0;
}

/* Adds before + source + after at an offset. */
static int
splice(struct gold_patch *p, size_t at, const char *before1, const char *before2,
       const char *source, const char *after, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    gold_str_printf(&s, "%s%s%s%s", before1, before2, source, after);
    if (gold_str_finish(&s, "an element", err) < 0)
        return -1;
    return gold_patch_add(p, at, 0, gold_str_text(&s), s.len, err);
}

/* The last span on the line on which the element `tag` ends, over comments that explain it. */
static size_t
end_with_comments(const struct gold_xml *x, const struct gold_xml_span *tag)
{
    const struct gold_xml_span *span = end_of(x, tag), *last = x->spans + x->n_spans;
    size_t end = span_end(span);

    for (span++; span < last; span++) {
        if (span->kind == GOLD_XML_COMMENT && !memchr(x->text + span->offset, '\n', span->len))
            end = span_end(span);
        else if (span->kind != GOLD_XML_TEXT ||
                 strspn(x->text + span->offset, " \t") < span->len)
            break;
    }
    return end;
}

static int
insert_behind(const struct gold_xml *x, const struct gold_xml_span *tag, const char *source,
              struct gold_patch *p, struct gold_error **err)
{
    if (!first_on_line(x, tag->offset))
        return splice(p, span_end(end_of(x, tag)), "", "", source, "", err);
    GOLD_CLEANUP_FREE char *indent = indent_of(x, tag, err);
    if (!indent)
        return -1;
    size_t end = end_with_comments(x, tag), behind = behind_line(x, end);
    const char *eol = eol_at(x, tag->offset);
    if (behind > 0)
        return splice(p, behind, indent, "", source, eol, err);
    return splice(p, span_end(end_of(x, tag)), eol, indent, source, "", err);
}

static int
insert_before(const struct gold_xml *x, const struct gold_xml_span *tag, const char *source,
              struct gold_patch *p, struct gold_error **err)
{
    if (!first_on_line(x, tag->offset))
        return splice(p, tag->offset, "", "", source, "", err);
    GOLD_CLEANUP_FREE char *indent = indent_of(x, tag, err);
    if (!indent)
        return -1;
    return splice(p, line_start(x, tag->offset), indent, "", source, eol_at(x, tag->offset),
                  err);
}

static int
insert_last(const struct gold_xml *x, const xmlNode *parent, const struct gold_xml_span *tag,
            const char *source, struct gold_patch *p, struct gold_error **err)
{
    GOLD_CLEANUP_XML_STYLE struct gold_xml_style style = {0};
    GOLD_CLEANUP_FREE char *outer = NULL;
    GOLD_CLEANUP_FREE char *content = NULL;
    const struct gold_xml_span *end = end_of(x, tag);

    if (gold_xml_child_style(x, parent, &style, err) < 0)
        return -1;
    if (tag->kind == GOLD_XML_START_TAG && style.indent && end != tag + 1 &&
        first_on_line(x, end->offset))
        return splice(p, line_start(x, end->offset), style.indent, "", source, style.eol, err);
    if (!style.indent) {
        if (tag->kind == GOLD_XML_EMPTY_TAG)
            return fill_empty_tag(x, tag, source, p, err);
        return splice(p, end->offset, "", "", source, "", err);
    }
    outer = indent_of(x, tag, err);
    content = outer ? gold_format(err, "%s%s%s%s%s", style.eol, style.indent, source, style.eol,
                                  outer)
                    : NULL;
    if (!content)
        return -1;
    if (tag->kind == GOLD_XML_EMPTY_TAG)
        return fill_empty_tag(x, tag, content, p, err);
    return splice(p, end->offset, "", "", content, "", err);
}

int
gold_xml_insert(const struct gold_xml *x, const xmlNode *parent, const xmlNode *after,
                const xmlNode *before, const char *source, struct gold_patch *p,
                struct gold_error **err)
{
    const struct gold_xml_span *tag = tag_of(x, after ? after : before ? before : parent, err);

    if (!tag)
        return -1;
    if (after)
        return insert_behind(x, tag, source, p, err);
    if (before)
        return insert_before(x, tag, source, p, err);
    return insert_last(x, parent, tag, source, p, err);
}
