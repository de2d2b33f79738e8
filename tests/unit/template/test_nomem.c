/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation of ours fails once: each ends in the error NOMEM, without a crash or a leak.
 */
#include "unit.h"

#include "failing_malloc.h"
#include "template/template.h"

static void
every_allocation(void **state)
{
    static const char *const texts[] = {
        "goldsmith: 1\nname: a\nseal: {operations: [default, -x], machine-id: keep}\n"
        "definition: {identity: reset, iotune: [{disk: boot, read-iops-sec: 200, group-name: "
        "g}]}\n"
        "check: {fail-on: info, waive: [{id: a, reason: b, until: 2027-01-01}]}\n"
        "validate: {clones: 2, payloads: [{payload: a, seconds: 3}]}\n",
        "goldsmith: 1\nunknown: 1\n",
        "goldsmith: 1\nvalidate: {payloads: [{payload: A}]}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (long n = 0;; n++) {
            GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
            left = n;
            GOLD_CLEANUP_TEMPLATE struct gold_template *t =
                gold_template_parse("t.yaml", texts[i], strlen(texts[i]), &err);
            bool failed = left < 0;
            left = -1;
            if (!failed) {
                assert_int_equal(t != NULL, i == 0);
                break;
            }
            assert_null(t);
            assert_int_equal(gold_error_code(err), GOLD_ERROR_NOMEM);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
