/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guard: a small program in a session of its own that holds one end of a pipe. When our end closes, for
 * whatever reason, SIGKILL included, it ends by pidfd exactly the processes and removes exactly the files that
 * were registered with it, and exits. A process is identified by pid and start time. A registered tree also
 * names its processes: whatever runs with a command line that holds the tree's (random) path is ended with it,
 * so that a QEMU between its fork and its registration is not missed.
 */
#ifndef GOLD_CORE_GUARD_H
#define GOLD_CORE_GUARD_H

#include <sys/types.h>

#include "core/context.h"

/* Each starts the guard on first need. Paths must be absolute. */
GOLD_MUST_CHECK int gold_guard_add_process(struct gold_context *ctx, pid_t pid, struct gold_error **err);
GOLD_MUST_CHECK int gold_guard_add_file(struct gold_context *ctx, const char *path, struct gold_error **err);
GOLD_MUST_CHECK int gold_guard_add_tree(struct gold_context *ctx, const char *path, struct gold_error **err);
/* Takes a registration back; the thing is gone or is now meant to stay. Never fails: a dead guard is logged. */
void gold_guard_drop_process(struct gold_context *ctx, pid_t pid);
void gold_guard_drop_path(struct gold_context *ctx, const char *path);
/* Lets it clean what is still registered and waits for its end. Called by gold_context_free(). */
void gold_guard_stop(struct gold_context *ctx);

#endif
