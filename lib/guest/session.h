/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A session: one appliance with the disks of one VM. libguestfs without environment variables, in a process group of its
 * own, with a temporary directory in the run directory and a cache directory of the user's, under the guard.
 */
#ifndef GOLD_GUEST_SESSION_H
#define GOLD_GUEST_SESSION_H

#include <guestfs.h>

#include "core/cleanup.h"
#include "core/context.h"
#include "core/vec.h"

struct gold_session;

struct gold_session_disk {
    const char *path;   /* image or overlay */
    const char *format; /* never NULL: "qcow2", "raw", ... */
    bool readonly; /* an overlay of the session's own takes what the appliance writes */
};

/* Launches. Progress phase "launch". */
struct gold_session *gold_session_open(struct gold_context *ctx, const struct gold_session_disk *disks, size_t n,
                                       struct gold_error **err);
guestfs_h *gold_session_handle(struct gold_session *s);
struct gold_context *gold_session_context(struct gold_session *s);
/* Syncs, unmounts, shuts down and frees; reports write-back errors. After it the pointer is dead either way. */
GOLD_MUST_CHECK int gold_session_close(struct gold_session *s, struct gold_error **err);
/* Ends it without caring for what was not written. Accepts NULL. */
void gold_session_free(struct gold_session *s);
GOLD_DEFINE_CLEANUP(struct gold_session *, gold_session_free);
#define GOLD_CLEANUP_SESSION GOLD_CLEANUP(gold_session_free_p)

/* Turns libguestfs' last error into ours: "<text>: <libguestfs' text>", CANCELLED when the user interrupted. */
void gold_error_set_guestfs(struct gold_error **err, struct gold_session *s, const char *fmt, ...) GOLD_PRINTF(3, 4);

#endif
