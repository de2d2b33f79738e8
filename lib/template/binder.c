/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the YAML tree into structs, by tables. Knows no key by name: those are in template.c. */
#include "template/binder.h"

#include <string.h>

#include "core/number.h"
#include "core/str.h"
#include "core/vec.h"
#include "template/nearest.h"
#include "template/template.h"

#define MAX_NAMES 64 /* known names that a misspelt one is compared with */

struct binder {
    const char *name; /* of the file */
};

static void *
at(void *base, size_t offset)
{
    return (char *)base + offset;
}

/* -1 with a FORMAT error at the place of `node`. */
#define FAIL(b, node, err, ...) \
    gold_yaml_fail((b)->name, (node)->line, (node)->column, err, __VA_ARGS__)

/* Puts the place before the message of a check and makes it a FORMAT error, whatever the check
 * called it. */
static int
fail_check(const struct binder *b, const struct gold_yaml_node *node, struct gold_error **err,
           const char *key, struct gold_error *cause)
{
    GOLD_CLEANUP_ERROR struct gold_error *inner = cause;
    if (gold_error_code(inner) == GOLD_ERROR_NOMEM) {
        gold_error_move(err, &inner);
        return -1;
    }
    return FAIL(b, node, err, "'%s': %s", key, gold_error_message(inner));
}

int
gold_bind_check_name(const char *text, struct gold_error **err)
{
    bool good = *text && *text != '-';
    for (const char *p = text; good && *p; p++) {
        bool word = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9');
        good = word || (*p == '-' && p[1] && p[1] != '-');
    }
    if (!good)
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "'%.60s' is not a name (a-z, 0-9 and hyphens inside)", text);
    return good ? 0 : -1;
}

static const char *
kind_name(const struct gold_yaml_node *node)
{
    switch (node->kind) {
    case GOLD_YAML_MAP:
        return "a mapping";
    case GOLD_YAML_LIST:
        return "a list";
    default:
        return *node->text ? "a text" : "nothing";
    }
}

/* An empty value has no place of its own, so its key is blamed. */
static const struct gold_yaml_node *
blame(const struct gold_yaml_node *key, const struct gold_yaml_node *value)
{
    return value->kind == GOLD_YAML_TEXT && value->plain && !*value->text ? key : value;
}

static int
expect_kind(const struct binder *b, const struct gold_yaml_node *key,
            const struct gold_yaml_node *value, enum gold_yaml_kind kind,
            struct gold_error **err)
{
    static const char *const wanted[] = {"a text", "a list", "a mapping"};
    const struct gold_yaml_node *place = blame(key, value);
    if (value->kind != kind)
        return FAIL(b, place, err, "'%.60s' must be %s, not %s", key->text, wanted[kind],
                    kind_name(value));
    if (kind == GOLD_YAML_TEXT && !*value->text)
        return FAIL(b, place, err, "'%.60s' has no value", key->text);
    return 0;
}

static int
check_text(const struct binder *b, const struct gold_bind_key *k,
           const struct gold_yaml_node *value, struct gold_error **err)
{
    struct gold_error *cause = NULL;
    if (k->single_line && strpbrk(value->text, "\r\n"))
        return FAIL(b, value, err, "'%s' must be one line", k->name);
    if (k->check && k->check(value->text, &cause) < 0)
        return fail_check(b, value, err, k->name, cause);
    return 0;
}

static int
bind_text(const struct binder *b, const struct gold_bind_key *k,
          const struct gold_yaml_node *value, void *base, struct gold_error **err)
{
    if (check_text(b, k, value, err) < 0)
        return -1;
    return gold_str_replace(at(base, k->offset), value->text, err);
}

static int
bind_count(const struct binder *b, const struct gold_bind_key *k,
           const struct gold_yaml_node *value, void *base, struct gold_error **err)
{
    uint64_t number = 0;
    if (gold_parse_u64(value->text, &number, NULL) < 0)
        return FAIL(b, value, err, "'%s' must be a whole number, not '%.60s'", k->name,
                    value->text);
    if (number < k->least || number > k->most) {
        if (k->least == k->most)
            return FAIL(b, value, err, "'%s' must be %u, not %.60s", k->name, k->least,
                        value->text);
        return FAIL(b, value, err, "'%s' must be from %u to %u, not %.60s", k->name, k->least,
                    k->most, value->text);
    }
    *(unsigned *)at(base, k->offset) = (unsigned)number;
    return 0;
}

static int
fail_unknown(const struct binder *b, const struct gold_yaml_node *place,
             struct gold_error **err, const char *what, const char *context,
             const char *const *names, size_t n)
{
    const char *near = gold_nearest(place->text, names, n);
    if (near)
        return FAIL(b, place, err, "unknown %s '%.60s', did you mean '%s'?", what, place->text,
                    near);
    GOLD_CLEANUP_STR struct gold_str list = GOLD_STR_INIT;
    for (size_t i = 0; i < n; i++)
        gold_str_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (list.failed)
        return gold_error_set_nomem(err);
    return FAIL(b, place, err, "unknown %s '%.60s' in %s (known: %s)", what, place->text,
                context, gold_str_text(&list));
}

static int
bind_word(const struct binder *b, const struct gold_bind_key *k,
          const struct gold_yaml_node *value, void *base, struct gold_error **err)
{
    unsigned i = 0;
    while (k->words[i] && strcmp(k->words[i], value->text) != 0)
        i++;
    if (!k->words[i]) {
        GOLD_CLEANUP_FREE char *context = gold_format(err, "'%s'", k->name);
        if (!context)
            return -1;
        return fail_unknown(b, value, err, "value", context, k->words, i);
    }
    if (k->size == sizeof(bool))
        *(bool *)at(base, k->offset) = i != 0;
    else
        *(unsigned *)at(base, k->offset) = i;
    return 0;
}

static int
bind_names(const struct binder *b, const struct gold_bind_key *k,
           const struct gold_yaml_node *value, void *base, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str joined = GOLD_STR_INIT;
    if (value->n == 0)
        return FAIL(b, value, err, "'%s' is an empty list: leave the key out for the default",
                    k->name);
    for (size_t i = 0; i < value->n; i++) {
        const struct gold_yaml_node *item = value->items[i];
        if (item->kind != GOLD_YAML_TEXT)
            return FAIL(b, item, err, "'%s' is a list of names, this is %s", k->name,
                        kind_name(item));
        if (check_text(b, k, item, err) < 0)
            return -1;
        gold_str_printf(&joined, "%s%s", i ? "," : "", item->text);
    }
    if (gold_str_finish(&joined, k->name, err) < 0)
        return -1;
    return gold_str_replace(at(base, k->offset), gold_str_text(&joined), err);
}

static int bind_map(const struct binder *b, const struct gold_bind_table *table,
                    const struct gold_yaml_node *node, void *base, struct gold_error **err);

static const struct gold_yaml_node *
value_of(const struct gold_yaml_node *map, const char *name)
{
    for (size_t i = 0; i < map->n; i += 2)
        if (strcmp(map->items[i]->text, name) == 0)
            return map->items[i + 1];
    return NULL;
}

/* Has an element before the i-th the same value of the key that must be unique? */
static int
check_unique(const struct binder *b, const struct gold_bind_key *k,
             const struct gold_yaml_node *list, size_t i, struct gold_error **err)
{
    const struct gold_yaml_node *mine = value_of(list->items[i], k->unique);
    for (size_t j = 0; mine && j < i; j++) {
        const struct gold_yaml_node *other = value_of(list->items[j], k->unique);
        if (other && strcmp(mine->text, other->text) == 0)
            return FAIL(b, mine, err, "%s '%.60s' stands in '%s' twice, first in line %u",
                        k->unique, mine->text, k->name, other->line);
    }
    return 0;
}

static int
bind_list(const struct binder *b, const struct gold_bind_key *k,
          const struct gold_yaml_node *value, void *base, struct gold_error **err)
{
    if (value->n == 0)
        return FAIL(b, value, err, "'%s' is an empty list: leave the key out", k->name);
    if (value->n > GOLD_BIND_MAX_ENTRIES)
        return FAIL(b, value, err, "'%s' has more than %d entries", k->name,
                    GOLD_BIND_MAX_ENTRIES);
    for (size_t i = 0; i < value->n; i++) {
        const struct gold_yaml_node *item = value->items[i];
        if (item->kind != GOLD_YAML_MAP)
            return FAIL(b, item, err, "%s must be a mapping, not %s", k->table->what,
                        kind_name(item));
        void *element =
            gold_array_add(at(base, k->offset), at(base, k->count_offset), k->size, err);
        if (!element || bind_map(b, k->table, item, element, err) < 0)
            return -1;
        if (k->unique && check_unique(b, k, value, i, err) < 0)
            return -1;
    }
    return 0;
}

static int
bind_key(const struct binder *b, const struct gold_bind_key *k,
         const struct gold_yaml_node *key, const struct gold_yaml_node *value, void *base,
         struct gold_error **err)
{
    static const enum gold_yaml_kind kinds[] = {
        [GOLD_BIND_TEXT] = GOLD_YAML_TEXT, [GOLD_BIND_COUNT] = GOLD_YAML_TEXT,
        [GOLD_BIND_WORD] = GOLD_YAML_TEXT, [GOLD_BIND_NAMES] = GOLD_YAML_LIST,
        [GOLD_BIND_MAP] = GOLD_YAML_MAP,   [GOLD_BIND_LIST] = GOLD_YAML_LIST,
    };
    if (k->type == GOLD_BIND_LATER)
        return FAIL(b, key, err, "'%s' is not supported by this version of goldsmith", k->name);
    if (expect_kind(b, key, value, kinds[k->type], err) < 0)
        return -1;
    if (k->has_offset)
        *(bool *)at(base, k->has_offset) = true;
    switch (k->type) {
    case GOLD_BIND_TEXT:
        return bind_text(b, k, value, base, err);
    case GOLD_BIND_COUNT:
        return bind_count(b, k, value, base, err);
    case GOLD_BIND_WORD:
        return bind_word(b, k, value, base, err);
    case GOLD_BIND_NAMES:
        return bind_names(b, k, value, base, err);
    case GOLD_BIND_MAP:
        return bind_map(b, k->table, value, base, err);
    default:
        return bind_list(b, k, value, base, err);
    }
}

static bool
known(const char *const *names, const char *text)
{
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return true;
    return false;
}

/* Everything that may stand in this mapping, for suggestions. */
static int
fail_unknown_key(const struct binder *b, const struct gold_bind_table *table,
                 const struct gold_yaml_node *key, struct gold_error **err)
{
    const char *names[MAX_NAMES];
    size_t n = 0;
    for (size_t i = 0; i < table->n_keys && n < MAX_NAMES; i++)
        names[n++] = table->keys[i].name;
    for (size_t i = 0; table->rest_names && table->rest_names[i] && n < MAX_NAMES; i++)
        names[n++] = table->rest_names[i];
    return fail_unknown(b, key, err, "key", table->what, names, n);
}

static int
bind_rest(const struct binder *b, const struct gold_bind_table *table,
          const struct gold_yaml_node *key, const struct gold_yaml_node *value, void *base,
          struct gold_error **err)
{
    struct gold_error *cause = NULL;
    if (table->rest_names && !known(table->rest_names, key->text))
        return fail_unknown_key(b, table, key, err);
    if (gold_bind_check_name(key->text, NULL) < 0)
        return FAIL(b, key, err, "'%.60s' is not a key (a-z, 0-9 and hyphens inside)",
                    key->text);
    if (value->kind != GOLD_YAML_TEXT)
        return FAIL(b, value, err,
                    "'%s' is %s, which this version of goldsmith does not support here",
                    key->text, kind_name(value));
    if (expect_kind(b, key, value, GOLD_YAML_TEXT, err) < 0)
        return -1;
    if (table->rest_check && table->rest_check(key->text, value->text, &cause) < 0)
        return fail_check(b, value, err, key->text, cause);
    struct gold_template_pair *pair = gold_array_add(
        at(base, table->rest_offset), at(base, table->rest_count_offset), sizeof(*pair), err);
    if (!pair)
        return -1;
    pair->line = key->line;
    pair->column = key->column;
    if (gold_str_replace(&pair->key, key->text, err) < 0)
        return -1;
    return gold_str_replace(&pair->value, value->text, err);
}

static const struct gold_bind_key *
find_key(const struct gold_bind_table *table, const char *text)
{
    for (size_t i = 0; i < table->n_keys; i++)
        if (strcmp(table->keys[i].name, text) == 0)
            return &table->keys[i];
    return NULL;
}

static int
bind_map(const struct binder *b, const struct gold_bind_table *table,
         const struct gold_yaml_node *node, void *base, struct gold_error **err)
{
    size_t rest = 0;
    if (table->line_offset)
        *(unsigned *)at(base, table->line_offset) = node->line;
    for (size_t i = 0; i < node->n; i += 2) {
        const struct gold_yaml_node *key = node->items[i], *value = node->items[i + 1];
        const struct gold_bind_key *k = find_key(table, key->text);
        if (k) {
            if (bind_key(b, k, key, value, base, err) < 0)
                return -1;
        } else if (table->rest_offset || table->rest_count_offset) {
            rest++;
            if (bind_rest(b, table, key, value, base, err) < 0)
                return -1;
        } else {
            return fail_unknown_key(b, table, key, err);
        }
    }
    for (size_t i = 0; i < table->n_keys; i++)
        if (table->keys[i].required && !value_of(node, table->keys[i].name))
            return FAIL(b, node, err, "%s needs the key '%s'", table->what,
                        table->keys[i].name);
    if (rest == 0 && table->rest_missing)
        return FAIL(b, node, err, "%s", table->rest_missing);
    return 0;
}

int
gold_bind(const char *name, const struct gold_bind_table *table,
          const struct gold_yaml_node *node, void *base, struct gold_error **err)
{
    struct binder b = {.name = name};
    if (node->kind != GOLD_YAML_MAP)
        return gold_yaml_fail(name, node->line, node->column, err,
                              "%s must be a mapping, not %s", table->what, kind_name(node));
    return bind_map(&b, table, node, base, err);
}
