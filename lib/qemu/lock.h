/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks on image files: QEMU's own scheme of byte locks, spoken so that QEMU and we respect
 * each other, and one byte of ours that tells two runs of goldsmith apart. All are open file
 * description locks: they go away with the descriptor, however the process ends. A file system
 * without locks is taken as "not in use", as QEMU does.
 */
#ifndef GOLD_QEMU_LOCK_H
#define GOLD_QEMU_LOCK_H

#include "core/cleanup.h"
#include "core/context.h"

#define GOLD_LOCK_RETRY_MS \
    50 /* between two tries to get a lock that somebody is about to leave */

enum gold_lock_use {
    GOLD_LOCK_READ, /* others may read as well */
    GOLD_LOCK_WRITE /* nobody else may have it, not even as a backing file; fd must be open for
                       writing */
};

/* BUSY when somebody else's use of the file is not compatible with `use`. Takes nothing. */
GOLD_MUST_CHECK int gold_lock_probe(int fd, const char *path, enum gold_lock_use use,
                                    struct gold_error **err);
/* Probes, and holds on: as a QEMU that reads the file (which keeps others from writing it), and
   with our own byte. The lock lasts until fd is closed. */
GOLD_MUST_CHECK int gold_lock_hold(int fd, const char *path, enum gold_lock_use use,
                                   struct gold_error **err);
/* Lets QEMU programs write again, while our own byte still keeps other goldsmiths away. */
void gold_lock_release_to_qemu(int fd);
/* Only our own byte, exclusively; tries for up to wait_ms until nobody else uses the file in
 * any way. BUSY. */
GOLD_MUST_CHECK int gold_lock_take_over(int fd, const char *path, unsigned wait_ms,
                                        struct gold_error **err);

#endif
