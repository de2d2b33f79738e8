/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The template file: what good ones become, the place of every error, the templates that are
 * shipped. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "template/template.h"

#define SHIPPED GOLD_TEST_DATA "/../../templates/"

static const char whole[] =
    "goldsmith: 1\n"
    "name: web-debian-12\n"
    "description: >\n"
    "  Debian 12 web front end,\n"
    "  limited shared storage\n"
    "seal:\n"
    "  operations: [default, -user-ssh]\n"
    "  machine-id: uninitialized\n"
    "definition:\n"
    "  identity: reset\n"
    "  iotune:\n"
    "    - {disk: boot, total-bytes-sec: 10MiB, read-iops-sec: 200, write-iops-sec: 180}\n"
    "    - disk: vdb\n"
    "      group-name: shared\n"
    "      total-bytes-sec-max-length: 60\n"
    "check: {fail-on: warning, waive: [{id: static-ip, reason: lab network, until: "
    "2027-06-30}]}\n"
    "validate:\n"
    "  clones: 3\n"
    "  payloads:\n"
    "    - {payload: iotune-limits}\n"
    "    - {payload: seq-read, block-size: 1MiB, device: 0930}\n";

static struct gold_template *
parse(const char *text)
{
    struct gold_error *err = NULL;
    struct gold_template *t = gold_template_parse("dir/web.yaml", text, strlen(text), &err);
    if (!t)
        fail_msg("%s", gold_error_message(err));
    return t;
}

static void
whole_file(void **state)
{
    (void)state;
    GOLD_CLEANUP_TEMPLATE struct gold_template *t = parse(whole);
    assert_string_equal(t->path, "dir/web.yaml");
    assert_string_equal(t->name, "web-debian-12");
    assert_string_equal(t->description, "Debian 12 web front end, limited shared storage\n");
    assert_string_equal(t->operations, "default,-user-ssh");
    assert_int_equal(t->machine_id, GOLD_MACHINE_ID_UNINITIALIZED);
    assert_true(t->reset_identity);
    assert_int_equal(t->n_iotune, 2);
    assert_string_equal(t->iotune[0].disk, "boot");
    assert_int_equal(t->iotune[0].line, 12);
    assert_int_equal(t->iotune[0].n_settings, 3);
    assert_string_equal(t->iotune[0].settings[0].key, "total-bytes-sec");
    assert_string_equal(t->iotune[0].settings[0].value, "10MiB");
    assert_int_equal(t->iotune[0].settings[2].line, 12);
    assert_int_equal(t->iotune[0].settings[2].column, 64);
    assert_string_equal(t->iotune[1].settings[0].value, "shared");
    assert_int_equal(t->iotune[1].settings[1].line, 15);
    assert_true(t->has_fail_on);
    assert_int_equal(t->fail_on, GOLD_WARNING);
    assert_int_equal(t->n_waivers, 1);
    assert_string_equal(t->waivers[0].id, "static-ip");
    assert_string_equal(t->waivers[0].reason, "lab network");
    assert_string_equal(t->waivers[0].until, "2027-06-30");
    assert_int_equal(t->waivers[0].line, 16);
    assert_int_equal(t->clones, 3);
    assert_int_equal(t->n_payloads, 2);
    assert_string_equal(t->payloads[0].payload, "iotune-limits");
    assert_int_equal(t->payloads[0].n_parameters, 0);
    assert_string_equal(t->payloads[1].parameters[0].key, "block-size");
    assert_string_equal(t->payloads[1].parameters[1].value, "0930");
    assert_int_equal(t->payloads[1].line, 21);
}

static void
smallest_file(void **state)
{
    (void)state;
    GOLD_CLEANUP_TEMPLATE struct gold_template *t = parse("goldsmith: 1\n");
    assert_string_equal(t->name, "web");
    assert_null(t->description);
    assert_null(t->operations);
    assert_int_equal(t->machine_id, GOLD_MACHINE_ID_AUTO);
    assert_false(t->reset_identity);
    assert_false(t->has_fail_on);
    assert_int_equal(t->clones, 0);
    assert_int_equal(t->n_iotune + t->n_waivers + t->n_payloads, 0);
}

static void
words(void **state)
{
    static const char *const ids[] = {"auto", "empty", "uninitialized", "keep"},
                             *const severities[] = {"info", "warning", "error"};
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        gold_str_printf(&s, "goldsmith: 1\nseal: {machine-id: %s}\n", ids[i]);
        GOLD_CLEANUP_TEMPLATE struct gold_template *t = parse(gold_str_text(&s));
        assert_int_equal(t->machine_id, i);
    }
    for (unsigned i = 0; i < 3; i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        gold_str_printf(&s, "goldsmith: 1\ncheck: {fail-on: %s}\n", severities[i]);
        GOLD_CLEANUP_TEMPLATE struct gold_template *t = parse(gold_str_text(&s));
        assert_true(t->has_fail_on);
        assert_int_equal(t->fail_on, i);
    }
    GOLD_CLEANUP_TEMPLATE struct gold_template *keep =
        parse("goldsmith: 1\ndefinition: {identity: keep}\n");
    assert_false(keep->reset_identity);
}

static void
bad(const char *text, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    assert_null(gold_template_parse("t.yaml", text, strlen(text), &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    if (!gold_str_has_prefix(gold_error_message(err), message))
        fail_msg("'%s' does not start with '%s'", gold_error_message(err), message);
    assert_null(gold_template_parse("t.yaml", text, strlen(text), NULL));
}

/* `body` stands after the first line of a template. */
#define G "goldsmith: 1\n"

static void
errors_at_the_top(void **state)
{
    (void)state;
    bad("", "t.yaml:1:1: the file is empty");
    bad("---\n", "t.yaml:");
    bad("- a\n", "t.yaml:1:1: a template file must be a mapping, not a list");
    bad("name: x\n", "t.yaml:1:1: a template file needs the key 'goldsmith'");
    bad("goldsmith: 2\n", "t.yaml:1:12: 'goldsmith' must be 1, not 2");
    bad("goldsmith: one\n", "t.yaml:1:12: 'goldsmith' must be a whole number, not 'one'");
    bad(G "naem: x\n", "t.yaml:2:1: unknown key 'naem', did you mean 'name'?");
    bad(G "name: \"a\\nb\"\n", "t.yaml:2:7: 'name' must be one line");
    bad(G "name: [x]\n", "t.yaml:2:7: 'name' must be a text, not a list");
    bad(G "description:\n", "t.yaml:2:1: 'description' has no value");
    bad(G "seal:\n", "t.yaml:2:1: 'seal' must be a mapping, not nothing");
    bad(G "seal: all\n", "t.yaml:2:7: 'seal' must be a mapping, not a text");
    bad(G "goldsmith: 1\n", "t.yaml:2:1: key 'goldsmith' stands here twice, first in line 1");
    bad(G "---\n" G, "t.yaml:2:1: a second document starts here");
    bad(G "name: &n x\n", "t.yaml:2:7: anchors");
    bad(G "name: *n\n", "t.yaml:2:7: aliases");
    bad(G "name: !!str x\n", "t.yaml:2:7: tags");
}

static void
errors_in_seal(void **state)
{
    (void)state;
    bad(G "seal: {operation: [x]}\n",
        "t.yaml:2:8: unknown key 'operation', did you mean 'operations'?");
    bad(G "seal: {operations: default}\n",
        "t.yaml:2:20: 'operations' must be a list, not a text");
    bad(G "seal: {operations: []}\n", "t.yaml:2:20: 'operations' is an empty list");
    bad(G "seal:\n  operations:\n    - default\n    - User\n",
        "t.yaml:5:7: 'operations': 'User' is not the name");
    bad(G "seal: {operations: [a, 'b,c']}\n",
        "t.yaml:2:24: 'operations': 'b,c' is not the name");
    bad(G "seal: {operations: [-]}\n", "t.yaml:2:21: 'operations': '-' is not the name");
    bad(G "seal: {operations: ['--a']}\n", "t.yaml:2:21: 'operations': '--a' is not the name");
    bad(G "seal: {machine-id: emtpy}\n",
        "t.yaml:2:20: unknown value 'emtpy', did you mean 'empty'?");
    bad(G "seal: {machine-id: whatever}\n",
        "t.yaml:2:20: unknown value 'whatever' in 'machine-id' (known: auto, empty, "
        "uninitialized, keep)");
}

static void
errors_in_definition(void **state)
{
    (void)state;
    bad(G "definition: {identity: yes}\n",
        "t.yaml:2:24: unknown value 'yes' in 'identity' (known: keep, reset)");
    bad(G "definition: {boot-disk: auto}\n",
        "t.yaml:2:14: 'boot-disk' is not supported by this version of goldsmith");
    bad(G "definition:\n  usb: []\n",
        "t.yaml:3:3: 'usb' is not supported by this version of goldsmith");
    bad(G "definition: {iotune: {disk: boot}}\n",
        "t.yaml:2:22: 'iotune' must be a list, not a mapping");
    bad(G "definition: {iotune: []}\n", "t.yaml:2:22: 'iotune' is an empty list");
    bad(G "definition: {iotune: [boot]}\n",
        "t.yaml:2:23: an entry of 'iotune' must be a mapping, not a text");
    bad(G "definition:\n  iotune:\n    - read-iops-sec: 1\n",
        "t.yaml:4:7: an entry of 'iotune' needs the key 'disk'");
    bad(G "definition:\n  iotune:\n    - disk: boot\n",
        "t.yaml:4:7: an entry of 'iotune' needs at least one limit");
    bad(G "definition:\n  iotune:\n    - disk: boot\n      read-iops-secs: 1\n",
        "t.yaml:5:7: unknown key 'read-iops-secs', did you mean 'read-iops-sec'?");
    bad(G "definition:\n  iotune:\n    - disk: boot\n      read_iops_sec: 1\n",
        "t.yaml:5:7: unknown key 'read_iops_sec', did you mean 'read-iops-sec'?");
    bad(G "definition: {iotune: [{disk: boot, read-iops-sec: 1k}]}\n",
        "t.yaml:2:51: 'read-iops-sec': '1k'");
    bad(G "definition: {iotune: [{disk: boot, read-iops-sec: -1}]}\n",
        "t.yaml:2:51: 'read-iops-sec': '-1'");
    bad(G "definition: {iotune: [{disk: boot, total-bytes-sec: 10M}]}\n",
        "t.yaml:2:53: 'total-bytes-sec': '10M'");
    bad(G "definition: {iotune: [{disk: boot, total-bytes-sec-max-length: 10MiB}]}\n",
        "t.yaml:2:64: 'total-bytes-sec-max-length': '10MiB'");
    bad(G "definition: {iotune: [{disk: boot, total-iops-sec: [1]}]}\n",
        "t.yaml:2:52: 'total-iops-sec' is a list");
    bad(G "definition: {iotune: [{disk: boot, total-iops-sec: }]}\n",
        "t.yaml:2:36: 'total-iops-sec' has no value");
    bad(G "definition: {iotune: [{disk: boot, group-name: \"a\\nb\"}]}\n",
        "t.yaml:2:48: 'group-name': must be one line");
    bad(G "definition:\n  iotune:\n    - {disk: vda, read-iops-sec: 1}\n    - {disk: vda, "
          "write-iops-sec: 1}\n",
        "t.yaml:5:14: disk 'vda' stands in 'iotune' twice, first in line 4");
}

static void
errors_in_check(void **state)
{
    (void)state;
    bad(G "check: {fail-on: fatal}\n",
        "t.yaml:2:18: unknown value 'fatal' in 'fail-on' (known: info, warning, error)");
    bad(G "check: {waive: [{id: a}]}\n",
        "t.yaml:2:17: an entry of 'waive' needs the key 'reason'");
    bad(G "check: {waive: [{reason: a}]}\n",
        "t.yaml:2:17: an entry of 'waive' needs the key 'id'");
    bad(G "check: {waive: [{id: A, reason: a}]}\n", "t.yaml:2:22: 'id': 'A' is not a name");
    bad(G "check: {waive: [{id: a, reason: ''}]}\n", "t.yaml:2:33: 'reason' has no value");
    static const char *const dates[] = {"2027-6-30",   "2027-13-01", "2027-00-01", "2027-02-29",
                                        "2027-04-31",  "2027-01-00", "27-01-01",   "2027/01/01",
                                        "2027-01-011", "soon",       "2100-02-29"};
    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
        GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
        gold_str_printf(&s, G "check: {waive: [{id: a, reason: b, until: %s}]}\n", dates[i]);
        bad(gold_str_text(&s), "t.yaml:2:43: 'until': ");
    }
    GOLD_CLEANUP_TEMPLATE struct gold_template *leap = parse(
        G "check: {waive: [{id: a, reason: b, until: 2028-02-29}, {id: c, reason: d}]}\n");
    assert_string_equal(leap->waivers[0].until, "2028-02-29");
    assert_null(leap->waivers[1].until);
}

static void
errors_in_validate(void **state)
{
    (void)state;
    bad(G "validate: {clones: 0}\n", "t.yaml:2:20: 'clones' must be from 1 to 64, not 0");
    bad(G "validate: {clones: 65}\n", "t.yaml:2:20: 'clones' must be from 1 to 64, not 65");
    bad(G "validate: {clones: two}\n",
        "t.yaml:2:20: 'clones' must be a whole number, not 'two'");
    bad(G "validate: {payloads: [x]}\n",
        "t.yaml:2:23: an entry of 'payloads' must be a mapping, not a text");
    bad(G "validate: {payloads: [{seconds: 3}]}\n",
        "t.yaml:2:23: an entry of 'payloads' needs the key 'payload'");
    bad(G "validate: {payloads: [{payload: Seq}]}\n",
        "t.yaml:2:33: 'payload': 'Seq' is not a name");
    bad(G "validate: {payloads: [{payload: a, expect: {x: 1}}]}\n",
        "t.yaml:2:36: 'expect' is not supported by this version of goldsmith");
    bad(G "validate: {payloads: [{payload: a, variants: {x: [1]}}]}\n",
        "t.yaml:2:36: 'variants' is not supported by this version of goldsmith");
    bad(G "validate: {payloads: [{payload: a, sizes: [1, 2]}]}\n",
        "t.yaml:2:43: 'sizes' is a list, which this version");
    bad(G "validate: {payloads: [{payload: a, Seconds: 3}]}\n",
        "t.yaml:2:36: 'Seconds' is not a key");
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(&s, G "validate:\n  payloads:\n");
    for (int i = 0; i < 257; i++)
        gold_str_append(&s, "    - payload: a\n");
    bad(gold_str_text(&s), "t.yaml:4:5: 'payloads' has more than 256 entries");
}

static void
all_limits_are_known(void **state)
{
    static const char *const names[] = {"bytes", "iops"},
                             *const directions[] = {"total", "read", "write"},
                             *const kinds[] = {"", "-max", "-max-length"};
    (void)state;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(&s, G "definition:\n  iotune:\n    - disk: vda\n      group-name: g\n      "
                          "size-iops-sec: 4KiB\n");
    for (int i = 0; i < 18; i++)
        gold_str_printf(&s, "      %s-%s-sec%s: 1\n", directions[i % 3], names[i / 3 % 2],
                        kinds[i / 6]);
    GOLD_CLEANUP_TEMPLATE struct gold_template *t = parse(gold_str_text(&s));
    assert_int_equal(t->iotune[0].n_settings, 20);
}

static void
reads_files(void **state)
{
    (void)state;
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    assert_null(gold_template_read("/nonexistent/t.yaml", &err));
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_non_null(strstr(gold_error_message(err), "/nonexistent/t.yaml"));
    assert_null(gold_template_read("/", NULL));
    GOLD_CLEANUP_FREE char *big = malloc(GOLD_LIMIT_TEMPLATE_FILE + 1);
    memset(big, '#', GOLD_LIMIT_TEMPLATE_FILE + 1);
    GOLD_CLEANUP_ERROR struct gold_error *large = NULL;
    assert_null(gold_template_parse("big.yaml", big, GOLD_LIMIT_TEMPLATE_FILE + 1, &large));
    assert_int_equal(gold_error_code(large), GOLD_ERROR_FORMAT);
    assert_non_null(strstr(gold_error_message(large), "big.yaml"));
}

static void
shipped_templates(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    GOLD_CLEANUP_TEMPLATE struct gold_template *debian =
        gold_template_read(SHIPPED "debian.yaml", &err);
    GOLD_CLEANUP_TEMPLATE struct gold_template *limited =
        gold_template_read(SHIPPED "limited-storage.yaml", &err);
    assert_non_null(debian);
    assert_non_null(limited);
    assert_string_equal(debian->name, "debian");
    assert_true(debian->reset_identity);
    assert_int_equal(debian->n_iotune, 0);
    assert_int_equal(debian->clones, 2);
    assert_int_equal(debian->n_payloads, 1);
    assert_string_equal(limited->name, "limited-storage");
    assert_int_equal(limited->n_iotune, 1);
    assert_string_equal(limited->iotune[0].disk, "boot");
    assert_int_equal(limited->iotune[0].n_settings, 3);
    assert_string_equal(limited->iotune[0].settings[0].value, "10MiB");
    assert_string_equal(limited->iotune[0].settings[1].value, "200");
    assert_string_equal(limited->iotune[0].settings[2].value, "180");
    assert_int_equal(limited->n_payloads, 2);
    assert_string_equal(limited->payloads[1].payload, "iotune-limits");
}

/* Damaged files: an error with a place, or a template; never a crash or a leak. */
static void
mutations(void **state)
{
    static const char bytes[] = "{}[]:-,#&*!|>'\"%@`\n\t \\?<~0a\x80\xff\x01";
    (void)state;
    uint32_t seed = 4711;
    for (int round = 0; round < 20000; round++) {
        GOLD_CLEANUP_FREE char *copy = gold_strdup(whole, NULL);
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        size_t len = sizeof(whole) - 1;
        for (int k = 0; k < 1 + round % 4; k++) {
            seed = seed * 1664525 + 1013904223;
            size_t at = (seed >> 8) % len;
            if (round % 5 == 4) { /* cut something out */
                size_t n = (seed >> 4) % 20 < len - at ? (seed >> 4) % 20 : len - at;
                memmove(copy + at, copy + at + n, len - at - n);
                len -= n;
            } else {
                copy[at] = bytes[(seed >> 3) % (sizeof(bytes) - 1)];
            }
        }
        GOLD_CLEANUP_TEMPLATE struct gold_template *t =
            gold_template_parse("m.yaml", copy, len, &err);
        if (!t)
            assert_true(gold_str_has_prefix(gold_error_message(err), "m.yaml:"));
        else
            assert_non_null(t->name);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_file),
        cmocka_unit_test(smallest_file),
        cmocka_unit_test(words),
        cmocka_unit_test(errors_at_the_top),
        cmocka_unit_test(errors_in_seal),
        cmocka_unit_test(errors_in_definition),
        cmocka_unit_test(errors_in_check),
        cmocka_unit_test(errors_in_validate),
        cmocka_unit_test(all_limits_are_known),
        cmocka_unit_test(reads_files),
        cmocka_unit_test(shipped_templates),
        cmocka_unit_test(mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
