/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSH host keys of a guest: which there are, and what would make new ones on a clone. */
#ifndef GOLD_GUEST_SSH_KEYS_H
#define GOLD_GUEST_SSH_KEYS_H

#include "core/str.h"
#include "guest/scene.h"

struct gold_ssh_keys {
    bool sshd, dropbear;     /* installed; dropbear: and started by the guest */
    const char *keygen;      /* path of ssh-keygen, or NULL */
    const char *dropbearkey; /* likewise */
    struct gold_strv secret; /* private keys that are there */
    struct gold_strv public; /* what belongs to them: public keys, certificates */
    struct gold_strv
        custom;           /* HostKey paths that `ssh-keygen -A` does not know, there or not */
    struct gold_strv odd; /* those among them whose path we do not put into a script */
    struct gold_strv embedded; /* keys that an initramfs was built with */
};
GOLD_MUST_CHECK int gold_ssh_keys_find(struct gold_scene *sc, struct gold_ssh_keys *ret,
                                       struct gold_error **err);
void gold_ssh_keys_done(struct gold_ssh_keys *k);
#define GOLD_CLEANUP_SSH_KEYS GOLD_CLEANUP(gold_ssh_keys_done)

/* Appends the paths of HostKey lines of one sshd_config. */
GOLD_MUST_CHECK int gold_ssh_config_host_keys(const char *text, size_t len,
                                              struct gold_strv *ret, struct gold_error **err);
/* Does `ssh-keygen -A` make a key of this path? */
bool gold_ssh_is_standard(const char *path);

enum gold_ssh_regen_how {
    GOLD_SSH_REGEN_NONE,
    GOLD_SSH_REGEN_FIRST_BOOT, /* only on what systemd calls a first boot, which an empty
                                  machine-id is not */
    GOLD_SSH_REGEN_GUEST,      /* something of the guest's own */
    GOLD_SSH_REGEN_OURS
};
struct gold_ssh_regen {
    enum gold_ssh_regen_how how; /* for the standard keys */
    char *evidence;              /* path of what does it, or NULL */
    bool custom, dropbear;       /* are those covered? True when there are none. */
};
GOLD_MUST_CHECK int gold_ssh_regen_find(struct gold_scene *sc, const struct gold_ssh_keys *keys,
                                        struct gold_ssh_regen *ret, struct gold_error **err);
void gold_ssh_regen_done(struct gold_ssh_regen *r);
#define GOLD_CLEANUP_SSH_REGEN GOLD_CLEANUP(gold_ssh_regen_done)
/* Is every key that the guest's servers need made anew? first_boot: will the clone's start be
 * one? */
bool gold_ssh_regen_complete(const struct gold_ssh_keys *keys, const struct gold_ssh_regen *r,
                             bool first_boot);

/* Our own generator, for guests that have none. */
#define GOLD_SSH_STARTER_UNIT   "/etc/systemd/system/goldsmith-ssh-keygen.service"
#define GOLD_SSH_STARTER_SCRIPT "/etc/init.d/goldsmith-ssh-keygen"
/* Can it be put into this guest? */
bool gold_ssh_starter_possible(const struct gold_scene *sc, const struct gold_ssh_keys *keys);
GOLD_MUST_CHECK int gold_ssh_starter_install(struct gold_scene *sc,
                                             const struct gold_ssh_keys *keys,
                                             struct gold_error **err);

#endif
