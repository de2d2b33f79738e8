/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a document back: round trips, what is ignored, and each refusal with its place. */
#include "unit.h"

#include "core/str.h"
#include "golden.h"
#include "report/render.h"
#include "sample.h"

static void
round_trip(const struct gold_document *doc)
{
    GOLD_CLEANUP_FREE char *first = golden_render(doc, GOLD_REPORT_JSON, NULL);
    GOLD_CLEANUP_DOCUMENT struct gold_document *back = NULL;
    assert_int_equal(gold_report_parse(first, strlen(first), "x.json", &back, NULL), 0);
    GOLD_CLEANUP_FREE char *second = golden_render(back, GOLD_REPORT_JSON, NULL);
    assert_string_equal(first, second);
    /* What is not in the JSON is not in the other renderings either. */
    for (enum gold_report_format f = GOLD_REPORT_TEXT; f <= GOLD_REPORT_HTML; f++) {
        GOLD_CLEANUP_FREE char *from_doc = golden_render(doc, f, NULL);
        GOLD_CLEANUP_FREE char *from_json = golden_render(back, f, NULL);
        assert_string_equal(from_doc, from_json);
    }
    assert_int_equal(gold_document_exit_status(doc), gold_document_exit_status(back));
}

static void
round_trips(void **state)
{
    (void)state;
    struct gold_document *(*const samples[])(void) = {
        sample_pass, sample_fail, sample_check, sample_dry_run, sample_inspect, sample_empty};
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = samples[i]();
        round_trip(doc);
    }
    static const char *const texts[] = {"</script>",
                                        "\x1b[31m\x07\n\t\"\\",
                                        "\xe2\x80\xae"
                                        "bidi",
                                        "",
                                        "ssh-host-key",
                                        "é 𝄞"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = sample_hostile(texts[i]);
        round_trip(doc);
    }
}

#define HEAD "{\"goldsmith\": \"0.1.0\", \"schema\": 1, \"command\": \"check\","
#define SOURCE                                                                                 \
    HEAD "\n\"sources\": [{\"source\": \"a\", \"kind\": null, \"status\": \"ok\", \"error\": " \
         "null,\n"

static void
good(const char *json)
{
    struct gold_error *err = NULL;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = NULL;
    if (gold_report_parse(json, strlen(json), "x.json", &doc, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
bad(const char *json, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = NULL;
    assert_int_equal(gold_report_parse(json, strlen(json), "x.json", &doc, &err), -1);
    assert_null(doc);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    if (!strstr(gold_error_message(err), message))
        fail_msg("'%s' is not in '%s'", message, gold_error_message(err));
    assert_int_equal(gold_report_parse(json, strlen(json), "x.json", &doc, NULL), -1);
}

static void
unknown_members_are_ignored(void **state)
{
    (void)state;
    good(HEAD "\"sources\": [], \"future\": {\"a\": [1, {\"b\": null}]}}");
    good(SOURCE "\"future\": 1, \"findings\": [{\"id\": \"a\", \"severity\": \"info\", "
                "\"message\": \"m\", \"new\": []}]}]}");
    good(SOURCE "\"findings\": null, \"results\": null}]}");
}

static void
syntax(void **state)
{
    (void)state;
    bad("", "x.json:1:");
    bad("{\"a\": 1,\n  \"b\" 2}", "x.json:2:");
    bad("{\"a\": 1, \"a\": 2}", "x.json:1:");
    bad("{\"a\": 1} x", "x.json:1:");
    bad("{\"a\": \"\\u0000\"}", "x.json:1:");
    bad("{\"a\": \"\xff\"}", "x.json:1:");
    bad("{\"a\": \"\n\"}", "x.json:");
    bad("nonsense", "x.json:1:");
}

static void
places(void **state)
{
    (void)state;
    bad("[]", "x.json:1:1: an object is expected here");
    bad("{}", "x.json:1:1: goldsmith: is missing");
    bad("{\"goldsmith\": 1}", "x.json:1:15: goldsmith: a string is expected here");
    bad("{\"goldsmith\": \"1\",\n \"schema\": 2}",
        "x.json:2:12: schema: this goldsmith reads schema 1 only");
    bad("{\"goldsmith\": \"1\"}", "schema: this goldsmith reads schema 1 only");
    bad("{\"goldsmith\": \"1\", \"schema\": 1}", "command: is missing");
    bad(HEAD "\"x\": 1}", "sources: is missing");
    bad(HEAD "\n  \"sources\": {}}", "x.json:2:14: sources: a list is expected here");
    bad(HEAD "\"sources\": [7]}", "sources[0]: an object is expected here");
    bad(HEAD "\"fail_on\": \"never\", \"sources\": []}", "fail_on: not one of the known words");
    bad(HEAD "\"dry_run\": 1, \"sources\": []}", "dry_run: true or false is expected here");
    bad(HEAD "\"sources\": [{\"source\": \"a\"}]}", "sources[0].status: is missing");
    bad(HEAD "\"sources\": [{\"source\": \"a\", \"status\": \"maybe\"}]}",
        "sources[0].status: not one of the known words");
    bad(HEAD "\"sources\": [{\"source\": \"a\", \"status\": \"failed\"}]}",
        "is 'failed', but there is no error");
    bad(HEAD "\"sources\": [{\"source\": \"a\", \"status\": \"ok\", \"error\": \"e\"}]}",
        "is 'ok', but there is an error");
    bad(HEAD "\"sources\": [{\"source\": \"a\", \"status\": \"failed\", \"error\": \"e\", "
             "\"code\": \"x\"}]}",
        "sources[0].code: not one of the known words");
}

static void
places_in_lists(void **state)
{
    (void)state;
    bad(SOURCE "\"verdict\": \"good\"}]}", "x.json:3:12: sources[0].verdict: not one");
    bad(SOURCE "\"findings\": 1}]}", "x.json:3:13: sources[0].findings: a list");
    bad(SOURCE "\"findings\": [1]}]}", "x.json:3:14: sources[0].findings[0]: an object");
    bad(SOURCE "\"findings\": [{\"id\": \"a\", \"message\": \"m\",\n\"severity\": \"bad\"}]}]}",
        "x.json:4:13: sources[0].findings[0].severity: not one");
    bad(SOURCE "\"findings\": [{\"id\": \"a\", \"message\": \"m\"}]}]}",
        "sources[0].findings[0].severity: is missing");
    bad(SOURCE "\"findings\": [{\"id\": \"é\", \"message\": \"m\", \"severity\": \"info\", "
               "\"where\": 1}]}]}",
        "x.json:3:71: sources[0].findings[0].where: an object");
    bad(SOURCE "\"findings\": [{\"id\": \"a\", \"message\": \"m\", \"severity\": \"info\", "
               "\"where\": {\"file\": \"f\", \"line\": 0}}]}]}",
        "where.line: a line number");
    bad(SOURCE "\"findings\": [{\"id\": \"a\", \"message\": \"m\", \"severity\": \"info\", "
               "\"where\": {\"file\": \"f\", \"line\": 4294967296}}]}]}",
        "where.line: a line number");
    bad(SOURCE "\"findings\": [{\"id\": \"a\", \"message\": \"m\", \"severity\": \"info\", "
               "\"waived\": \"yes\"}]}]}",
        "waived: true or false");
    bad(SOURCE "\"effects\": [{\"operation\": \"o\", \"path\": \"p\"}]}]}",
        "effects[0].action: is missing");
    bad(SOURCE "\"operations\": [{\"operation\": \"o\", \"status\": \"x\"}]}]}",
        "operations[0].status: not one");
    bad(SOURCE "\"edits\": [{\"file\": \"o\", \"diff\": []}]}]}", "edits[0].diff: a string");
    bad(SOURCE "\"results\": [{\"payload\": \"p\", \"metrics\": {}}]}]}",
        "results[0].metrics: a list");
    bad(SOURCE "\"results\": [{\"payload\": \"p\", \"metrics\": [{\"name\": \"n\"}]}]}]}",
        "metrics[0].unit: is missing");
    bad(SOURCE "\"results\": [{\"payload\": \"p\", \"metrics\": [{\"name\": \"n\", \"unit\": "
               "\"s\", \"samples\": [1, \"2\"]}]}]}]}",
        "sources[0].results[0].metrics[0].samples[1]: a number");
    bad(SOURCE "\"results\": [{\"payload\": \"p\", \"metrics\": [{\"name\": \"n\", \"unit\": "
               "\"s\", \"expected\": \"2\"}]}]}]}",
        "metrics[0].expected: a number");
    bad(SOURCE "\"clones\": [{\"name\": \"c\", \"identity\": {\"a\": 1}}]}]}",
        "clones[0].identity.a: a string");
    bad(SOURCE "\"clones\": [{\"name\": \"c\", \"identity\": {\"a\": [\"x\", null]}}]}]}",
        "clones[0].identity.a[1]: a string");
    bad(SOURCE "\"clones\": [{\"name\": \"c\", \"identity\": []}]}]}",
        "clones[0].identity: an object");
    bad(SOURCE "\"facts\": {\"a\": {}}}]}", "sources[0].facts.a: a string");
    bad(SOURCE "\"facts\": {\"\\u001b[31m\": {}}}]}", "facts.\\x1B[31m: a string");
}

static void
limits(void **state)
{
    (void)state;
    GOLD_CLEANUP_STR struct gold_str s = {.limit = 128u << 20};
    /* Nesting: refused by jansson, with a place. */
    for (int i = 0; i < 100000; i++)
        gold_str_append_char(&s, '[');
    bad(gold_str_text(&s), "x.json:1:");
    gold_str_clear(&s);
    gold_str_append(&s, HEAD "\"x\": [");
    for (size_t i = 0; i <= GOLD_REPORT_MAX_VALUES; i++)
        gold_str_append(&s, "0,");
    gold_str_append(&s, "0], \"sources\": []}");
    bad(gold_str_text(&s), "'x.json' is too large for a result file");
    gold_str_clear(&s);
    gold_str_append(&s, SOURCE "\"clones\": [");
    for (int i = 0; i < 65; i++)
        gold_str_printf(&s, "%s{\"name\": \"c%d\"}", i ? "," : "", i);
    gold_str_append(&s, "]}]}");
    bad(gold_str_text(&s), "sources[0].clones[64]: too many clones");
    gold_str_clear(&s);
    gold_str_append(&s, SOURCE "\"clones\": [{\"name\": \"c\", \"identity\": {\"a\": [");
    for (int i = 0; i < 200; i++)
        gold_str_append(&s, i ? ",\"x\"" : "\"x\"");
    gold_str_append(&s, "]}}]}]}");
    bad(gold_str_text(&s), "identity: holds too many values");
}

/* Damaged files end in an error or in a document that can be rendered, never in a crash. */
static void
mutations(void **state)
{
    (void)state;
    GOLD_CLEANUP_DOCUMENT struct gold_document *sample = sample_fail();
    GOLD_CLEANUP_FREE char *text = golden_render(sample, GOLD_REPORT_JSON, NULL);
    size_t len = strlen(text);
    uint32_t seed = 12345;
    for (int round = 0; round < 3000; round++) {
        GOLD_CLEANUP_FREE char *copy = gold_strdup(text, NULL);
        GOLD_CLEANUP_DOCUMENT struct gold_document *doc = NULL;
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        for (int k = 0; k < 1 + round % 3; k++) {
            seed = seed * 1664525 + 1013904223;
            copy[(seed >> 8) % len] = "{}[]\",:0a\\ n\x80-."[(seed >> 3) % 15];
        }
        if (gold_report_parse(copy, len, "m.json", &doc, &err) < 0) {
            assert_true(gold_str_has_prefix(gold_error_message(err), "m.json:"));
            continue;
        }
        GOLD_CLEANUP_FREE char *json = golden_render(doc, GOLD_REPORT_JSON, NULL);
        GOLD_CLEANUP_FREE char *html = golden_render(doc, GOLD_REPORT_HTML, NULL);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),     cmocka_unit_test(unknown_members_are_ignored),
        cmocka_unit_test(syntax),          cmocka_unit_test(places),
        cmocka_unit_test(places_in_lists), cmocka_unit_test(limits),
        cmocka_unit_test(mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
