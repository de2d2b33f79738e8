/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the header readers of this room: bounded access to header bytes and one reader for
 * each format. The readers see bytes only; they open nothing, and they never follow a name that
 * they find.
 */
#ifndef GOLD_QEMU_HEADER_INTERNAL_H
#define GOLD_QEMU_HEADER_INTERNAL_H

#include "core/checked.h"
#include "qemu/headers.h"

struct gold_header_bytes {
    const unsigned char *head;
    size_t head_len;
    const unsigned char *tail; /* NULL: not known */
    size_t tail_len;
    uint64_t file_size;
};

static inline uint16_t
gold_le16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
gold_le32(const unsigned char *p)
{
    return (uint32_t)gold_le16(p) | (uint32_t)gold_le16(p + 2) << 16;
}

static inline uint64_t
gold_le64(const unsigned char *p)
{
    return (uint64_t)gold_le32(p) | (uint64_t)gold_le32(p + 4) << 32;
}

static inline uint32_t
gold_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t
gold_be64(const unsigned char *p)
{
    return (uint64_t)gold_be32(p) << 32 | gold_be32(p + 4);
}

/* FORMAT "... header is cut off" unless the head holds [offset, offset+len). */
GOLD_MUST_CHECK int gold_header_need(const struct gold_header_bytes *b, uint64_t offset,
                                     uint64_t len, const char *what, struct gold_error **err);

/* Each fills *ret (zeroed by the caller, released by it on failure too). */
GOLD_MUST_CHECK int gold_header_read_qcow2(const struct gold_header_bytes *b,
                                           struct gold_image_facts *ret,
                                           struct gold_error **err);
GOLD_MUST_CHECK int gold_header_read_vmdk(const struct gold_header_bytes *b,
                                          struct gold_image_facts *ret,
                                          struct gold_error **err);
GOLD_MUST_CHECK int gold_header_read_vdi(const struct gold_header_bytes *b,
                                         struct gold_image_facts *ret, struct gold_error **err);
GOLD_MUST_CHECK int gold_header_read_vhdx(const struct gold_header_bytes *b,
                                          struct gold_image_facts *ret,
                                          struct gold_error **err);
/* Does it begin as a VMDK descriptor does? */
bool gold_header_is_vmdk_descriptor(const struct gold_header_bytes *b);

#endif
