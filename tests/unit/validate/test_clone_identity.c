/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verdicts on who clones are: each way in which they can be the same, as the template, nobody,
 * or somebody else tomorrow. */
#include "unit.h"

#include "answers.h"
#include "core/hash.h"

#define ID1  "11111111111111111111111111111111"
#define ID2  "22222222222222222222222222222222"
#define ID3  "33333333333333333333333333333333"
#define KEY1 "ssh-ed25519 SHA256:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
#define KEY2 "ssh-ed25519 SHA256:BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
/* The digest that KEY1 shows. */
#define KEY1_HEX "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* What one clone tells; NULL: nothing of that name. */
struct person {
    const char *machine_id, *dbus, *key, *mac, *client_id, *hostname, *nic_mac;
    bool no_sshd;
};

struct scene {
    struct gold_payload_parameter parameter;
    struct gold_payload_request request;
    struct answers answers;
    struct gold_facts record;
    struct gold_source_result src;
};

static int
set_up(void **state)
{
    struct scene *s = calloc(1, sizeof(*s));
    if (!s)
        return -1;
    s->request =
        (struct gold_payload_request){.payload = "clone-identity", .parameters = &s->parameter};
    *state = s;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *s = *state;
    answers_done(&s->answers);
    gold_facts_done(&s->record);
    gold_source_result_done(&s->src);
    free(s);
    return 0;
}

static void
fact(json_t *facts, const char *name, const char *value)
{
    if (value)
        json_array_append_new(facts, json_pack("[s,s]", name, value));
}

static void
boot(struct scene *s, const char *clone, unsigned number, const struct person *p)
{
    json_t *facts = json_array();
    fact(facts, "machine-id", p->machine_id);
    fact(facts, "dbus-machine-id", p->dbus);
    fact(facts, "ssh-host-key", p->key);
    fact(facts, "hostname", p->hostname);
    fact(facts, "nic-mac", p->nic_mac);
    fact(facts, "sshd", p->no_sshd ? NULL : "/usr/sbin/sshd");
    answers_boot(&s->answers, clone, number, p->mac, p->client_id);
    answers_add(&s->answers, json_pack("{s:s,s:o}", "type", "identity", "facts", facts));
}

static const struct person one = {
    ID1, ID1, KEY1, "52:54:00:00:00:01", "ff01", "debian", "52:54:00:00:00:01", false};
static const struct person two = {
    ID2, ID2, KEY2, "52:54:00:00:00:02", "ff02", "debian", "52:54:00:00:00:02", false};

/* Both clones, twice. */
static void
boot_both(struct scene *s, const struct person *a, const struct person *b)
{
    boot(s, "clone-1", 1, a);
    boot(s, "clone-2", 1, b);
    boot(s, "clone-1", 2, a);
    boot(s, "clone-2", 2, b);
}

static void
expect(struct scene *s, enum gold_verdict verdict, const char *reason)
{
    const struct gold_payload *p = gold_payload_find("clone-identity");
    struct gold_error *err = NULL;
    if (p->judge(&s->request, NULL, "tcg", &s->record, s->answers.boots, s->answers.n, &s->src,
                 &err) < 0)
        fail_msg("%s", gold_error_message(err));
    assert_int_equal(s->src.n_measurements, 1);
    const struct gold_measurement *m = &s->src.measurements[0];
    if (m->verdict != verdict)
        fail_msg("verdict %s: %s", gold_verdict_name(m->verdict), m->reason ? m->reason : "-");
    if (!reason) {
        assert_null(m->reason);
        return;
    }
    assert_non_null(m->reason);
    if (!strstr(m->reason, reason))
        fail_msg("'%s' is not in '%s'", reason, m->reason);
}

static void
record(struct scene *s, const char *name, const char *value)
{
    assert_int_equal(gold_facts_add(&s->record, name, value, NULL), 0);
}

static void
record_hash(struct scene *s, const char *name, const char *value)
{
    char hex[GOLD_HASH_HEX_MAX];
    assert_int_equal(gold_hash_bytes(GOLD_HASH_SHA256, value, strlen(value), hex, NULL), 0);
    record(s, name, hex);
}

static void
good_clones_pass(void **state)
{
    struct scene *s = *state;
    record(s, "machine-id", ID3);
    record_hash(s, "ssh-host-key", "SHA256:something else");
    boot_both(s, &one, &two);
    expect(s, GOLD_VERDICT_PASS, NULL);
    const struct gold_metric *m = find_metric(&s->src.measurements[0], "distinct_machine_ids");
    assert_non_null(m);
    assert_true(m->has_expected && m->expected == 2 && m->median == 2);
    assert_int_equal(m->verdict, GOLD_VERDICT_PASS);
    assert_non_null(find_metric(&s->src.measurements[0], "distinct_ssh_host_keys"));
    assert_non_null(find_metric(&s->src.measurements[0], "distinct_dhcp_client_ids"));
    /* Equal host names are recorded, not judged. */
    m = find_metric(&s->src.measurements[0], "distinct_hostnames");
    assert_non_null(m);
    assert_int_equal(m->verdict, GOLD_VERDICT_NONE);
    assert_false(m->has_expected);
    assert_true(m->median == 0);
}

static void
a_shared_machine_id_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.machine_id = ID1;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a machine-id ('clone-1' and 'clone-2')");
    const struct gold_metric *m = find_metric(&s->src.measurements[0], "distinct_machine_ids");
    assert_true(m && m->median == 0 && m->expected == 2 && m->verdict == GOLD_VERDICT_FAIL);
    m = find_metric(&s->src.measurements[0], "distinct_ssh_host_keys");
    assert_true(m && m->verdict == GOLD_VERDICT_PASS);
}

static void
a_shared_dbus_id_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.dbus = ID1;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a D-Bus machine-id");
}

static void
no_dbus_id_passes(void **state)
{
    struct scene *s = *state;
    struct person a = one, b = two;
    a.dbus = b.dbus = NULL;
    boot_both(s, &a, &b);
    expect(s, GOLD_VERDICT_PASS, NULL);
    assert_null(find_metric(&s->src.measurements[0], "distinct_dbus_machine_ids"));
}

static void
a_shared_key_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.key = KEY1;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a ssh host key");
}

static void
a_shared_mac_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.mac = one.mac;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a MAC address");
}

/* A guest that pins the address of its card. */
static void
a_shared_mac_inside_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.nic_mac = one.nic_mac;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "MAC address inside the guest");
}

static void
a_shared_client_id_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.client_id = one.client_id;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a DHCP client id");
}

/* As a DHCP client sends it that keeps its DUID in a lease file of the template: the
 * interface's part differs. */
static void
a_shared_duid_fails(void **state)
{
    struct scene *s = *state;
    struct person a = one, b = two;
    a.client_id = "ff000d278d000100012e0a0b0c525400aabbcc";
    b.client_id = "ff009b8e79000100012e0a0b0c525400aabbcc";
    boot_both(s, &a, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a DHCP unique identifier (DUID)");
    assert_null(strstr(s->src.measurements[0].reason, "DHCP client id"));
}

static void
duids_of_their_own_pass(void **state)
{
    struct scene *s = *state;
    struct person a = one, b = two;
    a.client_id = "ff000d278d000100012e0a0b0c525400000001";
    b.client_id = "ff009b8e79000100012e0a0b0d525400000002";
    boot_both(s, &a, &b);
    expect(s, GOLD_VERDICT_PASS, NULL);
    const struct gold_metric *m = find_metric(&s->src.measurements[0], "distinct_dhcp_duids");
    assert_true(m && m->expected == 2 && m->median == 2);
}

static void
no_client_id_passes(void **state)
{
    struct scene *s = *state;
    struct person a = one, b = two;
    a.client_id = NULL;
    b.client_id = "";
    boot_both(s, &a, &b);
    expect(s, GOLD_VERDICT_PASS, NULL);
    assert_null(find_metric(&s->src.measurements[0], "distinct_dhcp_client_ids"));
}

static void
the_templates_machine_id_fails(void **state)
{
    struct scene *s = *state;
    record(s, "machine-id", ID1);
    boot_both(s, &one, &two);
    expect(s, GOLD_VERDICT_FAIL, "'clone-1' has the template's machine-id");
}

static void
the_templates_machine_id_by_hash_fails(void **state)
{
    struct scene *s = *state;
    record_hash(s, "machine-id", ID2);
    boot_both(s, &one, &two);
    expect(s, GOLD_VERDICT_FAIL, "'clone-2' has the template's machine-id");
}

static void
the_hash_of_the_file_counts_too(void **state)
{
    struct scene *s = *state;
    record_hash(s, "machine-id", ID2 "\n");
    boot_both(s, &one, &two);
    expect(s, GOLD_VERDICT_FAIL, "'clone-2' has the template's machine-id");
}

/* Every form in which a key can be recorded. */
static void
the_templates_key_fails(void **state)
{
    struct scene *s = *state;
    for (int form = 0; form < 5; form++) {
        const char *print = strchr(KEY1, ' ') + 1;
        if (form == 0)
            record(s, "ssh-host-key", KEY1);
        else if (form == 1)
            record(s, "ssh-host-key", print);
        else if (form == 2)
            record(s, "ssh-host-key", KEY1_HEX);
        else
            record_hash(s, "ssh-host-key", form == 3 ? KEY1 : print);
        boot_both(s, &one, &two);
        expect(s, GOLD_VERDICT_FAIL, "'clone-1' has the template's ssh host key");
        gold_source_result_done(&s->src);
        s->src = (struct gold_source_result){.source = NULL};
        gold_facts_done(&s->record);
        s->record = (struct gold_facts){.items = NULL};
        answers_done(&s->answers);
    }
}

static void
a_missing_machine_id_fails(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.machine_id = NULL;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "'clone-2' has no machine-id");
}

static void
a_malformed_machine_id_fails(void **state)
{
    struct scene *s = *state;
    static const char *const bad[] = {"uninitialized",
                                      "1111",
                                      ID1 "1",
                                      "00000000000000000000000000000000",
                                      "1111111111111111111111111111111g",
                                      "11111111-1111-1111-1111-11111111"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct person b = two;
        b.machine_id = bad[i];
        boot_both(s, &one, &b);
        expect(s, GOLD_VERDICT_FAIL,
               "the machine-id of 'clone-2' is not 32 hexadecimal digits");
        gold_source_result_done(&s->src);
        s->src = (struct gold_source_result){.source = NULL};
        answers_done(&s->answers);
    }
}

static void
missing_keys_fail_where_an_ssh_server_is(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.key = NULL;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "'clone-2' has no ssh host key");
}

static void
missing_keys_pass_without_an_ssh_server(void **state)
{
    struct scene *s = *state;
    struct person a = one, b = two;
    a.key = b.key = NULL;
    a.no_sshd = b.no_sshd = true;
    boot_both(s, &a, &b);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
a_machine_id_that_changes_fails(void **state)
{
    struct scene *s = *state;
    struct person later = one;
    later.machine_id = ID3;
    boot(s, "clone-1", 1, &one);
    boot(s, "clone-2", 1, &two);
    boot(s, "clone-1", 2, &later);
    boot(s, "clone-2", 2, &two);
    expect(s, GOLD_VERDICT_FAIL, "the machine-id of 'clone-1' changed on its second boot");
}

static void
keys_that_change_fail(void **state)
{
    struct scene *s = *state;
    struct person later = two;
    later.key = NULL;
    boot(s, "clone-1", 1, &one);
    boot(s, "clone-2", 1, &two);
    boot(s, "clone-2", 2, &later);
    expect(s, GOLD_VERDICT_FAIL, "the ssh host key of 'clone-2' changed on its second boot");
}

static void
a_lease_that_is_still_good_is_no_change(void **state)
{
    struct scene *s = *state;
    struct person later = one;
    later.client_id = NULL;
    boot(s, "clone-1", 1, &one);
    boot(s, "clone-2", 1, &two);
    boot(s, "clone-1", 2, &later);
    boot(s, "clone-2", 2, &two);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
several_faults_are_all_told(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.machine_id = ID1;
    b.key = KEY1;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_FAIL, "clones share a machine-id");
    assert_non_null(strstr(s->src.measurements[0].reason, "clones share a ssh host key"));
}

static void
host_names_are_judged_on_request(void **state)
{
    struct scene *s = *state;
    s->parameter = (struct gold_payload_parameter){"hostname", "unique"};
    s->request.n_parameters = 1;
    boot_both(s, &one, &two);
    expect(s, GOLD_VERDICT_FAIL, "clones share a host name");
}

static void
unique_host_names_pass_on_request(void **state)
{
    struct scene *s = *state;
    struct person b = two;
    b.hostname = "other";
    s->parameter = (struct gold_payload_parameter){"hostname", "unique"};
    s->request.n_parameters = 1;
    boot_both(s, &one, &b);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

static void
silence_is_inconclusive(void **state)
{
    struct scene *s = *state;
    boot(s, "clone-1", 1, &one);
    answers_boot(&s->answers, "clone-2", 1, "52:54:00:00:00:02", NULL);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "'clone-2' did not tell its identity");
}

static void
silence_on_the_second_boot_is_inconclusive(void **state)
{
    struct scene *s = *state;
    boot(s, "clone-1", 1, &one);
    boot(s, "clone-2", 1, &two);
    answers_boot(&s->answers, "clone-1", 2, one.mac, NULL);
    expect(s, GOLD_VERDICT_INCONCLUSIVE,
           "'clone-1' did not tell its identity on its second boot");
}

static void
no_clone_is_inconclusive(void **state)
{
    expect(*state, GOLD_VERDICT_INCONCLUSIVE, "no clone answered");
}

static void
the_agents_error_is_an_error(void **state)
{
    struct scene *s = *state;
    boot(s, "clone-1", 1, &one);
    answers_boot(&s->answers, "clone-2", 1, two.mac, NULL);
    answers_add_text(&s->answers,
                     "{\"type\":\"error\",\"payload\":\"identity\",\"message\":\"no memory\"}");
    expect(s, GOLD_VERDICT_ERROR, "no memory");
}

static void
one_clone_needs_a_record(void **state)
{
    struct scene *s = *state;
    boot(s, "clone-1", 1, &one);
    expect(s, GOLD_VERDICT_INCONCLUSIVE, "nothing to compare with");
}

static void
one_clone_with_a_record_passes(void **state)
{
    struct scene *s = *state;
    record(s, "machine-id", ID3);
    boot(s, "clone-1", 1, &one);
    expect(s, GOLD_VERDICT_PASS, NULL);
}

/* A guest may send anything as facts. */
static void
strange_facts_are_harmless(void **state)
{
    struct scene *s = *state;
    static const char *const odd[] = {
        "{\"type\":\"identity\",\"facts\":null}",
        "{\"type\":\"identity\",\"facts\":{\"machine-id\":\"x\"}}",
        "{\"type\":\"identity\",\"facts\":[1,null,[],[\"machine-id\"],[1,2],[\"machine-id\",7],"
        "[\"machine-id\",\"\"]]}",
        "{\"type\":\"identity\",\"facts\":[[[\"machine-id\"],[\"x\"]]]}",
    };
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
        boot(s, "clone-1", 1, &one);
        answers_boot(&s->answers, "clone-2", 1, two.mac, NULL);
        answers_add_text(&s->answers, odd[i]);
        expect(s, i < 2 ? GOLD_VERDICT_INCONCLUSIVE : GOLD_VERDICT_FAIL, "'clone-2'");
        gold_source_result_done(&s->src);
        s->src = (struct gold_source_result){.source = NULL};
        answers_done(&s->answers);
    }
}

static void
plans_one_word(void **state)
{
    struct scene *s = *state;
    const struct gold_payload *p = gold_payload_find("clone-identity");
    GOLD_CLEANUP_STR struct gold_str plan = GOLD_STR_INIT;
    assert_int_equal(p->plan(&s->request, NULL, 0, &plan, NULL), 0);
    assert_string_equal(gold_str_text(&plan), "identity\n");
    assert_true(p->every_clone && p->second_boot && !p->wants_disk);
}

static void
checks_the_parameter(void **state)
{
    struct scene *s = *state;
    const struct gold_payload *p = gold_payload_find("clone-identity");
    struct gold_error *err = NULL;
    s->request.n_parameters = 1;
    s->parameter = (struct gold_payload_parameter){"hostname", "unique"};
    assert_int_equal(p->check(&s->request, NULL), 0);
    s->parameter.value = "record";
    assert_int_equal(p->check(&s->request, NULL), 0);
    s->parameter.value = "yes";
    assert_int_equal(p->check(&s->request, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "'yes'"));
    gold_error_free(err);
}

#define in_scene(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        in_scene(good_clones_pass),
        in_scene(a_shared_machine_id_fails),
        in_scene(a_shared_dbus_id_fails),
        in_scene(no_dbus_id_passes),
        in_scene(a_shared_key_fails),
        in_scene(a_shared_mac_fails),
        in_scene(a_shared_mac_inside_fails),
        in_scene(a_shared_client_id_fails),
        in_scene(a_shared_duid_fails),
        in_scene(duids_of_their_own_pass),
        in_scene(no_client_id_passes),
        in_scene(the_templates_machine_id_fails),
        in_scene(the_templates_machine_id_by_hash_fails),
        in_scene(the_hash_of_the_file_counts_too),
        in_scene(the_templates_key_fails),
        in_scene(a_missing_machine_id_fails),
        in_scene(a_malformed_machine_id_fails),
        in_scene(missing_keys_fail_where_an_ssh_server_is),
        in_scene(missing_keys_pass_without_an_ssh_server),
        in_scene(a_machine_id_that_changes_fails),
        in_scene(keys_that_change_fail),
        in_scene(a_lease_that_is_still_good_is_no_change),
        in_scene(several_faults_are_all_told),
        in_scene(host_names_are_judged_on_request),
        in_scene(unique_host_names_pass_on_request),
        in_scene(silence_is_inconclusive),
        in_scene(silence_on_the_second_boot_is_inconclusive),
        in_scene(no_clone_is_inconclusive),
        in_scene(the_agents_error_is_an_error),
        in_scene(one_clone_needs_a_record),
        in_scene(one_clone_with_a_record_passes),
        in_scene(strange_facts_are_harmless),
        in_scene(plans_one_word),
        in_scene(checks_the_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
