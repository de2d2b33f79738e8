/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks, each in its own file under checks/; the table is in checks.c. */
#ifndef GOLD_GUEST_CHECKS_H
#define GOLD_GUEST_CHECKS_H

#include "guest/check.h"

extern const struct gold_check_entry gold_check_dead_references;
extern const struct gold_check_entry gold_check_free_space;
extern const struct gold_check_entry gold_check_fs_dirty;
extern const struct gold_check_entry gold_check_hibernation_image;
extern const struct gold_check_entry gold_check_no_root;
extern const struct gold_check_entry gold_check_several_roots;
extern const struct gold_check_entry gold_check_unknown_distro;

/* Does this file system belong to the root (one of its mounts, or on the same device)? True for
 * all when root is NULL. */
bool gold_root_uses(const struct gold_root *root, const struct gold_filesystem *fs);

#endif
