/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the first bytes of a file system say, and which file system a text like "UUID=..." or
   "/dev/vda1" means. Bytes and texts in, facts out: nothing is asked of an appliance here. */
#ifndef GOLD_GUEST_FILESYSTEM_H
#define GOLD_GUEST_FILESYSTEM_H

#include "guest/inspect.h"

/* How much of a device's start the functions below want. */
#define GOLD_FILESYSTEM_HEAD 4096

/* Is it an ext file system that needs its journal replayed, or a check? */
bool gold_ext_is_dirty(const unsigned char *head, size_t len);
/* Does this page, the first one of a swap device or file, say that a suspended system is in it?
 */
bool gold_swap_is_suspended(const unsigned char *head, size_t len);
/* libguestfs' name of the architecture of an ELF file, NULL when it is none that is known. */
const char *gold_elf_architecture(const unsigned char *head, size_t len);

enum gold_device_match {
    GOLD_DEVICE_FOUND,
    GOLD_DEVICE_MISSING, /* UUID=, LABEL=, PARTUUID= of no file system here */
    GOLD_DEVICE_OTHER    /* not a reference that can be decided: pseudo file systems, odd names,
                            whole paths */
};
/* Which file system `spec`, as written in fstab, crypttab or on a kernel's command line, means.
 */
enum gold_device_match gold_guest_find_device(const struct gold_guest *g, const char *spec,
                                              const struct gold_filesystem **ret);

#endif
