/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree with its places, and everything of YAML that is refused. */
#include "unit.h"

#include <time.h>

#include "core/str.h"
#include "template/yaml.h"

static struct gold_yaml_node *
parse(const char *text)
{
    struct gold_error *err = NULL;
    struct gold_yaml_node *root = gold_yaml_parse("t.yaml", text, strlen(text), &err);
    if (!root)
        fail_msg("%s", gold_error_message(err));
    return root;
}

static void
bad_bytes(const char *text, size_t len, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    assert_null(gold_yaml_parse("t.yaml", text, len, &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    if (!gold_str_has_prefix(gold_error_message(err), message))
        fail_msg("'%s' does not start with '%s'", gold_error_message(err), message);
    assert_null(strpbrk(gold_error_message(err), "\n\r\x1b"));
    assert_null(gold_yaml_parse("t.yaml", text, len, NULL));
}

static void
bad(const char *text, const char *message)
{
    bad_bytes(text, strlen(text), message);
}

static void
tree_and_places(void **state)
{
    (void)state;
    GOLD_CLEANUP_YAML struct gold_yaml_node *root =
        parse("a: 0930\nb:\n  - yes\n  - {c: 'x: y', é: \"q\"}\nd: |\n  one\n  two\n");
    assert_int_equal(root->kind, GOLD_YAML_MAP);
    assert_int_equal(root->n, 6);
    assert_string_equal(root->items[0]->text, "a");
    assert_string_equal(root->items[1]->text, "0930");
    assert_int_equal(root->items[1]->line, 1);
    assert_int_equal(root->items[1]->column, 4);
    const struct gold_yaml_node *list = root->items[3];
    assert_int_equal(list->kind, GOLD_YAML_LIST);
    assert_int_equal(list->n, 2);
    assert_string_equal(list->items[0]->text, "yes");
    const struct gold_yaml_node *map = list->items[1];
    assert_int_equal(map->kind, GOLD_YAML_MAP);
    assert_string_equal(map->items[1]->text, "x: y");
    assert_false(map->items[1]->plain);
    assert_string_equal(map->items[2]->text, "é");
    assert_int_equal(map->items[3]->line, 4);
    assert_int_equal(map->items[3]->column, 20);
    assert_string_equal(root->items[5]->text, "one\ntwo\n");
}

static void
texts_stay_texts(void **state)
{
    static const char *const texts[] = {"0930", "yes",   "no",  "null",       "~",
                                        "1e3",  "0x10",  "012", "2027-06-30", "1:30",
                                        ".inf", "10MiB", "-x"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        gold_str_printf(&s, "k: %s\n", texts[i]);
        GOLD_CLEANUP_YAML struct gold_yaml_node *root = parse(gold_str_text(&s));
        assert_string_equal(root->items[1]->text, texts[i]);
    }
}

static void
refused_features(void **state)
{
    (void)state;
    bad("a: &x 1\nb: *x\n", "t.yaml:1:4: anchors ('&name') are not supported");
    bad("a: 1\nb: *x\n", "t.yaml:2:4: aliases ('*name') are not supported");
    bad("a: &x [1]\n", "t.yaml:1:4: anchors");
    bad("a: &x {b: 1}\n", "t.yaml:1:4: anchors");
    bad("a: !!int 1\n", "t.yaml:1:4: tags ('!name') are not supported");
    bad("a: !foo [1]\n", "t.yaml:1:4: tags");
    bad("a: !foo {b: 1}\n", "t.yaml:1:4: tags");
    bad("<<: {a: 1}\n", "t.yaml:1:1: merge keys ('<<') are not supported");
    bad("a:\n  <<: 1\n", "t.yaml:2:3: merge keys");
    bad("a: 1\n---\nb: 2\n", "t.yaml:2:1: a second document starts here");
    bad("a: 1\n...\n---\nb: 2\n", "t.yaml:3:1: a second document starts here");
    bad("a: 1\nb: 2\na: 3\n", "t.yaml:3:1: key 'a' stands here twice, first in line 1");
    bad("{a: 1, \"a\": 2}\n", "t.yaml:1:8: key 'a' stands here twice, first in line 1");
    bad("[a]: 1\n", "t.yaml:1:1: a key must be a single word");
    bad("x: {[a]: 1}\n", "t.yaml:1:5: a key must be a single word");
    bad("? {a: 1}\n: 2\n", "t.yaml:1:3: a key must be a single word");
}

static void
broken_yaml(void **state)
{
    (void)state;
    bad("", "t.yaml:1:1: the file is empty");
    bad("# only a comment\n\n", "t.yaml:1:1: the file is empty");
    bad("\xef\xbb\xbf", "t.yaml:1:1: the file is empty");
    bad("a: 1\n b: 2\n", "t.yaml:2:3: mapping values are not allowed in this context");
    bad("a: [1, 2\n",
        "t.yaml:2:1: did not find expected ',' or ']' (while parsing a flow sequence)");
    bad("a: 'x\n",
        "t.yaml:2:1: found unexpected end of stream (while scanning a quoted scalar)");
    bad("a:\n\tb: 1\n", "t.yaml:2:1: found character that cannot start any token");
    bad("a: \"\\q\"\n", "t.yaml:1:5: found unknown escape character");
    bad("a: \"\\0\"\n", "t.yaml:1:4: a text must not hold a NUL character");
    bad("a: @x\n", "t.yaml:1:4: found character that cannot start any token");
    bad("%YAML 9.9\n---\na: 1\n", "t.yaml:1:1: found incompatible YAML document");
    bad_bytes("a: \0x\n", 6, "t.yaml:1:4: control characters are not allowed");
}

static void
encodings(void **state)
{
    (void)state;
    bad("a: 1\nb: é\xff\n", "t.yaml:2:5: invalid leading UTF-8 octet");
    bad("a: \xc0\xaf\n", "t.yaml:1:4: invalid");
    bad("a: \xed\xa0\x80\n", "t.yaml:1:4: invalid");
    bad("a: x\x1b[31m\n", "t.yaml:1:5: control characters are not allowed");
    bad_bytes("\xff\xfe"
              "a\0:\0 \0"
              "1\0",
              10, "t.yaml:1:1: invalid leading UTF-8 octet");
    GOLD_CLEANUP_YAML struct gold_yaml_node *root = parse("\xef\xbb\xbf"
                                                          "a: 1\r\nb: 2\r\n");
    assert_int_equal(root->column, 1);
    assert_int_equal(root->items[3]->line, 2);
    assert_int_equal(root->items[3]->column, 4);
    assert_string_equal(root->items[3]->text, "2");
}

static void
limits(void **state)
{
    (void)state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    for (int i = 0; i < 16; i++)
        gold_str_append_char(&s, '[');
    for (int i = 0; i < 16; i++)
        gold_str_append_char(&s, ']');
    gold_yaml_free(parse(gold_str_text(&s)));
    gold_str_clear(&s);
    for (int i = 0; i < 17; i++)
        gold_str_append_char(&s, '[');
    bad(gold_str_text(&s), "t.yaml:1:17: nested more than 16 levels deep");
    gold_str_clear(&s);
    for (int i = 0; i < 257; i++)
        gold_str_printf(&s, "k%d: 1\n", i);
    bad(gold_str_text(&s), "t.yaml:257:1: more than 256 keys in one mapping");
    gold_str_clear(&s);
    gold_str_append(&s, "a: [");
    for (int i = 0; i < 70000; i++)
        gold_str_append(&s, "x,");
    gold_str_append(&s, "x]\n");
    bad(gold_str_text(&s), "t.yaml:1:131071: more than 65536 values in one file");
}

/* What is one mebibyte of one character? It must not take long. */
static void
monotonous(void **state)
{
    static const char *const pieces[] = {
        "[", "{",  "- ",   "? ",   "a: ", "'", "\"", "\n", "|\n",  "&",     "*",  "!",
        "%", "a,", "{a: ", "[a: ", "\t",  "-", ":",  "#",  "a:\n", "- a\n", "?\n"};
    (void)state;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        struct timespec begin, end;
        while (s.len < 1 << 20)
            gold_str_append(&s, pieces[i]);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        gold_yaml_free(gold_yaml_parse("t.yaml", gold_str_text(&s), s.len, NULL));
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        if (end.tv_sec - begin.tv_sec > 10)
            fail_msg("'%s' repeated takes %ld s", pieces[i], (long)(end.tv_sec - begin.tv_sec));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_and_places),  cmocka_unit_test(texts_stay_texts),
        cmocka_unit_test(refused_features), cmocka_unit_test(broken_yaml),
        cmocka_unit_test(encodings),        cmocka_unit_test(limits),
        cmocka_unit_test(monotonous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
