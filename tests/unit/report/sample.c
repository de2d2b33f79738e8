/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See sample.h. Values are fixed, so that the golden files are. */
#include "unit.h"

#include "core/str.h"
#include "sample.h"

static void
replace(char **dst, const char *text)
{
    assert_int_equal(gold_str_replace(dst, text, NULL), 0);
}

static struct gold_document *
document(const char *command)
{
    struct gold_document *doc = gold_document_new(command, NULL);
    assert_non_null(doc);
    replace(&doc->version, "0.1.0");
    replace(&doc->started, "2026-03-14T09:26:53Z");
    return doc;
}

static struct gold_source_result *
source(struct gold_document *doc, const char *name, const char *kind)
{
    struct gold_source_result *src = gold_document_add_source(doc, name, NULL);
    assert_non_null(src);
    replace(&src->kind, kind);
    return src;
}

static struct gold_finding *
finding(struct gold_source_result *src, const char *id, enum gold_severity severity,
        enum gold_fix fix, const char *file, const char *message)
{
    struct gold_finding *f =
        gold_source_add_finding(src, id, severity, file, NULL, "%s", message);
    assert_non_null(f);
    f->fix = fix;
    return f;
}

struct effect {
    const char *operation, *path, *action, *detail;
};

static void
add_effects(struct gold_source_result *src)
{
    static const struct effect effects[] = {
        {"kernel-device-names", "/etc/fstab", "edited",
         "/dev/vda1 is now UUID=0f7c4d4e-5e0d-4c6e-9d6a-2f5b3a1c8e77"},
        {"kernel-device-names", "/boot/extlinux/extlinux.conf", "edited",
         "root=/dev/vda1 is now root=UUID="},
        {"logs", "/var/log/dpkg.log", "truncated", "48211 bytes"},
        {"logs", "/var/log/apt/history.log", "truncated", "9127 bytes"},
        {"logs", "/var/log/apt/term.log", "truncated", "61004 bytes"},
        {"logs", "/var/log/alternatives.log", "truncated", "5130 bytes"},
        {"logs", "/var/log/bootstrap.log", "truncated", "70218 bytes"},
        {"logs", "/var/log/faillog", "truncated", "0 bytes"},
        {"logs", "/var/log/lastlog", "truncated", "292292 bytes"},
        {"logs", "/var/log/wtmp", "truncated", "1152 bytes"},
        {"journal", "/var/log/journal/4f1c0a9d6e7b42f2a3c5d8e9f0b1a2c3", "removed", "2 files"},
        {"dhcp-leases", "/var/lib/dhcp/dhclient.ens3.leases", "removed", NULL},
        {"dhcp-leases", "/var/lib/dhcp/dhclient6.ens3.leases", "removed", "held a DUID"},
        {"random-seed", "/var/lib/systemd/random-seed", "removed", "512 bytes"},
        {"ssh-host-keys", "/etc/ssh/ssh_host_ecdsa_key", "removed", NULL},
        {"ssh-host-keys", "/etc/ssh/ssh_host_ecdsa_key.pub", "removed", NULL},
        {"ssh-host-keys", "/etc/ssh/ssh_host_ed25519_key", "removed", NULL},
        {"ssh-host-keys", "/etc/ssh/ssh_host_ed25519_key.pub", "removed", NULL},
        {"ssh-host-keys", "/etc/ssh/ssh_host_rsa_key", "removed", NULL},
        {"ssh-host-keys", "/etc/ssh/ssh_host_rsa_key.pub", "removed", NULL},
        {"ssh-host-keys", "/etc/systemd/system/goldsmith-ssh-host-keys.service", "created",
         "makes new keys on the first boot"},
        {"dbus-machine-id", "/var/lib/dbus/machine-id", "linked", "to /etc/machine-id"},
        {"machine-id", "/etc/machine-id", "truncated",
         "32 hex digits; systemd 252 makes a new one"},
    };
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        assert_int_equal(gold_source_add_effect(src, effects[i].operation, effects[i].path,
                                                effects[i].action, effects[i].detail, NULL),
                         0);
}

static void
add_steps(struct gold_source_result *src)
{
    static const struct {
        const char *operation, *reason;
        enum gold_step_status status;
    } steps[] = {
        {"kernel-device-names", NULL, GOLD_STEP_CHANGED},
        {"logs", NULL, GOLD_STEP_CHANGED},
        {"journal", NULL, GOLD_STEP_CHANGED},
        {"dhcp-leases", NULL, GOLD_STEP_CHANGED},
        {"random-seed", NULL, GOLD_STEP_CHANGED},
        {"ssh-host-keys", NULL, GOLD_STEP_CHANGED},
        {"machine-id-cmdline", "no machine-id on a kernel command line", GOLD_STEP_SKIPPED},
        {"dbus-machine-id", NULL, GOLD_STEP_CHANGED},
        {"machine-id", NULL, GOLD_STEP_CHANGED},
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        assert_int_equal(gold_source_add_step(src, steps[i].operation, steps[i].status,
                                              steps[i].reason, NULL),
                         0);
}

static const char edit_diff[] = "--- web.xml\n"
                                "+++ web.xml\n"
                                "@@ -1,7 +1,7 @@\n"
                                " <domain type='kvm'>\n"
                                "   <name>web</name>\n"
                                "-  <uuid>6c1a3f0e-7b55-4d0b-9f1c-0d8f5f3b2a11</uuid>\n"
                                "   <memory unit='MiB'>1024</memory>\n"
                                "@@ -18,4 +17,9 @@\n"
                                "       <source file='web.qcow2'/>\n"
                                "       <target dev='vda' bus='virtio'/>\n"
                                "+      <iotune>\n"
                                "+        <total_bytes_sec>10485760</total_bytes_sec>\n"
                                "+        <read_iops_sec>200</read_iops_sec>\n"
                                "+        <write_iops_sec>180</write_iops_sec>\n"
                                "+      </iotune>\n"
                                "     </disk>\n";

static struct gold_metric *
metric(struct gold_measurement *m, const char *name, const char *unit, double expected,
       double tolerance, const double *samples, size_t n, double median,
       enum gold_verdict verdict, const char *note)
{
    struct gold_metric *ret = gold_measurement_add_metric(m, name, unit, NULL);
    assert_non_null(ret);
    ret->has_expected = expected >= 0;
    ret->expected = expected >= 0 ? expected : 0;
    ret->tolerance = tolerance;
    for (size_t i = 0; i < n; i++)
        assert_int_equal(gold_metric_add_sample(ret, samples[i], NULL), 0);
    ret->median = median;
    ret->verdict = verdict;
    replace(&ret->note, note);
    return ret;
}

#define METRIC(m, name, unit, expected, tolerance, samples, median, verdict, note) \
    metric(m, name, unit, expected, tolerance, samples,                            \
           sizeof(samples) / sizeof((samples)[0]), median, verdict, note)

static void
add_identity_measurement(struct gold_source_result *src, double distinct)
{
    enum gold_verdict v = distinct == 2 ? GOLD_VERDICT_PASS : GOLD_VERDICT_FAIL;
    struct gold_measurement *m =
        gold_source_add_measurement(src, "clone-identity", NULL, NULL, NULL);
    assert_non_null(m);
    replace(&m->accelerator, "tcg");
    m->verdict = v;
    if (distinct < 2)
        replace(&m->reason, "clones share a machine-id ('clone-1' and 'clone-2')");
    const double two[] = {2}, found[] = {distinct};
    METRIC(m, "distinct_machine_ids", "1", 2, 0, found, distinct, v, NULL);
    METRIC(m, "distinct_ssh_host_keys", "1", 2, 0, two, 2, GOLD_VERDICT_PASS, NULL);
    METRIC(m, "distinct_macs", "1", 2, 0, two, 2, GOLD_VERDICT_PASS, NULL);
    METRIC(m, "distinct_dhcp_client_ids", "1", 2, 0, found, distinct, v, NULL);
}

static void
add_limits(struct gold_source_result *src, bool dropped)
{
    static const double read_bytes[] = {10481203.2, 10488012.8, 10485760, 10479616, 10486784};
    static const double write_bytes[] = {10470195.2, 10485145.6, 10491904, 10484736, 10482688};
    static const double read_iops[] = {199.8, 200.2, 200.0, 200.4, 199.6};
    static const double write_iops[] = {179.8, 180.2, 180.0, 180.1, 179.9};
    static const double no_limit[] = {7411.2, 7904.6, 7688.0, 7520.4, 7815.0};
    static const double control_bytes[] = {412876800}, control_iops[] = {8204};
    struct gold_measurement *m =
        gold_source_add_measurement(src, "iotune-limits", "vda", "clone-1", NULL);
    assert_non_null(m);
    replace(&m->accelerator, "tcg");
    m->verdict = dropped ? GOLD_VERDICT_FAIL : GOLD_VERDICT_PASS;
    METRIC(m, "read_bytes_sec", "B/s", 10485760, 0.03, read_bytes, 10485760, GOLD_VERDICT_PASS,
           "total_bytes_sec; sequential requests of 256 KiB, 8 in flight, 5 x 3 s after a ramp "
           "of 2 s");
    METRIC(m, "write_bytes_sec", "B/s", 10485760, 0.03, write_bytes, 10484736,
           GOLD_VERDICT_PASS,
           "total_bytes_sec; sequential requests of 256 KiB, 8 in flight, 5 x 3 s after a ramp "
           "of 2 s");
    METRIC(m, "control_read_bytes_sec", "B/s", -1, 0, control_bytes, 412876800,
           GOLD_VERDICT_NONE, "the same requests on a disk without limits");
    METRIC(
        m, "read_iops", "1/s", 200, 0.03, read_iops, 200, GOLD_VERDICT_PASS,
        "read_iops_sec; scattered requests of 512 B, 1 in flight, 5 x 3 s after a ramp of 2 s");
    if (dropped)
        METRIC(m, "write_iops", "1/s", 180, 0.03, no_limit, 7688, GOLD_VERDICT_FAIL,
               "write_iops_sec; scattered requests of 512 B, 1 in flight, 5 x 3 s after a ramp "
               "of 2 s");
    else
        METRIC(m, "write_iops", "1/s", 180, 0.03, write_iops, 180, GOLD_VERDICT_PASS,
               "write_iops_sec; scattered requests of 512 B, 1 in flight, 5 x 3 s after a ramp "
               "of 2 s");
    METRIC(m, "control_read_iops", "1/s", -1, 0, control_iops, 8204, GOLD_VERDICT_NONE,
           "the same requests on a disk without limits");
    if (dropped)
        replace(&m->reason, "write_iops: the median 7688 /s is 4171 % above the limit: the "
                            "guest is not limited");
}

static void
fact(struct gold_facts *facts, const char *name, const char *value)
{
    assert_int_equal(gold_facts_add(facts, name, value, NULL), 0);
}

static void
add_clones(struct gold_source_result *src, bool shared)
{
    static const char *const ids[] = {"8a1f3c5e7d9b40618e2c4a6b8d0f1e3c",
                                      "d47e90b2c3a54f6f9b1807a6c5e4d3f2"};
    static const char *const clients[] = {
        "ff:56:50:4d:98:00:02:00:00:ab:11:1d:0a:5e:83:c4:77:21:9f",
        "ff:56:50:4d:98:00:02:00:00:ab:11:e0:4b:72:6a:95:38:d1:06"};
    static const char *const keys[][2] = {
        {"SHA256:Yx1q0dC5mJvZ3s8K4wTqgB7nLr2eXoPu6aHfVtNi9Ds",
         "SHA256:p7RkQ2bWc9XyLmZ4tV8nJ1sF6dHgKo3uEaTiCxPq5Ys"},
        {"SHA256:0fEwK9sTzL2mXb7QvY4cRj6HuNa8GpWd3ZiOk5Vt1Mo",
         "SHA256:B3vJx8NqLw5TzRm0YkFc7PdSgHa2Ue9XtOi6ZbKr4Qs"}};
    for (size_t i = 0; i < 2; i++) {
        struct gold_clone_result *c =
            gold_source_add_clone(src, i == 0 ? "clone-1" : "clone-2", NULL);
        assert_non_null(c);
        replace(&c->state, "bye");
        fact(&c->identity, "machine-id", ids[shared ? 0 : i]);
        fact(&c->identity, "ssh-host-key", keys[i][0]);
        fact(&c->identity, "ssh-host-key", keys[i][1]);
        fact(&c->identity, "mac", i == 0 ? "52:54:00:3e:91:0c" : "52:54:00:b7:44:d2");
        fact(&c->identity, "dhcp-client-id", clients[shared ? 0 : i]);
        fact(&c->identity, "hostname", "debian");
    }
}

static struct gold_document *
prepared(bool good)
{
    struct gold_document *doc = document("prepare");
    struct gold_source_result *src = source(doc, "web.xml", "definition");
    src->verdict = good ? GOLD_VERDICT_PASS : GOLD_VERDICT_FAIL;
    finding(src, "hostname-baked", GOLD_INFO, GOLD_FIX_NONE, "/etc/hostname",
            "the host name 'debian' is in the image")
        ->line = 1;
    struct gold_finding *f = finding(src, "tls-snakeoil", GOLD_WARNING, GOLD_FIX_MANUAL,
                                     "/etc/ssl/private/ssl-cert-snakeoil.key",
                                     "every clone has the same private key");
    replace(&f->evidence, "made 2025-11-02, owner root:ssl-cert");
    if (!good) {
        f = finding(src, "machine-id-set", GOLD_ERROR, GOLD_FIX_SAFE, "/etc/machine-id",
                    "the machine-id is set");
        f->line = 1;
        replace(&f->evidence, "32 hex digits, SHA-256 5f70bf18…");
    }
    add_effects(src);
    add_steps(src);
    assert_int_equal(gold_source_add_edit(src, "web.xml", edit_diff, NULL), 0);
    add_identity_measurement(src, good ? 2 : 1);
    add_limits(src, !good);
    add_clones(src, !good);
    return doc;
}

struct gold_document *
sample_pass(void)
{
    return prepared(true);
}

struct gold_document *
sample_fail(void)
{
    return prepared(false);
}

struct gold_document *
sample_check(void)
{
    struct gold_document *doc = document("check");
    struct gold_source_result *src = source(doc, "web.qcow2", "image");
    doc->fail_on = GOLD_WARNING;
    struct gold_finding *f =
        finding(src, "dbus-machine-id", GOLD_WARNING, GOLD_FIX_SAFE, "/var/lib/dbus/machine-id",
                "the D-Bus id is a file of its own");
    f->waived = true;
    replace(&f->waive_reason, "lab network");
    f = finding(src, "machine-id-set", GOLD_ERROR, GOLD_FIX_SAFE, "/etc/machine-id",
                "the machine-id is set");
    f->line = 1;
    replace(&f->evidence, "32 hex digits\nall clones get the same DHCP client id");
    finding(src, "unknown-distro", GOLD_INFO, GOLD_FIX_NONE, NULL,
            "the system is not known by name");
    (void)source(doc, "clean.qcow2", "image");
    src = source(doc, "broken.qcow2", NULL);
    replace(&src->error, "'broken.qcow2': the header is cut off at 40 bytes");
    replace(&src->hint, "copy the image again and compare its size");
    src->error_code = GOLD_ERROR_FORMAT;
    return doc;
}

struct gold_document *
sample_dry_run(void)
{
    struct gold_document *doc = document("seal");
    struct gold_source_result *src = source(doc, "web.qcow2", "image");
    doc->dry_run = true;
    add_effects(src);
    add_steps(src);
    assert_int_equal(gold_source_add_step(src, "hostname", GOLD_STEP_UNCHANGED, NULL, NULL), 0);
    assert_int_equal(gold_source_add_step(src, "netplan", GOLD_STEP_UNCHANGED, NULL, NULL), 0);
    return doc;
}

struct gold_document *
sample_inspect(void)
{
    struct gold_document *doc = document("inspect");
    struct gold_source_result *src = source(doc, "web.xml", "definition");
    fact(&src->facts, "distro", "debian");
    fact(&src->facts, "product", "Debian GNU/Linux 12 (bookworm)");
    fact(&src->facts, "definition.disk", "vda: web.qcow2 (qcow2)");
    fact(&src->facts, "definition.disk", "vdb: data.raw (raw)");
    fact(&src->facts, "init", "systemd");
    return doc;
}

struct gold_document *
sample_hostile(const char *text)
{
    struct gold_document *doc = document(text);
    replace(&doc->version, text);
    replace(&doc->started, text);
    struct gold_source_result *src = source(doc, text, text);
    replace(&src->error, text);
    replace(&src->hint, text);
    src->error_code = GOLD_ERROR_GUEST;
    src->verdict = GOLD_VERDICT_FAIL;
    struct gold_finding *f = finding(src, text, GOLD_ERROR, GOLD_FIX_SAFE, text, text);
    f->waived = true;
    replace(&f->evidence, text);
    replace(&f->waive_reason, text);
    assert_int_equal(gold_source_add_effect(src, text, text, text, text, NULL), 0);
    assert_int_equal(gold_source_add_step(src, text, GOLD_STEP_FAILED, text, NULL), 0);
    assert_int_equal(gold_source_add_edit(src, text, text, NULL), 0);
    struct gold_measurement *m = gold_source_add_measurement(src, text, text, text, NULL);
    assert_non_null(m);
    replace(&m->accelerator, text);
    replace(&m->reason, text);
    const double samples[] = {1, 2};
    METRIC(m, text, text, 1.5, 0.5, samples, 1.5, GOLD_VERDICT_PASS, text);
    METRIC(m, text, text, -1, 0, samples, 1.5, GOLD_VERDICT_NONE, text);
    m->metrics[1].n_samples = 1;
    for (int i = 0; i < 2; i++) {
        struct gold_clone_result *c = gold_source_add_clone(src, text, NULL);
        assert_non_null(c);
        replace(&c->state, text);
        fact(&c->identity, text, text);
    }
    fact(&src->facts, text, text);
    return doc;
}

struct gold_document *
sample_empty(void)
{
    struct gold_document *doc = document("check");
    replace(&doc->started, NULL);
    return doc;
}
