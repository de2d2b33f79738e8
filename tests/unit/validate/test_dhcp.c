/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Captures made byte by byte: what a guest's DHCP client sends, and what it must not be able to
 * do to us. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "core/vec.h"
#include "validate/protocol.h"

#define MAC "52:54:00:aa:bb:cc"

static const unsigned char mac[6] = {0x52, 0x54, 0, 0xaa, 0xbb, 0xcc};
static const unsigned char other_mac[6] = {0x52, 0x54, 0, 1, 2, 3};

struct frame {
    const unsigned char *mac;
    const unsigned char *options; /* as in the packet */
    size_t options_len;
    bool vlan, padded;
    unsigned char protocol; /* 0: UDP */
    unsigned port;          /* 0: 67 */
    unsigned fragment;
    bool reply, no_cookie;
};

static void
put16(struct gold_str *s, unsigned v)
{
    gold_str_append_char(s, (char)(v >> 8));
    gold_str_append_char(s, (char)v);
}

static void
put_zeroes(struct gold_str *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        gold_str_append_char(s, '\0');
}

static void
put32(struct gold_str *s, uint32_t v, bool big)
{
    for (int i = 0; i < 4; i++)
        gold_str_append_char(s, (char)(v >> (big ? 24 - 8 * i : 8 * i)));
}

static void
put_frame(struct gold_str *s, const struct frame *f, bool big)
{
    GOLD_CLEANUP_STR struct gold_str p = GOLD_STR_INIT;
    size_t bootp = 236 + 4 + f->options_len, udp = 8 + bootp, ip = 20 + udp;
    gold_str_append_len(&p, "\xff\xff\xff\xff\xff\xff", 6);
    gold_str_append_len(&p, f->mac, 6);
    if (f->vlan) {
        put16(&p, 0x8100);
        put16(&p, 5);
    }
    put16(&p, 0x0800);
    put16(&p, 0x4500);
    put16(&p, (unsigned)ip);
    put16(&p, 0);
    put16(&p, f->fragment);
    gold_str_append_char(&p, 64);
    gold_str_append_char(&p, (char)(f->protocol ? f->protocol : 17));
    put16(&p, 0);
    put_zeroes(&p, 8);
    put16(&p, 68);
    put16(&p, f->port ? f->port : 67);
    put16(&p, (unsigned)udp);
    put16(&p, 0);
    gold_str_append_char(&p, f->reply ? 2 : 1);
    gold_str_append_len(&p, "\1\6\0", 3);
    put_zeroes(&p, 24);
    gold_str_append_len(&p, f->mac, 6);
    put_zeroes(&p, 10 + 192);
    gold_str_append_len(&p, f->no_cookie ? "\0\0\0\0" : "\x63\x82\x53\x63", 4);
    gold_str_append_len(&p, f->options, f->options_len);
    if (f->padded)
        gold_str_append_len(&p, "\x3d\x02\xee\xee\xff",
                            5); /* behind the IP packet: not part of it */
    put32(s, 0, big);
    put32(s, 0, big);
    put32(s, (uint32_t)p.len, big);
    put32(s, (uint32_t)p.len, big);
    gold_str_append_len(s, p.data, p.len);
}

static void
put_header(struct gold_str *s, bool big)
{
    put32(s, 0xa1b2c3d4, big);
    put32(s, big ? 0x00020004 : 0x00040002, big);
    put32(s, 0, big);
    put32(s, 0, big);
    put32(s, 65536, big);
    put32(s, 1, big);
}

/* Reads the capture; joins what was found by commas. */
static char *
ids_of(const char *bytes, size_t len)
{
    char path[] = "/tmp/gold-dhcp-XXXXXX";
    GOLD_CLEANUP_FD int fd = mkstemp(path);
    GOLD_CLEANUP_STRV struct gold_strv ids = {0};
    GOLD_CLEANUP_STR struct gold_str all = GOLD_STR_INIT;
    assert_true(fd >= 0);
    assert_int_equal(gold_write_all(fd, bytes, len), 0);
    int rc = gold_dhcp_client_ids(path, MAC, &ids, NULL);
    unlink(path);
    assert_int_equal(rc, 0);
    for (size_t i = 0; i < ids.n; i++)
        gold_str_printf(&all, "%s%s", i ? "," : "", ids.items[i]);
    char *text = gold_str_steal(&all, NULL, NULL);
    return text ? text : strdup("");
}

static void
expect(const struct frame *frames, size_t n, bool big, const char *wanted)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    put_header(&s, big);
    for (size_t i = 0; i < n; i++)
        put_frame(&s, &frames[i], big);
    GOLD_CLEANUP_FREE char *got = ids_of(s.data, s.len);
    assert_string_equal(got, wanted);
}

static const unsigned char plain[] = {53,   1,    1,    61, 7, 1,   0x52, 0x54, 0,
                                      0xaa, 0xbb, 0xcc, 12, 2, 'v', 'm',  255};
static const unsigned char duid[] = {53, 1, 3, 0, 0, 61, 5, 0xff, 1, 2, 3, 4, 255, 61, 1, 9};

static void
finds_client_ids(void **state)
{
    (void)state;
    const struct frame frames[] = {
        {.mac = mac, .options = plain, .options_len = sizeof(plain)},
        {.mac = mac, .options = duid, .options_len = sizeof(duid), .vlan = true},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .padded = true},
    };
    expect(frames, 3, false, "01525400aabbcc,ff01020304");
    expect(frames, 3, true, "01525400aabbcc,ff01020304");
}

static void
joins_split_options(void **state)
{
    (void)state;
    static const unsigned char split[] = {61, 2, 1, 2, 53, 1, 1, 61, 2, 3, 4, 255};
    expect(&(const struct frame){.mac = mac, .options = split, .options_len = sizeof(split)}, 1,
           false, "01020304");
}

static void
passes_over_other_packets(void **state)
{
    (void)state;
    static const unsigned char none[] = {53, 1, 1, 255};
    static const unsigned char empty[] = {61, 0, 255};
    const struct frame frames[] = {
        {.mac = other_mac, .options = plain, .options_len = sizeof(plain)},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .protocol = 6},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .port = 53},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .reply = true},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .no_cookie = true},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .fragment = 0x2000},
        {.mac = mac, .options = plain, .options_len = sizeof(plain), .fragment = 0x0010},
        {.mac = mac, .options = none, .options_len = sizeof(none)},
        {.mac = mac, .options = empty, .options_len = sizeof(empty)},
    };
    expect(frames, sizeof(frames) / sizeof(*frames), false, "");
}

static void
believes_no_option_that_is_cut_off(void **state)
{
    (void)state;
    static const unsigned char beyond[] = {61, 200, 1, 2, 3};
    static const unsigned char half[] = {61, 2, 1, 2, 12};
    const struct frame frames[] = {
        {.mac = mac, .options = beyond, .options_len = sizeof(beyond)},
        {.mac = mac, .options = half, .options_len = sizeof(half)},
    };
    expect(frames, 2, false, "");
}

static void
bounds_the_number_of_ids(void **state)
{
    (void)state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    put_header(&s, false);
    for (unsigned i = 0; i < 1000; i++) {
        unsigned char o[] = {61, 2, (unsigned char)(i >> 8), (unsigned char)i, 255};
        put_frame(&s, &(const struct frame){.mac = mac, .options = o, .options_len = sizeof(o)},
                  false);
    }
    GOLD_CLEANUP_FREE char *got = ids_of(s.data, s.len);
    assert_true(strlen(got) < 64 * 5 + 1);
    assert_true(strlen(got) > 0);
}

/* Cut anywhere, and each byte changed: what can be read is read, and nothing else happens. */
static void
survives_damage(void **state)
{
    (void)state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    put_header(&s, false);
    put_frame(&s,
              &(const struct frame){.mac = mac, .options = plain, .options_len = sizeof(plain)},
              false);
    size_t one = s.len;
    put_frame(&s,
              &(const struct frame){.mac = mac, .options = duid, .options_len = sizeof(duid)},
              false);
    for (size_t len = 0; len < s.len; len++) {
        GOLD_CLEANUP_FREE char *got = ids_of(s.data, len);
        assert_string_equal(got, len < one ? "" : "01525400aabbcc");
    }
    for (size_t i = 0; i < s.len; i++) {
        char was = s.data[i];
        for (int v = 0; v < 256; v += 51) {
            s.data[i] = (char)v;
            GOLD_CLEANUP_FREE char *got = ids_of(s.data, s.len);
            assert_true(strlen(got) < 1024);
        }
        s.data[i] = was;
    }
}

static void
an_absent_capture_holds_nothing(void **state)
{
    (void)state;
    GOLD_CLEANUP_STRV struct gold_strv ids = {0};
    assert_int_equal(gold_dhcp_client_ids("/nonexistent/capture", MAC, &ids, NULL), 0);
    assert_int_equal(ids.n, 0);
    GOLD_CLEANUP_FREE char *got = ids_of("", 0);
    assert_string_equal(got, "");
    GOLD_CLEANUP_FREE char *text =
        ids_of("this is not a capture, but longer than its header", 49);
    assert_string_equal(text, "");
}

static void
names_what_it_cannot_read(void **state)
{
    (void)state;
    GOLD_CLEANUP_STRV struct gold_strv ids = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_dhcp_client_ids("/tmp", MAC, &ids, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "/tmp"));
    gold_error_free(err);
    static const char *const bad[] = {"",
                                      "52:54:00:aa:bb",
                                      "52:54:00:aa:bb:cc:dd",
                                      "52-54-00-aa-bb-cc",
                                      "52:54:00:aa:bb:cg",
                                      "52:54:00:aa:bb:c"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        err = NULL;
        assert_int_equal(gold_dhcp_client_ids("/nonexistent", bad[i], &ids, &err), -1);
        assert_int_equal(gold_error_code(err), GOLD_ERROR_USAGE);
        gold_error_free(err);
    }
    assert_int_equal(gold_dhcp_client_ids("/nonexistent", "52:54:00:AA:bb:CC", &ids, NULL), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_client_ids),
        cmocka_unit_test(joins_split_options),
        cmocka_unit_test(passes_over_other_packets),
        cmocka_unit_test(believes_no_option_that_is_cut_off),
        cmocka_unit_test(bounds_the_number_of_ids),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(an_absent_capture_holds_nothing),
        cmocka_unit_test(names_what_it_cannot_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
