/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edit distance with transpositions (optimal string alignment) over short names; longer texts
 * have no neighbour. */
#include "template/nearest.h"

#include <stdint.h>
#include <string.h>

#define MAX_NAME 48

static char
plain(char c)
{
    if (c == '_')
        return '-';
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned
distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[3][MAX_NAME + 1] = {{0}};
    for (unsigned j = 0; j <= m; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= n; i++) {
        unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
        now[0] = i;
        for (unsigned j = 1; j <= m; j++) {
            char x = plain(a[i - 1]), y = plain(b[j - 1]);
            now[j] = least(before[j - 1] + (x != y), least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && x == plain(b[j - 2]) && plain(a[i - 2]) == y)
                now[j] = least(now[j], older[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *
gold_nearest(const char *text, const char *const *names, size_t n)
{
    const char *best = NULL;
    unsigned best_distance = UINT32_MAX;
    size_t length = strlen(text);
    if (length == 0 || length > MAX_NAME)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(names[i]);
        if (other > MAX_NAME)
            continue;
        unsigned d = distance(text, length, names[i], other);
        if (d < best_distance && (size_t)d * 3 <= (length > other ? length : other)) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}
