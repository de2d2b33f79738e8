/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libyaml's events into a bounded tree. The document API of libyaml is not used: it follows
 * aliases silently, and we want to see them. Knows nothing of what the keys mean.
 */
#include "template/yaml.h"

#include <limits.h>
#include <string.h>
#include <yaml.h>

#include "core/str.h"
#include "core/vec.h"

struct reader {
    const char *name, *text;
    size_t len;
    yaml_parser_t *parser;
    size_t nodes;
};

#define CLEANUP_EVENT GOLD_CLEANUP(yaml_event_delete)

int
gold_yaml_fail(const char *name, unsigned line, unsigned column, struct gold_error **err,
               const char *fmt, ...)
{
    GOLD_CLEANUP_STR struct gold_str raw = GOLD_STR_INIT;
    GOLD_CLEANUP_STR struct gold_str safe = GOLD_STR_INIT;
    va_list args;

    va_start(args, fmt);
    gold_str_vprintf(&raw, fmt, args);
    va_end(args);
    gold_str_append_terminal(&safe, gold_str_text(&raw));
    if (raw.failed || safe.failed)
        return gold_error_set_nomem(err);
    gold_error_set(err, GOLD_ERROR_FORMAT, "%s:%u:%u: %s", name, line, column,
                   gold_str_text(&safe));
    return -1;
}

static unsigned
from_one(size_t zero_based)
{
    return zero_based >= UINT_MAX ? UINT_MAX : (unsigned)zero_based + 1;
}

static int
fail_at(const struct reader *r, yaml_mark_t mark, struct gold_error **err, const char *what)
{
    return gold_yaml_fail(r->name, from_one(mark.line), from_one(mark.column), err, "%s", what);
}

/* libyaml reports bytes that it cannot read by offset only. */
static int
fail_at_offset(const struct reader *r, size_t offset, struct gold_error **err, const char *what)
{
    unsigned line = 1, column = 1;
    for (size_t i = 0; i < offset && i < r->len; i++) {
        if (r->text[i] == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)r->text[i] & 0xc0) != 0x80) {
            column++;
        }
    }
    return gold_yaml_fail(r->name, line, column, err, "%s", what);
}

static int
fail_parser(const struct reader *r, struct gold_error **err)
{
    const yaml_parser_t *p = r->parser;
    switch (p->error) {
    case YAML_MEMORY_ERROR:
        return gold_error_set_nomem(err);
    case YAML_READER_ERROR:
        return fail_at_offset(r, p->problem_offset, err,
                              p->problem ? p->problem : "unreadable character");
    default:
        if (p->context)
            return gold_yaml_fail(r->name, from_one(p->problem_mark.line),
                                  from_one(p->problem_mark.column), err, "%s (%s)",
                                  p->problem ? p->problem : "not YAML", p->context);
        return fail_at(r, p->problem_mark, err, p->problem ? p->problem : "not YAML");
    }
}

static int
next_event(const struct reader *r, yaml_event_t *ret, struct gold_error **err)
{
    if (!yaml_parser_parse(r->parser, ret))
        return fail_parser(r, err);
    return 0;
}

void
gold_yaml_free(struct gold_yaml_node *node)
{
    if (!node)
        return;
    /* The depth is bounded by the parser. */
    for (size_t i = 0; i < node->n; i++)
        gold_yaml_free(node->items[i]);
    free(node->items);
    free(node->text);
    free(node);
}

static struct gold_yaml_node *
new_node(struct reader *r, enum gold_yaml_kind kind, const yaml_event_t *event,
         struct gold_error **err)
{
    if (++r->nodes > GOLD_YAML_MAX_NODES) {
        (void)gold_yaml_fail(r->name, from_one(event->start_mark.line),
                             from_one(event->start_mark.column), err,
                             "more than %d values in one file", GOLD_YAML_MAX_NODES);
        return NULL;
    }
    struct gold_yaml_node *node = calloc(1, sizeof(*node));
    if (!node) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    node->kind = kind;
    node->line = from_one(event->start_mark.line);
    node->column = from_one(event->start_mark.column);
    return node;
}

static int
add_item(struct gold_yaml_node *parent, struct gold_yaml_node *item, struct gold_error **err)
{
    void *items = parent->items;
    if (parent->n == parent->cap && gold_vec_grow(&items, parent->n, &parent->cap,
                                                  sizeof(struct gold_yaml_node *), err) < 0)
        return -1;
    parent->items = items;
    parent->items[parent->n++] = item;
    return 0;
}

static struct gold_yaml_node *
read_text(struct reader *r, const yaml_event_t *event, struct gold_error **err)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length)) {
        (void)fail_at(r, event->start_mark, err, "a text must not hold a NUL character");
        return NULL;
    }
    GOLD_CLEANUP_YAML struct gold_yaml_node *node = new_node(r, GOLD_YAML_TEXT, event, err);
    if (!node)
        return NULL;
    node->text = gold_strndup(value, length, err);
    if (!node->text)
        return NULL;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return gold_steal_ptr(&node);
}

/* Anchors are refused even where nothing refers to them: the next editor of the file would
 * expect them to work. */
static int
refuse_features(const struct reader *r, const yaml_event_t *event, struct gold_error **err)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        return fail_at(r, event->start_mark, err,
                       "aliases ('*name') are not supported: write the value again");
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
        break;
    default:
        break;
    }
    if (anchor)
        return fail_at(r, event->start_mark, err, "anchors ('&name') are not supported");
    if (tag)
        return fail_at(r, event->start_mark, err,
                       "tags ('!name') are not supported: every value is text");
    return 0;
}

static int
check_key(const struct reader *r, const struct gold_yaml_node *map,
          const struct gold_yaml_node *key, struct gold_error **err)
{
    if (key->kind != GOLD_YAML_TEXT)
        return gold_yaml_fail(r->name, key->line, key->column, err,
                              "a key must be a single word");
    if (key->plain && strcmp(key->text, "<<") == 0)
        return gold_yaml_fail(r->name, key->line, key->column, err,
                              "merge keys ('<<') are not supported");
    for (size_t i = 0; i < map->n; i += 2)
        if (strcmp(map->items[i]->text, key->text) == 0)
            return gold_yaml_fail(r->name, key->line, key->column, err,
                                  "key '%.60s' stands here twice, first in line %u", key->text,
                                  map->items[i]->line);
    if (map->n / 2 >= GOLD_YAML_MAX_KEYS)
        return gold_yaml_fail(r->name, key->line, key->column, err,
                              "more than %d keys in one mapping", GOLD_YAML_MAX_KEYS);
    return 0;
}

static struct gold_yaml_node *read_node(struct reader *r, const yaml_event_t *event,
                                        unsigned depth, struct gold_error **err);

/* Reads the children up to the end of the list or mapping. */
static int
read_children(struct reader *r, struct gold_yaml_node *node, unsigned depth,
              struct gold_error **err)
{
    for (;;) {
        CLEANUP_EVENT yaml_event_t event = {.type = YAML_NO_EVENT};
        if (next_event(r, &event, err) < 0)
            return -1;
        if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT)
            return 0;
        GOLD_CLEANUP_YAML struct gold_yaml_node *child = read_node(r, &event, depth + 1, err);
        if (!child)
            return -1;
        if (node->kind == GOLD_YAML_MAP && node->n % 2 == 0 &&
            check_key(r, node, child, err) < 0)
            return -1;
        if (add_item(node, child, err) < 0)
            return -1;
        child = NULL;
    }
}

static struct gold_yaml_node *
read_node(struct reader *r, const yaml_event_t *event, unsigned depth, struct gold_error **err)
{
    if (refuse_features(r, event, err) < 0)
        return NULL;
    if (event->type == YAML_SCALAR_EVENT)
        return read_text(r, event, err);
    if (depth >= GOLD_YAML_MAX_DEPTH) {
        (void)gold_yaml_fail(r->name, from_one(event->start_mark.line),
                             from_one(event->start_mark.column), err,
                             "nested more than %d levels deep", GOLD_YAML_MAX_DEPTH);
        return NULL;
    }
    GOLD_CLEANUP_YAML struct gold_yaml_node *node =
        new_node(r, event->type == YAML_MAPPING_START_EVENT ? GOLD_YAML_MAP : GOLD_YAML_LIST,
                 event, err);
    if (!node || read_children(r, node, depth, err) < 0)
        return NULL;
    return gold_steal_ptr(&node);
}

static struct gold_yaml_node *
read_stream(struct reader *r, struct gold_error **err)
{
    GOLD_CLEANUP_YAML struct gold_yaml_node *root = NULL;
    for (;;) {
        CLEANUP_EVENT yaml_event_t event = {.type = YAML_NO_EVENT};
        if (next_event(r, &event, err) < 0)
            return NULL;
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (root) {
                (void)fail_at(r, event.start_mark, err,
                              "a second document starts here: one file describes one template");
                return NULL;
            }
            break;
        case YAML_STREAM_END_EVENT:
            if (!root)
                (void)gold_yaml_fail(r->name, 1, 1, err, "the file is empty");
            return gold_steal_ptr(&root);
        default:
            root = read_node(r, &event, 0, err);
            if (!root)
                return NULL;
            break;
        }
    }
}

struct gold_yaml_node *
gold_yaml_parse(const char *name, const char *text, size_t len, struct gold_error **err)
{
    /* The mark of byte order would count as a column of the first line. */
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    struct reader r = {.name = name, .text = text, .len = len};
    GOLD_CLEANUP(yaml_parser_delete) yaml_parser_t parser = {0};
    if (!yaml_parser_initialize(&parser)) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    r.parser = &parser;
    /* Else the first bytes of a damaged file could choose UTF-16. */
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    return read_stream(&r, err);
}
