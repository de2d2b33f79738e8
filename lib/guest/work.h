/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the workflow asks of the guest room: one appliance launch does inspect, check, seal, verify and trim. */
#ifndef GOLD_GUEST_WORK_H
#define GOLD_GUEST_WORK_H

#include "guest/operation.h"

struct gold_guest_job {
    const struct gold_session_disk *disks;
    size_t n_disks;
    const char *root;                       /* selector or NULL */
    bool check;                             /* report findings as the image is now */
    bool seal;                              /* run the operations, then verify; disks must be writable overlays */
    const struct gold_operation_set *operations; /* of seal; check verifies all of them */
    enum gold_machine_id machine_id;
    bool trim;      /* at the end of seal, where it works */
    bool zero_free; /* instead */
};

struct gold_guest_outcome {
    struct gold_source_result before; /* check: findings; inspection facts */
    struct gold_source_result after;  /* seal: effects, steps, findings that remain */
    struct gold_facts identity;       /* before sealing, SHA-256 hex of the values in identity.h: "machine-id", "dbus-machine-id", "ssh-host-key" */
};

/* -1 only when the work could not be done; findings are results. Hibernated or dirty file systems, no root, several roots:
   an error for seal before anything is written, findings for check. An operation that fails is an error. */
GOLD_MUST_CHECK int gold_guest_work(struct gold_context *ctx, const struct gold_guest_job *job, struct gold_guest_outcome *ret,
                                    struct gold_error **err);
void gold_guest_outcome_done(struct gold_guest_outcome *o);

/* Inspection only. Facts and file systems into src->facts. */
GOLD_MUST_CHECK int gold_guest_look(struct gold_context *ctx, const struct gold_session_disk *disks, size_t n_disks, const char *root,
                                    struct gold_source_result *src, struct gold_error **err);

/* A file to put into an overlay for validation. */
struct gold_injection {
    const char *path;
    const char *bytes;
    size_t len;
    unsigned mode;
    const char *link; /* instead of bytes: a symlink to this */
};
/* Chooses by the guest's init and writes the starter for the payload disk; *ret_init says which init it found. Also reads
   the template's identity as inspection sees it (raw values, not hashes) into *ret_identity. */
GOLD_MUST_CHECK int gold_guest_inject_starter(struct gold_context *ctx, const struct gold_session_disk *disks, size_t n_disks,
                                              const char *root, enum gold_init *ret_init, struct gold_facts *ret_identity,
                                              struct gold_error **err);

#endif
