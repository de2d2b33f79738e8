/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of an honest agent, and everything that a guest may send instead. */
#include "unit.h"

#include "core/limits.h"
#include "core/str.h"
#include "validate/protocol.h"

#define NONCE "0123456789abcdef0123456789abcdef"
#define OTHER "ffffffffffffffffffffffffffffffff"

static void
feed(struct gold_protocol *p, const char *text)
{
    assert_int_equal(gold_protocol_feed(p, text, strlen(text), NULL), 0);
}

static void
send(struct gold_protocol *p, unsigned seq, const char *type, const char *members)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_printf(&s, "{\"nonce\":\"" NONCE "\",\"seq\":%u,\"type\":\"%s\"%s}\n", seq, type,
                    members);
    feed(p, gold_str_text(&s));
}

static int
set_up(void **state)
{
    struct gold_protocol *p = malloc(sizeof(*p));
    if (!p)
        return -1;
    gold_protocol_start(p, NONCE);
    *state = p;
    return 0;
}

static int
tear_down(void **state)
{
    struct gold_protocol *p = *state;
    gold_protocol_done(p);
    free(p);
    return 0;
}

static void
takes_a_conversation(void **state)
{
    struct gold_protocol *p = *state;
    send(p, 1, "hello", ",\"agent\":1,\"kernel\":\"6.1.0\",\"target\":\"early\"");
    assert_true(p->hello && !p->reached && !p->bye);
    assert_int_equal(p->percent, -1);
    send(p, 2, "reached", ",\"state\":\"running\",\"failed\":[]");
    send(p, 3, "progress", ",\"payload\":\"limits\",\"percent\":40");
    assert_int_equal(p->percent, 40);
    send(p, 4, "identity", ",\"facts\":[[\"machine-id\",\"x\"]]");
    send(p, 5, "bye", "");
    assert_true(p->reached && p->bye);
    assert_int_equal(p->messages.n, 4);
    assert_int_equal(p->dropped, 0);
    assert_string_equal(json_string_value(json_object_get(p->messages.items[2], "type")),
                        "identity");
}

static void
puts_torn_lines_together(void **state)
{
    struct gold_protocol *p = *state;
    const char *text =
        "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"hello\"}\r\n{\"nonce\":\"" NONCE
        "\",\"seq\":2,\"type\":\"bye\"}\n";
    for (size_t i = 0; i < strlen(text); i++)
        assert_int_equal(gold_protocol_feed(p, text + i, 1, NULL), 0);
    assert_true(p->hello && p->bye);
    assert_int_equal(p->messages.n, 2);
    assert_int_equal(p->dropped, 0);
}

static void
a_line_without_end_is_no_message(void **state)
{
    struct gold_protocol *p = *state;
    feed(p, "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"bye\"}");
    assert_false(p->bye);
    feed(p, "\n");
    assert_true(p->bye);
}

static void
drops_what_is_not_ours(void **state)
{
    struct gold_protocol *p = *state;
    static const char *const lines[] = {
        "login: \n",
        "{\"nonce\":\"" OTHER "\",\"seq\":1,\"type\":\"hello\"}\n",
        "{\"seq\":1,\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":0,\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":-1,\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1.0,\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":\"1\",\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":99999999999999999999,\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":4000000000,\"type\":\"hello\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"verdict\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"hello\",\"type\":\"bye\"}\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"hello\"\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"hello\"} trailing\n",
        "[\"" NONCE "\",1,\"hello\"]\n",
        "\xff\xfe\n",
        "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"hello\",\"kernel\":\"\xc3\x28\"}\n",
    };
    size_t n = sizeof(lines) / sizeof(*lines);
    for (size_t i = 0; i < n; i++)
        feed(p, lines[i]);
    assert_int_equal(p->dropped, n);
    assert_int_equal(p->messages.n, 0);
    assert_false(p->hello || p->bye);
    /* And none of it got in the way of the real one. */
    send(p, 1, "hello", "");
    assert_true(p->hello);
}

static void
drops_raw_nul(void **state)
{
    struct gold_protocol *p = *state;
    static const char line[] = "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"he\0llo\"}\n";
    assert_int_equal(gold_protocol_feed(p, line, sizeof(line) - 1, NULL), 0);
    assert_int_equal(p->dropped, 1);
}

static void
drops_replays_and_what_follows_bye(void **state)
{
    struct gold_protocol *p = *state;
    send(p, 1, "hello", "");
    send(p, 2, "identity", ",\"facts\":[]");
    send(p, 2, "identity", ",\"facts\":[[\"machine-id\",\"forged\"]]");
    send(p, 1, "hello", "");
    assert_int_equal(p->dropped, 2);
    send(p, 7, "bye", ""); /* messages may have been lost: a leap is none of ours to punish */
    assert_true(p->bye);
    send(p, 8, "identity", ",\"facts\":[]");
    assert_int_equal(p->dropped, 3);
    assert_int_equal(p->messages.n, 3);
}

static void
drops_deep_nesting_unparsed(void **state)
{
    struct gold_protocol *p = *state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(&s, "{\"nonce\":\"" NONCE "\",\"seq\":1,\"type\":\"hello\",\"x\":");
    for (int i = 0; i < 200000; i++)
        gold_str_append_char(&s, '[');
    gold_str_append_char(&s, '\n');
    feed(p, gold_str_text(&s));
    assert_int_equal(p->dropped, 1);
    /* As deep as honest messages are: fine. Brackets in strings do not count. */
    send(p, 1, "limits", ",\"samples\":[{\"a\":[1]}],\"x\":\"[[[[[[[[[[[[[[{{{{{{\\\"[[[[[\"");
    assert_int_equal(p->messages.n, 1);
}

static void
drops_lines_of_too_many_values(void **state)
{
    struct gold_protocol *p = *state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(&s, ",\"x\":[0");
    for (int i = 0; i < 100000; i++)
        gold_str_append(&s, ",0");
    gold_str_append_char(&s, ']');
    send(p, 1, "identity", gold_str_text(&s));
    assert_int_equal(p->dropped, 1);
    assert_int_equal(p->messages.n, 0);
}

static void
bounds_what_it_keeps(void **state)
{
    struct gold_protocol *p = *state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(&s, ",\"x\":[0");
    for (int i = 0; i < 10000; i++)
        gold_str_append(&s, ",0");
    gold_str_append_char(&s, ']');
    for (unsigned i = 1; i <= 100; i++)
        send(p, i, "identity", gold_str_text(&s));
    assert_true(p->messages.n < 25 && p->messages.n > 10);
    assert_int_equal(p->messages.n + p->dropped, 100);
    /* The end of the talk is heard all the same. */
    send(p, 101, "bye", "");
    assert_true(p->bye);
    for (unsigned i = 1; i <= 3000; i++)
        feed(p, "{}\n");
    assert_true(p->messages.n < 25);
}

static void
drops_lines_that_are_too_long(void **state)
{
    struct gold_protocol *p = *state;
    GOLD_CLEANUP_FREE char *block = malloc(64 * 1024);
    assert_non_null(block);
    memset(block, 'x', 64 * 1024);
    for (size_t sent = 0; sent <= GOLD_LIMIT_CHANNEL_LINE; sent += 64 * 1024)
        assert_int_equal(gold_protocol_feed(p, block, 64 * 1024, NULL), 0);
    assert_true(p->line_too_long);
    assert_true(p->line_cap <= 2 * GOLD_LIMIT_CHANNEL_LINE);
    feed(p, "\n");
    assert_false(p->line_too_long);
    assert_int_equal(p->dropped, 1);
    send(p, 1, "hello", "");
    assert_true(p->hello);
}

static void
refuses_a_flood(void **state)
{
    struct gold_protocol *p = *state;
    GOLD_CLEANUP_FREE char *block = malloc(GOLD_MIB);
    struct gold_error *err = NULL;
    assert_non_null(block);
    memset(block, '\n', GOLD_MIB);
    size_t sent = 0;
    while (sent < GOLD_LIMIT_CHANNEL_TOTAL) {
        assert_int_equal(gold_protocol_feed(p, block, GOLD_MIB, NULL), 0);
        sent += GOLD_MIB;
    }
    assert_int_equal(gold_protocol_feed(p, block, 1, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    gold_error_free(err);
    assert_int_equal(gold_protocol_feed(p, block, GOLD_MIB, NULL), -1);
}

static void
keeps_percent_in_bounds(void **state)
{
    struct gold_protocol *p = *state;
    send(p, 1, "progress", ",\"percent\":900");
    assert_int_equal(p->percent, 100);
    send(p, 2, "progress", ",\"percent\":-5");
    assert_int_equal(p->percent, 0);
    send(p, 3, "progress", ",\"percent\":\"many\"");
    assert_int_equal(p->percent, 0);
    assert_int_equal(p->messages.n, 0);
}

static void
makes_nonces(void **state)
{
    (void)state;
    char a[33], b[33];
    assert_int_equal(gold_nonce(a, NULL), 0);
    assert_int_equal(gold_nonce(b, NULL), 0);
    assert_int_equal(strlen(a), 32);
    assert_int_equal(strspn(a, "0123456789abcdef"), 32);
    assert_string_not_equal(a, b);
}

/* Any change of any byte, any cut: no crash, no leak, and never more than the messages that
 * were sent. */
static void
survives_damage(void **state)
{
    (void)state;
    const char *text =
        "{\"nonce\":\"" NONCE
        "\",\"seq\":1,\"type\":\"limits\",\"name\":\"vda\",\"samples\":[{\"bytes\":1,"
        "\"ops\":2,\"seconds\":1.5}],\"control\":null}\n";
    size_t len = strlen(text);
    static const char with[] = {'\0', '"', '\\', '{', '[', ',', '\n', '9', '\x80', '\xff'};
    for (size_t i = 0; i < len; i++) {
        for (size_t k = 0; k < sizeof(with); k++) {
            GOLD_CLEANUP_FREE char *copy = malloc(len); /* exact, so that a read beyond shows */
            assert_non_null(copy);
            memcpy(copy, text, len);
            copy[i] = with[k];
            struct gold_protocol p;
            gold_protocol_start(&p, NONCE);
            assert_int_equal(gold_protocol_feed(&p, copy, len, NULL), 0);
            assert_int_equal(gold_protocol_feed(&p, copy, i, NULL), 0);
            assert_true(p.messages.n <= 1);
            gold_protocol_done(&p);
        }
    }
}

#define with_protocol(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        with_protocol(takes_a_conversation),
        with_protocol(puts_torn_lines_together),
        with_protocol(a_line_without_end_is_no_message),
        with_protocol(drops_what_is_not_ours),
        with_protocol(drops_raw_nul),
        with_protocol(drops_replays_and_what_follows_bye),
        with_protocol(drops_deep_nesting_unparsed),
        with_protocol(drops_lines_of_too_many_values),
        with_protocol(bounds_what_it_keeps),
        with_protocol(drops_lines_that_are_too_long),
        with_protocol(refuses_a_flood),
        with_protocol(keeps_percent_in_bounds),
        cmocka_unit_test(makes_nonces),
        cmocka_unit_test(survives_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
