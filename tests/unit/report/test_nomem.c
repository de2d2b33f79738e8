/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation fails once: each ends in the error NOMEM, without a crash, a leak or a
 * half-made result. */
#include "unit.h"

#include <jansson.h>

#include "core/str.h"
#include "golden.h"
#include "sample.h"

static long left = -1; /* allocations until one fails; negative: none does */

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

static void
rendering(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_fail();
    for (enum gold_report_format f = GOLD_REPORT_JSON; f <= GOLD_REPORT_HTML; f++) {
        int ret = -1;
        for (long n = 0; ret < 0; n += 1 + n / 50) {
            GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
            GOLD_CLEANUP_FREE char *text = NULL;
            left = n;
            ret = gold_report_render(doc, f, NULL, &text, NULL, &err);
            bool failed = left < 0;
            left = -1;
            assert_int_equal(ret < 0, failed);
            assert_int_equal(text == NULL, failed);
            if (failed)
                assert_int_equal(gold_error_code(err), GOLD_ERROR_NOMEM);
        }
    }
}

/* Without jansson's own allocations: its reader takes some that failed for a wrong token, or
 * for none. */
static void
reading(void **state)
{
    (void)state;
    json_set_alloc_funcs(__real_malloc, free);
    GOLD_CLEANUP_DOCUMENT struct gold_document *sample = sample_fail();
    GOLD_CLEANUP_FREE char *json = golden_render(sample, GOLD_REPORT_JSON, NULL);
    size_t len = strlen(json);
    int ret = -1;
    for (long n = 0; ret < 0; n += 1 + n / 50) {
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = NULL;
        left = n;
        ret = gold_report_parse(json, len, "x.json", &doc, &err);
        bool failed = left < 0;
        left = -1;
        assert_int_equal(ret < 0, failed);
        if (failed)
            assert_int_equal(gold_error_code(err), GOLD_ERROR_NOMEM);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rendering), cmocka_unit_test(reading)};
    json_set_alloc_funcs(__wrap_malloc, free);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
