/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clone-identity: do clones of the template differ where they must, from each other and from
 * the template, and does each stay who it is over a second boot? Judged by what booted clones
 * say and by the DHCP requests that the host saw; the look of files in the template does not
 * enter.
 */
#include <string.h>

#include "core/limits.h"
#include "core/vec.h"
#include "validate/payloads/payloads.h"

#define PAYLOAD   "clone-identity"
#define WIRE      "identity"
#define MAX_FACTS 64  /* of one name that a clone may report */
#define MAX_VALUE 512 /* bytes of a value that is compared */

static const char *const keys[] = {"hostname", NULL};

/* One thing that identifies a machine. */
struct trait {
    const char *fact;   /* its name in the agent's facts and in the template's */
    const char *metric; /* how many clones have one that is theirs alone */
    const char *words;  /* in sentences */
    bool from_host;     /* known to the host, not told by the guest */
    bool required;      /* absence is a failure */
    bool settable;      /* is judged only on request */
};

static const struct trait traits[] = {
    {"machine-id", "distinct_machine_ids", "machine-id", false, true, false},
    {"dbus-machine-id", "distinct_dbus_machine_ids", "D-Bus machine-id", false, false, false},
    {"ssh-host-key", "distinct_ssh_host_keys", "ssh host key", false, false, false},
    {"mac", "distinct_macs", "MAC address", true, true, false},
    {"nic-mac", "distinct_nic_macs", "MAC address inside the guest", false, false, false},
    {"dhcp-client-id", "distinct_dhcp_client_ids", "DHCP client id", true, false, false},
    {"dhcp-duid", "distinct_dhcp_duids", "DHCP unique identifier (DUID)", true, false, false},
    {"hostname", "distinct_hostnames", "host name", false, true, true},
};

/* What one clone is, by one trait: boot 1 and boot 2. */
struct clone {
    const char *name;
    const struct gold_boot_answers *boots[2];
    const json_t *facts[2];
    struct gold_strv values[2];
};

GOLD_VEC(clones, struct clone);

static void
clones_done(struct clones *v)
{
    for (size_t i = 0; i < v->n; i++) {
        gold_strv_done(&v->items[i].values[0]);
        gold_strv_done(&v->items[i].values[1]);
    }
    clones_clear(v);
}

/* The case under way. */
struct trial {
    struct gold_measurement *measurement;
    const struct gold_facts *template_identity;
    struct clones clones;
    struct gold_str reasons;
};

static int
check(const struct gold_payload_request *request, struct gold_error **err)
{
    if (gold_payload_check_keys(request, keys, err) < 0)
        return -1;
    const char *hostname = gold_payload_parameter(request, "hostname");
    if (hostname && !gold_streq(hostname, "unique") && !gold_streq(hostname, "record")) {
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "payload '" PAYLOAD
                       "': parameter 'hostname' is '%s', not 'unique' or 'record'",
                       hostname);
        return -1;
    }
    return 0;
}

static int
plan(const struct gold_payload_request *request, const struct gold_disk *disk,
     size_t disk_index, struct gold_str *ret, struct gold_error **err)
{
    (void)request;
    (void)disk;
    (void)disk_index;
    gold_str_append(ret, WIRE "\n");
    return gold_str_finish(ret, "the plan for the guest", err);
}

static void conclude(struct trial *t, enum gold_verdict verdict, const char *fmt, ...)
    GOLD_PRINTF(3, 4);

static void
conclude(struct trial *t, enum gold_verdict verdict, const char *fmt, ...)
{
    va_list args;
    t->measurement->verdict = gold_verdict_worst(t->measurement->verdict, verdict);
    if (t->reasons.len > 0)
        gold_str_append(&t->reasons, "; ");
    va_start(args, fmt);
    gold_str_vprintf(&t->reasons, fmt, args);
    va_end(args);
}

/* Upper case is unusual, and systemd takes it. */
static bool
is_machine_id(const char *text)
{
    return strlen(text) == 32 && strspn(text, "0123456789abcdefABCDEF") == 32 &&
           strspn(text, "0") != 32;
}

/* A client id of type 255 is an identifier of the interface (4 bytes) and one of the machine,
   its DUID (RFC 4361). The former comes from the MAC and so always differs; it is the latter
   that a template leaves to its clones. */
static const char *
host_value(const struct trait *trait, const struct gold_boot_answers *answers)
{
    const char *id = answers->dhcp_client_id;
    if (strcmp(trait->fact, "mac") == 0)
        return answers->mac;
    if (strcmp(trait->fact, "dhcp-client-id") == 0)
        return id;
    return id && strncmp(id, "ff", 2) == 0 && strlen(id) > 10 ? id + 10 : NULL;
}

/* Gathers one trait's values of one boot. */
static int
gather(const struct trait *trait, const struct clone *c, int boot, struct gold_strv *ret,
       struct gold_error **err)
{
    const struct gold_boot_answers *answers = c->boots[boot];
    if (!answers)
        return 0;
    if (trait->from_host) {
        const char *value = host_value(trait, answers);
        return value && *value ? gold_strv_add(ret, value, err) : 0;
    }
    for (size_t i = 0; i < json_array_size(c->facts[boot]); i++) {
        const json_t *pair = json_array_get(c->facts[boot], i);
        const char *name = json_string_value(json_array_get(pair, 0));
        const char *value = json_string_value(json_array_get(pair, 1));
        if (!gold_streq(name, trait->fact) || !value || !*value || strlen(value) > MAX_VALUE ||
            gold_strv_contains(ret, value) || ret->n >= MAX_FACTS)
            continue;
        if (gold_strv_add(ret, value, err) < 0)
            return -1;
    }
    return 0;
}

static int
is_template_s(const struct trial *t, const struct trait *trait, const struct gold_strv *values,
              bool *ret, struct gold_error **err)
{
    *ret = false;
    const struct gold_facts *facts = t->template_identity;
    for (size_t i = 0; facts && i < facts->n; i++) {
        if (strcmp(facts->items[i].name, trait->fact) != 0)
            continue;
        for (size_t k = 0; k < values->n && !*ret; k++) {
            if (gold_recorded_same(facts->items[i].value, values->items[k], ret, err) < 0)
                return -1;
        }
    }
    return 0;
}

static bool
overlap(const struct gold_strv *a, const struct gold_strv *b)
{
    for (size_t i = 0; i < a->n; i++) {
        if (gold_strv_contains(b, a->items[i]))
            return true;
    }
    return false;
}

static bool
equal_sets(const struct gold_strv *a, const struct gold_strv *b)
{
    for (size_t i = 0; i < a->n; i++) {
        if (!gold_strv_contains(b, a->items[i]))
            return false;
    }
    return a->n == b->n;
}

/* How many clones have values that no other clone has; *ret_pair: the first two that share one,
 * if any. */
static size_t
count_distinct(const struct clones *v, const struct clone *ret_pair[2])
{
    size_t distinct = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct gold_strv *mine = &v->items[i].values[0];
        bool shared = false;
        for (size_t k = 0; k < v->n; k++) {
            if (k == i || !overlap(mine, &v->items[k].values[0]))
                continue;
            shared = true;
            if (!ret_pair[0]) {
                ret_pair[0] = &v->items[i];
                ret_pair[1] = &v->items[k];
            }
        }
        distinct += !shared && mine->n > 0;
    }
    return distinct;
}

static int
judge_against_template(struct trial *t, const struct trait *trait, struct gold_error **err)
{
    for (size_t i = 0; i < t->clones.n; i++) {
        bool same = false;
        if (is_template_s(t, trait, &t->clones.items[i].values[0], &same, err) < 0)
            return -1;
        if (same) {
            conclude(t, GOLD_VERDICT_FAIL, "'%s' has the template's %s",
                     t->clones.items[i].name, trait->words);
            return 0;
        }
    }
    return 0;
}

/* An ssh host key must be there where an ssh server is. */
static int
is_needed(const struct trait *trait, const struct clone *c, bool *ret, struct gold_error **err)
{
    static const struct trait sshd = {.fact = "sshd"};
    GOLD_CLEANUP_STRV struct gold_strv daemon = {0};
    *ret = trait->required;
    if (strcmp(trait->fact, "ssh-host-key") != 0)
        return 0;
    if (gather(&sshd, c, 0, &daemon, err) < 0)
        return -1;
    *ret = daemon.n > 0;
    return 0;
}

static int
judge_presence(struct trial *t, const struct trait *trait, struct gold_error **err)
{
    for (size_t i = 0; i < t->clones.n; i++) {
        const struct clone *c = &t->clones.items[i];
        const struct gold_strv *values = &c->values[0];
        bool needed = false;
        if (is_needed(trait, c, &needed, err) < 0)
            return -1;
        if (values->n == 0 && needed)
            conclude(t, GOLD_VERDICT_FAIL, "'%s' has no %s", c->name, trait->words);
        else if (strcmp(trait->fact, "machine-id") == 0 &&
                 (values->n > 1 || !is_machine_id(values->items[0])))
            conclude(t, GOLD_VERDICT_FAIL,
                     "the machine-id of '%s' is not 32 hexadecimal digits", c->name);
    }
    return 0;
}

static void
judge_stability(struct trial *t, const struct trait *trait)
{
    for (size_t i = 0; i < t->clones.n; i++) {
        const struct clone *c = &t->clones.items[i];
        if (!c->boots[1] || (!trait->from_host && !c->facts[1]))
            continue;
        /* A lease that is still good, or a network that came late, sends nothing: that says
         * nothing of the id. */
        if (trait->from_host && strcmp(trait->fact, "mac") != 0 &&
            (c->values[0].n == 0 || c->values[1].n == 0))
            continue;
        if (!equal_sets(&c->values[0], &c->values[1])) {
            conclude(t, GOLD_VERDICT_FAIL, "the %s of '%s' changed on its second boot",
                     trait->words, c->name);
            return;
        }
    }
}

static size_t
n_with_values(const struct clones *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++)
        n += v->items[i].values[0].n > 0;
    return n;
}

static int
gather_all(struct trial *t, const struct trait *trait, struct gold_error **err)
{
    for (size_t i = 0; i < t->clones.n; i++) {
        struct clone *c = &t->clones.items[i];
        for (int boot = 0; boot < 2; boot++) {
            gold_strv_done(&c->values[boot]);
            if (gather(trait, c, boot, &c->values[boot], err) < 0)
                return -1;
        }
    }
    return 0;
}

static int
judge_trait(struct trial *t, const struct trait *trait, bool judged, struct gold_error **err)
{
    if (gather_all(t, trait, err) < 0)
        return -1;
    const struct clone *pair[2] = {NULL, NULL};
    size_t distinct = count_distinct(&t->clones, pair), n = n_with_values(&t->clones);
    enum gold_verdict before = t->measurement->verdict, verdict = GOLD_VERDICT_NONE;
    if (judged) {
        t->measurement->verdict =
            GOLD_VERDICT_PASS; /* of this trait, for as long as it is judged */
        if (judge_presence(t, trait, err) < 0)
            return -1;
        if (pair[0])
            conclude(t, GOLD_VERDICT_FAIL, "clones share a %s ('%s' and '%s')", trait->words,
                     pair[0]->name, pair[1]->name);
        if (judge_against_template(t, trait, err) < 0)
            return -1;
        judge_stability(t, trait);
        verdict = t->measurement->verdict;
    }
    if (n == 0 && verdict != GOLD_VERDICT_FAIL) { /* nobody has one, and nobody need have one */
        t->measurement->verdict = before;
        return 0;
    }
    t->measurement->verdict = gold_verdict_worst(before, verdict);
    struct gold_metric *metric =
        gold_measurement_add_metric(t->measurement, trait->metric, "1", err);
    if (!metric || gold_metric_add_sample(metric, (double)distinct, err) < 0)
        return -1;
    metric->median = (double)distinct;
    metric->has_expected = judged;
    metric->expected = (double)(trait->required ? t->clones.n : n);
    metric->verdict = verdict;
    return 0;
}

static const json_t *
facts_of(const struct gold_boot_answers *answers)
{
    for (size_t i = 0; i < answers->n_messages; i++) {
        const json_t *facts = json_object_get(answers->messages[i], "facts");
        if (gold_message_is(answers->messages[i], WIRE) && json_is_array(facts))
            return facts;
    }
    return NULL;
}

/* Sorts answers by clone and boot. */
static int
sort_answers(struct trial *t, const struct gold_boot_answers *answers, size_t n,
             struct gold_error **err)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < t->clones.n && strcmp(t->clones.items[k].name, answers[i].clone) != 0)
            k++;
        if (k == t->clones.n) {
            struct clone c = {.name = answers[i].clone};
            if (clones_append(&t->clones, c, err) < 0)
                return -1;
        }
        int boot = answers[i].boot >= 2;
        t->clones.items[k].boots[boot] = &answers[i];
        t->clones.items[k].facts[boot] = facts_of(&answers[i]);
    }
    return 0;
}

/* Has each clone that booted said who it is? */
static int
judge_answers(struct trial *t, bool *ret_complete, struct gold_error **err)
{
    *ret_complete = t->clones.n > 0;
    if (t->clones.n == 0)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE, "no clone answered");
    for (size_t i = 0; i < t->clones.n; i++) {
        const struct clone *c = &t->clones.items[i];
        for (int boot = 0; boot < 2; boot++) {
            if (c->facts[boot] || (boot == 1 && !c->boots[1]))
                continue;
            GOLD_CLEANUP_FREE char *failure = NULL;
            if (c->boots[boot] && gold_answers_error(c->boots[boot], WIRE, &failure, err) < 0)
                return -1;
            if (failure)
                conclude(t, GOLD_VERDICT_ERROR,
                         "the agent in '%s' could not tell its identity: %s", c->name, failure);
            else
                conclude(t, GOLD_VERDICT_INCONCLUSIVE, "'%s' did not tell its identity%s",
                         c->name, boot == 1 ? " on its second boot" : "");
            if (boot == 0)
                *ret_complete = false;
        }
    }
    return 0;
}

static int
run_trial(struct trial *t, bool hostname, struct gold_error **err)
{
    bool complete = false;
    if (judge_answers(t, &complete, err) < 0)
        return -1;
    if (!complete)
        return 0;
    for (size_t i = 0; i < sizeof(traits) / sizeof(*traits); i++) {
        if (judge_trait(t, &traits[i], !traits[i].settable || hostname, err) < 0)
            return -1;
    }
    bool has_record = t->template_identity && t->template_identity->n > 0;
    if (t->clones.n < 2 && !has_record)
        conclude(t, GOLD_VERDICT_INCONCLUSIVE,
                 "one clone, and no record of the template: nothing to compare with");
    return 0;
}

static int
judge(const struct gold_payload_request *request, const struct gold_disk *disk,
      const char *accelerator, const struct gold_facts *template_identity,
      const struct gold_boot_answers *answers, size_t n_answers, struct gold_source_result *src,
      struct gold_error **err)
{
    (void)disk;
    struct trial t = {.template_identity = template_identity};
    t.measurement = gold_source_add_measurement(src, PAYLOAD, NULL, NULL, err);
    if (!t.measurement)
        return -1;
    bool hostname = gold_streq(gold_payload_parameter(request, "hostname"), "unique");
    int rc = gold_str_replace(&t.measurement->accelerator, accelerator, err);
    if (rc == 0)
        rc = sort_answers(&t, answers, n_answers, err);
    if (rc == 0)
        rc = run_trial(&t, hostname, err);
    if (rc == 0 && t.reasons.len > 0) {
        t.measurement->reason = gold_str_steal(&t.reasons, NULL, err);
        rc = t.measurement->reason ? 0 : -1;
    }
    gold_str_done(&t.reasons);
    clones_done(&t.clones);
    return rc;
}

const struct gold_payload gold_payload_clone_identity = {
    .about =
        {
            .name = PAYLOAD,
            .heading = "Do clones differ from each other and from the template, and stay who "
                       "they are?",
            .description = "Boots every clone twice through the template's own boot path. "
                           "Machine-id, D-Bus machine-id, ssh host\n"
                           "keys, MAC addresses and, where one was sent, the DHCP client id "
                           "must differ between the clones and\n"
                           "from the template's, and must be the same on the second boot. A "
                           "machine-id must be there, and ssh\n"
                           "host keys where an ssh server is. The DHCP client id is read from "
                           "the requests that the host saw.\n"
                           "\n"
                           "Parameters: hostname (unique: host names are judged as well; "
                           "record: they are only recorded).",
            .notes = "With a single clone only the comparison with the template remains.",
        },
    .keys = keys,
    .every_clone = true,
    .second_boot = true,
    .check = check,
    .plan = plan,
    .wants_disk = NULL,
    .judge = judge,
};
