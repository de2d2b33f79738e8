/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent as a program, run here on files instead of in a guest: what it sends goes through
 * the host's own reader and into the payloads' own verdicts. It never powers anything off here:
 * --stay, and no plan on a read-only file system.
 */
#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers.h"
#include "core/io.h"
#include "core/limits.h"
#include "core/process.h"
#include "core/str.h"
#include "validate/names.h"
#include "validate/protocol.h"

#define NONCE   "0123456789abcdef0123456789abcdef"
#define PROGRAM GOLD_TEST_LIBEXEC "/" GOLD_AGENT_PROGRAM
#define KEY     "AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"

struct scene {
    char dir[40];
    struct gold_protocol protocol;
};

static char *
in(const struct scene *s, const char *name)
{
    char *path = gold_format(NULL, "%s/%s", s->dir, name);
    assert_non_null(path);
    return path;
}

static void
put(const struct scene *s, const char *name, const char *text)
{
    GOLD_CLEANUP_FREE char *path = in(s, name);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0755);
        *slash = '/';
    }
    GOLD_CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(gold_write_all(fd, text, strlen(text)), 0);
}

static int
set_up(void **state)
{
    struct scene *s = calloc(1, sizeof(*s));
    if (!s)
        return -1;
    /* Not in /tmp, which may be memory: that takes no direct requests. */
    (void)snprintf(s->dir, sizeof(s->dir), "/var/tmp/gold-agent-XXXXXX");
    if (!mkdtemp(s->dir))
        return -1;
    gold_protocol_start(&s->protocol, NONCE);
    *state = s;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *s = *state;
    gold_protocol_done(&s->protocol);
    assert_int_equal(gold_remove_tree(s->dir, NULL), 0);
    free(s);
    return 0;
}

/* Runs the agent with these arguments in the scene's folder; its exit status. */
static int
run(const struct scene *s, const char *command, const char *target)
{
    GOLD_CLEANUP_FREE char *plan = in(s, "plan"), *channel = in(s, "channel"),
                           *run_dir = in(s, "run"), *root = in(s, "root"),
                           *disks = in(s, "disks");
    const char *argv[] = {PROGRAM,     command,   "--stay",    "--plan", plan,
                          "--channel", channel,   "--run-dir", run_dir,  "--root",
                          root,        "--disks", disks,       target,   NULL};
    const struct gold_process_spec spec = {.argv = argv, .timeout_ms = 60000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {0};
    struct gold_error *err = NULL;
    if (gold_process_run(NULL, &spec, &result, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    return result.exit_status;
}

static void
listen(struct scene *s)
{
    GOLD_CLEANUP_FREE char *channel = in(s, "channel"), *text = NULL;
    size_t len = 0;
    assert_int_equal(gold_read_file(channel, GOLD_MIB, &text, &len, NULL), 0);
    assert_int_equal(gold_protocol_feed(&s->protocol, text, len, NULL), 0);
    assert_int_equal(s->protocol.dropped, 0);
}

static const json_t *
message(const struct scene *s, const char *type)
{
    for (size_t i = 0; i < s->protocol.messages.n; i++) {
        const json_t *m = s->protocol.messages.items[i];
        if (strcmp(json_string_value(json_object_get(m, "type")), type) == 0)
            return m;
    }
    fail_msg("no message of type %s", type);
    return NULL;
}

static const char *
member(const json_t *m, const char *key)
{
    const char *text = json_string_value(json_object_get(m, key));
    assert_non_null(text);
    return text;
}

static const char *
fact(const struct scene *s, const char *name)
{
    const json_t *facts = json_object_get(message(s, "identity"), "facts");
    for (size_t i = 0; i < json_array_size(facts); i++) {
        const json_t *pair = json_array_get(facts, i);
        if (strcmp(json_string_value(json_array_get(pair, 0)), name) == 0)
            return json_string_value(json_array_get(pair, 1));
    }
    return NULL;
}

#define HEAD "goldsmith-plan 1\nnonce " NONCE "\nwait "

static void
tells_who_it_is(void **state)
{
    struct scene *s = *state;
    put(s, "plan", HEAD "0\nidentity\nend\n");
    put(s, "root/etc/machine-id", "11111111111111111111111111111111\n");
    put(s, "root/var/lib/dbus/machine-id", "22222222222222222222222222222222\n");
    put(s, "root/etc/ssh/ssh_host_ed25519_key.pub", "ssh-ed25519 " KEY " root@\"host\"\n");
    put(s, "root/etc/ssh/ssh_host_broken_key.pub", "nothing\n");
    put(s, "root/usr/sbin/sshd", "");
    put(s, "root/var/lib/dhcp/dhclient.eth0.leases",
        "default-duid \"\\000\\001abc\";\nlease {\n  option dhcp-client-identifier 1:52;\n}\n");
    put(s, "root/var/lib/systemd/random-seed", "abc");
    assert_int_equal(run(s, "main", "early"), 0);
    listen(s);
    assert_true(s->protocol.hello && s->protocol.reached && s->protocol.bye);
    assert_string_equal(member(message(s, "hello"), "target"), "early");
    assert_string_equal(member(message(s, "reached"), "state"), "timeout");
    assert_string_equal(fact(s, "machine-id"), "11111111111111111111111111111111");
    assert_string_equal(fact(s, "dbus-machine-id"), "22222222222222222222222222222222");
    /* As ssh-keygen -l prints it for this key. */
    assert_string_equal(fact(s, "ssh-host-key"),
                        "ssh-ed25519 SHA256:ZkAslGjFiUHdGf/WUL8rQvkib4PTvQatUV0OUQSncCA");
    assert_string_equal(fact(s, "sshd"), "/usr/sbin/sshd");
    assert_string_equal(fact(s, "dhcp-duid"), "\"\\000\\001abc\"");
    assert_string_equal(fact(s, "dhcp-lease-client-id"), "1:52");
    assert_string_equal(fact(s, "random-seed-sha256"),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_null(fact(s, "ssh-banner"));
}

static void
an_empty_machine_has_no_facts(void **state)
{
    struct scene *s = *state;
    put(s, "plan", HEAD "0\nidentity\nend\n");
    put(s, "root/etc/machine-id", "\n");
    put(s, "root/etc/ssh/x", "");
    assert_int_equal(run(s, "main", "emergency"), 0);
    listen(s);
    assert_string_equal(member(message(s, "hello"), "target"), "emergency");
    assert_null(fact(s, "machine-id"));
    assert_null(fact(s, "ssh-host-key"));
    assert_null(fact(s, "sshd"));
}

static void
runs_once(void **state)
{
    struct scene *s = *state;
    put(s, "plan", HEAD "0\nend\n");
    assert_int_equal(run(s, "main", NULL), 0);
    assert_int_equal(run(s, "main", NULL), 0);
    listen(s);
    assert_int_equal(s->protocol.messages.n,
                     3); /* hello, reached, bye: of the first run alone */
}

static void
sees_that_the_target_is_reached(void **state)
{
    struct scene *s = *state;
    put(s, "plan", HEAD "100\nend\n");
    assert_int_equal(run(s, "reached", NULL), 0);
    assert_int_equal(run(s, "reached", NULL), 0);
    assert_int_equal(run(s, "main", NULL), 0);
    listen(s);
    assert_string_not_equal(member(message(s, "reached"), "state"), "timeout");
}

static void
goes_on_after_a_line_that_it_does_not_understand(void **state)
{
    struct scene *s = *state;
    put(s, "plan", HEAD "0\npgbench clients=4\nidentity\nend\n");
    assert_int_equal(run(s, "main", NULL), 0);
    listen(s);
    assert_string_equal(member(message(s, "error"), "payload"), "pgbench");
    (void)message(s, "identity");
    assert_true(s->protocol.bye);
}

static void
refuses_a_broken_plan(void **state)
{
    struct scene *s = *state;
    put(s, "plan", "goldsmith-plan 1\n");
    assert_int_equal(run(s, "main", NULL), 1);
    assert_int_equal(run(s, "fly", NULL), 2);
    GOLD_CLEANUP_FREE char *channel = in(s, "channel");
    assert_int_equal(access(channel, F_OK), -1);
}

static void
make_disk(const struct scene *s, const char *serial)
{
    put(s, "disks/x", "");
    GOLD_CLEANUP_FREE char *dir = in(s, "disks"), *path = gold_path_join(dir, serial, NULL);
    struct gold_error *err = NULL;
    if (gold_scratch_disk_create(NULL, path, 32 * GOLD_MIB, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

/* The payload's own plan, the agent, the host's reader, the payload's own verdict: a disk
 * without the expected limit. */
static void
refutes_a_disk_without_limits(void **state)
{
    struct scene *s = *state;
    const struct gold_payload *payload = gold_payload_find("iotune-limits");
    static const struct gold_payload_parameter quick[] = {
        {"runs", "2"}, {"seconds", "1"}, {"ramp", "0"}};
    const struct gold_payload_request request = {
        .payload = "iotune-limits", .parameters = quick, .n_parameters = 3};
    char target[] = "vda";
    struct gold_disk disk = {.target = target};
    disk.iotune.value[GOLD_READ_IOPS_SEC] = 20;
    disk.iotune.value[GOLD_WRITE_BYTES_SEC] = GOLD_MIB;
    GOLD_CLEANUP_STR struct gold_str plan = GOLD_STR_INIT;
    gold_str_append(&plan, HEAD "0\n");
    assert_int_equal(payload->plan(&request, &disk, 0, &plan, NULL), 0);
    gold_str_append(&plan, "end\n");
    put(s, "plan", gold_str_text(&plan));
    make_disk(s, "GSLIMIT0");
    make_disk(s, "GSCONTROL");
    assert_int_equal(run(s, "main", NULL), 0);
    listen(s);
    const struct gold_boot_answers answers = {.clone = "clone-1",
                                              .boot = 1,
                                              .messages = s->protocol.messages.items,
                                              .n_messages = s->protocol.messages.n};
    struct gold_source_result src = {.source = NULL};
    assert_int_equal(payload->judge(&request, &disk, "tcg", NULL, &answers, 1, &src, NULL), 0);
    assert_int_equal(src.n_measurements, 1);
    if (src.measurements[0].verdict != GOLD_VERDICT_FAIL ||
        !strstr(src.measurements[0].reason, "more than the limit"))
        fail_msg("%s", src.measurements[0].reason ? src.measurements[0].reason : "passed");
    const struct gold_metric *m = find_metric(&src.measurements[0], "write_bytes_sec");
    /* Runs that the host disturbed are made again, up to twice as many in all. */
    assert_true(m && m->n_samples >= 2 && m->n_samples <= 4 &&
                m->median > 1.2 * (double)GOLD_MIB);
    assert_non_null(find_metric(&src.measurements[0], "control_read_iops"));
    assert_true(s->protocol.percent >= 0);
    gold_source_result_done(&src);
}

static void
writes_only_on_scratch_disks(void **state)
{
    struct scene *s = *state;
    put(s, "plan",
        HEAD
        "0\nlimits name=vda serial=precious runs=1 seconds=1 write_bytes=262144,1,0\nend\n");
    make_disk(s, "precious");
    GOLD_CLEANUP_FREE char *path = in(s, "disks/precious"), *before = NULL, *after = NULL;
    size_t len = 0;
    assert_int_equal(gold_read_file(path, 64 * GOLD_MIB, &before, &len, NULL), 0);
    assert_int_equal(run(s, "main", NULL), 0);
    listen(s);
    assert_non_null(
        strstr(member(message(s, "error"), "message"), "not the serial of a scratch disk"));
    assert_int_equal(gold_read_file(path, 64 * GOLD_MIB, &after, &len, NULL), 0);
    assert_memory_equal(before, after, len);
}

static void
tells_of_a_disk_that_is_missing_or_too_small(void **state)
{
    struct scene *s = *state;
    put(s, "plan",
        HEAD "0\nlimits name=vda serial=GSLIMIT0 runs=1 seconds=1 read_bytes=262144,1,0\n"
             "limits name=vdb serial=GSLIMIT1 runs=1 seconds=1 read_bytes=262144,1,0\nend\n");
    put(s, "disks/GSLIMIT1", "far too small");
    assert_int_equal(run(s, "main", NULL), 0);
    listen(s);
    unsigned errors = 0;
    for (size_t i = 0; i < s->protocol.messages.n; i++)
        errors += strcmp(member(s->protocol.messages.items[i], "type"), "error") == 0;
    assert_int_equal(errors, 2);
    assert_true(s->protocol.bye);
}

#define in_scene(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        in_scene(tells_who_it_is),
        in_scene(an_empty_machine_has_no_facts),
        in_scene(runs_once),
        in_scene(sees_that_the_target_is_reached),
        in_scene(goes_on_after_a_line_that_it_does_not_understand),
        in_scene(refuses_a_broken_plan),
        in_scene(refutes_a_disk_without_limits),
        in_scene(writes_only_on_scratch_disks),
        in_scene(tells_of_a_disk_that_is_missing_or_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
