/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The binder with tables of its own: each type, each refusal. The keys of the template file are
 * in test_template.c. */
#include "unit.h"

#include "core/str.h"
#include "template/binder.h"
#include "template/template.h"

struct thing {
    char *text;
    char *names;
    unsigned count, line;
    bool has_word, flag;
    enum { RED, GREEN } word;
    struct gold_template_pair *rest;
    size_t n_rest;
};

static const char *const words[] = {"red", "green", NULL}, *const flags[] = {"off", "on", NULL};
static const struct gold_bind_key keys[] = {
    {.name = "text",
     .type = GOLD_BIND_TEXT,
     .required = true,
     .single_line = true,
     .offset = offsetof(struct thing, text)},
    {.name = "names",
     .type = GOLD_BIND_NAMES,
     .check = gold_bind_check_name,
     .offset = offsetof(struct thing, names)},
    {.name = "count",
     .type = GOLD_BIND_COUNT,
     .least = 2,
     .most = 9,
     .offset = offsetof(struct thing, count)},
    {.name = "word",
     .type = GOLD_BIND_WORD,
     .words = words,
     .offset = offsetof(struct thing, word),
     .size = sizeof(unsigned),
     .has_offset = offsetof(struct thing, has_word)},
    {.name = "flag",
     .type = GOLD_BIND_WORD,
     .words = flags,
     .offset = offsetof(struct thing, flag),
     .size = sizeof(bool)},
    {.name = "later", .type = GOLD_BIND_LATER},
};
static const struct gold_bind_table table = {
    .what = "a thing",
    .keys = keys,
    .n_keys = sizeof(keys) / sizeof(keys[0]),
    .line_offset = offsetof(struct thing, line),
};
static const struct gold_bind_table open_table = {
    .what = "a thing",
    .keys = keys,
    .n_keys = 1,
    .rest_offset = offsetof(struct thing, rest),
    .rest_count_offset = offsetof(struct thing, n_rest),
    .rest_missing = "nothing else is there",
};

static void
thing_done(struct thing *t)
{
    free(t->text);
    free(t->names);
    for (size_t i = 0; i < t->n_rest; i++) {
        free(t->rest[i].key);
        free(t->rest[i].value);
    }
    free(t->rest);
}

static int
bind(const struct gold_bind_table *by, const char *text, struct thing *ret,
     struct gold_error **err)
{
    GOLD_CLEANUP_YAML struct gold_yaml_node *root =
        gold_yaml_parse("t", text, strlen(text), NULL);
    assert_non_null(root);
    return gold_bind("t", by, root, ret, err);
}

static void
bad(const struct gold_bind_table *by, const char *text, const char *message)
{
    GOLD_CLEANUP(thing_done) struct thing t = {0};
    GOLD_CLEANUP(thing_done) struct thing again = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    assert_int_equal(bind(by, text, &t, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    assert_string_equal(gold_error_message(err), message);
    assert_int_equal(bind(by, text, &again, NULL), -1);
}

static void
all_types(void **state)
{
    (void)state;
    GOLD_CLEANUP(thing_done) struct thing t = {0};
    assert_int_equal(bind(&table,
                          "\ntext: hello\nnames: [a-b, c]\ncount: 7\nword: green\nflag: on\n",
                          &t, NULL),
                     0);
    assert_string_equal(t.text, "hello");
    assert_string_equal(t.names, "a-b,c");
    assert_int_equal(t.count, 7);
    assert_int_equal(t.word, GREEN);
    assert_true(t.has_word);
    assert_true(t.flag);
    assert_int_equal(t.line, 2);
}

static void
absent_keys_leave_defaults(void **state)
{
    (void)state;
    GOLD_CLEANUP(thing_done) struct thing t = {.count = 5, .flag = true};
    assert_int_equal(bind(&table, "text: x\n", &t, NULL), 0);
    assert_int_equal(t.count, 5);
    assert_true(t.flag);
    assert_false(t.has_word);
    assert_null(t.names);
}

static void
refusals(void **state)
{
    (void)state;
    bad(&table, "[a]", "t:1:1: a thing must be a mapping, not a list");
    bad(&table, "x", "t:1:1: a thing must be a mapping, not a text");
    bad(&table, "count: 3", "t:1:1: a thing needs the key 'text'");
    bad(&table, "text: x\ncuont: 3", "t:2:1: unknown key 'cuont', did you mean 'count'?");
    bad(&table, "text: x\nzzz: 3",
        "t:2:1: unknown key 'zzz' in a thing (known: text, names, count, word, flag, later)");
    bad(&table, "text:\n", "t:1:1: 'text' has no value");
    bad(&table, "text: ''\n", "t:1:7: 'text' has no value");
    bad(&table, "text: [x]\n", "t:1:7: 'text' must be a text, not a list");
    bad(&table, "text: {x: 1}\n", "t:1:7: 'text' must be a text, not a mapping");
    bad(&table, "text: \"a\\nb\"\n", "t:1:7: 'text' must be one line");
    bad(&table, "text: x\nnames: a\n", "t:2:8: 'names' must be a list, not a text");
    bad(&table, "text: x\nnames:\n", "t:2:1: 'names' must be a list, not nothing");
    bad(&table, "text: x\nnames: []\n",
        "t:2:8: 'names' is an empty list: leave the key out for the default");
    bad(&table, "text: x\nnames: [a, [b]]\n",
        "t:2:12: 'names' is a list of names, this is a list");
    bad(&table, "text: x\nnames: [a, B]\n",
        "t:2:12: 'names': 'B' is not a name (a-z, 0-9 and hyphens inside)");
    bad(&table, "text: x\ncount: many\n", "t:2:8: 'count' must be a whole number, not 'many'");
    bad(&table, "text: x\ncount: -3\n", "t:2:8: 'count' must be a whole number, not '-3'");
    bad(&table, "text: x\ncount: 99999999999999999999\n",
        "t:2:8: 'count' must be a whole number, not '99999999999999999999'");
    bad(&table, "text: x\ncount: 1\n", "t:2:8: 'count' must be from 2 to 9, not 1");
    bad(&table, "text: x\ncount: 10\n", "t:2:8: 'count' must be from 2 to 9, not 10");
    bad(&table, "text: x\nword: gren\n", "t:2:7: unknown value 'gren', did you mean 'green'?");
    bad(&table, "text: x\nword: blue\n",
        "t:2:7: unknown value 'blue' in 'word' (known: red, green)");
    bad(&table, "text: x\nlater: 1\n",
        "t:2:1: 'later' is not supported by this version of goldsmith");
    bad(&table, "text: x\n\"\\e[31m\": 1\n",
        "t:2:1: unknown key '\\x1B[31m' in a thing (known: text, names, count, word, flag, "
        "later)");
}

static void
other_keys(void **state)
{
    (void)state;
    GOLD_CLEANUP(thing_done) struct thing t = {0};
    assert_int_equal(bind(&open_table, "text: x\nblock-size: 1MiB\nmode:   a b\n", &t, NULL),
                     0);
    assert_int_equal(t.n_rest, 2);
    assert_string_equal(t.rest[0].key, "block-size");
    assert_string_equal(t.rest[0].value, "1MiB");
    assert_string_equal(t.rest[1].value, "a b");
    assert_int_equal(t.rest[1].line, 3);
    assert_int_equal(t.rest[1].column, 1);
    bad(&open_table, "text: x\n", "t:1:1: nothing else is there");
    bad(&open_table, "text: x\nBad Key: 1\n",
        "t:2:1: 'Bad Key' is not a key (a-z, 0-9 and hyphens inside)");
    bad(&open_table, "text: x\nk: [1]\n",
        "t:2:4: 'k' is a list, which this version of goldsmith does not support here");
    bad(&open_table, "text: x\nk: {a: 1}\n",
        "t:2:4: 'k' is a mapping, which this version of goldsmith does not support here");
    bad(&open_table, "text: x\nk:\n", "t:2:1: 'k' has no value");
}

static void
names(void **state)
{
    static const char *const good[] = {"a", "a-b", "9", "ssh-host-keys"}, *const wrong[] = {
                                                                              "",     "-",
                                                                              "-a",   "a-",
                                                                              "a--b", "A",
                                                                              "a_b",  "a b",
                                                                              "é",    "a,b"};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(gold_bind_check_name(good[i], NULL), 0);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(gold_bind_check_name(wrong[i], NULL), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_types), cmocka_unit_test(absent_keys_leave_defaults),
        cmocka_unit_test(refusals),  cmocka_unit_test(other_keys),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
