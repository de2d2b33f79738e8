/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What an image file is, and whether it may be used. The definition's type or --format decides; the magic is
 * believed only when neither says anything, and a backing file that the image itself names is followed only when
 * the caller allows it: a raw disk can start with a qcow2 header that its guest wrote, naming any file of the
 * host.
 */
#ifndef GOLD_QEMU_IMAGE_H
#define GOLD_QEMU_IMAGE_H

#include "core/context.h"
#include "qemu/headers.h"

struct gold_image_rules {
    const char *format; /* NULL: by magic */
    bool allow_backing;
};

/* Opens, reads the header, checks the rules. Errors: not a regular file, empty, truncated qcow2, damaged header,
   unknown format name, backing file without allow_backing (UNSUPPORTED, with hint), missing backing file, data
   file, extents elsewhere, encrypted. A definite magic other than the wanted format (not raw) is FORMAT. */
GOLD_MUST_CHECK int gold_image_open_facts(const char *path, const struct gold_image_rules *rules,
                                          struct gold_image_facts *ret, struct gold_error **err);
/* Can it be written in place? UNSUPPORTED with a hint to -o for streamOptimized VMDK and other formats that
   QEMU reads only; for internal snapshots; for a dirty or corrupt qcow2. */
GOLD_MUST_CHECK int gold_image_check_writable(const char *path, const struct gold_image_facts *facts,
                                              struct gold_error **err);
/* Is it in use? BUSY when another process holds QEMU's locks on it (a running VM, another goldsmith). Opens
   the file read-only and tests OFD locks on QEMU's lock bytes. */
GOLD_MUST_CHECK int gold_image_check_unused(const char *path, struct gold_error **err);
/* Is it the backing file of another image in the same directory (UNSUPPORTED, names that image)? Reads the headers
   of the regular files there, at most a few hundred. */
GOLD_MUST_CHECK int gold_image_check_not_backing(const char *path, struct gold_error **err);

/* Creates a qcow2 overlay with explicit backing format; fails when `overlay` exists. Paths absolute. */
GOLD_MUST_CHECK int gold_overlay_create(struct gold_context *ctx, const char *overlay, const char *base,
                                        enum gold_image_format base_format, struct gold_error **err);
/* qemu-img convert of an image (and what it stands on) into a new file of `format`, sparse. */
GOLD_MUST_CHECK int gold_image_convert(struct gold_context *ctx, const char *source, enum gold_image_format source_format,
                                       const char *target, enum gold_image_format format, struct gold_error **err);

#endif
