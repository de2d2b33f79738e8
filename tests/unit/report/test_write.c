/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rendering to memory and to files. */
#include "unit.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "core/str.h"
#include "golden.h"
#include "report/render.h"
#include "sample.h"

static char dir[] = "/tmp/gold-report-XXXXXX";

static int
setup(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    return gold_remove_tree(dir, NULL);
}

static void
writes_and_replaces(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_pass();
    GOLD_CLEANUP_FREE char *path = gold_path_join(dir, "report.html", NULL);
    GOLD_CLEANUP_FREE char *wanted = golden_render(doc, GOLD_REPORT_HTML, NULL);
    struct stat before, after;
    for (int i = 0; i < 2; i++) {
        GOLD_CLEANUP_FREE char *there = NULL;
        assert_int_equal(gold_report_write(doc, GOLD_REPORT_HTML, path, NULL), 0);
        assert_int_equal(gold_read_file(path, 1 << 24, &there, NULL, NULL), 0);
        assert_string_equal(there, wanted);
        if (i == 0)
            assert_int_equal(stat(path, &before), 0);
    }
    /* Another file now has the name: the old one was not written into. */
    assert_int_equal(stat(path, &after), 0);
    assert_int_not_equal(before.st_ino, after.st_ino);
}

static void
cannot_write(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_pass();
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *path = gold_path_join(dir, "absent/report.json", NULL);
    assert_int_equal(gold_report_write(doc, GOLD_REPORT_JSON, path, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_non_null(strstr(gold_error_message(err), path));
    assert_int_equal(gold_report_write(doc, GOLD_REPORT_JSON, dir, NULL), -1);
}

static void
unknown_format(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_empty();
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    char *text = NULL;
    assert_int_equal(
        gold_report_render(doc, (enum gold_report_format)99, NULL, &text, NULL, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    assert_null(text);
}

/* Nothing is cut off silently: a rendering that does not fit is an error, whatever the point
 * where it ends. */
static void
too_large(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_check();
    for (enum gold_report_format f = GOLD_REPORT_JSON; f <= GOLD_REPORT_HTML; f++) {
        GOLD_CLEANUP_FREE char *whole = golden_render(doc, f, NULL);
        for (size_t limit = 1; limit < strlen(whole); limit += 97) {
            GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
            char *text = NULL;
            assert_int_equal(gold_report_render_within(doc, f, NULL, limit, &text, NULL, &err),
                             -1);
            assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
            assert_null(text);
        }
        GOLD_CLEANUP_FREE char *fits = NULL;
        assert_int_equal(
            gold_report_render_within(doc, f, NULL, strlen(whole), &fits, NULL, NULL), 0);
        assert_string_equal(fits, whole);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_and_replaces),
        cmocka_unit_test(cannot_write),
        cmocka_unit_test(unknown_format),
        cmocka_unit_test(too_large),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
