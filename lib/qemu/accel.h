/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which accelerator works here. /dev/kvm may exist and still not work (nested set-ups). */
#ifndef GOLD_QEMU_ACCEL_H
#define GOLD_QEMU_ACCEL_H

#include "core/context.h"

/* KVM or TCG. AUTO is decided by a short calibration boot, cached in the user's cache per host boot and QEMU; the
   fall-back to TCG is one info line. A wish for KVM that cannot be met is an error. */
GOLD_MUST_CHECK int gold_accel_decide(struct gold_context *ctx, enum gold_accel *ret, struct gold_error **err);
const char *gold_accel_name(enum gold_accel accel); /* "kvm", "tcg" */
/* Path of qemu-system for this machine's architecture. *ret: free(). */
GOLD_MUST_CHECK int gold_qemu_binary(char **ret, struct gold_error **err);

#endif
