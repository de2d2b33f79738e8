/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A narrow YAML: one document of mappings, lists and texts, each with its place in the file.
 * Every scalar is the text that stands there ("0930" stays "0930", "yes" stays "yes"). What
 * would make a short file large or its meaning depend on something elsewhere is refused:
 * anchors, aliases, merge keys, tags, a second document.
 */
#ifndef GOLD_TEMPLATE_YAML_H
#define GOLD_TEMPLATE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "core/cleanup.h"
#include "core/error.h"

#define GOLD_YAML_MAX_DEPTH 16    /* nesting; the deepest honest file needs 6 */
#define GOLD_YAML_MAX_NODES 65536 /* in one file */
#define GOLD_YAML_MAX_KEYS  256   /* in one mapping */

enum gold_yaml_kind { GOLD_YAML_TEXT, GOLD_YAML_LIST, GOLD_YAML_MAP };

struct gold_yaml_node {
    enum gold_yaml_kind kind;
    unsigned line, column;         /* from 1; columns are characters */
    char *text;                    /* TEXT: never NULL */
    bool plain;                    /* TEXT: written without quotes and not as a block */
    struct gold_yaml_node **items; /* LIST: elements; MAP: key, value, key, value, ... */
    size_t n;                      /* of items */
    size_t cap;
};

/* The root of the only document, or NULL with FORMAT "NAME:LINE:COLUMN: ...". An empty file is
 * an error. */
struct gold_yaml_node *gold_yaml_parse(const char *name, const char *text, size_t len,
                                       struct gold_error **err);
void gold_yaml_free(struct gold_yaml_node *node);
GOLD_DEFINE_CLEANUP(struct gold_yaml_node *, gold_yaml_free);
#define GOLD_CLEANUP_YAML GOLD_CLEANUP(gold_yaml_free_p)

/* Sets FORMAT "NAME:LINE:COLUMN: message"; what the file says is escaped. Returns -1. */
int gold_yaml_fail(const char *name, unsigned line, unsigned column, struct gold_error **err,
                   const char *fmt, ...) GOLD_PRINTF(5, 6);

#endif
