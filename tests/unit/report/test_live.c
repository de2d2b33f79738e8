/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is shown while a command runs: safe on a terminal, and one line of JSON per event. */
#include "unit.h"

#include <math.h>

#include <goldsmith/report.h>
#include <jansson.h>

#include "core/cleanup.h"

static void
escapes(void **state)
{
    (void)state;
    GOLD_CLEANUP_FREE char *safe = gold_report_escape("a\x1b[31m\n\xff\xe2\x80\xae");
    GOLD_CLEANUP_FREE char *plain = gold_report_escape("web.xml: é");
    GOLD_CLEANUP_FREE char *empty = gold_report_escape("");
    assert_string_equal(safe, "a\\x1B[31m\\x0A\\xFF\\u{202E}");
    assert_string_equal(plain, "web.xml: é");
    assert_string_equal(empty, "");
}

static void
progress_is_one_line_of_json(void **state)
{
    static const struct gold_progress_event events[] = {
        {"web.xml", "seal", "machine-id", 0.5},
        {NULL, "launch", NULL, -1},
        {"a\nb\xff", "\x1b[2J", "\"\\", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        GOLD_CLEANUP_FREE char *line = gold_report_progress(&events[i]);
        assert_non_null(line);
        assert_null(strpbrk(line, "\n\r\x1b"));
        json_auto_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        assert_int_equal(json_object_size(object), 4);
        assert_int_equal(json_is_null(json_object_get(object, "source")), !events[i].source);
        assert_int_equal(json_is_null(json_object_get(object, "fraction")),
                         events[i].fraction < 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(escapes),
                                       cmocka_unit_test(progress_is_one_line_of_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
