/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorted once and then searched, because a result file may hold very many operations and
 * effects. */
#include "report/group.h"

#include <string.h>

static int
by_operation(const void *a, const void *b, void *opaque)
{
    const struct gold_effect *effects = opaque;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int order = strcmp(effects[i].operation, effects[j].operation);
    return order ? order : (i > j) - (i < j);
}

int
gold_effect_groups_make(const struct gold_source_result *src, struct gold_effect_groups *ret,
                        struct gold_error **err)
{
    if (src->n_effects == 0)
        return 0;
    ret->order = calloc(src->n_effects, sizeof(*ret->order));
    ret->items = calloc(src->n_effects, sizeof(*ret->items));
    if (!ret->order || !ret->items)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < src->n_effects; i++)
        ret->order[i] = i;
    qsort_r(ret->order, src->n_effects, sizeof(*ret->order), by_operation, src->effects);
    for (size_t i = 0; i < src->n_effects; i++) {
        const char *operation = src->effects[ret->order[i]].operation;
        if (i == 0 || strcmp(ret->items[ret->n - 1].operation, operation) != 0)
            ret->items[ret->n++] =
                (struct gold_effect_group){.operation = operation, .indexes = &ret->order[i]};
        ret->items[ret->n - 1].n++;
    }
    return 0;
}

struct gold_effect_group *
gold_effect_groups_find(const struct gold_effect_groups *groups, const char *operation)
{
    size_t low = 0, high = groups->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(operation, groups->items[middle].operation);
        if (order == 0)
            return &groups->items[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void
gold_effect_groups_done(struct gold_effect_groups *groups)
{
    free(groups->items);
    free(groups->order);
}
