/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The model: what goldsmith needs to know of a VM definition, whatever its format. Read-only
 * facts; an edit goes through the format's own functions and yields a patch set over `text`.
 */
#ifndef GOLD_FORMATS_DEFINITION_H
#define GOLD_FORMATS_DEFINITION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/cleanup.h"
#include "formats/iotune.h"

enum gold_definition_kind { GOLD_DEFINITION_LIBVIRT };

struct gold_disk {
    char *target; /* "vda" */
    char *bus;    /* "virtio", "scsi", "sata", "ide", ...; NULL: not said */
    char *device; /* "disk", "cdrom", "floppy", "lun" */
    char *type;   /* "file", "block", "network", "volume", ... */
    char *source; /* path for file and block, as written; NULL: none */
    char *format; /* driver type; NULL: not said (libvirt then means raw) */
    char *cache;  /* driver cache; NULL: not said */
    char *serial;
    unsigned boot_order; /* 0: none */
    bool readonly, shareable;
    unsigned line; /* where its element starts, from 1 */
    struct gold_iotune iotune;
};

struct gold_nic {
    char *mac; /* lower case; NULL: none written */
    char *model;
    char *type;   /* "network", "bridge", "user", ... */
    char *source; /* name of the network, bridge, ...; may be NULL */
    unsigned line;
};

struct gold_definition {
    enum gold_definition_kind kind;
    char *path; /* for messages */
    char *text; /* the original bytes, NUL-terminated */
    size_t text_len;
    char *name, *uuid;
    char *domain_type; /* "kvm", "qemu", ... */
    char *arch, *machine;
    char *firmware;  /* "efi", "bios" or NULL */
    uint64_t memory; /* bytes; 0: not said */
    unsigned vcpus;  /* 0: not said */
    struct gold_disk *disks;
    size_t n_disks;
    struct gold_nic *nics;
    size_t n_nics;
};

void gold_definition_free(struct gold_definition *def);
GOLD_DEFINE_CLEANUP(struct gold_definition *, gold_definition_free);
#define GOLD_CLEANUP_DEFINITION GOLD_CLEANUP(gold_definition_free_p)

/* By target or by source path or its file name; NULL when there is none or several (then *err
 * says which). */
const struct gold_disk *gold_definition_find_disk(const struct gold_definition *def,
                                                  const char *selector,
                                                  struct gold_error **err);
/* The disk that the firmware tries first: lowest boot order, else the first non-removable disk.
 * May be NULL. */
const struct gold_disk *gold_definition_boot_disk(const struct gold_definition *def);

#endif
