/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Image facts from header bytes alone: bytes in, facts out; nothing is opened or run here. */
#ifndef GOLD_QEMU_HEADERS_H
#define GOLD_QEMU_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cleanup.h"

enum gold_image_format {
    GOLD_IMAGE_UNKNOWN,
    GOLD_IMAGE_RAW,
    GOLD_IMAGE_QCOW2,
    GOLD_IMAGE_VMDK,
    GOLD_IMAGE_VDI,
    GOLD_IMAGE_VHDX
};

/* How much of the start of a file the readers want (qcow2 header with its backing name and extensions, VMDK
   descriptor, VHDX headers, region table and metadata: 4 MiB covers default layouts). */
#define GOLD_HEADER_BYTES (4 * 1024 * 1024)

struct gold_image_facts {
    enum gold_image_format format;
    uint64_t virtual_size; /* bytes */
    uint64_t file_size;
    char *backing_file;   /* as written in the image; NULL: none */
    char *backing_format; /* NULL: not recorded */
    char *data_file;      /* qcow2 external data file; NULL: none */
    char *subformat;      /* vmdk: "monolithicSparse", "streamOptimized", ...; else NULL */
    uint32_t cluster_size;
    uint32_t internal_snapshots;
    bool dirty, corrupt, encrypted, truncated;
    bool extents_elsewhere; /* vmdk descriptor that names other files */
};

/* head: the first min(file_size, GOLD_HEADER_BYTES) bytes; tail: the last 1536 bytes (VMDK footer), or NULL.
   wanted: the format to read as, or GOLD_IMAGE_UNKNOWN to go by magic (no magic: RAW). */
GOLD_MUST_CHECK int gold_image_read_header(const unsigned char *head, size_t head_len, const unsigned char *tail,
                                           size_t tail_len, uint64_t file_size, enum gold_image_format wanted,
                                           struct gold_image_facts *ret, struct gold_error **err);
void gold_image_facts_done(struct gold_image_facts *facts);
#define GOLD_CLEANUP_IMAGE_FACTS GOLD_CLEANUP(gold_image_facts_done)

const char *gold_image_format_name(enum gold_image_format format);              /* as QEMU writes it */
enum gold_image_format gold_image_format_parse(const char *name);               /* UNKNOWN: no such format */

#endif
