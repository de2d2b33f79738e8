/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Suggestions: near ones are found, far ones are not made up. */
#include "unit.h"

#include "template/nearest.h"

static void
suggestions(void **state)
{
    static const char *const names[] = {"read-iops-sec", "write-iops-sec", "read-bytes-sec",
                                        "disk", "name"};
    static const struct {
        const char *text, *nearest;
    } cases[] = {
        {"read-iops-secs", "read-iops-sec"},
        {"read_iops_sec", "read-iops-sec"},
        {"READ-IOPS-SEC", "read-iops-sec"},
        {"raed-iops-sec", "read-iops-sec"},
        {"wirte-iops-sc", "write-iops-sec"},
        {"disc", "disk"},
        {"nmae", "name"},
        {"x", NULL},
        {"", NULL},
        {"entirely-else", NULL},
        {"na", NULL},
        {"a-text-that-is-much-longer-than-any-name-could-ever-be-in-here", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *found =
            gold_nearest(cases[i].text, names, sizeof(names) / sizeof(names[0]));
        if (!found || !cases[i].nearest ? found != cases[i].nearest
                                        : strcmp(found, cases[i].nearest) != 0)
            fail_msg("'%s': '%s'", cases[i].text, found ? found : "none");
    }
    assert_null(gold_nearest("name", names, 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(suggestions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
