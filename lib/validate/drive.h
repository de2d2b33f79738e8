/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Driving boots: listens to the consoles and channels of some machines at once, feeds their
 * state machines, and returns when all have ended. Everything is drained at all times: a guest
 * must never block on us, nor fill our memory or disk.
 */
#ifndef GOLD_VALIDATE_DRIVE_H
#define GOLD_VALIDATE_DRIVE_H

#include "hypervisor/machine.h"
#include "validate/boot.h"
#include "validate/console.h"
#include "validate/protocol.h"
#include "validate/referee.h"

struct gold_drive {
    const char *name; /* "clone-1"; borrowed */
    const char *pcap; /* file whose growth is watched; may be NULL; borrowed */
    struct gold_machine *machine;
    struct gold_console console;
    struct gold_protocol protocol;
    struct gold_boot boot;
    struct gold_referee *referees; /* borrowed */
    size_t n_referees;
    double cpu;  /* seconds seen last */
    double load; /* highest load average of the host while payloads ran */
    bool console_open, channel_open;
    int64_t ended; /* when, ms of the monotonic clock */
};

/* machine is taken; it must be paused. Call it first, then gold_drive_done() in any case. */
void gold_drive_start(struct gold_drive *d, const char *name, struct gold_machine *machine,
                      const char *nonce, const struct gold_boot_rules *rules);
void gold_drive_done(struct gold_drive *d);
/* Resumes the machines and sees their boots to their ends; the machines are off afterwards.
   dir: where files grow, whose file system must not fill up. -1: cancelled, or the host failed.
 */
GOLD_MUST_CHECK int gold_drive_all(struct gold_context *ctx, struct gold_drive *const *drives,
                                   size_t n, const char *dir, struct gold_error **err);
int64_t gold_now_ms(void);

#endif
