/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From boot records to measurements, clones and the verdict, without a machine. */
#include "unit.h"

#include "validate/run.h"

struct bench {
    struct gold_document *doc;
    struct gold_run run;
    struct gold_clone clones[2];
    struct gold_validate_plan plan;
};

static int
setup(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));

    assert_non_null(b);
    b->doc = gold_document_new("validate", NULL);
    b->clones[0] =
        (struct gold_clone){.number = 1, .name = (char *)"clone-1", .uuid = "u1", .mac = "m1"};
    b->clones[1] =
        (struct gold_clone){.number = 2, .name = (char *)"clone-2", .uuid = "u2", .mac = "m2"};
    b->run = (struct gold_run){.plan = &b->plan,
                               .src = gold_document_add_source(b->doc, "x", NULL),
                               .accel = "tcg",
                               .clones = b->clones,
                               .n_clones = 2};
    *state = b;
    return 0;
}

static int
teardown(void **state)
{
    struct bench *b = *state;

    for (size_t i = 0; i < b->run.records.n; i++) {
        struct gold_boot_record *r = &b->run.records.items[i];

        for (size_t j = 0; j < r->messages.n; j++)
            json_decref(r->messages.items[j]);
        gold_messages_clear(&r->messages);
    }
    gold_boot_records_clear(&b->run.records);
    gold_document_free(b->doc);
    free(b);
    return 0;
}

static void
add_record(struct bench *b, size_t clone, unsigned boot, const char *end,
           const char *const *messages)
{
    struct gold_boot_record r = {.clone = clone,
                                 .boot = boot,
                                 .end = end,
                                 .target_s = messages ? 12.5 : -1,
                                 .tail = (char *)"last words",
                                 .notes = (char *)""};

    for (size_t i = 0; messages && messages[i]; i++) {
        json_t *m = json_loads(messages[i], 0, NULL);

        assert_non_null(m);
        assert_int_equal(gold_messages_append(&r.messages, m, NULL), 0);
    }
    assert_int_equal(gold_boot_records_append(&b->run.records, r, NULL), 0);
}

static const char *const good[] = {"{\"type\":\"reached\",\"state\":\"running\",\"failed\":[]}",
                                   "{\"type\":\"identity\",\"facts\":[[\"machine-id\",\"aa\"],["
                                   "\"mac\",\"lie\"],[7],\"x\",[\"hostname\",\"h\"]]}",
                                   NULL};
static const char *const degraded[] = {
    "{\"type\":\"reached\",\"state\":\"degraded\",\"failed\":[\"a.service\",3]}", NULL};
static const char *const timed_out[] = {
    "{\"type\":\"reached\",\"state\":\"timeout\",\"failed\":[\"b.service\"]}", NULL};
static const char *const mute[] = {"{\"type\":\"hello\"}", NULL};

static void
test_good(void **state)
{
    struct bench *b = *state;
    const struct gold_source_result *src = b->run.src;

    add_record(b, 0, 1, "bye", good);
    add_record(b, 1, 1, "bye", degraded);
    add_record(b, 0, 2, "bye", good);
    assert_int_equal(gold_run_judge(&b->run, NULL), 0);
    assert_int_equal(src->verdict, GOLD_VERDICT_PASS);
    assert_int_equal(src->n_measurements, 2);
    assert_null(src->measurements[0].reason);
    assert_int_equal(src->measurements[0].metrics[0].n_samples, 2);
    assert_null(src->measurements[0].metrics[0].note);
    /* Degraded is said, and is no failure. */
    assert_non_null(
        strstr(src->measurements[1].reason, "degraded (failed units: a.service, ?)"));
    assert_int_equal(src->measurements[1].verdict, GOLD_VERDICT_PASS);

    assert_int_equal(src->n_clones, 2);
    assert_string_equal(src->clones[0].state, "bye");
    assert_string_equal(gold_facts_get(&src->clones[0].identity, "machine-id"), "aa");
    assert_string_equal(gold_facts_get(&src->clones[0].identity, "hostname"), "h");
    /* What the host knows better is not taken from the guest. */
    assert_string_equal(gold_facts_get(&src->clones[0].identity, "mac"), "m1");
    assert_null(gold_facts_get(&src->clones[0].identity, "dhcp-client-id"));
}

static void
test_bad(void **state)
{
    static const struct {
        const char *end;
        const char *const *messages;
        const char *reason;
    } cases[] = {
        {"panic", NULL, "boot 1: panic: the kernel panicked"},
        {"timeout-payload", good, "timeout-payload: "},
        {"bye", timed_out, "not reached: timeout (failed units: b.service)"},
        {"bye", mute, "did not say"},
    };
    struct bench *b = *state;
    struct gold_source_result *src = b->run.src;

    b->run.n_clones = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct gold_measurement *m;

        b->run.records.n = 0;
        add_record(b, 0, 1, cases[i].end, cases[i].messages);
        src->verdict = GOLD_VERDICT_NONE;
        assert_int_equal(gold_run_judge(&b->run, NULL), 0);
        m = &src->measurements[src->n_measurements - 1];
        assert_int_equal(m->verdict, GOLD_VERDICT_FAIL);
        assert_int_equal(src->verdict, GOLD_VERDICT_FAIL);
        if (!strstr(m->reason, cases[i].reason))
            fail_msg("'%s' without '%s'", m->reason, cases[i].reason);
        assert_non_null(strstr(m->metrics[0].note, "last words"));
        assert_string_equal(src->clones[src->n_clones - 1].state, cases[i].end);
        if (i + 1 < sizeof(cases) / sizeof(cases[0])) {
            struct gold_boot_record *r = &b->run.records.items[0];

            for (size_t j = 0; j < r->messages.n; j++)
                json_decref(r->messages.items[j]);
            gold_messages_clear(&r->messages);
        }
    }
}

/* A payload that has no disk to judge is skipped, which does not spoil the verdict. */
static void
test_skipped(void **state)
{
    struct bench *b = *state;
    const struct gold_payload_request request = {.payload = "iotune-limits"};

    b->plan.payloads = &request;
    b->plan.n_payloads = 1;
    add_record(b, 0, 1, "bye", good);
    add_record(b, 1, 1, "bye", good);
    assert_int_equal(gold_run_judge(&b->run, NULL), 0);
    assert_int_equal(b->run.src->n_measurements, 3);
    assert_int_equal(b->run.src->measurements[2].verdict, GOLD_VERDICT_SKIPPED);
    assert_int_equal(b->run.src->verdict, GOLD_VERDICT_PASS);
}

static void
test_record(void **state)
{
    struct bench *b = *state;

    add_record(b, 1, 2, "bye", good);
    assert_ptr_equal(gold_run_record(&b->run, 1, 2), &b->run.records.items[0]);
    assert_null(gold_run_record(&b->run, 1, 1));
    assert_null(gold_run_record(&b->run, 0, 2));
}

static struct gold_measurement *
slow_measurement(struct bench *b, double median)
{
    struct gold_measurement *m =
        gold_source_add_measurement(b->run.src, "iotune-limits", "vda", NULL, NULL);
    struct gold_metric *metric = gold_measurement_add_metric(m, "read_iops", "1/s", NULL);

    metric->has_expected = true;
    metric->expected = 200;
    metric->median = median;
    metric->verdict = m->verdict = GOLD_VERDICT_FAIL;
    return m;
}

static void
test_busy_host(void **state)
{
    struct bench *b = *state;
    struct gold_measurement *m = slow_measurement(b, 170);

    assert_int_equal(gold_excuse_slow_host(m, 4, 2, NULL), 0);
    assert_int_equal(m->verdict, GOLD_VERDICT_FAIL);
    assert_int_equal(gold_excuse_slow_host(m, 18, 2, NULL), 0);
    assert_int_equal(m->verdict, GOLD_VERDICT_INCONCLUSIVE);
    assert_int_equal(m->metrics[0].verdict, GOLD_VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(m->reason, "load 18 on 2 processors"));

    /* More than the limit is nobody's excuse. */
    m = slow_measurement(b, 300);
    assert_int_equal(gold_excuse_slow_host(m, 18, 2, NULL), 0);
    assert_int_equal(m->verdict, GOLD_VERDICT_FAIL);
    /* Nor is a failure that no metric explains. */
    m = slow_measurement(b, 170);
    m->metrics[0].verdict = GOLD_VERDICT_PASS;
    assert_int_equal(gold_excuse_slow_host(m, 18, 2, NULL), 0);
    assert_int_equal(m->verdict, GOLD_VERDICT_FAIL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad, setup, teardown),
        cmocka_unit_test_setup_teardown(test_skipped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_record, setup, teardown),
        cmocka_unit_test_setup_teardown(test_busy_host, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
