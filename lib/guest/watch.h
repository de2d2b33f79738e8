/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The watcher of a session: a thread that ends the appliance's QEMU when the user interrupts or
 * when the host has no space left for its overlays, because calls into libguestfs block for as
 * long as QEMU lives (and QEMU stops the guest, for ever, when a write finds no space). It
 * touches nothing but the process.
 */
#ifndef GOLD_GUEST_WATCH_H
#define GOLD_GUEST_WATCH_H

#include <sys/types.h>

#include "core/cleanup.h"
#include "core/context.h"
#include "core/vec.h"

struct gold_watch;

/* mark: a text that is in the command line of this session's QEMU and of no other process, that
   is the path of its temporary directory. paths: where space is needed. Both are copied. */
struct gold_watch *gold_watch_start(struct gold_context *ctx, const char *mark,
                                    const struct gold_strv *paths, struct gold_error **err);
/* Did it end QEMU because a file system was full? Borrowed path, or NULL. */
const char *gold_watch_full(const struct gold_watch *w);
/* Joins the thread. Accepts NULL. */
void gold_watch_free(struct gold_watch *w);
GOLD_DEFINE_CLEANUP(struct gold_watch *, gold_watch_free);

/* The child of this process with `mark` in its command line and a daemon's socket, 0 when there
   is none; its command line (arguments separated by NUL, and one more NUL behind) goes to
   *ret_cmdline unless that is NULL. */
pid_t gold_watch_find_qemu(const char *mark, char **ret_cmdline, size_t *ret_len);

#endif
