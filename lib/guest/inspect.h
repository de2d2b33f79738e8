/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Narrow inspection: file systems, roots, and the few facts that operations and checks ask for. */
#ifndef GOLD_GUEST_INSPECT_H
#define GOLD_GUEST_INSPECT_H

#include "core/result.h"
#include "guest/session.h"

struct gold_filesystem {
    char *device;  /* as libguestfs names it: "/dev/sda1", "/dev/vg/root" */
    char *type;    /* "ext4", "xfs", "swap", "crypto_LUKS", "unknown", ... */
    char *uuid, *label, *partuuid; /* NULL: none */
    bool dirty;      /* needs a journal replay or a check before it may be written */
    bool hibernated; /* swap that holds a suspended system, or Windows hibernation */
    char *block;     /* the block device: other than `device` for a subvolume of btrfs ("btrfsvol:/dev/sda1/@") */
};

enum gold_init { GOLD_INIT_UNKNOWN, GOLD_INIT_SYSTEMD, GOLD_INIT_SYSV, GOLD_INIT_OPENRC, GOLD_INIT_BUSYBOX };

struct gold_mount {
    char *device, *where; /* in mount order */
    const char *readonly_options; /* static; with them no journal is replayed */
    bool optional;                /* nofail or noauto: the system starts without it */
};

struct gold_root {
    char *device;
    char *os;       /* "linux", "windows", "unknown" */
    char *distro;   /* ID of os-release, or NULL */
    char *version;  /* VERSION_ID, or NULL */
    char *name;     /* PRETTY_NAME, or NULL */
    char *id_like;
    char *arch;     /* "x86_64", ..., or NULL */
    enum gold_init init;
    unsigned systemd_version; /* 0: unknown or none */
    bool selinux;             /* enabled in the guest's configuration */
    struct gold_mount *mounts;
    size_t n_mounts;
};

struct gold_guest {
    struct gold_filesystem *filesystems;
    size_t n_filesystems;
    struct gold_root *roots;
    size_t n_roots;
};

/* Looks at partition tables, LVM and file systems, and reads (mounting read-only, without journal replay, one at a
   time) what tells a root. No root is not an error. */
struct gold_guest *gold_guest_inspect(struct gold_session *s, struct gold_error **err);
void gold_guest_free(struct gold_guest *g);
GOLD_DEFINE_CLEANUP(struct gold_guest *, gold_guest_free);
#define GOLD_CLEANUP_GUEST GOLD_CLEANUP(gold_guest_free_p)
/* The root to work on: `selector` (a device), or the only one. GUEST error: none, or several (lists them). */
const struct gold_root *gold_guest_choose_root(const struct gold_guest *g, const char *selector, struct gold_error **err);
/* Mounts the root and its file systems at /. */
GOLD_MUST_CHECK int gold_guest_mount(struct gold_session *s, const struct gold_root *root, bool readonly, struct gold_error **err);
const char *gold_init_name(enum gold_init init); /* "systemd", "sysv", "openrc", "busybox", "unknown" */
/* "os.distro", "filesystem.<device>", ... into src->facts for `inspect`. */
GOLD_MUST_CHECK int gold_guest_facts(const struct gold_guest *g, struct gold_facts *ret, struct gold_error **err);

#endif
