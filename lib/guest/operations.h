/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entries of the table, one for each file in operations/. */
#ifndef GOLD_GUEST_OPERATIONS_H
#define GOLD_GUEST_OPERATIONS_H

#include "guest/operation.h"

extern const struct gold_operation gold_operation_dbus_machine_id;
extern const struct gold_operation gold_operation_dhcp_leases;
extern const struct gold_operation gold_operation_journal;
extern const struct gold_operation gold_operation_kernel_device_names;
extern const struct gold_operation gold_operation_logs;
extern const struct gold_operation gold_operation_machine_id;
extern const struct gold_operation gold_operation_machine_id_cmdline;
extern const struct gold_operation gold_operation_random_seed;
extern const struct gold_operation gold_operation_ssh_host_keys;

#endif
