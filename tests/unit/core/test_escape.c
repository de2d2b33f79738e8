/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UTF-8 and what becomes of hostile text. */
#include "unit.h"

#include "core/str.h"
#include "scratch.h"

static const struct {
    const char *bytes;
    bool valid;
} utf8[] = {
    {"", true},
    {"plain", true},
    {"\x7F", true},
    {"\xC2\x80", true},          /* U+0080 */
    {"\xDF\xBF", true},          /* U+07FF */
    {"\xE0\xA0\x80", true},      /* U+0800 */
    {"\xED\x9F\xBF", true},      /* U+D7FF, last before the surrogates */
    {"\xEE\x80\x80", true},      /* U+E000, first behind them */
    {"\xEF\xBF\xBF", true},      /* U+FFFF */
    {"\xF0\x90\x80\x80", true},  /* U+10000 */
    {"\xF4\x8F\xBF\xBF", true},  /* U+10FFFF */
    {"\x80", false},             /* a continuation alone */
    {"\xC0\x80", false},         /* NUL, overlong */
    {"\xC1\xBF", false},         /* overlong */
    {"\xC2", false},             /* cut */
    {"\xC2\x41", false},         /* not a continuation */
    {"\xE0\x9F\xBF", false},     /* overlong */
    {"\xE2\x82", false},         /* cut */
    {"\xED\xA0\x80", false},     /* U+D800 */
    {"\xED\xBF\xBF", false},     /* U+DFFF */
    {"\xF0\x8F\xBF\xBF", false}, /* overlong */
    {"\xF4\x90\x80\x80", false}, /* U+110000 */
    {"\xF5\x80\x80\x80", false},
    {"\xFF", false},
    {"ok\xFE", false},
};

static void
judges_utf8(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(utf8) / sizeof(utf8[0]); i++) {
        if (gold_utf8_valid(utf8[i].bytes, strlen(utf8[i].bytes)) != utf8[i].valid)
            fail_msg("row %zu", i);
    }
    assert_true(gold_utf8_valid("a\0b", 3));
    assert_false(gold_utf8_valid("\xE2\x82\xAC", 2));
}

static void
check(void (*fn)(struct gold_str *, const char *), const char *in, const char *want)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    fn(&s, in);
    assert_int_equal(gold_str_finish(&s, "it", NULL), 0);
    assert_string_equal(gold_str_text(&s), want);
    assert_true(gold_utf8_valid(gold_str_text(&s), s.len));
}

#define FFFD "\xEF\xBF\xBD"

static void
escapes_for_xml(void **state)
{
    (void)state;
    check(gold_str_append_xml, NULL, "");
    check(gold_str_append_xml, "plain \xE2\x82\xAC", "plain \xE2\x82\xAC");
    check(gold_str_append_xml, "<a b=\"c\" d='e'>&amp;",
          "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;");
    check(gold_str_append_xml, "a\tb\nc\rd", "a\tb\nc&#13;d");
    check(gold_str_append_xml, "\x01\x1B[31m\x7F", FFFD FFFD "[31m" FFFD);
    check(gold_str_append_xml, "\xC2\x85", FFFD);
    check(gold_str_append_xml, "\xEF\xBF\xBE\xEF\xBF\xBF", FFFD FFFD);
    check(gold_str_append_xml, "a\xFF\xE2\x82z", "a" FFFD FFFD FFFD "z");
}

static void
escapes_for_terminals(void **state)
{
    (void)state;
    check(gold_str_append_terminal, NULL, "");
    check(gold_str_append_terminal, "d\xC3\xA9j\xC3\xA0", "d\xC3\xA9j\xC3\xA0");
    check(gold_str_append_terminal, "\x1B[2J\x07\n\t", "\\x1B[2J\\x07\\x0A\\x09");
    check(gold_str_append_terminal, "\x7F", "\\x7F");
    check(gold_str_append_terminal,
          "\xC2\x9B"
          "31m",
          "\\u{009B}31m"); /* CSI in one code point */
    check(gold_str_append_terminal,
          "\x9B"
          "31m",
          "\\x9B31m"); /* and as a byte */
    check(gold_str_append_terminal,
          "\xE2\x80\xAE"
          "evil\xE2\x81\xA6",
          "\\u{202E}evil\\u{2066}");
    check(gold_str_append_terminal, "\xE2\x80\xA8\xD8\x9C", "\\u{2028}\\u{061C}");
    check(gold_str_append_terminal, "\xE2\x80", "\\xE2\\x80");
}

static void
repairs_utf8(void **state)
{
    (void)state;
    check(gold_str_append_utf8, NULL, "");
    check(gold_str_append_utf8, "a\x1B\xE2\x82\xAC", "a\x1B\xE2\x82\xAC");
    check(gold_str_append_utf8, "a\xED\xA0\x80z", "a" FFFD FFFD FFFD "z");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_utf8),
        cmocka_unit_test(escapes_for_xml),
        cmocka_unit_test(escapes_for_terminals),
        cmocka_unit_test(repairs_utf8),
    };

    return RUN_TESTS(tests);
}
