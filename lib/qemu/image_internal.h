/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of this room share about opening images. */
#ifndef GOLD_QEMU_IMAGE_INTERNAL_H
#define GOLD_QEMU_IMAGE_INTERNAL_H

#include <sys/stat.h>

#include "qemu/image.h"

/* Facts of an open image without any rule applied; the head is read up to `head_max` bytes. */
GOLD_MUST_CHECK int gold_image_facts_from_fd(int fd, const char *path, uint64_t file_size,
                                             size_t head_max, enum gold_image_format wanted,
                                             struct gold_image_facts *ret,
                                             struct gold_error **err);
/* Where a backing name that `image` (an absolute path) records leads: absolute, or relative to
   the image's directory, with an optional "file:". UNSUPPORTED for other protocols and json:.
   *ret: free(). */
GOLD_MUST_CHECK int gold_image_resolve_backing(const char *image, const char *name, char **ret,
                                               struct gold_error **err);
/* Does a cluster that the tables of this qcow2 name lie beyond the end of the file? Reads all
 * tables, up to a cap. */
GOLD_MUST_CHECK int gold_qcow2_is_truncated(int fd, const char *path, uint64_t file_size,
                                            bool *ret, struct gold_error **err);

#endif
