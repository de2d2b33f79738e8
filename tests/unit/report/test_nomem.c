/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation fails once: each ends in the error NOMEM, without a crash, a leak or a
 * half-made result. */
#include "unit.h"

#include "failing_malloc.h"

#include <jansson.h>

#include "core/str.h"
#include "golden.h"
#include "sample.h"

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
