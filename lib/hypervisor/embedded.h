/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The root directory of libvirt's embedded QEMU driver: its qemu.conf, the user that QEMU shall
 * run as, and the cache of what libvirt finds out about QEMU (3.4 s each time when it has to
 * ask again). It does not connect.
 */
#ifndef GOLD_HYPERVISOR_EMBEDDED_H
#define GOLD_HYPERVISOR_EMBEDDED_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/context.h"
#include "core/str.h"

struct gold_qemu_user {
    bool other; /* than we are; else QEMU runs as we do */
    uid_t uid;
    gid_t gid;
};

/* The unprivileged user for QEMU that the distribution made, when we are root and there is one.
 */
GOLD_MUST_CHECK int gold_qemu_user_find(struct gold_qemu_user *ret, struct gold_error **err);
/* The text of qemu.conf for it. */
GOLD_MUST_CHECK int gold_embedded_conf(const struct gold_qemu_user *user, struct gold_str *ret,
                                       struct gold_error **err);
/* Makes the root with its qemu.conf and fills the capability cache. again: a root of this
   process whose directories may be gone (libvirt makes them only once, and takes no second root
   in one process). */
GOLD_MUST_CHECK int gold_embedded_prepare(struct gold_context *ctx, const char *root,
                                          const struct gold_qemu_user *user, bool again,
                                          struct gold_error **err);
/* Copies what libvirt found out into the user's cache. A failure costs the next run some
 * seconds, so it is only logged. */
void gold_embedded_save_capabilities(struct gold_context *ctx, const char *root);

#endif
