/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A throw-away machine: a transient domain that is started paused, so that nothing it says is
 * missed, and that never outlives this process: its QEMU is registered with the guard, for the
 * embedded driver refuses autodestroy.
 */
#ifndef GOLD_HYPERVISOR_MACHINE_H
#define GOLD_HYPERVISOR_MACHINE_H

#include "hypervisor/connection.h"

struct gold_machine;

struct gold_machine_spec {
    const char *name; /* of the domain in `xml` */
    const char *xml;
    const char *console_path; /* unix sockets that QEMU listens on */
    const char *channel_path;
    bool as_root; /* QEMU as root although the connection has a user for it (embedded only) */
};

/* Starts it paused and connects to console and channel. The hypervisor must outlive it. */
struct gold_machine *gold_machine_start(struct gold_context *ctx, struct gold_hypervisor *h,
                                        const struct gold_machine_spec *spec,
                                        struct gold_error **err);
GOLD_MUST_CHECK int gold_machine_resume(struct gold_machine *m, struct gold_error **err);
/* Ends it, now. Success when it has ended by itself. */
GOLD_MUST_CHECK int gold_machine_stop(struct gold_machine *m, struct gold_error **err);
/* Ends it when it still runs. Accepts NULL. */
void gold_machine_free(struct gold_machine *m);
GOLD_DEFINE_CLEANUP(struct gold_machine *, gold_machine_free);
#define GOLD_CLEANUP_MACHINE GOLD_CLEANUP(gold_machine_free_p)

/* Non-blocking; end of file on either means that QEMU has gone. They stay owned by m. */
int gold_machine_console(const struct gold_machine *m);
int gold_machine_channel(const struct gold_machine *m);
/* QEMU's process, 0 when it is not known (another machine's, or another user's). */
pid_t gold_machine_pid(const struct gold_machine *m);
/* Seconds of processor time that QEMU has used; negative when unknown. */
double gold_machine_cpu_seconds(const struct gold_machine *m);
/* For messages and for the monitor: borrowed. */
const char *gold_machine_name(const struct gold_machine *m);
virDomainPtr gold_machine_domain(struct gold_machine *m);

/* The domain's XML with a label that makes QEMU run as root, whatever the driver's default.
 * *ret: free(). */
GOLD_MUST_CHECK int gold_machine_label_root(const char *xml, char **ret,
                                            struct gold_error **err);

#endif
