/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * iotune-limits: does the guest get the IO limits of the definition, no more and no less?
 * Judged against the limits of the disk that is handed in, which are what is expected; what was
 * configured does not enter.
 *
 * A guest that is too slow is only a failure when the same accesses are clearly faster without
 * the limit: else it is the medium or the machine that is slow, and nothing is known about the
 * limit.
 */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "validate/limit_plan.h"
#include "validate/names.h"
#include "validate/payloads/payloads.h"
#include "validate/statistics.h"

#define PAYLOAD "iotune-limits"
#define WIRE    "limits"

#define MAX_RUNS      20
#define MAX_COUNT     9007199254740992.0 /* 2^53: counts beyond are no counts */
#define BUCKET        0.1   /* seconds' worth that passes at once from an idle start */
#define CONTROL_FLOOR 1.5   /* how much faster the disk without limits must be */
#define DISTURBED     0.005 /* of a run, as in the agent */
#define SPREAD        0.005 /* between runs that show a throttle; theirs is a tenth of it */

struct settings {
    unsigned runs, seconds, ramp;
    double tolerance;
};

static const char *const keys[] = {"runs", "seconds", "ramp", "tolerance", NULL};

static int
read_settings(const struct gold_payload_request *request, struct settings *ret,
              struct gold_error **err)
{
    *ret = (struct settings){.runs = 3, .seconds = 10, .ramp = 2, .tolerance = 0.03};
    if (gold_payload_whole(request, "runs", 1, MAX_RUNS, &ret->runs, err) < 0 ||
        gold_payload_whole(request, "seconds", 1, 300, &ret->seconds, err) < 0 ||
        gold_payload_whole(request, "ramp", 0, 60, &ret->ramp, err) < 0)
        return -1;
    return gold_payload_ratio(request, "tolerance", 0.5, &ret->tolerance, err);
}

static int
check(const struct gold_payload_request *request, struct gold_error **err)
{
    struct settings s;
    if (gold_payload_check_keys(request, keys, err) < 0)
        return -1;
    return read_settings(request, &s, err);
}

static bool
wants_disk(const struct gold_disk *disk)
{
    struct gold_limit_metric metrics[GOLD_LIMIT_METRICS];
    return gold_limit_plan(&disk->iotune, 0, metrics) > 0;
}

/* The disk's name on the wire: a target like "vda", or a word that breaks no line. */
static const char *
wire_name(const struct gold_disk *disk)
{
    const char *t = disk->target;
    size_t len =
        t ? strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:-") : 0;
    return len > 0 && len <= 32 && t[len] == '\0' ? t : "disk";
}

static int
plan(const struct gold_payload_request *request, const struct gold_disk *disk,
     size_t disk_index, struct gold_str *ret, struct gold_error **err)
{
    struct gold_limit_metric metrics[GOLD_LIMIT_METRICS];
    struct settings s;
    bool any = false;
    if (read_settings(request, &s, err) < 0)
        return -1;
    size_t n = disk ? gold_limit_plan(&disk->iotune, s.ramp, metrics) : 0;
    for (size_t i = 0; i < n; i++) {
        if (metrics[i].burst_too_long)
            continue;
        if (!any)
            gold_str_printf(ret,
                            WIRE " name=%s serial=" GOLD_LIMIT_SERIAL
                                 "%zu control=" GOLD_CONTROL_SERIAL " runs=%u seconds=%u",
                            wire_name(disk), disk_index, s.runs, s.seconds);
        any = true;
        gold_str_printf(ret, " %s=%llu,%u,%u", metrics[i].wire,
                        (unsigned long long)metrics[i].size, metrics[i].depth, metrics[i].ramp);
    }
    if (any)
        gold_str_append_char(ret, '\n');
    return gold_str_finish(ret, "the plan for the guest", err);
}

/* What a guest says that it counted. */
struct count {
    double bytes, ops, seconds;
    double stalled; /* of these; see the agent's load.c */
};

static bool
read_count(const json_t *object, struct count *ret)
{
    const json_t *bytes = json_object_get(object, "bytes"),
                 *ops = json_object_get(object, "ops");
    const json_t *seconds = json_object_get(object, "seconds");
    const json_t *stalled = json_object_get(object, "stalled");
    if (!json_is_integer(bytes) || !json_is_integer(ops) || !json_is_number(seconds))
        return false;
    *ret = (struct count){(double)json_integer_value(bytes), (double)json_integer_value(ops),
                          json_number_value(seconds), json_number_value(stalled)};
    return ret->bytes >= 0 && ret->bytes <= MAX_COUNT && ret->ops >= 0 &&
           ret->ops <= MAX_COUNT && isfinite(ret->seconds) && ret->seconds > 0 &&
           ret->stalled >= 0;
}

static double
rate_of(const struct gold_limit_metric *m, const struct count *c)
{
    return (m->is_bytes ? c->bytes : c->ops) / c->seconds;
}

static const json_t *
find_answer(const struct gold_boot_answers *answers, size_t n_answers,
            const struct gold_disk *disk, const char *metric, unsigned *ret_count)
{
    const json_t *found = NULL;
    *ret_count = 0;
    for (size_t i = 0; i < n_answers; i++) {
        for (size_t k = 0; k < answers[i].n_messages; k++) {
            const json_t *message = answers[i].messages[k];
            if (!gold_message_is(message, WIRE) ||
                !gold_streq(gold_message_string(message, "name"), wire_name(disk)) ||
                !gold_streq(gold_message_string(message, "metric"), metric))
                continue;
            found = message;
            (*ret_count)++;
        }
    }
    return found;
}

/* The case of one metric: what is expected, what was answered, and what follows. */
struct trial {
    const struct gold_limit_metric *m;
    const struct settings *s;
    double epsilon;
    struct count control;
    bool has_control;
    unsigned disturbed; /* runs that stalls of the machine spoilt: not in the median */
    double fastest;     /* of all runs */
    double spread;      /* between those that were not disturbed */
    struct gold_metric *metric;
    struct gold_str why; /* the verdict's reason; empty for a pass */
};

static void conclude(struct trial *t, enum gold_verdict verdict, const char *fmt, ...)
    GOLD_PRINTF(3, 4);

static void
conclude(struct trial *t, enum gold_verdict verdict, const char *fmt, ...)
{
    va_list args;
    t->metric->verdict = verdict;
    gold_str_printf(&t->why, "%s: ", t->m->name);
    va_start(args, fmt);
    gold_str_vprintf(&t->why, fmt, args);
    va_end(args);
}

/* "measured 11010048 B/s where 10485760 B/s is expected" */
static void
add_rates(struct trial *t, const char *what, double measured)
{
    unsigned decimals = t->m->is_bytes ? 0 : 1;
    gold_str_printf(&t->why, " (%s ", what);
    gold_append_double(&t->why, measured, decimals);
    gold_str_printf(&t->why, " %s where ", t->m->unit);
    gold_append_double(&t->why, t->m->expected, decimals);
    gold_str_printf(&t->why, " %s is expected)", t->m->unit);
}

/* Was the configured burst used up by the ramp, on a medium as fast as the control says? */
static bool
burst_is_burnt(const struct trial *t)
{
    if (t->m->burst_units <= 0)
        return true;
    if (!t->has_control)
        return false;
    double speed = rate_of(t->m, &t->control);
    if (t->m->burst_rate > 0 && speed > t->m->burst_rate)
        speed = t->m->burst_rate;
    return (speed - t->m->expected) * t->m->ramp >= t->m->burst_units * 0.999;
}

/* Slower than the limit, on a medium that is fast enough. A throttle that is set too low keeps
   to its rate as exactly as one that is right; a machine that is short of time does not. */
static void
judge_too_slow(struct trial *t)
{
    double median = t->metric->median;
    if (t->metric->n_samples - t->disturbed < t->s->runs)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                 "too slow, but the machine stalled in %u of %zu runs", t->disturbed,
                 t->metric->n_samples);
    else if (t->spread > SPREAD * median)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                 "too slow, but the runs differ too much to blame a limit");
    else
        conclude(t, GOLD_VERDICT_FAIL, "the guest gets less than the limit");
    add_rates(t, "median", median);
}

static void
judge_rates(struct trial *t)
{
    double expected = t->m->expected, median = t->metric->median, tol = t->s->tolerance;
    double ceiling = expected * (1 + BUCKET / t->s->seconds + fmax(t->epsilon, tol));
    bool too_fast = t->fastest > ceiling || median > expected * (1 + tol);
    bool too_slow = median < expected * (1 - tol);
    if (too_fast && !burst_is_burnt(t)) {
        conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                 "a burst is configured and may not have been used up");
        add_rates(t, "measured", t->fastest);
    } else if (too_fast) {
        conclude(t, GOLD_VERDICT_FAIL, "the guest gets more than the limit");
        add_rates(t, t->fastest > ceiling ? "at most" : "median",
                  t->fastest > ceiling ? t->fastest : median);
    } else if (!t->has_control) {
        conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                 "there is no measurement without the limit to compare with");
        add_rates(t, "median", median);
    } else if (rate_of(t->m, &t->control) < CONTROL_FLOOR * expected) {
        /* Also when the rate is the expected one: on such a medium it would be that without
           any limit. */
        conclude(t, GOLD_VERDICT_INCONCLUSIVE, "%s",
                 too_slow ? "medium too slow to reach the limit"
                          : "medium too slow to tell the limit from its own speed");
        add_rates(t, "without the limit", rate_of(t->m, &t->control));
    } else if (too_slow) {
        judge_too_slow(t);
    } else {
        t->metric->verdict = GOLD_VERDICT_PASS;
    }
}

/* Are these the counts of a run of the length that was asked for? A guest can send anything. */
static bool
is_sound(const struct trial *t, const struct count *c)
{
    double seconds = t->s->seconds;
    return c->seconds >= 0.5 * seconds && c->seconds <= 4 * seconds + 60 &&
           c->bytes == c->ops * (double)t->m->size;
}

/* Median and spread of the runs that were not disturbed; of all when all were. */
static int
take_median(struct trial *t, const double *clean, size_t n_clean, struct gold_error **err)
{
    struct gold_metric *m = t->metric;
    const double *rates = n_clean > 0 ? clean : m->samples;
    size_t n = n_clean > 0 ? n_clean : m->n_samples;
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, rates[i]);
        high = fmax(high, rates[i]);
    }
    t->spread = high - low;
    t->disturbed = (unsigned)(m->n_samples - n_clean);
    return gold_median(rates, n, &m->median, err);
}

/* The agent adds runs for those that were disturbed, up to twice as many. */
static int
take_samples(struct trial *t, const json_t *answer, struct gold_error **err)
{
    const json_t *samples = json_object_get(answer, "samples");
    size_t n = json_array_size(samples), n_clean = 0;
    double clean[2 * MAX_RUNS];
    if (n < t->s->runs || n > 2 * (size_t)t->s->runs) {
        conclude(t, GOLD_VERDICT_INCONCLUSIVE, "%zu runs of %u came back", n, t->s->runs);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        struct count c;
        if (!read_count(json_array_get(samples, i), &c) || !is_sound(t, &c)) {
            conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                     "the guest's counts of run %zu make no sense", i + 1);
            return 0;
        }
        double rate = rate_of(t->m, &c);
        t->fastest = fmax(t->fastest, rate);
        if (c.stalled <= DISTURBED * t->s->seconds)
            clean[n_clean++] = rate;
        if (gold_metric_add_sample(t->metric, rate, err) < 0)
            return -1;
    }
    if (take_median(t, clean, n_clean, err) < 0)
        return -1;
    t->has_control = read_count(json_object_get(answer, "control"), &t->control);
    judge_rates(t);
    return 0;
}

/* What was done to measure it, for the reader of the report. */
static int
add_note(const struct trial *t, struct gold_error **err)
{
    const struct gold_limit_metric *m = t->m;
    GOLD_CLEANUP_STR struct gold_str note = GOLD_STR_INIT;
    gold_str_printf(&note, "%s; %s requests of ", gold_iotune_name(m->key),
                    m->is_bytes ? "sequential" : "scattered");
    gold_append_size(&note, m->size);
    gold_str_printf(&note, ", %u in flight, %u x %u s after a ramp of %u s", m->depth,
                    t->s->runs, t->s->seconds, m->ramp);
    if (m->binding_key >= 0)
        gold_str_printf(&note,
                        "; %s binds first whatever the size of requests, so the rate that it "
                        "leaves is expected",
                        gold_iotune_name((unsigned)m->binding_key));
    if (t->disturbed > 0)
        gold_str_printf(&note,
                        "; %u of %zu runs were disturbed by stalls of the machine and do not "
                        "count in the median",
                        t->disturbed, t->metric->n_samples);
    if (m->burst_units > 0)
        gold_str_append(&note, "; a burst is configured: judged is the rate after it");
    t->metric->note = gold_str_steal(&note, NULL, err);
    return t->metric->note ? 0 : -1;
}

static int
judge_metric(struct trial *t, const struct gold_boot_answers *answers, size_t n_answers,
             const struct gold_disk *disk, const char *failure, struct gold_error **err)
{
    unsigned count;
    const json_t *answer = find_answer(answers, n_answers, disk, t->m->wire, &count);
    t->metric->has_expected = true;
    t->metric->expected = t->m->expected;
    t->metric->tolerance = t->s->tolerance;
    if (t->m->burst_too_long)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                 "bursts are configured that last longer than %d s: not measured",
                 GOLD_LIMIT_BURN_MAX);
    else if (count > 1)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE, "the guest answered %u times", count);
    else if (!answer && failure)
        conclude(t, GOLD_VERDICT_ERROR, "the agent could not measure: %s", failure);
    else if (!answer)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE, "the guest gave no answer");
    else if (take_samples(t, answer, err) < 0)
        return -1;
    return add_note(t, err);
}

static int
add_control(struct gold_measurement *measurement, const struct trial *t,
            struct gold_error **err)
{
    if (!t->has_control)
        return 0;
    struct gold_metric *metric =
        gold_measurement_add_metric(measurement, t->m->control, t->m->unit, err);
    double rate = rate_of(t->m, &t->control);
    if (!metric || gold_metric_add_sample(metric, rate, err) < 0)
        return -1;
    metric->median = rate;
    return gold_str_replace(&metric->note, "the same requests on a disk without limits", err);
}

static int
judge_metrics(const struct gold_payload_request *request, const struct gold_disk *disk,
              const char *accelerator, const struct gold_boot_answers *answers,
              size_t n_answers, struct gold_measurement *measurement, struct gold_str *reasons,
              struct gold_error **err)
{
    struct gold_limit_metric metrics[GOLD_LIMIT_METRICS];
    struct settings s;
    GOLD_CLEANUP_FREE char *failure = NULL;
    if (read_settings(request, &s, err) < 0)
        return -1;
    for (size_t i = 0; i < n_answers && !failure; i++) {
        if (gold_answers_error(&answers[i], WIRE, &failure, err) < 0)
            return -1;
    }
    size_t n = gold_limit_plan(&disk->iotune, s.ramp, metrics);
    for (size_t i = 0; i < n; i++) {
        struct trial t = {
            .m = &metrics[i], .s = &s, .epsilon = gold_streq(accelerator, "kvm") ? 0.02 : 0.03};
        t.metric =
            gold_measurement_add_metric(measurement, metrics[i].name, metrics[i].unit, err);
        int rc = t.metric ? judge_metric(&t, answers, n_answers, disk, failure, err) : -1;
        if (rc == 0) {
            measurement->verdict = gold_verdict_worst(measurement->verdict, t.metric->verdict);
            if (t.why.len > 0)
                gold_str_printf(reasons, "%s%s", reasons->len ? "; " : "",
                                gold_str_text(&t.why));
            rc = add_control(measurement, &t, err);
        }
        gold_str_done(&t.why);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int
judge(const struct gold_payload_request *request, const struct gold_disk *disk,
      const char *accelerator, const struct gold_facts *template_identity,
      const struct gold_boot_answers *answers, size_t n_answers, struct gold_source_result *src,
      struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str reasons = GOLD_STR_INIT;
    (void)template_identity;
    if (!disk || !wants_disk(disk))
        return 0;
    struct gold_measurement *m = gold_source_add_measurement(
        src, PAYLOAD, disk->target, n_answers ? answers[0].clone : NULL, err);
    if (!m || gold_str_replace(&m->accelerator, accelerator, err) < 0 ||
        judge_metrics(request, disk, accelerator, answers, n_answers, m, &reasons, err) < 0)
        return -1;
    if (reasons.len > 0) {
        m->reason = gold_str_steal(&reasons, NULL, err);
        return m->reason ? 0 : -1;
    }
    return 0;
}

const struct gold_payload gold_payload_iotune_limits = {
    .about =
        {
            .name = PAYLOAD,
            .heading =
                "Does the guest get the IO limits of the definition, no more and no less?",
            .description =
                "Boots a clone with a scratch disk that carries the limits of the definition's "
                "disk, and one without\n"
                "limits as a control. The agent reads and writes them with direct IO: in "
                "sequence by 256 KiB for\n"
                "limits in bytes, at scattered places by 4 KiB for limits in operations, so "
                "that nothing on the way\n"
                "can merge requests. Counted is what completes in 3 runs of 10 s that follow a "
                "ramp of 2 s in the\n"
                "same stream, because a limit lets a tenth of a second's worth pass at once.\n"
                "\n"
                "The median must lie within the tolerance of the limit (3 %), and no run may "
                "exceed it by\n"
                "more than the tolerance and that tenth of a second. Anything but a guest that "
                "is too fast\n"
                "is only judged when the control is at least 1.5 times as fast as the limit; "
                "otherwise the\n"
                "medium is too slow to tell, and the result is inconclusive.\n"
                "\n"
                "Parameters: runs, seconds (of each run), ramp (seconds), tolerance (0.03 or "
                "3%).",
            .notes = "A limit on both directions together is tested by reading and by writing, "
                     "one after the other.\n"
                     "Bursts are used up before the measurement when that takes less than a "
                     "minute; longer ones make\n"
                     "the result inconclusive.",
        },
    .keys = keys,
    .every_clone = false,
    .second_boot = false,
    .check = check,
    .plan = plan,
    .wants_disk = wants_disk,
    .judge = judge,
};
