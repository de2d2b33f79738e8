/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole validations on real machines: a disk that does not boot, a guest whose kernel panics, a
 * guest that boots but in which nobody speaks, and templates that cannot be read or that change
 * meanwhile. They end by name, soon, and leave nothing behind.
 */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/io.h"
#include "core/process.h"
#include "core/str.h"
#include "formats/domain.h"
#include "guest/session.h"
#include "guest/work.h"
#include "validate/drive.h"
#include "validate/validate.h"

/* One for all: the embedded driver keeps its root as long as the process lives. */
static char shared_dir[] = "/tmp/gold-test-XXXXXX";

struct place {
    struct gold_context *ctx;
    const char *dir;
    char *image;
    struct gold_document *doc;
    struct gold_source_result *src;
    struct gold_str warnings;
};

static void
log_to(void *opaque, enum gold_log_level level, const char *message)
{
    if (level == GOLD_LOG_WARNING)
        gold_str_printf(opaque, "%s\n", message);
    if (level >= GOLD_LOG_INFO || getenv("GOLD_TEST_VERBOSE"))
        printf("  %s\n", message);
}

static int
setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->dir = shared_dir;
    p->ctx = gold_context_new();
    assert_int_equal(gold_context_set_libexec_dir(p->ctx, GOLD_TEST_LIBEXEC), 0);
    assert_int_equal(gold_context_set_tmp_dir(p->ctx, p->dir), 0);
    gold_context_set_accel(p->ctx, GOLD_ACCEL_TCG);
    gold_context_set_log(p->ctx, log_to, &p->warnings, GOLD_LOG_DEBUG);
    p->image = gold_path_join(p->dir, "template", NULL);
    p->doc = gold_document_new("validate", NULL);
    p->src = gold_document_add_source(p->doc, "template", NULL);
    *state = p;
    return 0;
}

/* Nothing but the files named here may be left in the directory. */
static void
assert_tidy(const struct place *p)
{
    GOLD_CLEANUP_DIR DIR *dir = opendir(p->dir);
    const struct dirent *e;

    assert_non_null(dir);
    while ((e = readdir(dir))) {
        if (e->d_name[0] != '.' && !gold_str_has_prefix(e->d_name, "template"))
            fail_msg("'%s' is left behind", e->d_name);
    }
}

static int
teardown(void **state)
{
    struct place *p = *state;

    gold_context_free(p->ctx);
    assert_tidy(p);
    gold_document_free(p->doc);
    gold_str_done(&p->warnings);
    (void)unlink(p->image);
    free(p->image);
    free(p);
    return 0;
}

static int
setup_all(void **state)
{
    (void)state;
    if (!mkdtemp(shared_dir))
        return -1;
    return chmod(shared_dir, 0755);
}

static int
teardown_all(void **state)
{
    (void)state;
    return gold_remove_tree(shared_dir, NULL);
}

static void
make_blank(const struct place *p)
{
    int fd = open(p->image, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 16 * 1024 * 1024), 0);
    close(fd);
}

/* The real guest; built once and kept in the cache. */
static bool
make_debian(const struct place *p)
{
    const char *home = getenv("HOME");
    GOLD_CLEANUP_FREE char *home_env = gold_format(NULL, "HOME=%s", home ? home : "/tmp");
    const char *const argv[] = {"sh", GOLD_TEST_GUESTS "/debian.sh", p->image, NULL};
    const char *const env[] = {home_env, NULL};
    const struct gold_process_spec spec = {.argv = argv, .env = env, .timeout_ms = 900 * 1000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {.exit_status = -1};

    assert_int_equal(gold_process_run(NULL, &spec, &r, NULL), 0);
    if (r.exit_status == 0)
        return true;
    printf("skipped: no Debian guest: %s\n", gold_str_text(&r.err));
    return false;
}

static int
run_plan(struct place *p, struct gold_validate_plan *plan, enum gold_image_format format,
         struct gold_error **err)
{
    const struct gold_validate_disk disk = {.path = p->image, .format = format};

    plan->source = "template";
    plan->disks = &disk;
    plan->n_disks = 1;
    if (plan->clones == 0)
        plan->clones = 1;
    return gold_validate_run(p->ctx, plan, p->src, err);
}

static void
must_run(struct place *p, struct gold_validate_plan *plan, enum gold_image_format format)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    if (run_plan(p, plan, format, &err) < 0)
        fail_msg("%s", gold_error_message(err));
}

static void
assert_ended(const struct place *p, size_t clone, const char *state)
{
    assert_true(p->src->n_clones > clone);
    if (!gold_streq(p->src->clones[clone].state, state))
        fail_msg("ended as '%s', not '%s'; console:\n%s", p->src->clones[clone].state, state,
                 p->src->measurements[clone].n_metrics > 0 &&
                         p->src->measurements[clone].metrics[0].note
                     ? p->src->measurements[clone].metrics[0].note
                     : "");
}

static void
test_blank(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.clones = 2};
    int64_t started = gold_now_ms();
    const struct gold_measurement *m;

    make_blank(p);
    must_run(p, &plan, GOLD_IMAGE_RAW);
    assert_ended(p, 0, "no-bootable-device");
    assert_ended(p, 1, "no-bootable-device");
    assert_int_equal(p->src->verdict, GOLD_VERDICT_FAIL);
    assert_true(gold_now_ms() - started < 90 * 1000);
    assert_int_equal(p->src->n_measurements, 2);
    m = &p->src->measurements[0];
    assert_string_equal(m->payload, "native-boot");
    assert_string_equal(m->clone, "clone-1");
    assert_string_equal(m->accelerator, "tcg");
    assert_int_equal(m->verdict, GOLD_VERDICT_FAIL);
    assert_non_null(strstr(m->reason, "no-bootable-device: "));
    assert_non_null(strstr(m->metrics[0].note, "No bootable device"));
    assert_string_not_equal(gold_facts_get(&p->src->clones[0].identity, "mac"),
                            gold_facts_get(&p->src->clones[1].identity, "mac"));
    assert_string_not_equal(gold_facts_get(&p->src->clones[0].identity, "uuid"),
                            gold_facts_get(&p->src->clones[1].identity, "uuid"));
    assert_int_equal(p->warnings.len, 0);
}

/* What only root can read is run as root, and that is said. */
static void
test_private_template(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.clones = 1};

    make_blank(p);
    assert_int_equal(chmod(p->image, 0600), 0);
    must_run(p, &plan, GOLD_IMAGE_RAW);
    assert_ended(p, 0, "no-bootable-device");
    if (geteuid() == 0)
        assert_true(p->warnings.len == 0 || strstr(p->warnings.data, "run as root"));
}

static void
test_bad_requests(void **state)
{
    struct place *p = *state;
    const struct gold_payload_request unknown = {.payload = "no-such"};
    const struct gold_payload_parameter parameter = {.key = "runs", .value = "many"};
    const struct gold_payload_request bad = {
        .payload = "iotune-limits", .parameters = &parameter, .n_parameters = 1};
    struct gold_validate_plan plans[] = {{.payloads = &unknown, .n_payloads = 1},
                                         {.payloads = &bad, .n_payloads = 1},
                                         {.clones = 1000000}};
    const struct gold_validate_plan no_disk = {.source = "x", .clones = 1};

    make_blank(p);
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

        assert_int_equal(run_plan(p, &plans[i], GOLD_IMAGE_RAW, &err), -1);
        assert_int_equal(gold_error_code(err),
                         i == 1 ? gold_error_code(err) : GOLD_ERROR_USAGE);
        assert_int_equal(p->src->n_clones, 0);
    }
    assert_int_equal(gold_validate_run(p->ctx, &no_disk, p->src, NULL), -1);
}

static int
touch_template(void *opaque, const char *const *overlays, struct gold_facts *ret_identity,
               struct gold_error **err)
{
    const struct place *p = opaque;
    int fd = open(p->image, O_WRONLY | O_CLOEXEC);

    (void)overlays;
    (void)ret_identity;
    (void)err;
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "x", 1, 8 * 1024 * 1024), 1);
    close(fd);
    return 0;
}

static void
test_changed(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.inject_starter = touch_template, .opaque = p};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    make_blank(p);
    assert_int_equal(run_plan(p, &plan, GOLD_IMAGE_RAW, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CHANGED);
    assert_non_null(strstr(gold_error_message(err), p->image));
}

static int
cancel_at_once(void *opaque, const char *const *overlays, struct gold_facts *ret_identity,
               struct gold_error **err)
{
    const struct place *p = opaque;

    (void)overlays;
    (void)ret_identity;
    (void)err;
    gold_cancel_request(p->ctx);
    return 0;
}

static void
test_cancelled(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.inject_starter = cancel_at_once, .opaque = p};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    make_blank(p);
    assert_int_equal(run_plan(p, &plan, GOLD_IMAGE_RAW, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_CANCELLED);
}

static void
test_kept(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.keep = GOLD_KEEP_ONFAILURE};
    GOLD_CLEANUP_FREE char *log = NULL, *text = NULL, *overlay = NULL, *kept = NULL;
    GOLD_CLEANUP_DIR DIR *dir = NULL;
    const struct dirent *e;

    make_blank(p);
    must_run(p, &plan, GOLD_IMAGE_RAW);
    dir = opendir(p->dir);
    assert_non_null(dir);
    while ((e = readdir(dir))) {
        if (gold_str_has_prefix(e->d_name, "goldsmith-kept-"))
            kept = gold_format(NULL, "%s/%s", p->dir, e->d_name);
    }
    assert_non_null(kept);
    log = gold_format(NULL, "%s/run/1/console-1.log", kept);
    overlay = gold_format(NULL, "%s/run/1/disk-0.qcow2", kept);
    assert_int_equal(gold_read_file(log, 1000000, &text, NULL, NULL), 0);
    assert_non_null(strstr(text, "No bootable device"));
    assert_int_equal(access(overlay, F_OK), 0);
    assert_int_equal(gold_remove_tree(kept, NULL), 0);
}

/* Edits the boot loader's configuration in the overlay: what follows "ro " is added. */
static int
edit_cmdline(struct place *p, const char *overlay, const char *argument)
{
    const struct gold_session_disk disk = {.path = overlay, .format = "qcow2"};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_session *s = gold_session_open(p->ctx, &disk, 1, &err);
    guestfs_h *g;
    GOLD_CLEANUP_FREE char *text = NULL, *changed = NULL;
    char *at;

    if (!s)
        fail_msg("%s", gold_error_message(err));
    g = gold_session_handle(s);
    assert_int_equal(guestfs_mount(g, "/dev/sda1", "/"), 0);
    text = guestfs_cat(g, "/boot/extlinux/extlinux.conf");
    assert_non_null(text);
    at = strstr(text, " ro ");
    assert_non_null(at);
    changed = gold_format(NULL, "%.*s ro %s %s", (int)(at - text), text, argument, at + 4);
    assert_int_equal(guestfs_write(g, "/boot/extlinux/extlinux.conf", changed, strlen(changed)),
                     0);
    return gold_session_close(s, NULL);
}

static int
make_panic(void *opaque, const char *const *overlays, struct gold_facts *ret_identity,
           struct gold_error **err)
{
    (void)ret_identity;
    (void)err;
    return edit_cmdline(opaque, overlays[0], "init=/bin/false");
}

static void
test_panic(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.inject_starter = make_panic, .opaque = p};
    int64_t started = gold_now_ms();

    if (!make_debian(p))
        skip();
    must_run(p, &plan, GOLD_IMAGE_QCOW2);
    assert_ended(p, 0, "panic");
    assert_int_equal(p->src->verdict, GOLD_VERDICT_FAIL);
    assert_non_null(strstr(p->src->measurements[0].metrics[0].note, "Kernel panic"));
    assert_true(gold_now_ms() - started < 240 * 1000);
}

static int
make_rootless(void *opaque, const char *const *overlays, struct gold_facts *ret_identity,
              struct gold_error **err)
{
    (void)ret_identity;
    (void)err;
    return edit_cmdline(opaque, overlays[0], "rdinit=/nowhere root=/dev/nothing1");
}

static void
test_no_root(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.inject_starter = make_rootless, .opaque = p};

    if (!make_debian(p))
        skip();
    must_run(p, &plan, GOLD_IMAGE_QCOW2);
    assert_ended(p, 0, "no-root");
}

/* Boots to its login prompt; there is no starter in it. */
static void
test_agent_silent(void **state)
{
    struct place *p = *state;
    struct gold_validate_plan plan = {.clones = 1};

    if (!make_debian(p))
        skip();
    must_run(p, &plan, GOLD_IMAGE_QCOW2);
    assert_ended(p, 0, "agent-silent");
    assert_int_equal(p->src->verdict, GOLD_VERDICT_FAIL);
}

static int
inject(void *opaque, const char *const *overlays, struct gold_facts *ret_identity,
       struct gold_error **err)
{
    const struct place *p = opaque;
    const struct gold_session_disk disk = {.path = overlays[0], .format = "qcow2"};
    enum gold_init init;

    return gold_guest_inject_starter(p->ctx, &disk, 1, NULL, &init, ret_identity, err);
}

static const struct gold_measurement *
find_measurement(const struct place *p, const char *payload, const char *clone)
{
    for (size_t i = 0; i < p->src->n_measurements; i++) {
        const struct gold_measurement *m = &p->src->measurements[i];

        if (gold_streq(m->payload, payload) && (!clone || gold_streq(m->clone, clone)))
            return m;
    }
    fail_msg("no measurement of '%s'", payload);
    return NULL;
}

static bool
tidy(const char *dir)
{
    GOLD_CLEANUP_DIR DIR *d = opendir(dir);
    const struct dirent *e;

    while (d && (e = readdir(d))) {
        if (gold_str_has_prefix(e->d_name, "gold-"))
            return false;
    }
    return d != NULL;
}

/* Does a process name the directory on its command line? */
static bool
any_process_of(const char *dir)
{
    const char *const argv[] = {"sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", NULL};
    const struct gold_process_spec spec = {.argv = argv};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result r = {.exit_status = -1};

    assert_int_equal(gold_process_run(NULL, &spec, &r, NULL), 0);
    return strstr(gold_str_text(&r.out), dir) != NULL;
}

/* Killed while its clones run: five seconds later neither they nor a file of theirs is there.
 */
static void
test_killed(void **state)
{
    static const char *const points[] = {"validate.started", "validate.running",
                                         "validate.judged"};
    (void)state;

    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            void *p = NULL;
            struct gold_validate_plan plan = {.clones = 2};

            assert_int_equal(setenv("GOLDSMITH_STOP_AT", points[i], 1), 0);
            assert_int_equal(setup(&p), 0);
            make_blank(p);
            must_run(p, &plan, GOLD_IMAGE_RAW);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        for (int t = 0; t < 50 && (!tidy(shared_dir) || any_process_of(shared_dir)); t++)
            usleep(100 * 1000);
        assert_true(tidy(shared_dir));
        assert_false(any_process_of(shared_dir));
    }
}

/* The guest as it is made: it boots, twice, and its clones are all the same machine. */
static void
test_unsealed(void **state)
{
    struct place *p = *state;
    const struct gold_payload_request request = {.payload = "clone-identity"};
    struct gold_validate_plan plan = {.clones = 2,
                                      .inject_starter = inject,
                                      .opaque = p,
                                      .payloads = &request,
                                      .n_payloads = 1};
    const struct gold_measurement *m;

    if (!make_debian(p))
        skip();
    must_run(p, &plan, GOLD_IMAGE_QCOW2);
    for (size_t i = 0; i < 2; i++) {
        assert_ended(p, i, "bye");
        assert_string_equal(gold_facts_get(&p->src->clones[i].identity, "machine-id"),
                            "8d1f4f0bc7f94ab89a3c6ac2ffbd0f5e");
        assert_non_null(gold_facts_get(&p->src->clones[i].identity, "ssh-host-key"));
        /* From the capture: ifupdown's DHCP client sends its DUID, and that came from the
         * template's lease file. */
        assert_non_null(gold_facts_get(&p->src->clones[i].identity, "dhcp-client-id"));
    }
    m = find_measurement(p, "native-boot", "clone-2");
    assert_int_equal(m->verdict, GOLD_VERDICT_PASS);
    assert_int_equal(m->metrics[0].n_samples, 2);
    assert_true(m->metrics[0].samples[0] > 0);
    m = find_measurement(p, "clone-identity", NULL);
    assert_int_equal(m->verdict, GOLD_VERDICT_FAIL);
    assert_non_null(strstr(m->reason, "machine-id"));
    assert_int_equal(p->src->verdict, GOLD_VERDICT_FAIL);
}

/* Limits of the definition as the guest gets them, and as QEMU counted them. */
static void
test_limits(void **state)
{
    struct place *p = *state;
    static const struct gold_payload_parameter parameters[] = {{.key = "runs", .value = "2"},
                                                               {.key = "seconds", .value = "5"},
                                                               {.key = "ramp", .value = "2"}};
    const struct gold_payload_request request = {
        .payload = "iotune-limits", .parameters = parameters, .n_parameters = 3};
    GOLD_CLEANUP_FREE char *xml = gold_format(
        NULL,
        "<domain type='kvm'><name>t</name><memory unit='MiB'>768</memory><vcpu>2</vcpu>"
        "<os><type arch='x86_64' "
        "machine='q35'>hvm</type></os><features><acpi/></features><devices>"
        "<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='%s'/>"
        "<target dev='vda' "
        "bus='virtio'/><iotune><read_iops_sec>200</read_iops_sec></iotune></disk>"
        "</devices></domain>",
        p->image);
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse("t.xml", xml, strlen(xml), NULL);
    const struct gold_validate_disk disk = {
        .target = "vda", .path = p->image, .format = GOLD_IMAGE_QCOW2};
    const struct gold_validate_plan plan = {.source = "t.xml",
                                            .definition = def,
                                            .disks = &disk,
                                            .n_disks = 1,
                                            .clones = 1,
                                            .inject_starter = inject,
                                            .opaque = p,
                                            .payloads = &request,
                                            .n_payloads = 1};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    const struct gold_measurement *m;
    double peak = -1;

    assert_non_null(def);
    if (!make_debian(p))
        skip();
    if (gold_validate_run(p->ctx, &plan, p->src, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    assert_ended(p, 0, "bye");
    m = find_measurement(p, "iotune-limits", NULL);
    assert_string_equal(m->disk, "vda");
    for (size_t i = 0; i < m->n_metrics; i++) {
        printf("  %s: %.1f %s\n", m->metrics[i].name,
               m->metrics[i].n_samples > 0 ? m->metrics[i].samples[0] : -1, m->metrics[i].unit);
        if (gold_streq(m->metrics[i].name, "host_peak_read_iops"))
            peak = m->metrics[i].samples[0];
    }
    printf("  %s\n", m->reason ? m->reason : "no reason");
    assert_true(m->verdict == GOLD_VERDICT_PASS || m->verdict == GOLD_VERDICT_INCONCLUSIVE);
    assert_true(peak > 0 && peak < 230);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        /* First: its children fork before libvirt has threads and a root here. */
        cmocka_unit_test(test_killed),
        cmocka_unit_test_setup_teardown(test_blank, setup, teardown),
        cmocka_unit_test_setup_teardown(test_private_template, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_requests, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancelled, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_panic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_root, setup, teardown),
        cmocka_unit_test_setup_teardown(test_agent_silent, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unsealed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limits, setup, teardown),
    };

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (getenv("GOLD_TEST_ONLY"))
        cmocka_set_test_filter(getenv("GOLD_TEST_ONLY"));
    return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
