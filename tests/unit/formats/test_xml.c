/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The libxml2 side: what is refused and how it is said, and that tree and scanner agree on
 * every file of the corpus. */
#include "unit.h"

#include "core/limits.h"
#include "formats/xml.h"
#include "formats/xml_tree.h"

#include "corpus.h"

static void
expect_error(const char *text, size_t len, enum gold_code code, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = gold_xml_parse("t.xml", text, len, &err);

    assert_null(x);
    assert_non_null(err);
    if (!strstr(gold_error_message(err), message))
        fail_msg("'%s' is not in '%s'", message, gold_error_message(err));
    assert_int_equal(gold_error_code(err), code);
    assert_null(gold_xml_parse("t.xml", text, len, NULL)); /* err may be NULL */
}

#define REFUSED(text, code, message) \
    expect_error("" text, sizeof(text) - 1, GOLD_ERROR_##code, message)

static void
test_refused(void **state)
{
    (void)state;
    REFUSED("", FORMAT, "'t.xml' is empty");
    REFUSED(" \n\n", FORMAT, "'t.xml' is empty");
    REFUSED("\n\nhello", FORMAT, "t.xml:3: this is not XML");
    REFUSED("QFI\xFB", FORMAT, "t.xml:1: this is not XML");
    REFUSED("<a>\n\0</a>", FORMAT, "t.xml:2: a NUL byte");
    REFUSED("<a>\n<b>\n</a>", FORMAT,
            "t.xml:3: Opening and ending tag mismatch: b line 2 and a");
    REFUSED("<a>\n<b>\n", FORMAT, "t.xml:3: Premature end of data in tag b line 2");
    REFUSED("<a x='1'\nx='2'/>", FORMAT, "t.xml:2: Attribute x redefined");
    REFUSED("<a>\n&e;</a>", FORMAT, "t.xml:2: Entity 'e' not defined");
    REFUSED("<a>\n\xFF\xFE</a>", FORMAT, "t.xml:2: Input is not proper UTF-8");
    REFUSED("<a/><b/>", FORMAT, "t.xml:1: Extra content at the end of the document");
    REFUSED("<a><b</a>", FORMAT, "t.xml:1: ");
    REFUSED("\xFF\xFE<\0a\0/\0>\0", UNSUPPORTED, "'t.xml' is encoded in UTF-16");
    REFUSED("<\0a\0/\0>\0", UNSUPPORTED, "'t.xml' is encoded in UTF-16");
    REFUSED("\0<\0a\0/\0>", UNSUPPORTED, "'t.xml' is encoded in UTF-16");
    REFUSED("\xFF\xFE\0\0<\0\0\0", UNSUPPORTED, "'t.xml' is encoded in UTF-32");
    REFUSED("<?xml version='1.0' encoding='Shift_JIS'?><a/>", UNSUPPORTED,
            "'t.xml' is encoded in Shift_JIS");
}

static void
count_calls(void *data, xmlErrorPtr e)
{
    unsigned *n = data;
    (void)e;
    (*n)++;
}

/* libxml2 has ways past the parser to report; nothing of it may reach the program's handler, or
 * stderr. */
static void
test_silent(void **state)
{
    unsigned calls = 0;
    (void)state;
    xmlSetStructuredErrorFunc(&calls, count_calls);
    REFUSED("<?xml version='1.0' encoding='ISO-8859-6'?><a>\n\xFC\xFF\xFF</a>", FORMAT,
            "t.xml:");
    assert_ptr_equal(xmlStructuredError, count_calls);
    assert_ptr_equal(xmlStructuredErrorContext, &calls);
    xmlSetStructuredErrorFunc(NULL, NULL);
    assert_int_equal(calls, 0);
}

static void
test_document_types(void **state)
{
    GOLD_CLEANUP_STR struct gold_str bomb = GOLD_STR_INIT;
    (void)state;
    REFUSED("<!DOCTYPE a>\n<a/>", FORMAT,
            "t.xml:1: a document type (DOCTYPE) is not accepted here");
    REFUSED("\n<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", FORMAT,
            "t.xml:2: a document type");
    REFUSED("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", FORMAT,
            "a document type");
    gold_str_append(&bomb, "<!DOCTYPE a [<!ENTITY l0 'lol'>");
    for (int i = 1; i < 30; i++)
        gold_str_printf(&bomb, "<!ENTITY l%d '&l%d;&l%d;&l%d;&l%d;'>\n", i, i - 1, i - 1, i - 1,
                        i - 1);
    gold_str_append(&bomb, "]><a b='&l29;'>&l29;</a>");
    expect_error(bomb.data, bomb.len, GOLD_ERROR_FORMAT, "t.xml:1: a document type");
}

static void
test_caps(void **state)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *huge = calloc(1, GOLD_LIMIT_DEFINITION + 1);
    (void)state;
    for (int i = 0; i < 100000; i++)
        gold_str_append(&s, "<a>");
    expect_error(s.data, s.len, GOLD_ERROR_UNSUPPORTED, "t.xml:1: elements nest too deeply");
    gold_str_clear(&s);
    gold_str_append(&s, "<a");
    for (int i = 0; i < 1000000; i++)
        gold_str_printf(&s, " a%d=''", i);
    expect_error(s.data, s.len, GOLD_ERROR_UNSUPPORTED,
                 "t.xml:1: an element has too many attributes");
    assert_non_null(huge);
    memset(huge, ' ', GOLD_LIMIT_DEFINITION + 1);
    expect_error(huge, GOLD_LIMIT_DEFINITION + 1, GOLD_ERROR_FORMAT,
                 "'t.xml' is larger than 16777216 bytes");
}

static void
accept(const char *text)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = gold_xml_parse("t.xml", text, strlen(text), &err);

    if (!x)
        fail_msg("'%s': %s", text, gold_error_message(err));
    const xmlNode *root = xmlDocGetRootElement(x->doc);
    const struct gold_xml_span *span = gold_xml_span_of(x, root);
    assert_non_null(span);
    assert_int_equal(x->text[span->offset], '<');
}

static void
test_accepted(void **state)
{
    (void)state;
    accept("<!-- first --><a/>");
    accept("\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8'?>\r\n<a>\r\n</a>\r\n");
    accept("<?xml version='1.0' encoding='iso-8859-1'?><a b='\xE9'>\xFC<\xE9/></a>");
    accept("<?xml version='1.0' encoding='windows-1252'?><a/>");
    accept("<a xmlns:q='urn:q' q:b='1' c='2'><q:d xmlns='urn:e'/></a>");
    accept("<a><u:b u:c='1'/></a>"); /* a prefix that is not declared */
    accept("<a xmlns:xml='http://www.w3.org/XML/1998/namespace' xml:lang='de'/>");
    accept("<a b='&lt;&#10;&#x41;'>&amp;<![CDATA[<x>]]><?p <y>?><!-- <z> --></a>");
    accept("<a><b/>text<b></b><c><d/></c></a><!-- end --><?p?>\n");
}

static void
count_elements(const struct gold_xml *x, const xmlNode *node, size_t *n)
{
    for (const xmlNode *e = node; e; e = gold_xml_next(e, NULL)) {
        const struct gold_xml_span *span = gold_xml_span_of(x, e);
        assert_non_null(span);
        const char *local = memchr(x->text + span->name, ':', span->name_len);
        local = local && e->ns ? local + 1 : x->text + span->name;
        assert_memory_equal(local, e->name, strlen((const char *)e->name));
        (*n)++;
        count_elements(x, gold_xml_child(e, NULL), n);
    }
}

static void
agree_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = gold_xml_parse(path, text, len, &err);
    size_t n = 0, tags = 0;

    (void)opaque;
    if (!x)
        fail_msg("%s", gold_error_message(err));
    count_elements(x, xmlDocGetRootElement(x->doc), &n);
    for (size_t i = 0; i < x->n_spans; i++)
        tags +=
            x->spans[i].kind == GOLD_XML_START_TAG || x->spans[i].kind == GOLD_XML_EMPTY_TAG;
    assert_int_equal(n, tags);
}

static void
test_corpus_agrees(void **state)
{
    (void)state;
    print_message("%zu files agree\n", corpus_each(agree_one, NULL));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_silent),
        cmocka_unit_test(test_document_types), cmocka_unit_test(test_caps),
        cmocka_unit_test(test_accepted),       cmocka_unit_test(test_corpus_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
