/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A workset: the images of one VM, each behind an overlay that takes all writes, and the commit that puts them into
 * the images at the end so that nothing can be lost.
 *
 *   qcow2  the rename commit. The image is hard-linked to .NAME.base, the overlay backed by that link, and renamed
 *          onto the image's name (the commit point: from here on the path reads as sealed); the overlay is then
 *          committed into the link, and the link renamed back.
 *   raw      a redo journal (.NAME.journal) beside the image, synced before the first byte of the image changes. After
 *          a crash the next run of any command that opens the image completes it first.
 *   vmdk, vdi, vhdx  a copy of the image takes the changes and then its place, by the same journal.
 *   several disks  one journal (.NAME.journal of the first) says how far all of them are.
 *
 * Opening one first completes (or rolls back) what a crashed run left: gold_workset_recover().
 */
#ifndef GOLD_QEMU_WORKSET_H
#define GOLD_QEMU_WORKSET_H

#include "qemu/image.h"

struct gold_workset;

struct gold_workset_image {
    const char *path; /* absolute or relative; made absolute */
    struct gold_image_rules rules;
};

enum gold_workset_flags {
    GOLD_WORKSET_READ_ONLY = 1, /* never committed: overlays live in the run directory; check, dry run, validate */
    GOLD_WORKSET_KEEP_SOURCE = 2 /* will be exported to new files (-o): images are only read */
};

/* Checks every image (facts, rules; unless read-only or keep-source also: writable, unused, not a backing file,
   hard links, space), remembers device, inode, size, mtime and ctime, holds a shared lock on it, creates the
   overlays (registered with the guard). The order of images is kept. */
struct gold_workset *gold_workset_open(struct gold_context *ctx, const struct gold_workset_image *images, size_t n,
                                       unsigned flags, struct gold_error **err);
size_t gold_workset_count(const struct gold_workset *ws);
const char *gold_workset_image(const struct gold_workset *ws, size_t i);   /* absolute path */
const char *gold_workset_overlay(const struct gold_workset *ws, size_t i); /* absolute path, qcow2 */
const struct gold_image_facts *gold_workset_facts(const struct gold_workset *ws, size_t i);
/* CHANGED when an image is not the file, size or times it was at open. */
GOLD_MUST_CHECK int gold_workset_check_unchanged(struct gold_workset *ws, struct gold_error **err);
/* Puts the overlays into the images. On failure the images are the old ones, or (an error's hint says so) the next
   command completes the commit. After it only gold_workset_free() may follow. */
GOLD_MUST_CHECK int gold_workset_commit(struct gold_workset *ws, struct gold_error **err);
/* Writes image i with its overlay to a new file (temp file, then rename without clobbering). */
GOLD_MUST_CHECK int gold_workset_export(struct gold_workset *ws, size_t i, const char *target,
                                        enum gold_image_format format, struct gold_error **err);
/* Without a commit: removes the overlays, the images are as they were. Accepts NULL. */
void gold_workset_free(struct gold_workset *ws);
GOLD_DEFINE_CLEANUP(struct gold_workset *, gold_workset_free);
#define GOLD_CLEANUP_WORKSET GOLD_CLEANUP(gold_workset_free_p)

/* Finishes what a crashed commit of this image left, if anything; *ret_done tells whether there was something.
   Every command that opens an image calls it first (gold_workset_open does). */
GOLD_MUST_CHECK int gold_workset_recover(struct gold_context *ctx, const char *image, bool *ret_done,
                                         struct gold_error **err);

#endif
