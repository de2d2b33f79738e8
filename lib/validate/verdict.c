/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From boot records to the result: each clone's state and identity, the payloads' own
 * judgements, and one measurement "native-boot" a clone, which fails when the template's own
 * boot path did not lead to its default target.
 */
#include <string.h>

#include "core/str.h"
#include "validate/run.h"
#include "validate/statistics.h"

#define PAYLOAD    "native-boot"
#define TAIL_LINES 15
#define MAX_FACTS  256 /* that a guest may tell about itself */
#define MAX_UNITS  10  /* named in a reason */

const struct gold_boot_record *
gold_run_record(const struct gold_run *run, size_t clone, unsigned boot)
{
    for (size_t i = 0; i < run->records.n; i++) {
        const struct gold_boot_record *r = &run->records.items[i];

        if (r->clone == clone && r->boot == boot)
            return r;
    }
    return NULL;
}

/* The first message of a type, or NULL. */
static const json_t *
find_message(const struct gold_boot_record *r, const char *type)
{
    for (size_t i = 0; i < r->messages.n; i++) {
        if (gold_streq(json_string_value(json_object_get(r->messages.items[i], "type")), type))
            return r->messages.items[i];
    }
    return NULL;
}

/* " (failed units: a.service, b.service)" */
static void
append_failed_units(struct gold_str *s, const json_t *reached)
{
    const json_t *failed = json_object_get(reached, "failed");
    size_t n = json_array_size(failed);

    for (size_t i = 0; i < n && i < MAX_UNITS; i++) {
        const char *unit = json_string_value(json_array_get(failed, i));

        gold_str_append(s, i == 0 ? " (failed units: " : ", ");
        gold_str_append_terminal(s, unit ? unit : "?");
    }
    if (n > 0)
        gold_str_append(s, n > MAX_UNITS ? ", ...)" : ")");
}

/* Judges one boot; appends the reason when there is something to say. */
static enum gold_verdict
judge_boot(const struct gold_boot_record *r, struct gold_str *reason)
{
    static const char *const bad[] = {"timeout", "maintenance", "emergency", "rescue",
                                      "offline"};
    const json_t *reached = find_message(r, "reached");
    const char *state = json_string_value(json_object_get(reached, "state"));
    enum gold_verdict verdict = GOLD_VERDICT_PASS;
    GOLD_CLEANUP_STR struct gold_str text = GOLD_STR_INIT;

    if (!gold_streq(r->end, "bye")) {
        gold_str_printf(&text, "%s: %s", r->end, gold_boot_explain(r->end));
        append_failed_units(&text, reached);
        verdict = GOLD_VERDICT_FAIL;
    } else if (!reached) {
        gold_str_append(&text, "the agent did not say that the default target was reached");
        verdict = GOLD_VERDICT_FAIL;
    } else {
        for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
            if (gold_streq(state, bad[i]))
                verdict = GOLD_VERDICT_FAIL;
        }
        if (verdict == GOLD_VERDICT_FAIL || gold_streq(state, "degraded")) {
            gold_str_append(&text, verdict == GOLD_VERDICT_FAIL
                                       ? "the default target was not reached: "
                                       : "the default target was reached: ");
            gold_str_append_terminal(&text, state);
            append_failed_units(&text, reached);
        }
    }
    if (text.len > 0)
        gold_str_printf(reason, "%sboot %u: %s", reason->len > 0 ? "; " : "", r->boot,
                        gold_str_text(&text));
    return verdict;
}

/* The console's own words stand beside the number of seconds, as its note. */
static int
add_note(struct gold_metric *metric, const struct gold_boot_record *r, bool failed,
         struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str note = GOLD_STR_INIT;

    if (r->notes && *r->notes)
        gold_str_printf(&note, "boot %u said:\n%s", r->boot, r->notes);
    if (failed && r->tail && *r->tail)
        gold_str_printf(&note, "end of the console of boot %u:\n%s", r->boot, r->tail);
    if (note.len == 0 || metric->note)
        return 0;
    metric->note = gold_str_steal(&note, NULL, err);
    return metric->note ? 0 : -1;
}

static int
add_native_boot(struct gold_run *run, size_t clone, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str reason = GOLD_STR_INIT;
    struct gold_measurement *m =
        gold_source_add_measurement(run->src, PAYLOAD, NULL, run->clones[clone].name, err);
    struct gold_metric *metric =
        m ? gold_measurement_add_metric(m, "target_seconds", "s", err) : NULL;

    if (!metric || gold_str_replace(&m->accelerator, run->accel, err) < 0)
        return -1;
    for (unsigned boot = 1; boot <= 2; boot++) {
        const struct gold_boot_record *r = gold_run_record(run, clone, boot);
        enum gold_verdict verdict;

        if (!r)
            continue;
        verdict = judge_boot(r, &reason);
        m->verdict = gold_verdict_worst(m->verdict, verdict);
        if ((r->target_s >= 0 && gold_metric_add_sample(metric, r->target_s, err) < 0) ||
            add_note(metric, r, verdict == GOLD_VERDICT_FAIL, err) < 0)
            return -1;
    }
    if (reason.len > 0) {
        m->reason = gold_str_steal(&reason, NULL, err);
        if (!m->reason)
            return -1;
    }
    return 0;
}

static int
add_told_facts(struct gold_facts *facts, const struct gold_boot_record *r,
               struct gold_error **err)
{
    const json_t *told = json_object_get(find_message(r, "identity"), "facts");
    size_t n = json_array_size(told);

    for (size_t i = 0; i < n && i < MAX_FACTS; i++) {
        const json_t *pair = json_array_get(told, i);
        const char *name = json_string_value(json_array_get(pair, 0));
        const char *value = json_string_value(json_array_get(pair, 1));

        /* MAC and client id are what the host saw, below. */
        if (!name || !value || gold_streq(name, "mac") || gold_streq(name, "dhcp-client-id"))
            continue;
        if (gold_facts_add(facts, name, value, err) < 0)
            return -1;
    }
    return 0;
}

static int
add_clone(struct gold_run *run, size_t i, struct gold_error **err)
{
    const struct gold_boot_record *first = gold_run_record(run, i, 1),
                                  *last = gold_run_record(run, i, 2);
    struct gold_clone_result *c = gold_source_add_clone(run->src, run->clones[i].name, err);

    if (!c)
        return -1;
    if (!last)
        last = first;
    if (gold_str_replace(&c->state, last ? last->end : "created", err) < 0 ||
        gold_facts_add(&c->identity, "uuid", run->clones[i].uuid, err) < 0 ||
        gold_facts_add(&c->identity, "mac", run->clones[i].mac, err) < 0)
        return -1;
    if (!first)
        return 0;
    if (first->client_id &&
        gold_facts_add(&c->identity, "dhcp-client-id", first->client_id, err) < 0)
        return -1;
    return add_told_facts(&c->identity, first, err);
}

static const struct gold_facts *
template_identity(const struct gold_run *run)
{
    if (run->plan->template_identity && run->plan->template_identity->n > 0)
        return run->plan->template_identity;
    return &run->identity;
}

static int
skip_payload(struct gold_run *run, const char *payload, struct gold_error **err)
{
    struct gold_measurement *m =
        gold_source_add_measurement(run->src, payload, NULL, NULL, err);

    if (!m || gold_str_replace(&m->accelerator, run->accel, err) < 0)
        return -1;
    m->verdict = GOLD_VERDICT_SKIPPED;
    return gold_str_replace(&m->reason, "no disk of the definition has limits that it judges",
                            err);
}

static int
judge_request(struct gold_run *run, const struct gold_payload *p,
              const struct gold_payload_request *request,
              const struct gold_boot_answers *answers, size_t n, struct gold_error **err)
{
    const struct gold_definition *def = run->plan->definition;
    bool any = false;

    if (!p->wants_disk)
        return p->judge(request, NULL, run->accel, template_identity(run), answers, n, run->src,
                        err);
    for (size_t i = 0; def && i < def->n_disks; i++) {
        const struct gold_disk *disk = gold_plan_disk(run->plan, i);

        if (!p->wants_disk(disk))
            continue;
        any = true;
        if (p->judge(request, disk, run->accel, template_identity(run), answers, n, run->src,
                     err) < 0)
            return -1;
    }
    return any ? 0 : skip_payload(run, p->about.name, err);
}

static int
judge_payloads(struct gold_run *run, struct gold_error **err)
{
    GOLD_CLEANUP_FREE struct gold_boot_answers *answers =
        calloc(run->records.n + 1, sizeof(*answers));
    size_t n = 0;

    if (!answers)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < run->records.n; i++) {
        const struct gold_boot_record *r = &run->records.items[i];

        answers[n++] = (struct gold_boot_answers){
            .clone = run->clones[r->clone].name,
            .boot = r->boot,
            .messages = r->messages.items,
            .n_messages = r->messages.n,
            .mac = run->clones[r->clone].mac,
            .dhcp_client_id = r->client_id,
        };
    }
    for (size_t i = 0; gold_payloads[i]; i++) {
        for (size_t j = 0; j < run->plan->n_payloads; j++) {
            const struct gold_payload_request *request = &run->plan->payloads[j];

            if (gold_streq(request->payload, gold_payloads[i]->about.name) &&
                judge_request(run, gold_payloads[i], request, answers, n, err) < 0)
                return -1;
        }
    }
    return 0;
}

/* Was it too little only? That can be the host's fault; too much cannot. */
static bool
only_too_slow(const struct gold_measurement *m)
{
    bool any = false;

    for (size_t i = 0; i < m->n_metrics; i++) {
        const struct gold_metric *metric = &m->metrics[i];

        if (metric->verdict != GOLD_VERDICT_FAIL)
            continue;
        if (!metric->has_expected || metric->median >= metric->expected)
            return false;
        any = true;
    }
    return any;
}

int
gold_excuse_slow_host(struct gold_measurement *m, double load, long processors,
                      struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str reason = GOLD_STR_INIT;

    if (m->verdict != GOLD_VERDICT_FAIL || load <= 2.0 * (double)processors + 1 ||
        !only_too_slow(m))
        return 0;
    for (size_t i = 0; i < m->n_metrics; i++) {
        if (m->metrics[i].verdict == GOLD_VERDICT_FAIL)
            m->metrics[i].verdict = GOLD_VERDICT_INCONCLUSIVE;
    }
    m->verdict = GOLD_VERDICT_INCONCLUSIVE;
    gold_str_printf(&reason, "%s%sthe host was too busy to tell (load %d on %ld processors)",
                    m->reason ? m->reason : "", m->reason ? "; " : "", (int)load, processors);
    free(m->reason);
    m->reason = gold_str_steal(&reason, NULL, err);
    return m->reason ? 0 : -1;
}

static int
excuse_all(struct gold_run *run, size_t from, struct gold_error **err)
{
    const struct gold_boot_record *r = gold_run_record(run, 0, 1);

    for (size_t i = from; r && i < run->src->n_measurements; i++) {
        struct gold_measurement *m = &run->src->measurements[i];

        if (m->disk &&
            gold_excuse_slow_host(m, r->load, sysconf(_SC_NPROCESSORS_ONLN), err) < 0)
            return -1;
    }
    return 0;
}

/* What no payload has judged is only recorded, and still has a middle. A payload's own median
 * may leave out samples that were spoilt, so it is kept. */
static int
fill_medians(struct gold_measurement *m, struct gold_error **err)
{
    for (size_t i = 0; i < m->n_metrics; i++) {
        struct gold_metric *metric = &m->metrics[i];

        if (metric->n_samples > 0 && metric->verdict == GOLD_VERDICT_NONE &&
            metric->median == 0 &&
            gold_median(metric->samples, metric->n_samples, &metric->median, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_run_judge(struct gold_run *run, struct gold_error **err)
{
    size_t before = run->src->n_measurements;

    for (size_t i = 0; i < run->n_clones; i++) {
        if (add_clone(run, i, err) < 0 || add_native_boot(run, i, err) < 0)
            return -1;
    }
    if (judge_payloads(run, err) < 0 || excuse_all(run, before, err) < 0)
        return -1;
    for (size_t i = 0; i < run->n_referees; i++) {
        if (gold_referee_report(&run->referees[i], run->src, err) < 0)
            return -1;
    }
    for (size_t i = before; i < run->src->n_measurements; i++) {
        struct gold_measurement *m = &run->src->measurements[i];

        if (fill_medians(m, err) < 0)
            return -1;
        run->src->verdict = gold_verdict_worst(run->src->verdict, m->verdict);
    }
    return 0;
}
