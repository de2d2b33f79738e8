/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic replacement of a file: at every instant the path holds the old or the new bytes. Temp file beside
 * the target (0600, random name, O_EXCL), write, owner, mode and xattrs of the old file, fsync, close
 * checked, rename, fsync of the directory. Symlinks are resolved first and the real file is replaced; a target
 * with several hard links is refused.
 */
#ifndef GOLD_CORE_REPLACE_H
#define GOLD_CORE_REPLACE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "core/cleanup.h"

struct gold_replace;

enum gold_replace_flags {
    GOLD_REPLACE_MUST_EXIST = 1, /* edit: the target must be there */
    GOLD_REPLACE_NO_CLOBBER = 2  /* create: the target must not be there (RENAME_NOREPLACE) */
};

/* mode: of a new file; a replaced one keeps its own. NULL on failure. */
struct gold_replace *gold_replace_begin(const char *path, unsigned flags, mode_t mode, struct gold_error **err);
/* To write to; stays owned by r. */
int gold_replace_fd(const struct gold_replace *r);
/* The file that was there at begin; NULL when there was none. */
const struct stat *gold_replace_old(const struct gold_replace *r);
GOLD_MUST_CHECK int gold_replace_write(struct gold_replace *r, const void *bytes, size_t len, struct gold_error **err);
/* Refuses (CHANGED) when the target is no longer the file that was there at begin. After success or failure
   only gold_replace_free() may follow. */
GOLD_MUST_CHECK int gold_replace_commit(struct gold_replace *r, struct gold_error **err);
/* Without a successful commit: removes the temp file. Accepts NULL. */
void gold_replace_free(struct gold_replace *r);
GOLD_DEFINE_CLEANUP(struct gold_replace *, gold_replace_free);
#define GOLD_CLEANUP_REPLACE GOLD_CLEANUP(gold_replace_free_p)

/* All of it at once. */
GOLD_MUST_CHECK int gold_replace_file(const char *path, const void *bytes, size_t len, unsigned flags, mode_t mode,
                                      struct gold_error **err);

#endif
