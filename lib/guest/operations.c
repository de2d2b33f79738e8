/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * THE table of operations, in run order. What may recreate something runs before what removes
 * it; the machine-id comes last, because everything before it may still need one. Does not run
 * them.
 */
#include "guest/operations.h"

const struct gold_operation *const gold_operations[] = {
    &gold_operation_journal,
    &gold_operation_logs,
    &gold_operation_dhcp_leases,
    &gold_operation_kernel_device_names,
    &gold_operation_random_seed,
    &gold_operation_ssh_host_keys,
    &gold_operation_machine_id_cmdline,
    &gold_operation_dbus_machine_id,
    &gold_operation_machine_id,
    NULL,
};

_Static_assert(sizeof(gold_operations) / sizeof(gold_operations[0]) <= 65,
               "a set of operations has 64 bits");
