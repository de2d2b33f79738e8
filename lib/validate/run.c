/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gold_validate_run(): prepares the clones, boots them, hands what they said to the judges, and
 * makes sure that the template's bytes are what they were. A clone that measures runs alone,
 * the others two at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/guard.h"
#include "core/hash.h"
#include "core/io.h"
#include "core/limits.h"
#include "core/process.h"
#include "qemu/accel.h"
#include "qemu/image.h"
#include "validate/run.h"

#define WAIT_KVM    60 /* seconds for the default target */
#define WAIT_TCG    240
#define TOGETHER    2
#define TAIL_LINES  15
#define DEFAULT_RAM (1 * GOLD_GIB)

static void
record_done(struct gold_boot_record *r)
{
    free(r->tail);
    free(r->notes);
    free(r->client_id);
    for (size_t i = 0; i < r->messages.n; i++)
        json_decref(r->messages.items[i]);
    gold_messages_clear(&r->messages);
}

static void
run_done(struct gold_run *run)
{
    gold_hypervisor_free(run->h);
    for (size_t i = 0; i < run->records.n; i++)
        record_done(&run->records.items[i]);
    gold_boot_records_clear(&run->records);
    for (size_t i = 0; i < run->n_clones; i++)
        gold_clone_done(&run->clones[i]);
    free(run->clones);
    for (size_t i = 0; i < run->n_referees; i++)
        gold_referee_done(&run->referees[i]);
    free(run->referees);
    gold_scratches_done(&run->scratch);
    gold_facts_done(&run->identity);
    gold_strv_done(&run->starters);
    free(run->prints);
    free(run->dir);
}

static int
check_requests(struct gold_run *run, struct gold_error **err)
{
    const struct gold_validate_plan *plan = run->plan;

    if (plan->clones < 1 || plan->clones > GOLD_LIMIT_CLONES) {
        gold_error_set(err, GOLD_ERROR_USAGE, "%u clones: it must be 1 to %d", plan->clones,
                       GOLD_LIMIT_CLONES);
        return -1;
    }
    if (plan->n_disks < 1) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' has no disk to boot from", plan->source);
        return -1;
    }
    for (size_t i = 0; i < plan->n_payloads; i++) {
        const struct gold_payload *p = gold_payload_find(plan->payloads[i].payload);

        if (!p) {
            gold_error_set(err, GOLD_ERROR_USAGE, "no payload '%s'", plan->payloads[i].payload);
            gold_error_hint(err, "'goldsmith list payloads' shows them");
            return -1;
        }
        if (p->check && p->check(&plan->payloads[i], err) < 0)
            return -1;
        run->second_boot = run->second_boot || p->second_boot;
    }
    return 0;
}

/* The files that clones stand on: each disk's, and the image behind it. NULL: none. */
static const char *
watched(const struct gold_run *run, size_t i)
{
    const struct gold_validate_disk *disk = &run->plan->disks[i / 2];

    return i % 2 ? disk->image : disk->path;
}

static int
fingerprint(struct gold_run *run, const char *path, struct gold_print *ret,
            struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = gold_open_regular(path, NULL, err);

    return fd < 0 ? -1 : gold_hash_fd(run->ctx, GOLD_HASH_SHA256, fd, path, ret->sha256, err);
}

static int
fingerprint_all(struct gold_run *run, struct gold_error **err)
{
    run->prints = calloc(2 * run->plan->n_disks, sizeof(*run->prints));
    if (!run->prints)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < 2 * run->plan->n_disks; i++) {
        if (watched(run, i) && fingerprint(run, watched(run, i), &run->prints[i], err) < 0)
            return -1;
    }
    return 0;
}

static int
check_unchanged(struct gold_run *run, struct gold_error **err)
{
    for (size_t i = 0; i < 2 * run->plan->n_disks; i++) {
        struct gold_print now;

        if (!watched(run, i))
            continue;
        if (fingerprint(run, watched(run, i), &now, err) < 0)
            return -1;
        if (!gold_streq(now.sha256, run->prints[i].sha256)) {
            gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' changed while it was validated",
                           watched(run, i));
            return -1;
        }
    }
    return 0;
}

/* Overlays that take the starter; every clone stands on them. */
static int
make_starters(struct gold_run *run, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = NULL;

    if (gold_clone_dir(&run->place, "starter", &dir, err) < 0)
        return -1;
    for (size_t i = 0; i < run->plan->n_disks; i++) {
        const struct gold_validate_disk *disk = &run->plan->disks[i];
        GOLD_CLEANUP_FREE char *path = gold_format(err, "%s/disk-%zu.qcow2", dir, i);
        GOLD_CLEANUP_FREE char *base = realpath(disk->path, NULL);

        if (!base) {
            gold_error_set_errno(err, errno, "cannot find '%s'", disk->path);
            return -1;
        }
        if (!path || gold_overlay_create(run->ctx, path, base, disk->format, err) < 0 ||
            gold_strv_add(&run->starters, path, err) < 0)
            return -1;
    }
    if (run->plan->inject_starter &&
        run->plan->inject_starter(run->plan->opaque, (const char *const *)run->starters.items,
                                  &run->identity, err) < 0) {
        gold_error_prefix(err, "cannot put the starter into the clones");
        return -1;
    }
    for (size_t i = 0; i < run->starters.n; i++) {
        if (gold_clone_give(&run->place, run->starters.items[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Can QEMU's user open the overlay and all that it stands on? Asked by trying, as that user. */
static int
user_can_read(struct gold_run *run, const char *overlay, bool *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *uid =
        gold_format(err, "--reuid=%lu", (unsigned long)run->place.uid);
    GOLD_CLEANUP_FREE char *gid =
        uid ? gold_format(err, "--regid=%lu", (unsigned long)run->place.gid) : NULL;
    const char *const argv[] = {"setpriv",  uid,     gid,     "--init-groups",
                                "qemu-img", "info",  "-U",    "--backing-chain",
                                "-f",       "qcow2", overlay, NULL};
    const struct gold_process_spec spec = {.argv = argv, .timeout_ms = 60000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {.exit_status = -1};

    if (!gid || gold_process_run(run->ctx, &spec, &result, err) < 0)
        return -1;
    if (result.exit_status != 0)
        gold_debug(run->ctx, "as QEMU's user: %s", gold_str_text(&result.err));
    *ret = result.exit_status == 0;
    return 0;
}

static int
choose_user(struct gold_run *run, struct gold_error **err)
{
    if (!run->place.give || !gold_hypervisor_root(run->h))
        return 0;
    for (size_t i = 0; i < run->starters.n && !run->as_root; i++) {
        bool can;

        if (user_can_read(run, run->starters.items[i], &can, err) < 0)
            return -1;
        if (!can) {
            gold_warning(run->ctx, "QEMU's own user cannot read '%s': the clones run as root",
                         run->plan->disks[i].path);
            run->as_root = true;
        }
    }
    return 0;
}

static int
make_clones(struct gold_run *run, struct gold_error **err)
{
    const struct gold_validate_plan *plan = run->plan;

    run->clones = calloc(plan->clones, sizeof(*run->clones));
    if (!run->clones)
        return gold_error_set_nomem(err);
    for (unsigned i = 0; i < plan->clones; i++) {
        if (gold_clone_create(run->ctx, &run->place, i + 1,
                              (const char *const *)run->starters.items, run->starters.n,
                              &run->clones[i], err) < 0)
            return -1;
        run->n_clones++;
    }
    if (gold_clone_scratch(run->ctx, &run->place, plan, &run->clones[0], &run->scratch, err) <
        0)
        return -1;
    if (run->scratch.n == 0)
        return 0;
    run->referees = calloc(run->scratch.n, sizeof(*run->referees));
    if (!run->referees)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < run->scratch.n; i++) {
        const struct gold_scratch *s = &run->scratch.items[i];

        if (!s->disk)
            continue;
        run->referees[run->n_referees].target = s->disk->target;
        run->referees[run->n_referees].serial = gold_strdup(s->serial, err);
        if (!run->referees[run->n_referees++].serial)
            return -1;
    }
    return 0;
}

/* tmpfs refuses O_DIRECT, and QEMU with cache='none' then refuses to start. */
static bool
can_do_direct(const char *dir)
{
    GOLD_CLEANUP_FD int fd = open(dir, O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);

    return fd >= 0 || errno != EINVAL;
}

static int
prepare(struct gold_run *run, struct gold_error **err)
{
    enum gold_accel accel;
    const char *run_dir;

    if (gold_accel_decide(run->ctx, &accel, err) < 0)
        return -1;
    run->accel = gold_accel_name(accel);
    run->tcg = accel == GOLD_ACCEL_TCG;
    run->wait_s = run->tcg ? WAIT_TCG : WAIT_KVM;
    if (fingerprint_all(run, err) < 0 || gold_context_run_dir(run->ctx, &run_dir, err) < 0)
        return -1;
    run->dir = gold_path_join(run_dir, "v", err);
    if (!run->dir)
        return -1;
    if (mkdir(run->dir, 0711) < 0 || chmod(run->dir, 0711) < 0) {
        gold_error_set_errno(err, errno, "cannot make directory '%s'", run->dir);
        return -1;
    }
    run->h = gold_hypervisor_open(run->ctx, run->plan->uri, err);
    if (!run->h)
        return -1;
    run->place.dir = run->dir;
    run->place.no_direct = !can_do_direct(run->dir);
    run->place.give = gold_hypervisor_user(run->h, &run->place.uid, &run->place.gid);
    if (make_starters(run, err) < 0 || choose_user(run, err) < 0)
        return -1;
    return make_clones(run, err);
}

/* One boot under way. */
struct boot {
    size_t clone;
    struct gold_clone_boot files;
    struct gold_drive drive;
    bool started;
};

static void
boot_done(struct boot *b)
{
    if (b->started)
        gold_drive_done(&b->drive);
    gold_clone_boot_done(&b->files);
}

static int
boot_start(struct gold_run *run, struct boot *b, size_t clone, unsigned boot,
           struct gold_error **err)
{
    const struct gold_clone *c = &run->clones[clone];
    bool measures = clone == 0 && boot == 1 && run->scratch.n > 0;
    struct gold_machine_spec spec;
    struct gold_machine *machine;
    struct gold_boot_rules rules;

    b->clone = clone;
    if (gold_clone_boot_create(run->ctx, &run->place, run->plan, c, boot, run->wait_s,
                               run->accel, measures ? &run->scratch : NULL, &b->files, err) < 0)
        return -1;
    spec = (struct gold_machine_spec){
        .name = b->files.domain,
        .xml = b->files.xml,
        .console_path = b->files.console,
        .channel_path = b->files.channel,
        .as_root = run->as_root,
    };
    machine = gold_machine_start(run->ctx, run->h, &spec, err);
    if (!machine)
        return -1;
    gold_boot_rules_make(run->tcg, run->wait_s, b->files.payload_s, &rules);
    gold_drive_start(&b->drive, c->name, machine, b->files.nonce, &rules);
    b->drive.pcap = b->files.pcap;
    if (measures) {
        b->drive.referees = run->referees;
        b->drive.n_referees = run->n_referees;
    }
    b->started = true;
    return 0;
}

static int
first_client_id(const struct gold_clone *c, const char *pcap, char **ret,
                struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv ids = {.n = 0};

    if (gold_dhcp_client_ids(pcap, c->mac, &ids, err) < 0)
        return -1;
    if (ids.n == 0)
        return 0;
    *ret = gold_strdup(ids.items[0], err);
    return *ret ? 0 : -1;
}

/* Takes what matters out of a boot that has ended. */
static int
boot_record(struct gold_run *run, struct boot *b, struct gold_error **err)
{
    GOLD_CLEANUP(record_done)
    struct gold_boot_record r = {.clone = b->clone, .boot = b->files.boot};
    const struct gold_boot *boot = &b->drive.boot;

    r.end = boot->end;
    r.load = b->drive.load;
    r.target_s = boot->reached ? (double)(boot->reached_at - boot->started) / 1000 : -1;
    if (gold_console_tail(&b->drive.console, TAIL_LINES, &r.tail, err) < 0 ||
        gold_console_notes(&b->drive.console, &r.notes, err) < 0 ||
        first_client_id(&run->clones[b->clone], b->files.pcap, &r.client_id, err) < 0)
        return -1;
    if (run->plan->keep != GOLD_KEEP_NEVER &&
        gold_run_write_log(&run->clones[b->clone], r.boot, &b->drive.console, err) < 0)
        return -1;
    r.messages = b->drive.protocol.messages;
    b->drive.protocol.messages = (struct gold_messages){.n = 0};
    if (gold_boot_records_append(&run->records, r, err) < 0)
        return -1;
    r = (struct gold_boot_record){.clone = 0};
    return 0;
}

/* Boots `n` clones at once and records how it went. */
static int
boot_some(struct gold_run *run, const size_t *clones, size_t n, unsigned boot,
          struct gold_error **err)
{
    struct boot boots[TOGETHER] = {{.clone = 0}};
    struct gold_drive *drives[TOGETHER];
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = boot_start(run, &boots[i], clones[i], boot, err);
        drives[i] = &boots[i].drive;
    }
    gold_stop_point("validate.running");
    if (rc == 0)
        rc = gold_drive_all(run->ctx, drives, n, run->dir, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = boot_record(run, &boots[i], err);
    for (size_t i = 0; i < n; i++)
        boot_done(&boots[i]);
    return rc;
}

/* Two guests of this size at once only where they leave room. */
static size_t
how_many_together(const struct gold_run *run)
{
    const struct gold_definition *def = run->plan->definition;
    uint64_t memory = def && def->memory > 0 ? def->memory : DEFAULT_RAM;
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE);

    return memory <= host / (2 * TOGETHER) ? TOGETHER : 1;
}

static int
boot_round(struct gold_run *run, unsigned boot, struct gold_error **err)
{
    size_t together = how_many_together(run), next[TOGETHER], n = 0;

    for (size_t i = 0; i < run->n_clones; i++) {
        const struct gold_boot_record *before =
            boot > 1 ? gold_run_record(run, i, boot - 1) : NULL;
        bool alone = i == 0 && boot == 1 && run->scratch.n > 0;

        /* What did not come through its first boot is judged by that one. */
        if (boot == 1 || (before && gold_streq(before->end, "bye")))
            next[n++] = i;
        if (n > 0 && (n == together || alone || i + 1 == run->n_clones)) {
            if (boot_some(run, next, n, boot, err) < 0)
                return -1;
            n = 0;
        }
    }
    return 0;
}

static int
wants_keep(const struct gold_run *run)
{
    return run->plan->keep == GOLD_KEEP_ALWAYS ||
           (run->plan->keep == GOLD_KEEP_ONFAILURE && run->src->verdict != GOLD_VERDICT_PASS);
}

static int
work(struct gold_run *run, struct gold_error **err)
{
    if (check_requests(run, err) < 0 || prepare(run, err) < 0)
        return -1;
    gold_stop_point("validate.started");
    if (boot_round(run, 1, err) < 0 || (run->second_boot && boot_round(run, 2, err) < 0) ||
        gold_run_judge(run, err) < 0)
        return -1;
    gold_stop_point("validate.judged");
    if (wants_keep(run) && gold_run_keep(run, err) < 0)
        return -1;
    return check_unchanged(run, err);
}

int
gold_validate_run(struct gold_context *ctx, const struct gold_validate_plan *plan,
                  struct gold_source_result *src, struct gold_error **err)
{
    struct gold_run run = {.ctx = ctx, .plan = plan, .src = src};
    GOLD_CLEANUP_ERROR struct gold_error *tidy_err = NULL;
    int rc = work(&run, err);

    /* A run directory serves one validation after another. */
    if (run.dir && gold_str_has_prefix(run.dir, ctx->run_dir) &&
        gold_remove_tree(run.dir, &tidy_err) < 0)
        gold_warning(ctx, "%s, ignoring", gold_error_message(tidy_err));
    run_done(&run);
    return rc;
}
