/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The patch set: keeping ranges sorted, applying them, turning them round. It knows bytes only;
 * what a range means is the business of the format that made it.
 */
#include "formats/patch.h"

#include <string.h>

#include "core/checked.h"
#include "core/vec.h"

void
gold_patch_done(struct gold_patch *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++)
        free(p->items[i].bytes);
    free(p->items);
    p->items = NULL;
    p->n = p->cap = 0;
}

/* Where a range belongs. At one offset insertions stand before the replacement, in the order in
 * which they came. */
static size_t
find_place(const struct gold_patch *p, size_t offset, bool insertion)
{
    size_t i = p->n;

    while (i > 0) {
        const struct gold_patch_range *before = &p->items[i - 1];
        if (before->offset < offset)
            break;
        if (before->offset == offset && before->old_len == 0)
            break;
        if (before->offset == offset && !insertion)
            break; /* an overlap; the caller says so */
        i--;
    }
    return i;
}

int
gold_patch_add(struct gold_patch *p, size_t offset, size_t old_len, const char *bytes,
               size_t new_len, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *copy = NULL;

    if (old_len == 0 && new_len == 0)
        return 0;
    size_t end;
    if (__builtin_add_overflow(offset, old_len, &end)) {
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "an edit of %zu bytes at offset %zu is out of range", old_len, offset);
        return -1;
    }
    size_t at = find_place(p, offset, old_len == 0);
    if ((at > 0 && at <= p->n && p->items[at - 1].offset + p->items[at - 1].old_len > offset) ||
        (at < p->n && end > p->items[at].offset)) {
        gold_error_set(err, GOLD_ERROR_USAGE, "two edits overlap at offset %zu", offset);
        return -1;
    }
    if (new_len > 0) {
        copy = malloc(new_len);
        if (!copy)
            return gold_error_set_nomem(err);
        memcpy(copy, bytes, new_len);
    }
    if (p->n == p->cap) {
        void *items = p->items;
        if (gold_vec_grow(&items, p->n, &p->cap, sizeof(p->items[0]), err) < 0)
            return -1;
        p->items = items;
    }
    memmove(&p->items[at + 1], &p->items[at], (p->n - at) * sizeof(p->items[0]));
    p->items[at] = (struct gold_patch_range){.offset = offset,
                                             .old_len = old_len,
                                             .bytes = gold_steal_ptr(&copy),
                                             .new_len = new_len};
    p->n++;
    return 0;
}

/* The length of the result; -1 when a range lies outside. */
static int
measure(const struct gold_patch *p, size_t old_len, size_t *ret, struct gold_error **err)
{
    size_t len = old_len;

    for (size_t i = 0; i < p->n; i++) {
        const struct gold_patch_range *r = &p->items[i];
        if (!gold_range_inside(r->offset, r->old_len, old_len)) {
            gold_error_set(err, GOLD_ERROR_FORMAT,
                           "an edit at offset %zu lies outside the %zu bytes", r->offset,
                           old_len);
            return -1;
        }
        len -= r->old_len;
        if (__builtin_add_overflow(len, r->new_len, &len) || len == SIZE_MAX)
            return gold_error_set_nomem(err);
    }
    *ret = len;
    return 0;
}

int
gold_patch_apply(const struct gold_patch *p, const char *old, size_t old_len, char **ret,
                 size_t *ret_len, struct gold_error **err)
{
    size_t len, from = 0, to = 0;

    if (measure(p, old_len, &len, err) < 0)
        return -1;
    char *out = malloc(len + 1);
    if (!out)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < p->n; i++) {
        const struct gold_patch_range *r = &p->items[i];
        if (r->offset > from)
            memcpy(out + to, old + from, r->offset - from);
        to += r->offset - from;
        if (r->new_len > 0)
            memcpy(out + to, r->bytes, r->new_len);
        to += r->new_len;
        from = r->offset + r->old_len;
    }
    if (old_len > from)
        memcpy(out + to, old + from, old_len - from);
    out[len] = '\0';
    *ret = out;
    *ret_len = len;
    return 0;
}

int
gold_patch_inverse(const struct gold_patch *p, const char *old, size_t old_len,
                   struct gold_patch *ret, struct gold_error **err)
{
    GOLD_CLEANUP_PATCH struct gold_patch inverse = {0};
    size_t len, shrunk = 0, grown = 0;

    if (measure(p, old_len, &len, err) < 0)
        return -1;
    for (size_t i = 0; i < p->n; i++) {
        const struct gold_patch_range *r = &p->items[i];
        if (gold_patch_add(&inverse, r->offset - shrunk + grown, r->new_len, old + r->offset,
                           r->old_len, err) < 0)
            return -1;
        shrunk += r->old_len;
        grown += r->new_len;
    }
    *ret = inverse;
    inverse = (struct gold_patch){0};
    return 0;
}
