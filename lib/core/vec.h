/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growable arrays. GOLD_VEC(name, type) defines `struct name { type *items; size_t n, cap; }` with
 *   int  name_append(struct name *, type, struct gold_error **)   takes ownership on success only
 *   void name_clear(struct name *)                                releases the array, not the elements
 *
 *   GOLD_VEC(gold_sizes, size_t);
 *   struct gold_sizes v = { 0 };
 *   if (gold_sizes_append(&v, 7, err) < 0) ...
 */
#ifndef GOLD_CORE_VEC_H
#define GOLD_CORE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/error.h"

/* Makes room for one more element of `size` bytes. 0 or -1. */
int gold_vec_grow(void **items, size_t n, size_t *cap, size_t size, struct gold_error **err);

#define GOLD_VEC(name, type)                                                                                 \
    struct name {                                                                                            \
        type *items;                                                                                         \
        size_t n, cap;                                                                                       \
    };                                                                                                       \
    static inline GOLD_MUST_CHECK __attribute__((unused)) int name##_append(struct name *v, type item,       \
                                                                            struct gold_error **err)         \
    {                                                                                                        \
        void *items = v->items;                                                                              \
        if (v->n == v->cap && gold_vec_grow(&items, v->n, &v->cap, sizeof(type), err) < 0)                   \
            return -1;                                                                                       \
        v->items = items;                                                                                    \
        v->items[v->n++] = item;                                                                             \
        return 0;                                                                                            \
    }                                                                                                        \
    static inline __attribute__((unused)) void name##_clear(struct name *v)                                  \
    {                                                                                                        \
        free(v->items);                                                                                      \
        v->items = NULL;                                                                                     \
        v->n = v->cap = 0;                                                                                   \
    }                                                                                                        \
    struct gold_swallow_semicolon

/* Appends a zeroed element to a plain {items, n} pair as used in result.h; returns it or NULL. The
   array grows by one element each time a power of two is reached. */
void *gold_array_add(void *items_pp, size_t *n, size_t size, struct gold_error **err);

/* Owned strings. */
GOLD_VEC(gold_strv, char *);
void gold_strv_done(struct gold_strv *v); /* frees the strings and the array */
/* Copies s. */
GOLD_MUST_CHECK int gold_strv_add(struct gold_strv *v, const char *s, struct gold_error **err);
bool gold_strv_contains(const struct gold_strv *v, const char *s);
#define GOLD_CLEANUP_STRV GOLD_CLEANUP(gold_strv_done)

#endif
