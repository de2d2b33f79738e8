/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The order of things in one appliance: inspect, check, refuse or seal, verify on a read-only
 * remount, clear free space. What each check and operation does is in its own file; committing
 * the overlays is the caller's business.
 */
#include "guest/work.h"

#include <string.h>

#include "core/str.h"
#include "guest/checks.h"
#include "guest/identity.h"

struct work {
    struct gold_context *ctx;
    const struct gold_guest_job *job;
    struct gold_guest_outcome *out;
    struct gold_session *session;
    struct gold_scene scene;
};

void
gold_guest_outcome_done(struct gold_guest_outcome *o)
{
    gold_source_result_done(&o->before);
    gold_source_result_done(&o->after);
    gold_facts_done(&o->identity);
    *o = (struct gold_guest_outcome){0};
}

static int
run_checks(struct gold_scene *sc, enum gold_check_stage stage, struct gold_error **err)
{
    for (size_t i = 0; gold_checks[i]; i++) {
        if (gold_checks[i]->stage != stage)
            continue;
        if (gold_check_cancelled(sc->ctx, err) < 0)
            return -1;
        sc->entry = gold_checks[i]->about.name;
        gold_progress(sc->ctx, "check", -1, "%s", sc->entry);
        if (gold_checks[i]->run(sc, err) < 0) {
            gold_error_prefix(err, "check '%s'", sc->entry);
            return -1;
        }
    }
    return 0;
}

/* set NULL: all operations. */
static int
run_verifies(struct gold_scene *sc, const struct gold_operation_set *set, const char *phase,
             struct gold_error **err)
{
    for (size_t i = 0; gold_operations[i]; i++) {
        const struct gold_operation *op = gold_operations[i];
        if (!op->verify || (set && !gold_operation_set_has(set, i)))
            continue;
        if (gold_check_cancelled(sc->ctx, err) < 0)
            return -1;
        sc->entry = op->about.name;
        gold_progress(sc->ctx, phase, -1, "%s", sc->entry);
        if (op->verify(sc, err) < 0) {
            gold_error_prefix(err, "verifying '%s'", sc->entry);
            return -1;
        }
    }
    return 0;
}

static int
run_operation(struct gold_scene *sc, const struct gold_operation *op, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *reason = NULL;
    sc->entry = op->about.name;
    int applies = op->applies(sc, &reason, err);
    if (applies < 0)
        return -1;
    if (applies == 0)
        return gold_source_add_step(sc->src, op->about.name, GOLD_STEP_SKIPPED,
                                    reason ? reason : "does not apply", err);
    size_t effects = sc->src->n_effects;
    if (op->run(sc, err) < 0)
        return -1;
    return gold_source_add_step(
        sc->src, op->about.name,
        sc->src->n_effects > effects ? GOLD_STEP_CHANGED : GOLD_STEP_UNCHANGED, NULL, err);
}

static int
run_operations(struct gold_scene *sc, const struct gold_operation_set *set,
               struct gold_error **err)
{
    size_t n = 0;
    while (gold_operations[n])
        n++;
    for (size_t i = 0; i < n; i++) {
        const struct gold_operation *op = gold_operations[i];
        if (!gold_operation_set_has(set, i))
            continue;
        if (gold_check_cancelled(sc->ctx, err) < 0)
            return -1;
        gold_progress(sc->ctx, "seal", (double)i / (double)n, "%s", op->about.name);
        if (run_operation(sc, op, err) < 0) {
            gold_error_prefix(err, "operation '%s'", op->about.name);
            return -1;
        }
    }
    gold_progress(sc->ctx, "seal", 1, NULL);
    return 0;
}

/* Everything that forbids to write, before anything is mounted for writing. */
static int
refuse(const struct gold_guest *guest, const struct gold_root *root, struct gold_error **err)
{
    if (strcmp(root->os, "linux") != 0) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "the system on '%s' is %s, which cannot be sealed", root->device,
                       strcmp(root->os, "windows") == 0 ? "Windows" : "not known");
        return -1;
    }
    for (size_t i = 0; i < guest->n_filesystems; i++) {
        const struct gold_filesystem *fs = &guest->filesystems[i];
        if (fs->hibernated) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' holds a suspended system",
                           fs->device);
            gold_error_hint(err, "start the machine, shut it down, and take the image again");
            return -1;
        }
        if (fs->dirty && gold_root_uses(root, fs)) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "the file system on '%s' was not unmounted cleanly", fs->device);
            gold_error_hint(err, "start the machine, shut it down, and take the image again");
            return -1;
        }
    }
    return 0;
}

static int
unmount(struct work *w, struct gold_error **err)
{
    if (guestfs_sync(w->scene.g) == 0 && guestfs_umount_all(w->scene.g) == 0)
        return 0;
    gold_error_set_guestfs(err, w->session, "writing the guest's changes back");
    return -1;
}

static int
clear_free_space(struct work *w, struct gold_error **err)
{
    struct gold_scene *sc = &w->scene;
    if (gold_guest_mount(w->session, sc->root, false, err) < 0)
        return -1;
    for (size_t i = 0; i < sc->root->n_mounts; i++) {
        const char *where = sc->root->mounts[i].where;
        gold_progress(w->ctx, "trim", (double)i / (double)sc->root->n_mounts, "%s", where);
        if (w->job->trim && guestfs_fstrim(sc->g, where, -1) == 0)
            continue;
        if (w->job->zero_free && guestfs_zero_free_space(sc->g, where) == 0)
            continue;
        if (gold_check_cancelled(w->ctx, err) < 0)
            return -1;
        if (guestfs_is_ready(sc->g) != 1) {
            gold_error_set_guestfs(err, w->session, "clearing the free space of '%s'", where);
            return -1;
        }
        const char *why = guestfs_last_error(sc->g);
        gold_debug(w->ctx, "clearing the free space of '%s': %s", where,
                   why ? why : "unknown error");
        if (gold_strv_add(&sc->uncleared, where, err) < 0)
            return -1;
    }
    if (run_checks(sc, GOLD_CHECK_SEALED, err) < 0)
        return -1;
    return unmount(w, err);
}

static int
verify_again(struct work *w, const struct gold_operation_set *set, struct gold_error **err)
{
    struct gold_scene *sc = &w->scene;
    if (unmount(w, err) < 0 || gold_guest_mount(w->session, sc->root, true, err) < 0)
        return -1;
    sc->writable = false;
    if (run_verifies(sc, set, "verify", err) < 0 || run_checks(sc, GOLD_CHECK_MOUNTED, err) < 0)
        return -1;
    return unmount(w, err);
}

static int
seal(struct work *w, struct gold_error **err)
{
    struct gold_operation_set set = {0};
    if (w->job->operations)
        set = *w->job->operations;
    else if (gold_operation_set_parse(NULL, &set, err) < 0)
        return -1;
    struct gold_scene *sc = &w->scene;
    sc->src = &w->out->after;
    if (gold_guest_mount(w->session, sc->root, false, err) < 0)
        return -1;
    sc->writable = true;
    if (run_operations(sc, &set, err) < 0 || gold_scene_label(sc, err) < 0)
        return -1;
    gold_stop_point("seal.changed");
    if (verify_again(w, &set, err) < 0)
        return -1;
    gold_stop_point("seal.verified");
    return w->job->trim || w->job->zero_free ? clear_free_space(w, err) : 0;
}

/* What is true of the image as it is: read-only. */
static int
look(struct work *w, struct gold_error **err)
{
    struct gold_scene *sc = &w->scene;
    sc->src = &w->out->before;
    if (w->job->check && run_checks(sc, GOLD_CHECK_DEVICES, err) < 0)
        return -1;
    if (!sc->root)
        return 0;
    if (w->job->seal && refuse(sc->guest, sc->root, err) < 0)
        return -1;
    if (gold_guest_mount(w->session, sc->root, true, err) < 0)
        return -1;
    sc->entry = "inspect";
    if (strcmp(sc->root->os, "linux") == 0 &&
        gold_guest_identity_hashed(sc, &w->out->identity, err) < 0)
        return -1;
    if (w->job->check && run_checks(sc, GOLD_CHECK_MOUNTED, err) < 0)
        return -1;
    if (w->job->check && strcmp(sc->root->os, "linux") == 0 &&
        run_verifies(sc, NULL, "check", err) < 0)
        return -1;
    return unmount(w, err);
}

static int
choose_root(struct work *w, struct gold_error **err)
{
    struct gold_scene *sc = &w->scene;
    /* Without a wish, check reports that there is none, or that there are several, as findings.
     */
    if (!w->job->seal && !w->job->root && sc->guest->n_roots != 1)
        return 0;
    sc->root = gold_guest_choose_root(sc->guest, w->job->root, err);
    return sc->root ? 0 : -1;
}

static int
work(struct work *w, const struct gold_guest *guest, struct gold_error **err)
{
    w->scene = (struct gold_scene){.ctx = w->ctx,
                                   .session = w->session,
                                   .g = gold_session_handle(w->session),
                                   .guest = guest,
                                   .machine_id = w->job->machine_id,
                                   .entry = "inspect"};
    int r = gold_guest_facts(guest, &w->out->before.facts, err);
    if (r == 0)
        r = choose_root(w, err);
    if (r == 0)
        r = look(w, err);
    if (r == 0) {
        gold_stop_point("seal.checked");
        r = w->job->seal ? seal(w, err) : 0;
    }
    gold_scene_done(&w->scene);
    return r;
}

int
gold_guest_work(struct gold_context *ctx, const struct gold_guest_job *job,
                struct gold_guest_outcome *ret, struct gold_error **err)
{
    struct gold_guest_outcome out = {0};
    GOLD_CLEANUP_SESSION struct gold_session *session =
        gold_session_open(ctx, job->disks, job->n_disks, err);
    if (!session)
        return -1;
    gold_stop_point("seal.launched");
    GOLD_CLEANUP_GUEST struct gold_guest *guest = gold_guest_inspect(session, err);
    if (!guest)
        return -1;
    struct work w = {.ctx = ctx, .job = job, .out = &out, .session = session};
    if (work(&w, guest, err) < 0 || gold_session_close(gold_steal_ptr(&session), err) < 0) {
        gold_guest_outcome_done(&out);
        return -1;
    }
    gold_stop_point("seal.closed");
    *ret = out;
    return 0;
}

static int
identity_facts(struct gold_scene *sc, struct gold_facts *ret, struct gold_error **err)
{
    struct gold_facts raw = {0};
    int r = gold_guest_identity(sc, &raw, err);
    for (size_t i = 0; r == 0 && i < raw.n; i++) {
        GOLD_CLEANUP_FREE char *name = gold_format(err, "identity.%s", raw.items[i].name);
        r = name ? gold_facts_add(ret, name, raw.items[i].value, err) : -1;
    }
    gold_facts_done(&raw);
    return r;
}

int
gold_guest_look(struct gold_context *ctx, const struct gold_session_disk *disks, size_t n_disks,
                const char *root, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_SESSION struct gold_session *session =
        gold_session_open(ctx, disks, n_disks, err);
    if (!session)
        return -1;
    GOLD_CLEANUP_GUEST struct gold_guest *guest = gold_guest_inspect(session, err);
    if (!guest || gold_guest_facts(guest, &src->facts, err) < 0)
        return -1;
    const struct gold_root *chosen = NULL;
    if ((root || guest->n_roots == 1) && !(chosen = gold_guest_choose_root(guest, root, err)))
        return -1;
    if (chosen && strcmp(chosen->os, "linux") == 0) {
        struct gold_scene sc = {.ctx = ctx,
                                .session = session,
                                .g = gold_session_handle(session),
                                .guest = guest,
                                .root = chosen,
                                .entry = "inspect",
                                .src = src};
        if (gold_guest_mount(session, chosen, true, err) < 0 ||
            identity_facts(&sc, &src->facts, err) < 0)
            return -1;
    }
    return gold_session_close(gold_steal_ptr(&session), err);
}
