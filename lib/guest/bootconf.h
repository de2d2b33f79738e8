/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a guest that hold kernel command lines, and the parts of a unified kernel image.
 */
#ifndef GOLD_GUEST_BOOTCONF_H
#define GOLD_GUEST_BOOTCONF_H

#include "guest/cmdline.h"
#include "guest/scene.h"

struct gold_bootconf {
    const char *path;
    enum gold_cmdline_kind kind;
    const char *text;
    size_t len;
    const struct gold_spans *params;
};

typedef int gold_bootconf_fn(struct gold_scene *sc, const struct gold_bootconf *file,
                             void *opaque, struct gold_error **err);

/* Calls fn for each file that is there; stops at -1. */
GOLD_MUST_CHECK int gold_bootconf_each(struct gold_scene *sc, gold_bootconf_fn *fn,
                                       void *opaque, struct gold_error **err);
/* Writes the edited file back; nothing when there are no edits. A GRUB environment block keeps
 * its size. */
GOLD_MUST_CHECK int gold_bootconf_write(struct gold_scene *sc, const struct gold_bootconf *file,
                                        const struct gold_text_edits *edits, const char *detail,
                                        struct gold_error **err);

/* Finds a section of a PE file by its header. False when there is none, or the header is
 * damaged. */
bool gold_pe_section(const char *header, size_t len, const char *name, uint64_t *ret_offset,
                     uint64_t *ret_size);
/* The command line inside a unified kernel image, NULL when there is none; free(). */
GOLD_MUST_CHECK int gold_uki_cmdline(struct gold_scene *sc, const char *path, char **ret,
                                     size_t *ret_len, struct gold_error **err);
/* Patterns of unified kernel images; NULL-terminated. */
extern const char *const gold_uki_patterns[];

#endif
