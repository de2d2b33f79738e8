/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes SSH host keys, and makes sure that each clone gets keys of its own: where nothing in
 * the guest makes them, a generator of ours is put in first. Where that cannot be done the keys
 * stay and are reported: a clone that nobody can log in to is no better than one whose key is
 * shared.
 */
#include <string.h>

#include "guest/operations.h"
#include "guest/firstboot.h"
#include "guest/ssh_keys.h"

struct look {
    struct gold_ssh_keys keys;
    struct gold_ssh_regen regen;
    bool complete; /* every key comes back, whatever machine-id does */
};

static void
look_done(struct look *l)
{
    gold_ssh_keys_done(&l->keys);
    gold_ssh_regen_done(&l->regen);
}
#define CLEANUP_LOOK GOLD_CLEANUP(look_done)

static int
look(struct gold_scene *sc, struct look *ret, struct gold_error **err)
{
    if (gold_ssh_keys_find(sc, &ret->keys, err) < 0 ||
        gold_ssh_regen_find(sc, &ret->keys, &ret->regen, err) < 0)
        return -1;
    ret->complete = gold_ssh_regen_complete(&ret->keys, &ret->regen, false);
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    CLEANUP_LOOK struct look l = {0};
    if (look(sc, &l, err) < 0)
        return -1;
    bool server = l.keys.sshd || l.keys.dropbear;
    if (l.keys.secret.n > 0 || l.keys.public.n > 0 || (server && !l.complete))
        return 1;
    *ret_reason = gold_strdup(server ? "no SSH host keys found, and the guest makes its own"
                                     : "no SSH server found",
                              err);
    return *ret_reason ? 0 : -1;
}

/* A key that is a symlink: what it points to is the secret. */
static int
remove_key(struct gold_scene *sc, const char *path, const char *detail, struct gold_error **err)
{
    int link = gold_scene_is_symlink(sc, path, err);
    int file = link > 0 ? gold_scene_is_file(sc, path, err) : 0;
    if (link < 0 || file < 0)
        return -1;
    if (file) {
        GOLD_CLEANUP_FREE char *real = guestfs_realpath(sc->g, path);
        if (real && gold_scene_remove(sc, real, detail, err) < 0)
            return -1;
    }
    return gold_scene_remove(sc, path, detail, err);
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    CLEANUP_LOOK struct look l = {0};
    if (look(sc, &l, err) < 0)
        return -1;
    if (!l.complete) {
        if (!gold_ssh_starter_possible(sc, &l.keys))
            return 0; /* verify reports it */
        if (gold_ssh_starter_install(sc, &l.keys, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < l.keys.secret.n; i++)
        if (remove_key(sc, l.keys.secret.items[i], "private key", err) < 0)
            return -1;
    for (size_t i = 0; i < l.keys.public.n; i++)
        if (remove_key(sc, l.keys.public.items[i], "public key", err) < 0)
            return -1;
    return 0;
}

static int
report_keys(struct gold_scene *sc, const struct look *l, struct gold_error **err)
{
    bool fixable = l->complete || gold_ssh_starter_possible(sc, &l->keys);
    for (size_t i = 0; i < l->keys.secret.n; i++)
        if (gold_scene_find(sc, "ssh-host-keys", GOLD_ERROR,
                            fixable ? GOLD_FIX_SAFE : GOLD_FIX_MANUAL, l->keys.secret.items[i],
                            0, NULL, err,
                            fixable ? "every clone would have the same SSH host key"
                                    : "every clone would have the same SSH host key; it stays "
                                      "because nothing in this guest "
                                      "would make a new one") < 0)
            return -1;
    for (size_t i = 0; i < l->keys.odd.n; i++) {
        int there = gold_scene_is_file(sc, l->keys.odd.items[i], err);
        if (there < 0 ||
            (there &&
             gold_scene_find(sc, "ssh-host-keys", GOLD_ERROR, GOLD_FIX_MANUAL,
                             l->keys.odd.items[i], 0, NULL, err,
                             "every clone would have the same SSH host key; its unusual path "
                             "must be changed first") < 0))
            return -1;
    }
    for (size_t i = 0; i < l->keys.embedded.n; i++)
        if (gold_scene_find(sc, "ssh-host-keys", GOLD_WARNING, GOLD_FIX_MANUAL,
                            l->keys.embedded.items[i], 0, NULL, err,
                            "every clone would have the same SSH host key in its initramfs, "
                            "which must be built anew to "
                            "change it") < 0)
            return -1;
    return 0;
}

static int
is_first_boot(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, "/etc/machine-id", &text, &len, err) < 0)
        return -1;
    return gold_machine_id_parse(text, len, NULL) == GOLD_MACHINE_ID_STATE_UNINITIALIZED &&
           sc->root->systemd_version >= GOLD_SYSTEMD_KNOWS_UNINITIALIZED;
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    CLEANUP_LOOK struct look l = {0};
    if (look(sc, &l, err) < 0 || report_keys(sc, &l, err) < 0)
        return -1;
    if (!(l.keys.sshd || l.keys.dropbear) || l.keys.secret.n > 0 || l.complete)
        return 0;
    int first_boot = is_first_boot(sc, err);
    if (first_boot < 0)
        return -1;
    if (gold_ssh_regen_complete(&l.keys, &l.regen, first_boot))
        return 0;
    bool fixable = gold_ssh_starter_possible(sc, &l.keys);
    const char *server = l.keys.sshd ? "sshd" : "dropbear";
    return gold_scene_find(
        sc, "ssh-hostkey-regen", GOLD_ERROR, fixable ? GOLD_FIX_SAFE : GOLD_FIX_MANUAL,
        l.regen.how == GOLD_SSH_REGEN_FIRST_BOOT ? l.regen.evidence : "/etc/ssh", 0, NULL, err,
        l.regen.how == GOLD_SSH_REGEN_FIRST_BOOT
            ? "%s of a clone has no host keys: they are made on a first boot only, which this "
              "is not"
            : "%s of a clone has no host keys, and nothing in this guest makes them",
        server);
}

static const char *const finding_ids[] = {"ssh-host-keys", "ssh-hostkey-regen", NULL};

const struct gold_operation gold_operation_ssh_host_keys = {
    .about = {.name = "ssh-host-keys",
              .heading = "Remove SSH host keys, and see to it that clones make new ones",
              .description = "Removes the host keys of OpenSSH, also where HostKey lines put "
                             "them, and of dropbear. Where no unit,\n"
                             "init script or sure cloud-init configuration of the guest makes "
                             "new ones, a small generator,\n"
                             "goldsmith-ssh-keygen, is put in and switched on.",
              .notes = "Where no generator can be put in, the keys stay and are reported. Keys "
                       "inside an initramfs are\n"
                       "reported."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
