/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A connection to libvirt: by default its in-process QEMU driver with a private root below the
 * run directory, so that no daemon is needed and nothing of the machine's own hypervisor is
 * touched; any other URI on request.
 *
 * libvirt ties things to the process: the event loop, the error function, where it logs, and
 * the root of the embedded driver. They are set here, once; this is the only file that keeps
 * state beside its arguments.
 */
#ifndef GOLD_HYPERVISOR_CONNECTION_H
#define GOLD_HYPERVISOR_CONNECTION_H

#include <libvirt/libvirt.h>
#include <sys/types.h>

#include "core/cleanup.h"
#include "core/context.h"

struct gold_hypervisor;

/* uri NULL: embedded. Starts the event loop's thread; it ends with the last connection. */
struct gold_hypervisor *gold_hypervisor_open(struct gold_context *ctx, const char *uri,
                                             struct gold_error **err);
/* Accepts NULL. Domains that still run are not ended here: see machine.h and the guard. */
void gold_hypervisor_free(struct gold_hypervisor *h);
GOLD_DEFINE_CLEANUP(struct gold_hypervisor *, gold_hypervisor_free);
#define GOLD_CLEANUP_HYPERVISOR GOLD_CLEANUP(gold_hypervisor_free_p)

virConnectPtr gold_hypervisor_connect_ptr(struct gold_hypervisor *h);
/* The root of the embedded driver; NULL when it is another connection. */
const char *gold_hypervisor_root(const struct gold_hypervisor *h);
/* The user that QEMU runs as by default, when that is another one than we are. */
bool gold_hypervisor_user(const struct gold_hypervisor *h, uid_t *ret_uid, gid_t *ret_gid);
/* A domain has started: what libvirt has learnt about QEMU is now worth keeping for the next
 * run. */
void gold_hypervisor_started(struct gold_hypervisor *h);

/* Sets HYPERVISOR "<text>: <libvirt's last error>", one line whatever libvirt says. */
void gold_error_set_libvirt(struct gold_error **err, const char *fmt, ...) GOLD_PRINTF(2, 3);

#endif
