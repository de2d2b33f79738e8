/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header of a VDI image, version 1.1: as strict as QEMU, which writes no other kind. */
#include "qemu/header_internal.h"

#include <inttypes.h>
#include <string.h>

#include "core/str.h"

#define HEADER_LENGTH   0x200
#define BLOCK_SIZE      (1024u * 1024)
#define BLOCKS_MAX      0x20000000u
#define BLOCK_NOT_THERE 0xfffffffeu /* this and all above: nothing stored */

static int
damaged(struct gold_error **err, const char *what)
{
    gold_error_set(err, GOLD_ERROR_FORMAT, "damaged VDI header: %s", what);
    return -1;
}

static bool
is_zero(const unsigned char *p, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (p[i])
            return false;
    return true;
}

static int
check_layout(const struct gold_header_bytes *b, uint64_t disk, uint32_t blocks,
             struct gold_error **err)
{
    const unsigned char *h = b->head;
    uint64_t map = gold_le32(h + 0x154);

    if (gold_le32(h + 0x168) != 512)
        return damaged(err, "sectors are not 512 bytes long");
    if (map < HEADER_LENGTH || map % 512 || gold_le32(h + 0x158) % 512)
        return damaged(err, "a part does not begin at a sector");
    if (gold_le32(h + 0x178) != BLOCK_SIZE || gold_le32(h + 0x17c) != 0) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "a VDI image with blocks of %u bytes",
                       gold_le32(h + 0x178));
        return -1;
    }
    if (blocks > BLOCKS_MAX || disk > (uint64_t)blocks * BLOCK_SIZE)
        return damaged(err, "the number of blocks does not fit the virtual size");
    if (gold_le32(h + 0x184) > blocks)
        return damaged(err, "more blocks are stored than there are");
    return 0;
}

/* The map, and the stored blocks it names, must be inside the file. */
static bool
is_truncated(const struct gold_header_bytes *b, uint32_t blocks)
{
    uint64_t map = gold_le32(b->head + 0x154), data = gold_le32(b->head + 0x158);

    if (!gold_range_inside(map, (uint64_t)blocks * 4, b->file_size))
        return true;
    for (uint64_t i = 0; i < blocks && gold_range_inside(map + i * 4, 4, b->head_len); i++) {
        uint32_t at = gold_le32(b->head + map + i * 4);
        if (at < BLOCK_NOT_THERE && data + (uint64_t)at * BLOCK_SIZE >= b->file_size)
            return true;
    }
    return false;
}

int
gold_header_read_vdi(const struct gold_header_bytes *b, struct gold_image_facts *ret,
                     struct gold_error **err)
{
    const unsigned char *h = b->head;

    if (gold_header_need(b, 0, HEADER_LENGTH, "the VDI header", err) < 0)
        return -1;
    uint32_t version = gold_le32(h + 0x44), type = gold_le32(h + 0x4c);
    uint32_t blocks = gold_le32(h + 0x180);
    uint64_t disk = gold_le64(h + 0x170);
    if (version != 0x00010001) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "VDI version %u.%u is not supported",
                       version >> 16, version & 0xffff);
        return -1;
    }
    if ((type != 1 && type != 2) || !is_zero(h + 0x1a8, 32)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "a VDI image that depends on another image");
        return -1;
    }
    if (disk % 512)
        disk += 512 - disk % 512; /* as QEMU does; cannot wrap below the check that follows */
    if (check_layout(b, disk, blocks, err) < 0)
        return -1;
    ret->virtual_size = disk;
    ret->cluster_size = BLOCK_SIZE;
    ret->subformat = gold_strdup(type == 1 ? "dynamic" : "static", err);
    ret->truncated = is_truncated(b, blocks);
    return ret->subformat ? 0 : -1;
}
