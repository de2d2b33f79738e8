/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* qemu-img as a limited child: no shell, bounded memory and output, its words turned into an
 * error. */
#ifndef GOLD_QEMU_QEMU_IMG_H
#define GOLD_QEMU_QEMU_IMG_H

#include "core/context.h"

/* Runs `argv` (argv[0] "qemu-img"). ctx NULL: not to be interrupted. path: what the error
   names; action: "create an overlay of", ... An exit status other than 0 is an error: BUSY for
   a lock, IO else. timeout_ms 0: none. */
GOLD_MUST_CHECK int gold_qemu_img(struct gold_context *ctx, const char *const *argv,
                                  unsigned timeout_ms, const char *action, const char *path,
                                  struct gold_error **err);

#endif
