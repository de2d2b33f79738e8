/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that the kernel gives to disks in the order in which it finds them ("/dev/sda1"), and
 * what they mean in this image: which file system stands behind such a name, and how to name it
 * so that it is found on any bus.
 */
#ifndef GOLD_GUEST_DEVNAME_H
#define GOLD_GUEST_DEVNAME_H

#include "core/str.h"
#include "guest/inspect.h"
#include "guest/text.h"

struct gold_devname {
    char disk[24];  /* "sda", "nvme0n1" */
    unsigned index; /* its place in the order of its kind */
    unsigned part;  /* 0: the whole disk */
    bool leftover;  /* a loop device of the host that built the image */
};

/* Is the text exactly such a name? Optical drives, floppies, md, device mapper and LVM names
 * are not. */
bool gold_devname_parse(const char *s, size_t len, struct gold_devname *ret);

/* What the place where the name stands says about its file system. */
enum gold_devuse {
    GOLD_DEVUSE_FS,   /* `type` as fstab says it, "auto" or NULL when not known */
    GOLD_DEVUSE_ROOT, /* the root file system */
    GOLD_DEVUSE_SWAP,
    GOLD_DEVUSE_LUKS,
    GOLD_DEVUSE_PLAIN /* encrypted anew at each boot: it has no UUID that lasts */
};

struct gold_devmap_pin {
    char guest[24], appliance[24];
};
struct gold_devmap {
    const struct gold_guest *guest;
    const struct gold_root *root;
    unsigned disks; /* of the appliance */
    struct gold_devmap_pin *pins;
    size_t n_pins;
    bool *claimed; /* per file system: fstab names it by UUID or label already */
};

/* fstab may be NULL. The guest and the root must outlive the map. */
GOLD_MUST_CHECK int gold_devmap_init(struct gold_devmap *map, const struct gold_guest *guest,
                                     const struct gold_root *root, const char *fstab,
                                     size_t fstab_len, struct gold_error **err);
/* Tells that the guest calls its root file system by this name. */
GOLD_MUST_CHECK int gold_devmap_pin_root(struct gold_devmap *map,
                                         const struct gold_devname *name,
                                         struct gold_error **err);
void gold_devmap_done(struct gold_devmap *map);
#define GOLD_CLEANUP_DEVMAP GOLD_CLEANUP(gold_devmap_done)

/* "UUID=…" or "PARTUUID=…" (free()), or NULL with *ret_why when it cannot be told for sure.
   type may be NULL. partuuid_only: where no initramfs looks for UUIDs. -1 only when out of
   memory. */
GOLD_MUST_CHECK int gold_devmap_resolve(const struct gold_devmap *map,
                                        const struct gold_devname *name, enum gold_devuse use,
                                        const char *type, bool partuuid_only, char **ret,
                                        const char **ret_why, struct gold_error **err);

#endif
