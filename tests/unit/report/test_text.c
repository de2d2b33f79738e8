/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text rendering: golden files, and that nothing foreign reaches the terminal unescaped. */
#include "unit.h"

#include "core/str.h"
#include "golden.h"
#include "sample.h"

static const struct gold_report_options colored = {.color = true}, verbose = {.verbose = true};

static char *
render(const struct gold_document *doc, const struct gold_report_options *opts)
{
    return golden_render(doc, GOLD_REPORT_TEXT, opts);
}

static void
goldens(void **state)
{
    static const struct {
        const char *name;
        struct gold_document *(*make)(void);
        const struct gold_report_options *opts;
    } samples[] = {
        {"pass.txt", sample_pass, NULL},       {"fail.txt", sample_fail, NULL},
        {"check.txt", sample_check, NULL},     {"dry-run.txt", sample_dry_run, NULL},
        {"inspect.txt", sample_inspect, NULL}, {"empty.txt", sample_empty, NULL},
        {"color.txt", sample_fail, &colored},  {"verbose.txt", sample_dry_run, &verbose},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = samples[i].make();
        golden_compare(doc, GOLD_REPORT_TEXT, samples[i].opts, samples[i].name);
    }
}

static void
hostile(void **state)
{
    static const char *const texts[] = {
        "\x1b[2J\x1b]0;title\x07",
        "\xc2\x9b"
        "31m",
        "\xff\xc0\xaf",
        "\xe2\x80\xae"
        "exe.txt",
        "a\nPASS  goldsmith\r\n",
        "\x7f\x08\x08",
        "",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_hostile(texts[i]);
        GOLD_CLEANUP_FREE char *text = render(doc, NULL);
        assert_true(gold_utf8_valid(text, strlen(text)));
        for (const char *p = text; *p; p++)
            assert_true(*p == '\n' || (unsigned char)*p >= ' ');
        assert_null(strchr(text, 0x7f));
        assert_null(strstr(text, "\xc2\x9b"));
        assert_null(strstr(text, "\xe2\x80\xae"));
        /* A guest cannot print a verdict: a line that it makes is inside of others or indented.
         */
        assert_null(strstr(text, "\nPASS"));
    }
}

static void
color_is_optional(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_fail();
    GOLD_CLEANUP_FREE char *plain = render(doc, NULL);
    GOLD_CLEANUP_FREE char *painted = render(doc, &colored);
    GOLD_CLEANUP_STR struct gold_str stripped = GOLD_STR_INIT;
    assert_null(strchr(plain, '\x1b'));
    assert_non_null(strstr(painted, "\x1b[1;31mFAIL\x1b[0m"));
    for (const char *p = painted; *p; p++) {
        if (*p == '\x1b')
            p += strcspn(p, "m");
        else
            gold_str_append_char(&stripped, *p);
    }
    assert_string_equal(plain, gold_str_text(&stripped));
}

static void
long_lists_are_cut(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_pass();
    GOLD_CLEANUP_FREE char *cut = render(doc, NULL);
    GOLD_CLEANUP_FREE char *whole = render(doc, &verbose);
    assert_non_null(strstr(cut, "and 2 more (-v shows them)"));
    assert_null(strstr(cut, "/var/log/wtmp"));
    assert_non_null(strstr(whole, "/var/log/wtmp"));
    assert_null(strstr(whole, "more (-v"));
    doc->dry_run = true;
    GOLD_CLEANUP_FREE char *dry = render(doc, NULL);
    assert_non_null(strstr(dry, "/var/log/wtmp"));
}

static void
long_diffs_are_cut(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_empty();
    struct gold_source_result *src = gold_document_add_source(doc, "x", NULL);
    GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT;
    for (int i = 0; i < 70; i++)
        gold_str_printf(&diff, "+line\t%d\n", i);
    assert_int_equal(gold_source_add_edit(src, "f", gold_str_text(&diff), NULL), 0);
    GOLD_CLEANUP_FREE char *cut = render(doc, NULL);
    GOLD_CLEANUP_FREE char *whole = render(doc, &verbose);
    assert_non_null(strstr(cut, "+line\t59\n"));
    assert_null(strstr(cut, "+line\t60\n"));
    assert_non_null(strstr(cut, "and 10 more lines"));
    assert_non_null(strstr(whole, "+line\t69\n"));
}

/* The first word counts all that failed, not only what was judged. */
static void
headline(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_pass();
    GOLD_CLEANUP_FREE char *pass = render(doc, NULL);
    assert_true(gold_str_has_prefix(pass, "PASS  goldsmith prepare"));
    doc->fail_on = GOLD_WARNING;
    GOLD_CLEANUP_FREE char *findings = render(doc, NULL);
    assert_true(gold_str_has_prefix(findings, "FINDINGS  "));
    assert_int_equal(gold_str_replace(&doc->sources[0].error, "no", NULL), 0);
    GOLD_CLEANUP_FREE char *failed = render(doc, NULL);
    assert_true(gold_str_has_prefix(failed, "FAILED  "));
    GOLD_CLEANUP_DOCUMENT struct gold_document *empty = sample_empty();
    GOLD_CLEANUP_FREE char *done = render(empty, NULL);
    assert_true(gold_str_has_prefix(done, "DONE  "));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),
        cmocka_unit_test(hostile),
        cmocka_unit_test(color_is_optional),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(long_diffs_are_cut),
        cmocka_unit_test(headline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
