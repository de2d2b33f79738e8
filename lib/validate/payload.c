/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of payloads, in the order in which they run: what measures disks comes before what
 * only looks. */
#include "validate/payload.h"

#include "validate/payloads/payloads.h"

const struct gold_payload *const gold_payloads[] = {
    &gold_payload_iotune_limits,
    &gold_payload_clone_identity,
    NULL,
};

const struct gold_payload *
gold_payload_find(const char *name)
{
    for (size_t i = 0; gold_payloads[i]; i++) {
        if (gold_streq(gold_payloads[i]->about.name, name))
            return gold_payloads[i];
    }
    return NULL;
}
