/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the n-th allocation of what is linked into a test fail. The test is built with
 * WRAP malloc calloc realloc; only one source of a program may include this. */
#ifndef GOLD_TESTS_FAILING_MALLOC_H
#define GOLD_TESTS_FAILING_MALLOC_H

#include <stdbool.h>
#include <stddef.h>

static long left = -1; /* allocations until one fails; negative: none does (any more) */

static bool
fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

#endif
