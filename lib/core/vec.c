/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Growth of arrays, and arrays of owned strings. What the elements own is the caller's
 * business.
 */
#include <stdint.h>
#include <string.h>

#include "core/checked.h"
#include "core/str.h"
#include "core/vec.h"

int
gold_vec_grow(void **items, size_t n, size_t *cap, size_t size, struct gold_error **err)
{
    size_t bytes, want;
    void *grown;

    if (n < *cap)
        return 0;
    want = *cap < 8 ? 8 : *cap;
    if (*cap >= 8 && __builtin_mul_overflow(*cap, (size_t)2, &want))
        return gold_error_set_nomem(err);
    if (__builtin_mul_overflow(want, size, &bytes))
        return gold_error_set_nomem(err);
    grown = realloc(*items, bytes);
    if (!grown)
        return gold_error_set_nomem(err);
    *items = grown;
    *cap = want;
    return 0;
}

void *
gold_array_add(void *items_pp, size_t *n, size_t size, struct gold_error **err)
{
    void *items;
    size_t bytes;

    /* The caller's pointer is of type T **, which must not be read as void **. */
    memcpy(&items, items_pp, sizeof(items));
    if ((*n & (*n - 1)) == 0) {
        size_t want = *n ? *n : 1;

        if ((*n && __builtin_mul_overflow(*n, (size_t)2, &want)) ||
            __builtin_mul_overflow(want, size, &bytes)) {
            (void)gold_error_set_nomem(err);
            return NULL;
        }
        items = realloc(items, bytes);
        if (!items) {
            (void)gold_error_set_nomem(err);
            return NULL;
        }
        memcpy(items_pp, &items, sizeof(items));
    }
    return memset((char *)items + (*n)++ * size, 0, size);
}

void
gold_strv_done(struct gold_strv *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->items[i]);
    gold_strv_clear(v);
}

int
gold_strv_add(struct gold_strv *v, const char *s, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *copy = gold_strdup(s, err);

    if (!copy || gold_strv_append(v, copy, err) < 0)
        return -1;
    (void)gold_steal_ptr(&copy);
    return 0;
}

bool
gold_strv_contains(const struct gold_strv *v, const char *s)
{
    for (size_t i = 0; i < v->n; i++) {
        if (gold_streq(v->items[i], s))
            return true;
    }
    return false;
}
