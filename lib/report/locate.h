/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in the text a JSON value stands: jansson forgets places once it has parsed. */
#ifndef GOLD_REPORT_LOCATE_H
#define GOLD_REPORT_LOCATE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "core/str.h"

/* The way from the root to a value, innermost step first. The root itself is NULL. */
struct gold_json_path {
    const struct gold_json_path *parent;
    const json_t *container; /* the object or array that this step goes into */
    const char *key;         /* of an object; NULL for an array */
    size_t index;            /* of an array */
};

/* "sources[0].findings[2].id". */
void gold_json_path_append(struct gold_str *s, const struct gold_json_path *path);
/* Line and column (from 1, in characters) of the value in the text from which jansson made the
   containers. False when the value is not there. */
bool gold_json_locate(const char *text, size_t len, const struct gold_json_path *path,
                      unsigned *ret_line, unsigned *ret_column);
/* How many values the text can hold at most: counts what separates them, outside strings. */
size_t gold_json_count(const char *text, size_t len);

#endif
