/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VHDX: the current header, the region table and the metadata items that say how large the disk
 * is. Checksums are verified; the log is not replayed, an image that has one is reported as
 * dirty.
 */
#include "qemu/header_internal.h"

#include <inttypes.h>
#include <string.h>

#define KIB64             65536u
#define HEADER_LENGTH     4096u
#define TABLE_ENTRIES_MAX 2047u
#define SIZE_MAX_VHDX     (64ULL << 40)

static const unsigned char guid_bat[16] = {0x66, 0x77, 0xc2, 0x2d, 0x23, 0xf6, 0x00, 0x42,
                                           0x9d, 0x64, 0x11, 0x5e, 0x9b, 0xfd, 0x4a, 0x08};
static const unsigned char guid_metadata[16] = {0x06, 0xa2, 0x7c, 0x8b, 0x90, 0x47, 0x9a, 0x4b,
                                                0xb8, 0xfe, 0x57, 0x5f, 0x05, 0x0f, 0x88, 0x6e};
static const unsigned char guid_parameters[16] = {0x37, 0x67, 0xa1, 0xca, 0x36, 0xfa,
                                                  0x43, 0x4d, 0xb3, 0xb6, 0x33, 0xf0,
                                                  0xaa, 0x44, 0xe7, 0x6b};
static const unsigned char guid_size[16] = {0x24, 0x42, 0xa5, 0x2f, 0x1b, 0xcd, 0x76, 0x48,
                                            0xb2, 0x11, 0x5d, 0xbe, 0xd8, 0x3b, 0xf4, 0xb8};
static const unsigned char guid_sector[16] = {0x1d, 0xbf, 0x41, 0x81, 0x6f, 0xa9, 0x09, 0x47,
                                              0xba, 0x47, 0xf2, 0x33, 0xa8, 0xfa, 0xab, 0x5f};

static int
damaged(struct gold_error **err, const char *what)
{
    gold_error_set(err, GOLD_ERROR_FORMAT, "damaged VHDX header: %s", what);
    return -1;
}

static uint32_t
crc32c_step(uint32_t crc, unsigned char byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    return crc;
}

/* Over len bytes, the four of the checksum itself (at 4) taken as zero. */
static bool
checksum_holds(const unsigned char *p, size_t len)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < len; i++)
        crc = crc32c_step(crc, i >= 4 && i < 8 ? 0 : p[i]);
    return (crc ^ 0xffffffffu) == gold_le32(p + 4);
}

static const unsigned char *
current_header(const struct gold_header_bytes *b)
{
    const unsigned char *best = NULL;

    for (unsigned i = 1; i <= 2; i++) {
        if (!gold_range_inside((uint64_t)i * KIB64, HEADER_LENGTH, b->head_len))
            continue;
        const unsigned char *h = b->head + (size_t)i * KIB64;
        if (memcmp(h, "head", 4) != 0 || gold_le16(h + 66) != 1 ||
            !checksum_holds(h, HEADER_LENGTH))
            continue;
        if (!best || gold_le64(h + 8) > gold_le64(best + 8))
            best = h;
    }
    return best;
}

static const unsigned char *
region_table(const struct gold_header_bytes *b)
{
    for (unsigned i = 3; i <= 4; i++) {
        if (!gold_range_inside((uint64_t)i * KIB64, KIB64, b->head_len))
            continue;
        const unsigned char *t = b->head + (size_t)i * KIB64;
        if (memcmp(t, "regi", 4) == 0 && gold_le32(t + 8) <= TABLE_ENTRIES_MAX &&
            checksum_holds(t, KIB64))
            return t;
    }
    return NULL;
}

struct regions {
    uint64_t bat_at, bat_len, metadata_at, metadata_len;
};

static int
read_regions(const unsigned char *table, struct regions *ret, struct gold_error **err)
{
    for (uint32_t i = 0; i < gold_le32(table + 8); i++) {
        const unsigned char *e = table + 16 + (size_t)i * 32;
        uint64_t at = gold_le64(e + 16), len = gold_le32(e + 24);
        if (at % (1024 * 1024) || at < 1024 * 1024)
            return damaged(err, "a region does not begin at a MiB");
        if (memcmp(e, guid_bat, 16) == 0) {
            ret->bat_at = at;
            ret->bat_len = len;
        } else if (memcmp(e, guid_metadata, 16) == 0) {
            ret->metadata_at = at;
            ret->metadata_len = len;
        } else if (gold_le32(e + 28) & 1) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "VHDX has a required region that is not known");
            return -1;
        }
    }
    if (!ret->bat_at || !ret->metadata_at)
        return damaged(err, "a region is missing");
    return 0;
}

struct items {
    uint32_t block, bits, sector;
    uint64_t size;
};

static int
read_items(const struct gold_header_bytes *b, const struct regions *r, struct items *ret,
           struct gold_error **err)
{
    if (r->metadata_len < KIB64)
        return damaged(err, "the metadata region is too small");
    if (gold_header_need(b, r->metadata_at, KIB64, "the VHDX metadata", err) < 0)
        return -1;
    const unsigned char *m = b->head + r->metadata_at;
    if (memcmp(m, "metadata", 8) != 0 || gold_le16(m + 10) > TABLE_ENTRIES_MAX)
        return damaged(err, "the metadata table");
    for (unsigned i = 0; i < gold_le16(m + 10); i++) {
        const unsigned char *e = m + 32 + (size_t)i * 32;
        uint64_t at = gold_le32(e + 16), len = gold_le32(e + 20), need;
        need = memcmp(e, guid_parameters, 16) == 0 || memcmp(e, guid_size, 16) == 0 ? 8
               : memcmp(e, guid_sector, 16) == 0                                    ? 4
                                                                                    : 0;
        if (!need)
            continue;
        if (len < need || at < KIB64 || !gold_range_inside(at, need, r->metadata_len))
            return damaged(err, "a metadata item");
        if (gold_header_need(b, r->metadata_at + at, need, "a VHDX metadata item", err) < 0)
            return -1;
        const unsigned char *v = m + at;
        if (memcmp(e, guid_size, 16) == 0) {
            ret->size = gold_le64(v);
        } else if (memcmp(e, guid_sector, 16) == 0) {
            ret->sector = gold_le32(v);
        } else {
            ret->block = gold_le32(v);
            ret->bits = gold_le32(v + 4);
        }
    }
    return 0;
}

int
gold_header_read_vhdx(const struct gold_header_bytes *b, struct gold_image_facts *ret,
                      struct gold_error **err)
{
    static const unsigned char no_log[16];
    struct regions r = {0};
    struct items items = {0};

    if (gold_header_need(b, 0, 5 * KIB64, "the VHDX header", err) < 0)
        return -1;
    const unsigned char *header = current_header(b), *table = region_table(b);
    if (!header)
        return damaged(err, "neither of the two headers has a valid checksum");
    if (!table)
        return damaged(err, "neither of the two region tables has a valid checksum");
    if (read_regions(table, &r, err) < 0 || read_items(b, &r, &items, err) < 0)
        return -1;
    if (items.bits & 2) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "a differencing VHDX image, which depends on another image");
        return -1;
    }
    if (items.block < 1024 * 1024 || items.block > 256 * 1024 * 1024 ||
        (items.block & (items.block - 1)))
        return damaged(err, "impossible block size");
    if (items.sector != 512 && items.sector != 4096)
        return damaged(err, "impossible sector size");
    if (!items.size || items.size > SIZE_MAX_VHDX || items.size % items.sector)
        return damaged(err, "impossible virtual size");
    ret->virtual_size = items.size;
    ret->cluster_size = items.block;
    ret->dirty = memcmp(header + 48, no_log, 16) != 0;
    ret->truncated = !gold_range_inside(r.bat_at, r.bat_len, b->file_size) ||
                     !gold_range_inside(r.metadata_at, r.metadata_len, b->file_size);
    return 0;
}
