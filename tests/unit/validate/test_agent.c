/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's parts, compiled into this test, against oracles: libcrypto's digests, jansson's
 * reading of its JSON. The program as a whole is tested in test_agent_program.c.
 */
#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/io.h"
#include "validate/agent/agent.h"

static void
digests_like_libcrypto(void **state)
{
    (void)state;
    unsigned char bytes[300], digest[32];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7 + 3);
    for (size_t len = 0; len <= sizeof(bytes); len++) { /* past every border of padding */
        char wanted[GOLD_HASH_HEX_MAX], got[65];
        assert_int_equal(gold_hash_bytes(GOLD_HASH_SHA256, bytes, len, wanted, NULL), 0);
        gold_agent_sha256(bytes, len, digest);
        gold_agent_hex(digest, sizeof(digest), got);
        assert_string_equal(got, wanted);
    }
}

static void
base64_by_the_book(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},         {"foo", "Zm9v"},
        {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        char text[16];
        unsigned char back[16];
        size_t len = strlen(pairs[i][0]);
        gold_agent_base64((const unsigned char *)pairs[i][0], len, text);
        assert_string_equal(text, pairs[i][1]);
        assert_int_equal(gold_agent_unbase64(text, back, sizeof(back)), len);
        assert_memory_equal(back, pairs[i][0], len);
    }
    unsigned char back[3];
    assert_int_equal(gold_agent_unbase64("Zm9v==", back, 3), 3);
    assert_int_equal(gold_agent_unbase64("Zm9v comment", back, 3), 3);
    assert_int_equal(gold_agent_unbase64("Zm9vYg", back, 3), -1);
    assert_int_equal(gold_agent_unbase64("!", back, 3), 0);
}

/* What is written is JSON, and means what went in. */
static void
json_of(const char *text, const char *wanted)
{
    struct gold_agent_text t = {0};
    gold_agent_text_json(&t, text);
    assert_false(t.failed);
    json_t *v = json_loads(t.data, JSON_DECODE_ANY, NULL);
    if (!v)
        fail_msg("not JSON: %s", t.data);
    assert_string_equal(json_string_value(v), wanted);
    assert_null(strchr(t.data, '\n'));
    json_decref(v);
    gold_agent_text_done(&t);
}

static void
strings_become_json(void **state)
{
    (void)state;
    json_of("", "");
    json_of("plain", "plain");
    json_of("\"quoted\" \\ back", "\"quoted\" \\ back");
    json_of("a\nb\tc\x01\x7f\x1b[31m", "a\nb\tc\x01\x7f\x1b[31m");
    json_of("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void
what_is_not_utf8_is_replaced(void **state)
{
    (void)state;
#define R "\xef\xbf\xbd"
    json_of("a\xff"
            "b",
            "a" R "b");
    json_of("\xc3", R); /* cut off */
    json_of("\xc3(", R "(");
    json_of("\xc0\xaf", R R); /* overlong */
    json_of("\xe0\x80\xaf", R R R);
    json_of("\xed\xa0\x80", R R R);       /* a surrogate */
    json_of("\xf4\x90\x80\x80", R R R R); /* beyond the last character */
    json_of("\xe2\x82", R R);
    json_of("\xf0\x9f\x98", R R R);
#undef R
}

static void
text_is_bounded(void **state)
{
    (void)state;
    struct gold_agent_text t = {0};
    char block[4096];
    memset(block, 'x', sizeof(block));
    for (size_t i = 0; i <= GOLD_AGENT_TEXT_MAX / sizeof(block); i++)
        gold_agent_text_add(&t, block, sizeof(block));
    assert_true(t.failed);
    assert_true(t.len <= GOLD_AGENT_TEXT_MAX);
    gold_agent_text_printf(&t, "more");
    assert_true(t.failed);
    gold_agent_text_done(&t);
    assert_null(t.data);
}

static void
reads_numbers(void **state)
{
    (void)state;
    uint64_t n = 7;
    assert_true(gold_agent_number("0", 10, &n) && n == 0);
    assert_true(gold_agent_number("18446744073709551615", UINT64_MAX, &n) && n == UINT64_MAX);
    static const char *const bad[] = {
        "", "-1", "+1", " 1", "1 ", "1x", "0x10", "18446744073709551616", "11"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(gold_agent_number(bad[i], i == 8 ? 10 : UINT64_MAX, &n));
}

#define HEAD "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdef\nwait 240\n"

static bool
parse(const char *text, struct gold_agent_plan *ret, char **ret_copy)
{
    const char *why = NULL;
    *ret_copy = strdup(text);
    assert_non_null(*ret_copy);
    bool ok = gold_agent_plan_parse(*ret_copy, ret, &why);
    if (!ok)
        assert_non_null(why);
    return ok;
}

static void
parses_plans(void **state)
{
    (void)state;
    struct gold_agent_plan p;
    GOLD_CLEANUP_FREE char *copy = NULL;
    assert_true(parse(HEAD "limits name=vda serial=GSLIMIT0 control=GSCONTROL runs=5 "
                           "seconds=20 read_bytes=262144,1,2 "
                           "write_iops=4096,4,9\n\nidentity\nend\nrubbish after the end",
                      &p, &copy));
    assert_string_equal(p.nonce, "0123456789abcdef0123456789abcdef");
    assert_int_equal(p.wait, 240);
    assert_int_equal(p.n_steps, 2);
    const struct gold_agent_limits *l = &p.steps[0].limits;
    assert_int_equal(p.steps[0].kind, GOLD_AGENT_STEP_LIMITS);
    assert_string_equal(l->name, "vda");
    assert_string_equal(l->serial, "GSLIMIT0");
    assert_string_equal(l->control, "GSCONTROL");
    assert_int_equal(l->runs, 5);
    assert_int_equal(l->seconds, 20);
    assert_true(l->metrics[GOLD_AGENT_READ_BYTES].wanted);
    assert_int_equal(l->metrics[GOLD_AGENT_READ_BYTES].size, 262144);
    assert_false(l->metrics[GOLD_AGENT_WRITE_BYTES].wanted ||
                 l->metrics[GOLD_AGENT_READ_IOPS].wanted);
    assert_int_equal(l->metrics[GOLD_AGENT_WRITE_IOPS].depth, 4);
    assert_int_equal(l->metrics[GOLD_AGENT_WRITE_IOPS].ramp, 9);
    assert_int_equal(p.steps[1].kind, GOLD_AGENT_STEP_IDENTITY);
}

static void
a_line_that_is_not_understood_is_told(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "pgbench clients=4",
        "limits",
        "limits name=vda",
        "limits name=vda serial=GSLIMIT0 colour=red",
        "limits name=vda serial=GSLIMIT0 word",
        "limits name=vda serial=GSLIMIT0 runs=0",
        "limits name=vda serial=GSLIMIT0 runs=101",
        "limits name=vda serial=GSLIMIT0 seconds=601",
        "limits name=vda serial=GSLIMIT0 read_bytes=262144",
        "limits name=vda serial=GSLIMIT0 read_bytes=262144,1,2,3",
        "limits name=vda serial=GSLIMIT0 read_bytes=262144,0,2",
        "limits name=vda serial=GSLIMIT0 read_bytes=262144,17,2",
        "limits name=vda serial=GSLIMIT0 read_bytes=100,1,2",
        "limits name=vda serial=GSLIMIT0 read_bytes=0,1,2",
        "limits name=vda serial=GSLIMIT0 read_bytes=33554432,1,2",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct gold_agent_plan p;
        char text[400];
        GOLD_CLEANUP_FREE char *copy = NULL;
        (void)snprintf(text, sizeof(text), HEAD "%s\nidentity\nend\n", lines[i]);
        assert_true(parse(text, &p, &copy));
        assert_int_equal(p.n_steps, 2);
        assert_int_equal(p.steps[0].kind, GOLD_AGENT_STEP_UNKNOWN);
        assert_int_equal(p.steps[1].kind, GOLD_AGENT_STEP_IDENTITY);
    }
}

static void
refuses_what_is_no_plan(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "\n",
        "goldsmith-plan 2\nnonce 0123456789abcdef0123456789abcdef\nwait 1\nend\n",
        "nonce 0123456789abcdef0123456789abcdef\nwait 1\nend\n",
        "goldsmith-plan 1\nwait 1\nend\n",
        "goldsmith-plan 1\nnonce 0123456789abcdef\nwait 1\nend\n",
        "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdeg\nwait 1\nend\n",
        "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdef0\nwait 1\nend\n",
        "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdef\nend\n",
        "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdef\nwait x\nend\n",
        "goldsmith-plan 1\nnonce 0123456789abcdef0123456789abcdef\nwait 999999\nend\n",
        HEAD "identity\n", /* cut off */
        HEAD,
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gold_agent_plan p;
        GOLD_CLEANUP_FREE char *copy = NULL;
        if (parse(bad[i], &p, &copy))
            fail_msg("taken: %s", bad[i]);
    }
    GOLD_CLEANUP_FREE char *copy = NULL;
    struct gold_agent_plan p;
    char text[4096] = HEAD;
    for (int i = 0; i <= GOLD_AGENT_STEPS; i++)
        strcat(text, "identity\n");
    strcat(text, "end\n");
    assert_false(parse(text, &p, &copy));
}

static void
runs_programs_on_a_leash(void **state)
{
    (void)state;
    char out[64];
    assert_int_equal(
        gold_agent_run((const char *const[]){"sh", "-c", "echo $LC_ALL; exit 3", NULL}, 20, out,
                       sizeof(out)),
        3);
    assert_string_equal(out, "C\n");
    assert_int_equal(gold_agent_run((const char *const[]){"true", NULL}, 20, NULL, 0), 0);
    assert_int_equal(gold_agent_run((const char *const[]){"no-such-program-here", NULL}, 20,
                                    out, sizeof(out)),
                     127);
    /* Output beyond the buffer is dropped, and the program does not hang for it. */
    assert_int_equal(
        gold_agent_run((const char *const[]){"head", "-c", "1000000", "/dev/zero", NULL}, 20,
                       out, sizeof(out)),
        0);
}

static void
kills_what_takes_too_long(void **state)
{
    (void)state;
    char out[64];
    double start = gold_agent_now();
    assert_int_equal(
        gold_agent_run((const char *const[]){"sh", "-c", "echo begun; sleep 60", NULL}, 0.5,
                       out, sizeof(out)),
        -1);
    assert_string_equal(out, "begun\n");
    assert_int_equal(gold_agent_run((const char *const[]){"sleep", "60", NULL}, 0.3, NULL, 0),
                     -1);
    assert_true(gold_agent_now() - start < 10);
}

static void
reads_first_lines(void **state)
{
    (void)state;
    char path[] = "/tmp/gold-agent-XXXXXX", text[64];
    GOLD_CLEANUP_FD int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(gold_write_all(fd, " \t value with blanks \t\r\nsecond\n", 31), 0);
    assert_true(gold_agent_read_line(path, text, sizeof(text)));
    assert_string_equal(text, "value with blanks");
    assert_int_equal(gold_agent_read_file(path, text, 5), 4);
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_false(gold_agent_read_line(path, text, sizeof(text)));
    unlink(path);
    assert_false(gold_agent_read_line(path, text, sizeof(text)));
    assert_int_equal(gold_agent_read_file("/tmp", text, sizeof(text)), -1);
    /* A fifo that nobody writes to does not hold us up. */
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(gold_agent_read_line(path, text, sizeof(text)));
    unlink(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_like_libcrypto),
        cmocka_unit_test(base64_by_the_book),
        cmocka_unit_test(strings_become_json),
        cmocka_unit_test(what_is_not_utf8_is_replaced),
        cmocka_unit_test(text_is_bounded),
        cmocka_unit_test(reads_numbers),
        cmocka_unit_test(parses_plans),
        cmocka_unit_test(a_line_that_is_not_understood_is_told),
        cmocka_unit_test(refuses_what_is_no_plan),
        cmocka_unit_test(runs_programs_on_a_leash),
        cmocka_unit_test(kills_what_takes_too_long),
        cmocka_unit_test(reads_first_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
