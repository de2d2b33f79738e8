/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables that say which keys a mapping takes and where in a struct each value goes. Everything
 * that does not fit is an error at the line and column of the key or value that is wrong.
 */
#ifndef GOLD_TEMPLATE_BINDER_H
#define GOLD_TEMPLATE_BINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "template/yaml.h"

#define GOLD_BIND_MAX_ENTRIES 256 /* of one list of mappings */

enum gold_bind_type {
    GOLD_BIND_TEXT,  /* char *: any text that is not empty */
    GOLD_BIND_COUNT, /* unsigned: a whole number from `least` to `most` */
    GOLD_BIND_WORD,  /* one of `words`; its index is stored in `size` bytes (a bool or an enum)
                      */
    GOLD_BIND_NAMES, /* char *: a list of names, joined with commas */
    GOLD_BIND_MAP,   /* a mapping by `table`, whose offsets count from the same struct */
    GOLD_BIND_LIST, /* {pointer, count}: a list of mappings by `table`, elements of `size` bytes
                     */
    GOLD_BIND_LATER /* known, but this version does not have the feature */
};

struct gold_bind_table;

struct gold_bind_key {
    const char *name;
    enum gold_bind_type type;
    bool required;
    bool single_line; /* TEXT: no line breaks */
    size_t offset;
    size_t count_offset; /* LIST: of the size_t beside the pointer */
    size_t size;
    size_t has_offset; /* of a bool that is set when the key is there; 0: none */
    unsigned least, most;
    const char *unique; /* LIST: the key whose value no two entries may share; NULL: none */
    const char *const *words; /* NULL-terminated */
    const struct gold_bind_table *table;
    /* TEXT, and each of NAMES: a further test of the text; its message is put behind the place.
     * May be NULL. */
    int (*check)(const char *text, struct gold_error **err);
};

struct gold_bind_table {
    const char *what; /* for messages: "the file", "'seal'", "an entry of 'iotune'" */
    const struct gold_bind_key *keys;
    size_t n_keys;
    size_t line_offset; /* of an unsigned that gets the line of the mapping; 0: none */
    /* Other keys become struct gold_template_pair in {pointer, count}. Both offsets 0: other
     * keys are errors. */
    size_t rest_offset, rest_count_offset;
    const char *const *rest_names; /* which other keys, NULL-terminated; NULL: any name */
    const char *rest_missing; /* the message when there is no other key; NULL: none is needed */
    int (*rest_check)(const char *key, const char *value, struct gold_error **err);
};

/* base: the struct, zeroed or holding defaults. What was stored before a failure stays there,
 * owned by base. */
GOLD_MUST_CHECK int gold_bind(const char *name, const struct gold_bind_table *table,
                              const struct gold_yaml_node *node, void *base,
                              struct gold_error **err);

/* For `check`: a-z, 0-9 and single hyphens inside, as all names of goldsmith are. */
GOLD_MUST_CHECK int gold_bind_check_name(const char *text, struct gold_error **err);

#endif
