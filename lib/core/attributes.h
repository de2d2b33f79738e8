/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a replaced file hands to its successor; for replace.c and whatever else puts one file in place of another. */
#ifndef GOLD_CORE_ATTRIBUTES_H
#define GOLD_CORE_ATTRIBUTES_H

#include <sys/stat.h>

#include "core/error.h"

/* Gives new_fd the owner, mode and extended attributes (ACLs and labels included) of old_fd. `name` for
   messages. Fails when one of them cannot be kept. */
GOLD_MUST_CHECK int gold_copy_attributes(int old_fd, int new_fd, const char *name, struct gold_error **err);

#endif
