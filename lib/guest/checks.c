/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of checks, in the order in which they run and report. */
#include "guest/checks.h"

#include <string.h>

#include "core/str.h"

const struct gold_check_entry *const gold_checks[] = {
    &gold_check_no_root,           &gold_check_several_roots,
    &gold_check_hibernation_image, &gold_check_fs_dirty,
    &gold_check_unknown_distro,    &gold_check_dead_references,
    &gold_check_free_space,        NULL,
};

bool
gold_root_uses(const struct gold_root *root, const struct gold_filesystem *fs)
{
    if (!root)
        return true;
    size_t len = strlen(fs->block);
    for (size_t i = 0; i < root->n_mounts; i++) {
        const char *device = root->mounts[i].device;
        if (gold_str_has_prefix(device, "btrfsvol:"))
            device += strlen("btrfsvol:");
        if (strncmp(device, fs->block, len) == 0 && (device[len] == '\0' || device[len] == '/'))
            return true;
    }
    return false;
}
