/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scanner: spans tile every file, and each kind is recognised where it stands. */
#include "unit.h"

#include "formats/xml_scan.h"

#include "corpus.h"

static void
assert_tiles(const struct gold_xml *x)
{
    size_t at = 0;
    unsigned line = 1;

    for (size_t i = 0; i < x->n_spans; i++) {
        const struct gold_xml_span *s = &x->spans[i];
        assert_int_equal(s->offset, at);
        assert_true(s->len > 0);
        assert_int_equal(s->line, line);
        assert_true(s->match < x->n_spans);
        assert_int_equal(x->spans[s->match].match, i);
        for (size_t k = 0; k < s->len; k++)
            line += x->text[at + k] == '\n';
        at += s->len;
    }
    assert_int_equal(at, x->len);
}

static struct gold_xml *
scan(const char *text, size_t len)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = calloc(1, sizeof(*x));

    assert_non_null(x);
    x->text = text;
    x->len = len;
    if (gold_xml_scan(x, "t.xml", &err) < 0)
        fail_msg("%s", gold_error_message(err));
    assert_tiles(x);
    return gold_steal_ptr(&x);
}

static void
expect_kinds(const char *text, const char *kinds)
{
    GOLD_CLEANUP_XML struct gold_xml *x = scan(text, strlen(text));
    char got[64] = "";

    assert_true(x->n_spans < sizeof(got));
    for (size_t i = 0; i < x->n_spans; i++)
        got[i] = "bdtse/c&p!"[x->spans[i].kind];
    assert_string_equal(got, kinds);
}

static void
test_kinds(void **state)
{
    (void)state;
    expect_kinds("<a/>", "/");
    expect_kinds("<a></a>", "se");
    expect_kinds("\xEF\xBB\xBF<?xml version='1.0'?>\n<a>x</a>\n", "bdtstet");
    expect_kinds("<!-- <b> --><a><![CDATA[</a>]]><?pi <x> ?></a>", "cs&pe");
    expect_kinds(" <?xml-stylesheet href='x'?><a/>", "tp/");
    expect_kinds("<?xml-stylesheet href='x'?><a/>", "p/");
    expect_kinds("<a b='>' c=\"/>\"/>", "/");
    expect_kinds("<a\n b = '1'\n><b  /></a >", "s/e");
    expect_kinds("<!DOCTYPE a [<!ENTITY e \"]>\"><!-- ]> ' --><?p ]> ?>]><a/>", "!/");
    expect_kinds("<!DOCTYPE a SYSTEM 'x>y'><a/>", "!/");
}

static void
test_attributes(void **state)
{
    const char *text = "<a one='1' \n two = \"t w o\" three=''/>";
    GOLD_CLEANUP_XML struct gold_xml *x = scan(text, strlen(text));
    static const char *const names[] = {"one", "two", "three"}, *const values[] = {"1", "t w o",
                                                                                   ""};
    (void)state;

    assert_int_equal(x->spans[0].n_attributes, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct gold_xml_attribute *a = &x->attributes[i];
        assert_int_equal(a->name_len, strlen(names[i]));
        assert_memory_equal(text + a->name, names[i], a->name_len);
        assert_int_equal(a->value_len, strlen(values[i]));
        assert_memory_equal(text + a->value, values[i], a->value_len);
        assert_int_equal(a->quote, i == 1 ? '"' : '\'');
    }
}

static void
expect_error(const char *text, enum gold_code code, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = calloc(1, sizeof(*x));

    assert_non_null(x);
    x->text = text;
    x->len = strlen(text);
    assert_int_equal(gold_xml_scan(x, "t.xml", &err), -1);
    assert_int_equal(gold_error_code(err), code);
    assert_string_equal(gold_error_message(err), message);
}

static void
test_errors(void **state)
{
    (void)state;
    expect_error("<a>\n<b>\n</a>", GOLD_ERROR_FORMAT,
                 "t.xml:3: an end tag does not match its start tag");
    expect_error("<a>\n<b>\n", GOLD_ERROR_FORMAT, "t.xml:2: an element does not end");
    expect_error("</a>", GOLD_ERROR_FORMAT, "t.xml:1: an end tag has no start tag");
    expect_error("<a", GOLD_ERROR_FORMAT, "t.xml:1: a tag does not end");
    expect_error("<a/", GOLD_ERROR_FORMAT, "t.xml:1: a tag is not well-formed");
    expect_error("<", GOLD_ERROR_FORMAT, "t.xml:1: a tag has no name");
    expect_error("<a b>", GOLD_ERROR_FORMAT, "t.xml:1: a tag is not well-formed");
    expect_error("<a b=", GOLD_ERROR_FORMAT, "t.xml:1: an attribute's value is not quoted");
    expect_error("<a b='x", GOLD_ERROR_FORMAT, "t.xml:1: an attribute's value does not end");
    expect_error("\n<!-- ", GOLD_ERROR_FORMAT, "t.xml:2: a comment does not end");
    expect_error("<![CDATA[ ]]", GOLD_ERROR_FORMAT, "t.xml:1: a CDATA section does not end");
    expect_error("<?x", GOLD_ERROR_FORMAT, "t.xml:1: a processing instruction does not end");
    expect_error("<!DOCTYPE a [", GOLD_ERROR_FORMAT, "t.xml:1: the DOCTYPE does not end");
    expect_error("<!DOCTYPE a '", GOLD_ERROR_FORMAT, "t.xml:1: the DOCTYPE does not end");
    expect_error("<a></a", GOLD_ERROR_FORMAT, "t.xml:1: an end tag is not well-formed");
}

static void
test_caps(void **state)
{
    GOLD_CLEANUP_STR struct gold_str deep = GOLD_STR_INIT, wide = GOLD_STR_INIT,
                                     many = GOLD_STR_INIT;
    (void)state;

    for (int i = 0; i < GOLD_LIMIT_XML_DEPTH; i++)
        gold_str_append(&deep, "<a>");
    for (int i = 0; i < GOLD_LIMIT_XML_DEPTH; i++)
        gold_str_append(&deep, "</a>");
    gold_xml_free(scan(deep.data, deep.len));
    gold_str_clear(&deep);
    for (int i = 0; i <= GOLD_LIMIT_XML_DEPTH; i++)
        gold_str_append(&deep, "<a>\n");
    expect_error(deep.data, GOLD_ERROR_UNSUPPORTED, "t.xml:65: elements nest too deeply");

    gold_str_append(&wide, "<a");
    for (int i = 0; i <= GOLD_XML_ATTRIBUTES_MAX; i++)
        gold_str_printf(&wide, " a%d=''", i);
    gold_str_append(&wide, "/>");
    expect_error(wide.data, GOLD_ERROR_UNSUPPORTED,
                 "t.xml:1: an element has too many attributes");

    gold_str_append(&many, "<a>");
    for (int i = 0; i < GOLD_LIMIT_XML_NODES; i++)
        gold_str_append(&many, "<b/>");
    gold_str_append(&many, "</a>");
    expect_error(many.data, GOLD_ERROR_UNSUPPORTED, "t.xml:1: too many elements");
}

static void
tile_one(const char *path, const char *text, size_t len, void *opaque)
{
    (void)path;
    (void)opaque;
    gold_xml_free(scan(text, len));
}

static void
test_corpus_tiles(void **state)
{
    (void)state;
    print_message("%zu files tile\n", corpus_each(tile_one, NULL));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_errors),       cmocka_unit_test(test_caps),
        cmocka_unit_test(test_corpus_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
