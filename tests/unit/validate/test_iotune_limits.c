/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verdicts on limits from synthetic answers: honest ones on both sides of every border, absent
 * ones, and lies. */
#include "unit.h"

#include "answers.h"
#include "core/limits.h"

static char target[] = "vda";

struct scene {
    struct gold_disk disk;
    struct gold_payload_parameter parameters[4];
    struct gold_payload_request request;
    struct answers answers;
    struct gold_source_result src;
    const char *accelerator;
};

static const struct gold_payload *
payload(void)
{
    return gold_payload_find("iotune-limits");
}

static int
set_up(void **state)
{
    struct scene *s = calloc(1, sizeof(*s));
    if (!s)
        return -1;
    s->disk.target = target;
    s->disk.iotune.value[GOLD_READ_IOPS_SEC] = 200;
    s->request =
        (struct gold_payload_request){.payload = "iotune-limits", .parameters = s->parameters};
    s->accelerator = "tcg";
    answers_boot(&s->answers, "clone-1", 1, NULL, NULL);
    *state = s;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *s = *state;
    answers_done(&s->answers);
    gold_source_result_done(&s->src);
    free(s);
    return 0;
}

static void
set(struct scene *s, const char *key, const char *value)
{
    s->parameters[s->request.n_parameters++] = (struct gold_payload_parameter){key, value};
}

/* An answer with these operations a second in each run; control 0: none. */
static void
answer(struct scene *s, const char *metric, long long size, const double *rates, size_t n,
       double control)
{
    json_t *samples = json_array();
    for (size_t i = 0; i < n; i++) {
        long long ops = (long long)(rates[i] * 10 + 0.5);
        json_array_append_new(samples,
                              json_pack("{s:I,s:I,s:f}", "bytes", (json_int_t)(ops * size),
                                        "ops", (json_int_t)ops, "seconds", 10.0));
    }
    json_t *m = json_pack("{s:s,s:s,s:s,s:o}", "type", "limits", "name", "vda", "metric",
                          metric, "samples", samples);
    if (control > 0)
        json_object_set_new(m, "control",
                            json_pack("{s:I,s:I,s:f}", "bytes",
                                      (json_int_t)(control * 2) * size, "ops",
                                      (json_int_t)(control * 2), "seconds", 2.0));
    else
        json_object_set_new(m, "control", json_null());
    answers_add(&s->answers, m);
}

static void
answer_iops(struct scene *s, double a, double b, double c, double control)
{
    answer(s, "read_iops", 4096, (const double[]){a, b, c}, 3, control);
}

static const struct gold_measurement *
judge(struct scene *s)
{
    struct gold_error *err = NULL;
    if (payload()->judge(&s->request, &s->disk, s->accelerator, NULL, s->answers.boots,
                         s->answers.n, &s->src, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    assert_int_equal(s->src.n_measurements, 1);
    const struct gold_measurement *m = &s->src.measurements[0];
    assert_string_equal(m->payload, "iotune-limits");
    assert_string_equal(m->disk, "vda");
    return m;
}

static void
expect(struct scene *s, enum gold_verdict verdict, const char *reason)
{
    const struct gold_measurement *m = judge(s);
    assert_string_equal(gold_verdict_name(m->verdict), gold_verdict_name(verdict));
    if (!reason) {
        assert_null(m->reason);
        return;
    }
    assert_non_null(m->reason);
    if (!strstr(m->reason, reason))
        fail_msg("'%s' is not in '%s'", reason, m->reason);
}

static void
exact_passes(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200.1, 200.0, 199.9, 3000);
    expect(s, GOLD_VERDICT_PASS, NULL);
    const struct gold_measurement *m = &s->src.measurements[0];
    const struct gold_metric *metric = find_metric(m, "read_iops");
    assert_non_null(metric);
    assert_true(metric->has_expected && metric->expected == 200 && metric->tolerance == 0.03);
    assert_int_equal(metric->n_samples, 3);
    assert_true(metric->median == 200.0);
    assert_int_equal(metric->verdict, GOLD_VERDICT_PASS);
    assert_string_equal(metric->unit, "1/s");
    assert_string_equal(m->accelerator, "tcg");
    assert_string_equal(m->clone, "clone-1");
    const struct gold_metric *control = find_metric(m, "control_read_iops");
    assert_non_null(control);
    assert_int_equal(control->verdict, GOLD_VERDICT_NONE);
    assert_true(control->median == 3000);
}

static void
within_the_tolerance_passes(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 205.5, 205.9, 205, 3000);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
five_percent_over_fails(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 210, 210, 210, 3000);
    expect(s, GOLD_VERDICT_FAIL, "read_iops: the guest gets more than the limit");
    assert_non_null(
        strstr(s->src.measurements[0].reason, "210.0 1/s where 200.0 1/s is expected"));
}

static void
one_run_far_over_fails(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200, 200, 230, 3000);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
one_run_slightly_over_passes(void **state)
{
    struct scene *s = *state;
    /* 0.1 s worth of 10 s, and 3 %: the ceiling is 208. */
    answer_iops(s, 200, 200, 207.9, 3000);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

/* A limit that was dropped from the definition, or misspelt: the guest is as fast as the
 * medium. */
static void
no_limit_at_all_fails(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 3000, 3100, 2900, 3000);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
ten_percent_under_fails_on_a_fast_medium(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 180, 180, 180, 3000);
    expect(s, GOLD_VERDICT_FAIL, "less than the limit");
}

static void
ten_percent_under_is_inconclusive_on_a_slow_medium(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 180, 180, 180, 250);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "medium too slow to reach the limit");
}

/* Would it be any faster without the limit? */
static void
exact_is_inconclusive_on_a_slow_medium(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200, 200, 200, 290);
    expect(s, GOLD_VERDICT_INCONCLUSIVE,
           "medium too slow to tell the limit from its own speed");
}

static void
exact_passes_on_a_medium_that_is_fast_enough(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200, 200, 200, 301);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
exact_without_control_is_inconclusive(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200, 200, 200, 0);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "no measurement without the limit");
}

/* Too fast is too fast, whatever the medium does elsewhere. */
static void
too_fast_without_control_fails(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 400, 400, 400, 0);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
too_slow_without_control_is_inconclusive(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 180, 180, 180, 0);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "no measurement without the limit");
    assert_null(find_metric(&s->src.measurements[0], "control_read_iops"));
}

static void
mark_stalled(struct scene *s, size_t run, double seconds)
{
    json_t *samples = json_object_get(s->answers.messages[0][0], "samples");
    json_object_set_new(json_array_get(samples, run), "stalled", json_real(seconds));
}

/* Runs that a busy host spoilt were followed by others. */
static void
disturbed_runs_do_not_count(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){200, 170, 165, 168, 200.1, 199.9}, 6, 3000);
    for (size_t run = 1; run <= 3; run++)
        mark_stalled(s, run, 1.2);
    expect(s, GOLD_VERDICT_PASS, NULL);
    const struct gold_metric *m = find_metric(&s->src.measurements[0], "read_iops");
    assert_true(m->n_samples == 6 && m->median == 200);
    assert_non_null(strstr(m->note, "3 of 6 runs were disturbed"));
}

static void
disturbed_runs_excuse_no_excess(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){200, 300, 200, 200}, 4, 3000);
    mark_stalled(s, 1, 5);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
stalls_in_every_run_are_inconclusive(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){180, 180, 180, 180, 180, 180}, 6, 3000);
    for (size_t run = 0; run < 6; run++)
        mark_stalled(s, run, 1);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "the machine stalled in 6 of 6 runs");
}

/* One run that nothing disturbed is not enough to refute a limit. */
static void
too_few_good_runs_are_inconclusive(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){180, 180, 180, 180, 180, 180}, 6, 3000);
    for (size_t run = 0; run < 4; run++)
        mark_stalled(s, run, 1);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "the machine stalled in 4 of 6 runs");
}

static void
enough_good_runs_refute(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){150, 180, 180.2, 180, 180, 180}, 6, 3000);
    mark_stalled(s, 0, 1);
    expect(s, GOLD_VERDICT_FAIL, "less than the limit");
}

static void
slow_runs_that_differ_are_inconclusive(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 179, 180, 181, 3000);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "the runs differ too much");
}

static void
too_many_runs_are_inconclusive(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){200, 200, 200, 200, 200, 200, 200}, 7, 3000);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "7 runs of 3");
}

static void
nothing_at_all_is_too_slow(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 0, 0, 0, 3000);
    expect(s, GOLD_VERDICT_FAIL, "less than the limit");
}

static void
the_tolerance_is_a_parameter(void **state)
{
    struct scene *s = *state;
    set(s, "tolerance", "10%");
    answer_iops(s, 215, 215, 215, 3000);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
a_tighter_tolerance_fails(void **state)
{
    struct scene *s = *state;
    set(s, "tolerance", "0.01");
    answer_iops(s, 204, 204, 204, 3000);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
all_four_limits(void **state)
{
    struct scene *s = *state;
    s->disk.iotune.value[GOLD_TOTAL_BYTES_SEC] = 10 * GOLD_MIB;
    s->disk.iotune.value[GOLD_WRITE_IOPS_SEC] = 180;
    const double forty[] = {40, 40, 40}, write[] = {180, 180.1, 180};
    answer(s, "read_bytes", 262144, forty, 3, 1000);
    answer(s, "write_bytes", 262144, forty, 3, 1000);
    answer_iops(s, 200, 200, 200, 3000);
    answer(s, "write_iops", 4096, write, 3, 3000);
    expect(s, GOLD_VERDICT_PASS, NULL);
    assert_int_equal(s->src.measurements[0].n_metrics, 8);
    const struct gold_metric *m = find_metric(&s->src.measurements[0], "read_bytes_sec");
    assert_non_null(m);
    assert_true(m->median == 10485760 && m->expected == 10485760);
    assert_non_null(find_metric(&s->src.measurements[0], "control_write_bytes_sec"));
}

static void
the_worst_metric_decides(void **state)
{
    struct scene *s = *state;
    s->disk.iotune.value[GOLD_WRITE_IOPS_SEC] = 180;
    const double write[] = {400, 400, 400};
    answer_iops(s, 200, 200, 200, 3000);
    answer(s, "write_iops", 4096, write, 3, 3000);
    expect(s, GOLD_VERDICT_FAIL, "write_iops: ");
    assert_int_equal(find_metric(&s->src.measurements[0], "read_iops")->verdict,
                     GOLD_VERDICT_PASS);
}

static void
no_answer_is_inconclusive(void **state)
{
    struct scene *s = *state;
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "read_iops: the guest gave no answer");
}

static void
no_boot_is_inconclusive(void **state)
{
    struct scene *s = *state;
    s->answers.n = 0;
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "the guest gave no answer");
}

static void
the_agents_error_is_an_error(void **state)
{
    struct scene *s = *state;
    answers_add_text(
        &s->answers,
        "{\"type\":\"error\",\"payload\":\"limits\",\"message\":\"no \\u001b[31mdisk\"}");
    expect(s, GOLD_VERDICT_ERROR, "the agent could not measure: no ");
    assert_null(strchr(s->src.measurements[0].reason, '\033'));
}

static void
another_payloads_error_is_not_ours(void **state)
{
    struct scene *s = *state;
    answers_add_text(&s->answers,
                     "{\"type\":\"error\",\"payload\":\"identity\",\"message\":\"x\"}");
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "no answer");
}

static void
another_disks_answer_is_not_ours(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200, 200, 200, 3000);
    json_object_set_new(s->answers.messages[0][0], "name", json_string("vdb"));
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "no answer");
}

static void
two_answers_are_inconclusive(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 200, 200, 200, 3000);
    answer_iops(s, 200, 200, 200, 3000);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "answered 2 times");
}

static void
missing_runs_are_inconclusive(void **state)
{
    struct scene *s = *state;
    answer(s, "read_iops", 4096, (const double[]){200, 200}, 2, 3000);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "2 runs of 3");
}

/* None of these may pass, whatever else they look like. */
static void
lies_never_pass(void **state)
{
    struct scene *s = *state;
    static const char *const counts[] = {
        "null",
        "{\"bytes\":8192000,\"ops\":2000,\"seconds\":10,\"stalled\":-1}",
        "1",
        "[]",
        "{}",
        "{\"bytes\":8192000,\"ops\":2000}",
        "{\"bytes\":8192000,\"ops\":2000,\"seconds\":0}",
        "{\"bytes\":8192000,\"ops\":2000,\"seconds\":-10}",
        "{\"bytes\":8192000,\"ops\":2000,\"seconds\":\"10\"}",
        "{\"bytes\":8192000,\"ops\":2000,\"seconds\":1e308}",
        "{\"bytes\":8192000,\"ops\":2000,\"seconds\":1e-308}",
        "{\"bytes\":-8192000,\"ops\":-2000,\"seconds\":10}",
        "{\"bytes\":8192000,\"ops\":2000.0,\"seconds\":10}",
        "{\"bytes\":9223372036854775807,\"ops\":2000,\"seconds\":10}",
        "{\"bytes\":8192000,\"ops\":9223372036854775807,\"seconds\":10}",
        "{\"bytes\":8191999,\"ops\":2000,\"seconds\":10}", /* not what so many requests move */
        "{\"bytes\":1024000,\"ops\":2000,\"seconds\":10}", /* of another size */
        "{\"bytes\":819200,\"ops\":200,\"seconds\":1}",    /* too short to mean anything */
        "{\"bytes\":819200000,\"ops\":200000,\"seconds\":1000}",
    };
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        char text[600];
        (void)snprintf(text, sizeof(text),
                       "{\"type\":\"limits\",\"name\":\"vda\",\"metric\":\"read_iops\","
                       "\"samples\":[%s,%s,%s],\"control\":%s}",
                       counts[i], counts[i], counts[i], counts[i]);
        answers_add_text(&s->answers, text);
        expect(s, GOLD_VERDICT_INCONCLUSIVE, "make no sense");
        gold_source_result_done(&s->src);
        s->src = (struct gold_source_result){.source = NULL};
        answers_done(&s->answers);
        answers_boot(&s->answers, "clone-1", 1, NULL, NULL);
    }
}

static void
a_senseless_control_is_no_control(void **state)
{
    struct scene *s = *state;
    answer_iops(s, 180, 180, 180, 3000);
    json_object_set_new(s->answers.messages[0][0], "control", json_string("fast"));
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "no measurement without the limit");
}

static void
shapes_that_are_no_arrays(void **state)
{
    struct scene *s = *state;
    answers_add_text(&s->answers, "{\"type\":\"limits\",\"name\":\"vda\",\"metric\":\"read_"
                                  "iops\",\"samples\":{\"a\":1},\"control\":[]}");
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "0 runs of 3");
}

static void
kvm_is_held_to_less_noise(void **state)
{
    struct scene *s = *state;
    set(s, "tolerance", "0.02");
    s->accelerator = "kvm"; /* ceiling 1 + 0.01 + 0.02 */
    answer_iops(s, 200, 200, 207, 3000);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
tcg_is_allowed_more(void **state)
{
    struct scene *s = *state;
    set(s, "tolerance", "0.02");
    answer_iops(s, 200, 200, 207, 3000);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
a_burst_that_was_used_up_is_judged(void **state)
{
    struct scene *s = *state;
    s->disk.iotune.value[GOLD_READ_IOPS_SEC_MAX] = 800; /* a ramp of 2 + 4 s */
    answer_iops(s, 400, 400, 400, 3000);
    expect(s, GOLD_VERDICT_FAIL, "more than the limit");
}

static void
a_burst_on_a_slow_medium_is_inconclusive(void **state)
{
    struct scene *s = *state;
    s->disk.iotune.value[GOLD_READ_IOPS_SEC_MAX] = 800;
    answer_iops(s, 300, 250, 200,
                310); /* 110 a second above the limit do not empty 800 in 6 s */
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "a burst is configured");
}

static void
a_burst_that_is_too_long_is_not_measured(void **state)
{
    struct scene *s = *state;
    s->disk.iotune.value[GOLD_READ_IOPS_SEC_MAX] = 210;
    s->disk.iotune.value[GOLD_READ_IOPS_SEC_MAX_LENGTH] = 600;
    GOLD_CLEANUP_STR struct gold_str plan = GOLD_STR_INIT;
    assert_int_equal(payload()->plan(&s->request, &s->disk, 0, &plan, NULL), 0);
    assert_int_equal(plan.len, 0);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "last longer than 60 s");
}

static void
nothing_is_judged_without_limits(void **state)
{
    struct scene *s = *state;
    s->disk.iotune.value[GOLD_READ_IOPS_SEC] = 0;
    assert_false(payload()->wants_disk(&s->disk));
    assert_int_equal(payload()->judge(&s->request, &s->disk, "tcg", NULL, s->answers.boots, 1,
                                      &s->src, NULL),
                     0);
    assert_int_equal(
        payload()->judge(&s->request, NULL, "tcg", NULL, s->answers.boots, 1, &s->src, NULL),
        0);
    assert_int_equal(s->src.n_measurements, 0);
}

static void
wants_disks_with_limits(void **state)
{
    struct scene *s = *state;
    assert_true(payload()->wants_disk(&s->disk));
    assert_false(payload()->every_clone);
    assert_false(payload()->second_boot);
}

static void
plans(void **state)
{
    struct scene *s = *state;
    GOLD_CLEANUP_STR struct gold_str plan = GOLD_STR_INIT;
    s->disk.iotune.value[GOLD_TOTAL_BYTES_SEC] = 10 * GOLD_MIB;
    set(s, "runs", "5");
    set(s, "seconds", "20");
    set(s, "ramp", "1");
    assert_int_equal(payload()->plan(&s->request, &s->disk, 3, &plan, NULL), 0);
    assert_string_equal(gold_str_text(&plan),
                        "limits name=vda serial=GSLIMIT3 control=GSCONTROL runs=5 seconds=20 "
                        "read_bytes=262144,1,1 "
                        "write_bytes=262144,1,1 read_iops=4096,1,1\n");
}

/* A target from a hostile definition writes no lines of its own. */
static void
a_strange_target_breaks_no_plan(void **state)
{
    struct scene *s = *state;
    char strange[] = "vda\nidentity x=1";
    s->disk.target = strange;
    GOLD_CLEANUP_STR struct gold_str plan = GOLD_STR_INIT;
    assert_int_equal(payload()->plan(&s->request, &s->disk, 0, &plan, NULL), 0);
    assert_int_equal(strncmp(gold_str_text(&plan), "limits name=disk serial=", 24), 0);
    assert_ptr_equal(strchr(gold_str_text(&plan), '\n'), gold_str_text(&plan) + plan.len - 1);
}

static void
checks_parameters(void **state)
{
    struct scene *s = *state;
    static const char *const good[][2] = {{"runs", "1"},        {"runs", "20"},
                                          {"seconds", "300"},   {"ramp", "0"},
                                          {"tolerance", "3%"},  {"tolerance", "5 %"},
                                          {"tolerance", "0.5"}, {"tolerance", "0.001"}};
    static const char *const bad[][2] = {
        {"runs", "0"},        {"runs", "21"},        {"runs", "-1"},       {"runs", "x"},
        {"runs", ""},         {"seconds", "0"},      {"seconds", "301"},   {"seconds", "1.5"},
        {"ramp", "61"},       {"tolerance", "0"},    {"tolerance", "0.6"}, {"tolerance", "-1%"},
        {"tolerance", "60%"}, {"tolerance", "nan"},  {"tolerance", "inf"}, {"tolerance", "%"},
        {"tolerance", ""},    {"tolerance", "3 % x"}};
    s->request.n_parameters = 1;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        s->parameters[0] = (struct gold_payload_parameter){good[i][0], good[i][1]};
        assert_int_equal(payload()->check(&s->request, NULL), 0);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gold_error *err = NULL;
        s->parameters[0] = (struct gold_payload_parameter){bad[i][0], bad[i][1]};
        if (payload()->check(&s->request, &err) == 0)
            fail_msg("%s: %s was taken", bad[i][0], bad[i][1]);
        assert_non_null(strstr(gold_error_message(err), bad[i][0]));
        gold_error_free(err);
    }
}

#define in_scene(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        in_scene(exact_passes),
        in_scene(within_the_tolerance_passes),
        in_scene(five_percent_over_fails),
        in_scene(one_run_far_over_fails),
        in_scene(one_run_slightly_over_passes),
        in_scene(no_limit_at_all_fails),
        in_scene(ten_percent_under_fails_on_a_fast_medium),
        in_scene(ten_percent_under_is_inconclusive_on_a_slow_medium),
        in_scene(exact_is_inconclusive_on_a_slow_medium),
        in_scene(exact_passes_on_a_medium_that_is_fast_enough),
        in_scene(exact_without_control_is_inconclusive),
        in_scene(too_fast_without_control_fails),
        in_scene(too_slow_without_control_is_inconclusive),
        in_scene(disturbed_runs_do_not_count),
        in_scene(disturbed_runs_excuse_no_excess),
        in_scene(stalls_in_every_run_are_inconclusive),
        in_scene(too_few_good_runs_are_inconclusive),
        in_scene(enough_good_runs_refute),
        in_scene(slow_runs_that_differ_are_inconclusive),
        in_scene(too_many_runs_are_inconclusive),
        in_scene(nothing_at_all_is_too_slow),
        in_scene(the_tolerance_is_a_parameter),
        in_scene(a_tighter_tolerance_fails),
        in_scene(all_four_limits),
        in_scene(the_worst_metric_decides),
        in_scene(no_answer_is_inconclusive),
        in_scene(no_boot_is_inconclusive),
        in_scene(the_agents_error_is_an_error),
        in_scene(another_payloads_error_is_not_ours),
        in_scene(another_disks_answer_is_not_ours),
        in_scene(two_answers_are_inconclusive),
        in_scene(missing_runs_are_inconclusive),
        in_scene(lies_never_pass),
        in_scene(a_senseless_control_is_no_control),
        in_scene(shapes_that_are_no_arrays),
        in_scene(kvm_is_held_to_less_noise),
        in_scene(tcg_is_allowed_more),
        in_scene(a_burst_that_was_used_up_is_judged),
        in_scene(a_burst_on_a_slow_medium_is_inconclusive),
        in_scene(a_burst_that_is_too_long_is_not_measured),
        in_scene(nothing_is_judged_without_limits),
        in_scene(wants_disks_with_limits),
        in_scene(plans),
        in_scene(a_strange_target_breaks_no_plan),
        in_scene(checks_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
