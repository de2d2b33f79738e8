/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Release at the end of scope for what libguestfs hands out. */
#ifndef GOLD_GUEST_HANDLE_H
#define GOLD_GUEST_HANDLE_H

#include <guestfs.h>

#include "core/cleanup.h"

static inline void
gold_guestfs_strings_free(char **strings)
{
    for (size_t i = 0; strings[i]; i++)
        free(strings[i]);
    free(strings);
}
GOLD_DEFINE_CLEANUP(char **, gold_guestfs_strings_free);
GOLD_DEFINE_CLEANUP(struct guestfs_statns *, guestfs_free_statns);

#define GOLD_CLEANUP_GUESTFS_STRINGS GOLD_CLEANUP(gold_guestfs_strings_free_p)
#define GOLD_CLEANUP_GUESTFS_STATNS  GOLD_CLEANUP(guestfs_free_statns_p)

#endif
