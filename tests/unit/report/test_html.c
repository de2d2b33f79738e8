/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The HTML page: golden pages; nothing foreign gets out of its place; nothing is loaded. */
#include "unit.h"

#include <libxml/parser.h>

#include "core/str.h"
#include "golden.h"
#include "sample.h"

static char *
render(const struct gold_document *doc)
{
    return golden_render(doc, GOLD_REPORT_HTML, NULL);
}

static void
goldens(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *pass = sample_pass();
    GOLD_CLEANUP_DOCUMENT struct gold_document *fail = sample_fail();
    GOLD_CLEANUP_DOCUMENT struct gold_document *check = sample_check();
    golden_compare(pass, GOLD_REPORT_HTML, NULL, "pass.html");
    golden_compare(fail, GOLD_REPORT_HTML, NULL, "fail.html");
    golden_compare(check, GOLD_REPORT_HTML, NULL, "check.html");
}

static size_t
count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + 1, what))
        n++;
    return n;
}

/* Whatever the strings hold, the page has the elements that it has with harmless ones. */
static void
hostile(void **state)
{
    static const char *const texts[] = {
        "</script><script>alert(1)</script>",
        "</style></title></td></table><img src=x onerror=alert(1)>",
        "\"><svg onload=alert(1)>' autofocus onfocus='x",
        "<!-- <![CDATA[ ]]> &lt; &amp; &#x3c;",
        "\x1b[31mred\x1b[0m\x07\x01\x7f",
        "\xff\xfe\xc0\xaf\xed\xa0\x80 \xf4\x90\x80\x80",
        "\xe2\x80\xae"
        "exe.txt\xe2\x81\xa6 \xe2\x80\x8f",
        "line\nline\r\nline\ttab",
        "",
    };
    static const char *const marks[] = {"<",    ">",   "<script", "<img",
                                        "<svg", "<tr", "<td",     "\""};
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *harmless = sample_hostile("x");
    GOLD_CLEANUP_FREE char *wanted = render(harmless);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_hostile(texts[i]);
        GOLD_CLEANUP_FREE char *page = render(doc);
        assert_true(gold_utf8_valid(page, strlen(page)));
        assert_null(strchr(page, '\x1b'));
        assert_null(strchr(page, '\r'));
        assert_null(strstr(page, "\xe2\x80\xae"));
        /* A diff has one element per line, so only texts without line breaks have the same
         * count. */
        for (size_t k = 0;
             *texts[i] && !strchr(texts[i], '\n') && k < sizeof(marks) / sizeof(marks[0]); k++)
            assert_int_equal(count(page, marks[k]), count(wanted, marks[k]));
    }
}

/* The page is written so that it is well-formed XML too, but for the void elements of its head.
 */
static void
well_formed(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *pass = sample_pass();
    GOLD_CLEANUP_DOCUMENT struct gold_document *check = sample_check();
    GOLD_CLEANUP_DOCUMENT struct gold_document *odd = sample_hostile("</td>&<b>\x01");
    const struct gold_document *docs[] = {pass, check, odd};
    for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
        GOLD_CLEANUP_FREE char *page = render(docs[i]);
        GOLD_CLEANUP_STR struct gold_str xml = GOLD_STR_INIT;
        /* <br> is the only void element of the body, <details open> the only attribute without
         * value. */
        for (const char *p = strstr(page, "<body>"); *p && !gold_str_has_prefix(p, "</html>");
             p++) {
            if (gold_str_has_prefix(p, "<br>")) {
                gold_str_append(&xml, "<br/>");
                p += 3;
            } else if (gold_str_has_prefix(p, "<details open>")) {
                gold_str_append(&xml, "<details>");
                p += strlen("<details open>") - 1;
            } else {
                gold_str_append_char(&xml, *p);
            }
        }
        xmlDocPtr parsed =
            xmlReadMemory(gold_str_text(&xml), (int)xml.len, "page", "UTF-8", XML_PARSE_NONET);
        assert_non_null(parsed);
        xmlFreeDoc(parsed);
    }
    xmlCleanupParser();
}

static void
loads_nothing(void **state)
{
    static const char *const never[] = {"http:",   "https:",  "src=",  "href=",  "url(",
                                        "@import", "<script", "<link", "<iframe"};
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_pass();
    GOLD_CLEANUP_FREE char *page = render(doc);
    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        assert_null(strstr(page, never[i]));
    assert_non_null(strstr(page, "default-src 'none'"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    GOLD_CLEANUP_FREE char *again = render(doc);
    assert_string_equal(page, again);
}

/* The verdict comes before everything else, and a failure is not hidden behind a pass. */
static void
verdict_first(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *pass = sample_pass();
    GOLD_CLEANUP_FREE char *page = render(pass);
    assert_non_null(strstr(page, "<h1>✓ PASS</h1>"));
    assert_true(strstr(page, "<h1>") < strstr(page, "<h3>"));
    pass->fail_on = GOLD_WARNING;
    GOLD_CLEANUP_FREE char *with_findings = render(pass);
    assert_non_null(strstr(with_findings, "<h1>✗ FINDINGS</h1>"));
    assert_int_equal(gold_str_replace(&pass->sources[0].error, "no", NULL), 0);
    GOLD_CLEANUP_FREE char *failed = render(pass);
    assert_non_null(strstr(failed, "<h1>! FAILED</h1>"));
    GOLD_CLEANUP_DOCUMENT struct gold_document *empty = sample_empty();
    GOLD_CLEANUP_FREE char *nothing = render(empty);
    assert_non_null(strstr(nothing, "<h1>– DONE</h1>"));
}

static void
shared_identity_stands_out(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *pass = sample_pass();
    GOLD_CLEANUP_DOCUMENT struct gold_document *fail = sample_fail();
    GOLD_CLEANUP_FREE char *good = render(pass);
    GOLD_CLEANUP_FREE char *bad = render(fail);
    assert_int_equal(count(good, "<tr class=\"shared\">"), 0);
    assert_int_equal(count(bad, "<tr class=\"shared\">"), 2);
    assert_int_equal(count(good, "≠ different"), 4);
    assert_int_equal(count(good, "= equal"), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goldens),       cmocka_unit_test(hostile),
        cmocka_unit_test(well_formed),   cmocka_unit_test(loads_nothing),
        cmocka_unit_test(verdict_first), cmocka_unit_test(shared_identity_stands_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
