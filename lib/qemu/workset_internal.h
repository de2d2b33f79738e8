/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a workset, and the steps of the two ways to commit that recovery runs again. */
#ifndef GOLD_QEMU_WORKSET_INTERNAL_H
#define GOLD_QEMU_WORKSET_INTERNAL_H

#include <sys/stat.h>

#include "qemu/workset.h"

/* Names beside an image NAME; all are hidden. */
#define GOLD_BASE_SUFFIX     ".base" /* .NAME.base: the original while the overlay has its name */
#define GOLD_JOURNAL_SUFFIX  ".journal" /* .NAME.journal: the record of an unfinished commit */
#define GOLD_WORK_INFIX      ".gold-"   /* .NAME.gold-*: overlays and temporary files */
#define GOLD_RECOVER_WAIT_MS 3000       /* for a qemu-img of the crashed run to be gone */

struct gold_workset_disk {
    char *path;    /* absolute, without symbolic links */
    char *overlay; /* NULL: not there (any more) */
    int fd, overlay_fd;
    struct stat st;
    struct gold_image_facts facts;
    bool guarded;
    uint64_t new_inode; /* not 0: `overlay` has become a finished file that takes the image's
                           place */
};

struct gold_workset {
    struct gold_context *ctx;
    struct gold_workset_disk *disks;
    size_t n;
    unsigned flags;
};

/* dir/.NAME<suffix> of an image's path. *ret: free(). */
GOLD_MUST_CHECK char *gold_beside(const char *image, const char *suffix,
                                  struct gold_error **err);
/* A new name dir/.NAME.gold-RANDOM<suffix>. */
GOLD_MUST_CHECK char *gold_work_name(const char *image, const char *suffix,
                                     struct gold_error **err);
/* Opens, fsyncs, closes. */
GOLD_MUST_CHECK int gold_fsync_path(const char *path, struct gold_error **err);
/* qemu-img commit of a qcow2 overlay into the file it stands on, which is named for messages.
   Never interrupted; the overlay stays as it is. */
GOLD_MUST_CHECK int gold_overlay_commit(const char *overlay, const char *image,
                                        struct gold_error **err);
/* qemu-img check -r MODE of what an interrupted commit wrote to; a failure is only warned of.
 */
void gold_repair(struct gold_context *ctx, const char *path, enum gold_image_format format,
                 const char *mode);
/* Does a qcow2 at `path` record exactly `backing` ("./NAME")? */
GOLD_MUST_CHECK int gold_overlay_has_backing(const char *path, const char *backing, bool *ret,
                                             struct gold_error **err);
/* Takes the overlay from the guard: from now on it must outlive us. */
void gold_workset_unguard(struct gold_workset *ws, struct gold_workset_disk *disk);

/* commit_rename.c. *ret_unsupported: the file system has no hard links; nothing was changed. */
GOLD_MUST_CHECK int gold_commit_by_rename(struct gold_workset *ws,
                                          struct gold_workset_disk *disk, bool *ret_unsupported,
                                          struct gold_error **err);
/* Completes or takes back. base_path: .NAME.base, which exists. */
GOLD_MUST_CHECK int gold_recover_rename(struct gold_context *ctx, const char *image,
                                        const char *base_path, struct gold_error **err);
/* Formats that QEMU cannot be relied on to write again after it was killed while it wrote them.
 */
static inline bool
gold_needs_replacement(enum gold_image_format format)
{
    return format != GOLD_IMAGE_RAW && format != GOLD_IMAGE_QCOW2;
}

/* replacement.c. Copies the image, commits the overlay into the copy, and puts that in the
 * overlay's place. */
GOLD_MUST_CHECK int gold_make_replacement(struct gold_workset *ws,
                                          struct gold_workset_disk *disk,
                                          struct gold_error **err);
/* qemu-img rebase -u: only the name that the overlay records is changed, then synced. */
GOLD_MUST_CHECK int gold_overlay_point_at(const struct gold_workset_disk *disk,
                                          const char *backing, struct gold_error **err);
/* journal.c and journal_recover.c */
GOLD_MUST_CHECK int gold_commit_by_journal(struct gold_workset *ws, struct gold_error **err);
GOLD_MUST_CHECK int gold_recover_journal(struct gold_context *ctx, const char *image,
                                         const char *journal, struct gold_error **err);

#endif
