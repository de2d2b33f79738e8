/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads lists of operations as users write them. Does not run operations. */
#include <string.h>

#include "guest/operation.h"

static size_t
min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Levenshtein distance; names longer than this table count as far away. */
static size_t
distance(const char *a, size_t n, const char *b)
{
    size_t row[65], m = strlen(b);
    if (n >= 65 || m >= 65)
        return 65;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t above = row[j];
            row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

static void
unknown_name(const char *name, size_t len, struct gold_error **err)
{
    static const char *const words[] = {"default", "all"};
    const char *nearest = NULL;
    size_t best = len / 3 + 2; /* farther than that is another word */
    for (size_t i = 0; gold_operations[i]; i++) {
        const char *candidate = gold_operations[i]->about.name;
        size_t d = distance(name, len, candidate);
        if (d < best || (len >= 4 && !nearest && strncmp(candidate, name, len) == 0)) {
            best = d < best ? d : best;
            nearest = candidate;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        size_t d = distance(name, len, words[i]);
        if (d < best) {
            best = d;
            nearest = words[i];
        }
    }
    gold_error_set(err, GOLD_ERROR_USAGE, "there is no operation '%.*s'",
                   len > 80 ? 80 : (int)len, name);
    if (nearest)
        gold_error_hint(err, "did you mean '%s'?", nearest);
    else
        gold_error_hint(err, "'goldsmith list operations' shows them all");
}

static uint64_t
bits_where(bool all)
{
    uint64_t bits = 0;
    for (size_t i = 0; gold_operations[i]; i++)
        if (all || gold_operations[i]->enabled_by_default)
            bits |= UINT64_C(1) << i;
    return bits;
}

static int
word_bits(const char *name, size_t len, uint64_t *ret, struct gold_error **err)
{
    if (len == strlen("default") && memcmp(name, "default", len) == 0) {
        *ret = bits_where(false);
        return 0;
    }
    if (len == strlen("all") && memcmp(name, "all", len) == 0) {
        *ret = bits_where(true);
        return 0;
    }
    for (size_t i = 0; gold_operations[i]; i++) {
        const char *candidate = gold_operations[i]->about.name;
        if (strlen(candidate) == len && memcmp(candidate, name, len) == 0) {
            *ret = UINT64_C(1) << i;
            return 0;
        }
    }
    unknown_name(name, len, err);
    return -1;
}

int
gold_operation_set_parse(const char *list, struct gold_operation_set *ret,
                         struct gold_error **err)
{
    struct gold_operation_set set = {.bits = 0};
    if (!list)
        list = "default";
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ",");
        bool drop = *p == '-';
        uint64_t bits;
        const char *name = drop ? p + 1 : p;
        size_t n = drop ? len - 1 : len;
        if (n == 0) {
            gold_error_set(err, GOLD_ERROR_USAGE,
                           "empty name in the list of operations '%.200s'", list);
            return -1;
        }
        if (word_bits(name, n, &bits, err) < 0)
            return -1;
        set.bits = drop ? set.bits & ~bits : set.bits | bits;
        p += len;
        if (*p == '\0')
            break;
    }
    *ret = set;
    return 0;
}

bool
gold_operation_set_has(const struct gold_operation_set *set, size_t i)
{
    return i < 64 && (set->bits >> i & 1) != 0;
}
