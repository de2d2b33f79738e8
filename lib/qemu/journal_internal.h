/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of a journalled commit, shared by the file that writes it and the one that
 * completes it. */
#ifndef GOLD_QEMU_JOURNAL_INTERNAL_H
#define GOLD_QEMU_JOURNAL_INTERNAL_H

#include "qemu/workset_internal.h"

#define GOLD_JOURNAL_VERSION 1

struct gold_journal_entry {
    char *image;
    char *overlay;      /* or, with new_inode, the file that takes the image's place */
    uint64_t inode;     /* of the image */
    uint64_t new_inode; /* 0: the overlay is committed into the image */
    uint64_t virtual_size;
    enum gold_image_format format;
    int fd;
};

struct gold_journal_record {
    char *path; /* of the record itself */
    char *id;
    struct gold_journal_entry *entries;
    size_t n;
    uid_t owner;
};

void gold_journal_record_done(struct gold_journal_record *r);
/* Everything into the images, and synced; harmless to do again, which `again` tells. */
GOLD_MUST_CHECK int gold_journal_redo(struct gold_context *ctx,
                                      const struct gold_journal_record *r, bool again,
                                      struct gold_error **err);
/* Removes record, overlays and pointers. */
GOLD_MUST_CHECK int gold_journal_clean(const struct gold_journal_record *r,
                                       struct gold_error **err);
/* What an error after the point of no return is to hint at. */
void gold_journal_hint(const struct gold_journal_record *r, struct gold_error **err);

#endif
