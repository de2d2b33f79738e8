/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libvirt domain XML: reading into the model, edits as patch sets, and the XML of a throw-away
 * clone. */
#ifndef GOLD_FORMATS_DOMAIN_H
#define GOLD_FORMATS_DOMAIN_H

#include <goldsmith/list.h>

#include "core/result.h"
#include "formats/definition.h"
#include "formats/patch.h"

/* Reads a file (at most GOLD_LIMIT_DEFINITION). FORMAT with file:line when it is not
   well-formed, has a DOCTYPE, nests too deeply, or its root is not <domain>. */
struct gold_definition *gold_domain_read(const char *path, struct gold_error **err);
/* The same from memory; `name` for messages. */
struct gold_definition *gold_domain_parse(const char *name, const char *text, size_t len,
                                          struct gold_error **err);
/* Does this look like XML at all (first non-blank byte, BOM, UTF-16)? For telling definitions
 * from images. */
bool gold_domain_probe(const char *head, size_t len);

/* Findings of research-backed rules: misspelt, duplicated, unit-carrying, non-numeric children
   of <iotune>, conflicts, limits on pass-through disks (ids iotune-…). Adds to src. */
GOLD_MUST_CHECK int gold_domain_check(const struct gold_definition *def,
                                      struct gold_source_result *src, struct gold_error **err);

/* The check as an entry of the list of checks, with all ids that it may report. */
extern const struct gold_listing gold_domain_check_listing;

/* Makes the iotune of one disk what `t` says (all 20; empty: the element goes). Checks `t`
   first, and refuses disks that QEMU does not throttle (lun, vhostuser), and groups whose
   members would differ. Appends to `patch`; an iotune that is as wanted already adds nothing.
 */
GOLD_MUST_CHECK int gold_domain_set_iotune(const struct gold_definition *def,
                                           const struct gold_disk *disk,
                                           const struct gold_iotune *t,
                                           struct gold_patch *patch, struct gold_error **err);

/* The same for several disks at once (each at most once): what counts for groups is how all of
 * them are afterwards. */
struct gold_iotune_wish {
    const struct gold_disk *disk;
    const struct gold_iotune *iotune;
};
GOLD_MUST_CHECK int gold_domain_set_iotunes(const struct gold_definition *def,
                                            const struct gold_iotune_wish *wishes, size_t n,
                                            struct gold_patch *patch, struct gold_error **err);

/* Identity reset of a template's definition: uuid, and with it the system uuid in <sysinfo>,
   and each NIC's MAC get new random values (locally administered bit and vendor prefix 52:54:00
   kept), only where present. One effect per change, operation "definition-identity". */
GOLD_MUST_CHECK int gold_domain_reset_identity(const struct gold_definition *def,
                                               struct gold_patch *patch,
                                               struct gold_source_result *src,
                                               struct gold_error **err);
/* Changes the source path of a disk. */
GOLD_MUST_CHECK int gold_domain_set_source(const struct gold_definition *def,
                                           const struct gold_disk *disk, const char *path,
                                           struct gold_patch *patch, struct gold_error **err);

/* A disk of a throw-away clone: what stands behind the definition's disk of that target, or an
 * extra disk. */
struct gold_clone_disk {
    const char *
        target; /* of the definition's disk; for an extra disk the wish, e.g. NULL: next free */
    const char *path;
    const char *format; /* "qcow2", "raw" */
    const char *serial; /* extra disks; NULL: leave */
    bool extra, readonly;
    const char *bus;                  /* extra disks; NULL: virtio */
    /* Extra disks: target of the definition's disk whose <iotune> this one gets, word for word, so that it is libvirt that
       decides what it means; only the group's name is left out, because members share one limit. NULL: none. */
    const char *limits_of;
};

struct gold_clone_spec {
    const char *name, *uuid, *mac;
    const char *accel;        /* "kvm" or "tcg" */
    const char *console_path; /* unix socket, bind */
    const char *channel_path; /* unix socket, bind; virtio-serial port org.goldsmith.0 */
    const char *pcap_path;    /* filter-dump of the NIC */
    bool no_direct;       /* the overlays lie where O_DIRECT does not work (tmpfs): cache modes that need it become writeback.
                             A limit holds in every cache mode: the throttle counts the guest's requests above the cache. */
    const char *emulator;     /* NULL: libvirt's choice */
    const struct gold_clone_disk *disks;
    size_t n_disks;
};

/* XML of a transient domain for one clone: memory, vCPUs, machine, firmware, features,
   controllers and disks (bus, target, cache, iotune, boot order) as in the definition, sources
   exchanged; own name, UUID, MAC; the definition's networks, hostdevs, channels, consoles,
   graphics, TPM state paths left out; one NIC of the definition's model on an isolated user
   network. def NULL: the plain default definition (virtio, q35, 2 vCPUs, 1 GiB). *ret: free().
 */
GOLD_MUST_CHECK int gold_domain_clone_xml(const struct gold_definition *def,
                                          const struct gold_clone_spec *spec, char **ret,
                                          struct gold_error **err);

#endif
