/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splices: the exact bytes they make in files of many styles, and properties over every file of
 * the corpus. */
#include "unit.h"

#include <libxml/c14n.h>

#include "formats/xml_edit.h"
#include "formats/xml_tree.h"

#include "corpus.h"

static struct gold_xml *
parse(const char *text, size_t len)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_xml *x = gold_xml_parse("t.xml", text, len, &err);

    if (!x)
        fail_msg("%s", gold_error_message(err));
    return x;
}

static char *
apply(const struct gold_patch *p, const char *old, size_t len, size_t *ret_len)
{
    struct gold_error *err = NULL;
    char *out = NULL;

    assert_int_equal(gold_patch_apply(p, old, len, &out, ret_len, &err), 0);
    return out;
}

static void
expect(const struct gold_patch *p, const char *old, const char *new)
{
    size_t len;
    GOLD_CLEANUP_FREE char *out = apply(p, old, strlen(old), &len);
    assert_string_equal(out, new);
    gold_xml_free(parse(out, len));
}

/* ---- attributes ---- */

static void
expect_attribute(const char *old, const char *path, const char *name, const char *value,
                 const char *new)
{
    GOLD_CLEANUP_XML struct gold_xml *x = parse(old, strlen(old));
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_error *err = NULL;
    const xmlNode *root = xmlDocGetRootElement(x->doc);

    assert_int_equal(gold_xml_set_attribute(x, *path ? gold_xml_path(root, path) : root, name,
                                            value, &p, &err),
                     0);
    expect(&p, old, new);
}

static void
test_set_attribute(void **state)
{
    (void)state;
    expect_attribute("<a  b = '1'\tc=\"2\" />", "", "b", "x", "<a  b = 'x'\tc=\"2\" />");
    expect_attribute("<a  b = '1'\tc=\"2\" />", "", "c", "x", "<a  b = '1'\tc=\"x\" />");
    expect_attribute("<a b='1'/>", "", "b", "1", "<a b='1'/>");
    expect_attribute("<a b='&#49;'/>", "", "b", "1", "<a b='&#49;'/>");
    expect_attribute("<a b='1' />", "", "c", "2", "<a b='1' c='2' />");
    expect_attribute("<a q=\"1\"><b/></a>", "b", "c", "2", "<a q=\"1\"><b c=\"2\"/></a>");
    expect_attribute("<a><b ></b></a>", "b", "c", "2", "<a><b c='2' ></b></a>");
    expect_attribute("<a xx='1' x='2'/>", "", "x", "3", "<a xx='1' x='3'/>");
    expect_attribute("<a b='1'/>", "", "b", "<&'\"\xC3\xA9",
                     "<a b='&lt;&amp;&#39;&quot;\xC3\xA9'/>");
    expect_attribute(
        "<?xml version='1.0' encoding='latin1'?><a b='1' c='\xE9'/>", "", "b",
        "\xC3\xA9\xF0\x9F\x98\x80",
        "<?xml version='1.0' encoding='latin1'?><a b='&#xE9;&#x1F600;' c='\xE9'/>");
}

static void
test_rename_and_drop_attributes(void **state)
{
    const char *old = "<a b='1'  cc='2' ><d/></a>";
    GOLD_CLEANUP_XML struct gold_xml *x = parse(old, strlen(old));
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, q = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    const xmlNode *root = xmlDocGetRootElement(x->doc);
    (void)state;

    assert_int_equal(gold_xml_rename_attribute(x, root, "cc", "dev", &p, &err), 0);
    expect(&p, old, "<a b='1'  dev='2' ><d/></a>");
    assert_int_equal(gold_xml_drop_attributes(x, root, &q, &err), 0);
    assert_int_equal(gold_xml_drop_attributes(x, gold_xml_child(root, "d"), &q, &err), 0);
    expect(&q, old, "<a ><d/></a>");
    assert_int_equal(gold_xml_rename_attribute(x, root, "x", "y", &p, &err), -1);
    assert_string_equal(gold_error_message(err), "element 'a' has no attribute 'x'");
}

/* ---- text ---- */

static void
expect_text(const char *old, const char *text, const char *new)
{
    GOLD_CLEANUP_XML struct gold_xml *x = parse(old, strlen(old));
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_error *err = NULL;

    assert_int_equal(gold_xml_set_text(x, xmlDocGetRootElement(x->doc), text, &p, &err), 0);
    expect(&p, old, new);
}

static void
test_set_text(void **state)
{
    (void)state;
    expect_text("<a>1</a>", "2", "<a>2</a>");
    expect_text("<a>1</a>", "1", "<a>1</a>");
    expect_text("<a></a>", "2", "<a>2</a>");
    expect_text("<a/>", "2", "<a>2</a>");
    expect_text("<a b='1'\n />", "2", "<a b='1'>2</a>");
    expect_text("<a>1<!-- one --></a>", "2", "<a>2<!-- one --></a>");
    expect_text("<a><!-- one -->1</a>", "2", "<a><!-- one -->2</a>");
    expect_text("<a>1<!-- x -->2</a>", "3", "<a>3<!-- x --></a>");
    expect_text("<a><![CDATA[1]]></a>", "2", "<a>2</a>");
    expect_text("<a><![CDATA[2]]></a>", "2", "<a><![CDATA[2]]></a>");
    expect_text("<a><b>x</b></a>", "2", "<a>2</a>");
    expect_text("<a>1</a>", "<&>", "<a>&lt;&amp;&gt;</a>");
}

/* ---- elements ---- */

static void
expect_delete(const char *old, const char *new)
{
    GOLD_CLEANUP_XML struct gold_xml *x = parse(old, strlen(old));
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_error *err = NULL;
    const xmlNode *root = xmlDocGetRootElement(x->doc);

    assert_int_equal(gold_xml_delete(x, gold_xml_child(root, "d"), &p, &err), 0);
    expect(&p, old, new);
}

static void
test_delete(void **state)
{
    (void)state;
    expect_delete("<a>\n  <b/>\n  <d/>\n  <c/>\n</a>", "<a>\n  <b/>\n  <c/>\n</a>");
    expect_delete("<a>\r\n\t<d>\r\n\t</d> \r\n</a>", "<a>\r\n</a>");
    expect_delete("<a><b/><d/><c/></a>", "<a><b/><c/></a>");
    expect_delete("<a>\n  <b/><d/>\n</a>", "<a>\n  <b/>\n</a>");
    expect_delete("<a>\n  <d/> <!-- why -->\n</a>", "<a>\n   <!-- why -->\n</a>");
    expect_delete("<a>\n  <d/></a>", "<a>\n  </a>");
}

static void
expect_insert(const char *old, const char *after, const char *before, const char *new)
{
    GOLD_CLEANUP_XML struct gold_xml *x = parse(old, strlen(old));
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_error *err = NULL;
    const xmlNode *root = xmlDocGetRootElement(x->doc);

    assert_int_equal(gold_xml_insert(x, root, after ? gold_xml_child(root, after) : NULL,
                                     before ? gold_xml_child(root, before) : NULL, "<n/>", &p,
                                     &err),
                     0);
    expect(&p, old, new);
}

static void
test_insert(void **state)
{
    (void)state;
    expect_insert("<a>\n   <b/>\n</a>", "b", NULL, "<a>\n   <b/>\n   <n/>\n</a>");
    expect_insert("<a>\n   <b/>\n</a>", NULL, "b", "<a>\n   <n/>\n   <b/>\n</a>");
    expect_insert("<a>\r\n\t<b>\r\n\t</b>\r\n</a>", "b", NULL,
                  "<a>\r\n\t<b>\r\n\t</b>\r\n\t<n/>\r\n</a>");
    expect_insert("<a>\n  <b/> <!-- of b -->\n</a>", "b", NULL,
                  "<a>\n  <b/> <!-- of b -->\n  <n/>\n</a>");
    expect_insert("<a>\n  <b/></a>", "b", NULL, "<a>\n  <b/>\n  <n/></a>");
    expect_insert("<a><b/><c/></a>", "b", NULL, "<a><b/><n/><c/></a>");
    expect_insert("<a><b/><c/></a>", NULL, "c", "<a><b/><n/><c/></a>");
    expect_insert("<a>\n  <b/>\n</a>", NULL, NULL, "<a>\n  <b/>\n  <n/>\n</a>");
    expect_insert("<a>\n  <b/></a>", NULL, NULL, "<a>\n  <b/>\n  <n/>\n</a>");
    expect_insert("<a/>", NULL, NULL, "<a>\n  <n/>\n</a>");
    expect_insert("<a />\n", NULL, NULL, "<a>\n  <n/>\n</a>\n");
    expect_insert("<a></a>", NULL, NULL, "<a>\n  <n/>\n</a>");
    expect_insert("<a><b/></a>", NULL, NULL, "<a><b/><n/></a>");
}

static void
test_foreign_node(void **state)
{
    GOLD_CLEANUP_XML struct gold_xml *x = parse("<a/>", 4);
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    xmlNode *foreign = xmlNewNode(NULL, (const xmlChar *)"b");
    (void)state;

    assert_non_null(foreign);
    assert_int_equal(gold_xml_delete(x, foreign, &p, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
    xmlFreeNode(foreign);
}

/* ---- the corpus ---- */

static char *
canonical(xmlDoc *doc)
{
    xmlChar *text = NULL;
    assert_true(xmlC14NDocDumpMemory(doc, NULL, XML_C14N_1_1, NULL, 1, &text) > 0);
    return (char *)text;
}

/* Everything replaced by itself, byte for byte: nothing may change. */
static void
replace_raw(const struct gold_xml *x)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0};
    struct gold_error *err = NULL;
    size_t len;

    for (size_t i = 0; i < x->n_attributes; i++) {
        const struct gold_xml_attribute *a = &x->attributes[i];
        assert_int_equal(
            gold_patch_add(&p, a->value, a->value_len, x->text + a->value, a->value_len, &err),
            0);
    }
    for (size_t i = 0; i < x->n_spans; i++) {
        const struct gold_xml_span *s = &x->spans[i];
        if (s->kind == GOLD_XML_TEXT)
            assert_int_equal(
                gold_patch_add(&p, s->offset, s->len, x->text + s->offset, s->len, &err), 0);
    }
    GOLD_CLEANUP_FREE char *out = apply(&p, x->text, x->len, &len);
    assert_int_equal(len, x->len);
    assert_memory_equal(out, x->text, len);
}

/* Setting what is there already makes no edit; setting something else and back again gives the
 * same document. */
static void
set_all(const struct gold_xml *x, const xmlNode *node, bool change, struct gold_patch *p)
{
    struct gold_error *err = NULL;

    for (const xmlNode *e = node; e; e = gold_xml_next(e, NULL)) {
        GOLD_CLEANUP_FREE char *text = NULL;
        for (const xmlAttr *a = e->properties; a; a = a->next) {
            if (a->ns || strchr((const char *)a->name, ':'))
                continue;
            const char *value = gold_xml_attr(e, (const char *)a->name);
            GOLD_CLEANUP_FREE char *other = gold_format(&err, "%s<x>", value);
            assert_int_equal(gold_xml_set_attribute(x, e, (const char *)a->name,
                                                    change ? other : value, p, &err),
                             0);
        }
        if (gold_xml_child(e, NULL)) {
            set_all(x, gold_xml_child(e, NULL), change, p);
            continue;
        }
        assert_int_equal(gold_xml_text(e, &text, &err), 0);
        GOLD_CLEANUP_FREE char *other = gold_format(&err, "%s<x>", text);
        assert_int_equal(gold_xml_set_text(x, e, change ? other : text, p, &err), 0);
    }
}

/* Takes the "<x>" off again, in the tree. */
static void
unmark(xmlNode *node)
{
    for (xmlNode *e = node; e; e = gold_xml_next(e, NULL)) {
        for (xmlAttr *a = e->properties; a; a = a->next) {
            if (a->ns || strchr((const char *)a->name, ':'))
                continue;
            size_t len = strlen((const char *)a->children->content);
            assert_true(len >= 3 &&
                        gold_str_has_suffix((const char *)a->children->content, "<x>"));
            a->children->content[len - 3] = '\0';
        }
        if (gold_xml_child(e, NULL)) {
            unmark(gold_xml_child(e, NULL));
            continue;
        }
        bool found = false;
        for (xmlNode *t = e->children; t; t = t->next) {
            if (t->type == XML_TEXT_NODE &&
                gold_str_has_suffix((const char *)t->content, "<x>")) {
                t->content[strlen((const char *)t->content) - 3] = '\0';
                found = true;
            }
        }
        assert_true(found);
    }
}

static void
edit_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_XML struct gold_xml *x = parse(text, len);
    GOLD_CLEANUP_PATCH struct gold_patch same = {0}, marked = {0}, inverse = {0};
    struct gold_error *err = NULL;
    size_t new_len, back_len;
    (void)path;
    (void)opaque;

    replace_raw(x);
    set_all(x, xmlDocGetRootElement(x->doc), false, &same);
    assert_int_equal(same.n, 0);

    set_all(x, xmlDocGetRootElement(x->doc), true, &marked);
    GOLD_CLEANUP_FREE char *new = apply(&marked, text, len, &new_len);
    GOLD_CLEANUP_XML struct gold_xml *y = parse(new, new_len);
    unmark(xmlDocGetRootElement(y->doc));
    GOLD_CLEANUP_FREE char *a = canonical(x->doc);
    GOLD_CLEANUP_FREE char *b = canonical(y->doc);
    assert_string_equal(a, b);

    assert_int_equal(gold_patch_inverse(&marked, text, len, &inverse, &err), 0);
    GOLD_CLEANUP_FREE char *back = apply(&inverse, new, new_len, &back_len);
    assert_int_equal(back_len, len);
    assert_memory_equal(back, text, len);
}

static void
test_corpus(void **state)
{
    (void)state;
    print_message("%zu files edited\n", corpus_each(edit_one, NULL));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_attribute), cmocka_unit_test(test_rename_and_drop_attributes),
        cmocka_unit_test(test_set_text),      cmocka_unit_test(test_delete),
        cmocka_unit_test(test_insert),        cmocka_unit_test(test_foreign_node),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
