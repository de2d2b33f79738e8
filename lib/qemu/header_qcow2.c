/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The qcow2 header (versions 2 and 3): geometry, extensions, and whether the tables that the
 * head shows point beyond the end of the file, as they do in a download that stopped. It does
 * not check reference counts.
 */
#include "qemu/header_internal.h"

#include <inttypes.h>
#include <string.h>

#include "core/str.h"

#define V2_LENGTH  72
#define V3_LENGTH  104
#define NAME_MAX_Q 1023

#define EXT_END            0x00000000u
#define EXT_BACKING_FORMAT 0xe2792acau
#define EXT_DATA_FILE      0x44415441u

#define INCOMPAT_DIRTY     (1u << 0)
#define INCOMPAT_CORRUPT   (1u << 1)
#define INCOMPAT_DATA_FILE (1u << 2)
#define INCOMPAT_KNOWN     0x1fu /* and: compression type, extended L2 entries */
#define INCOMPAT_EXT_L2    (1u << 4)

/* QEMU's own limits. */
#define L1_ENTRIES_MAX     (4u * 1024 * 1024)
#define REFTABLE_BYTES_MAX (8u * 1024 * 1024)
#define SNAPSHOTS_MAX      65536u

#define OFFSET_MASK 0x00fffffffffffe00ULL
#define COMPRESSED  (1ULL << 62)

struct qcow2 {
    const struct gold_header_bytes *b;
    uint32_t version, cluster_bits, header_length, l1_size, snapshots, backing_len;
    uint64_t cluster, backing_offset, incompat, l1_offset, refcount_offset, refcount_len;
    uint64_t snapshots_offset;
};

static int
damaged(struct gold_error **err, const char *what)
{
    gold_error_set(err, GOLD_ERROR_FORMAT, "damaged qcow2 header: %s", what);
    return -1;
}

static int
read_fixed(struct qcow2 *q, struct gold_image_facts *ret, struct gold_error **err)
{
    const unsigned char *h = q->b->head;

    if (gold_header_need(q->b, 0, V2_LENGTH, "the qcow2 header", err) < 0)
        return -1;
    q->version = gold_be32(h + 4);
    if (q->version != 2 && q->version != 3) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "qcow version %u is not supported",
                       q->version);
        return -1;
    }
    q->cluster_bits = gold_be32(h + 20);
    if (q->cluster_bits < 9 || q->cluster_bits > 21)
        return damaged(err, "impossible cluster size");
    q->cluster = 1ULL << q->cluster_bits;
    q->header_length = V2_LENGTH;
    if (q->version == 3) {
        if (gold_header_need(q->b, 0, V3_LENGTH, "the qcow2 header", err) < 0)
            return -1;
        q->incompat = gold_be64(h + 72);
        q->header_length = gold_be32(h + 100);
        if (gold_be32(h + 96) > 6)
            return damaged(err, "impossible width of reference counts");
        if (q->header_length < V3_LENGTH || q->header_length > q->cluster ||
            q->header_length % 8)
            return damaged(err, "impossible header length");
    }
    q->backing_offset = gold_be64(h + 8);
    q->backing_len = gold_be32(h + 16);
    ret->virtual_size = gold_be64(h + 24);
    ret->encrypted = gold_be32(h + 32) != 0;
    q->l1_size = gold_be32(h + 36);
    q->l1_offset = gold_be64(h + 40);
    q->refcount_offset = gold_be64(h + 48);
    q->refcount_len = (uint64_t)gold_be32(h + 56) * q->cluster;
    q->snapshots = gold_be32(h + 60);
    q->snapshots_offset = gold_be64(h + 64);
    ret->cluster_size = (uint32_t)q->cluster;
    ret->internal_snapshots = q->snapshots;
    ret->dirty = q->incompat & INCOMPAT_DIRTY;
    ret->corrupt = q->incompat & INCOMPAT_CORRUPT;
    return 0;
}

static int
check_geometry(const struct qcow2 *q, const struct gold_image_facts *facts,
               struct gold_error **err)
{
    uint64_t entry = q->incompat & INCOMPAT_EXT_L2 ? 16 : 8;
    uint64_t per_l1 = q->cluster / entry * q->cluster; /* at most 2^39 */
    uint64_t l1_needed = facts->virtual_size / per_l1 + (facts->virtual_size % per_l1 != 0);

    if (q->incompat & ~(uint64_t)INCOMPAT_KNOWN) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "qcow2 uses unknown features (0x%" PRIx64 ")",
                       q->incompat & ~(uint64_t)INCOMPAT_KNOWN);
        return -1;
    }
    if (facts->virtual_size > INT64_MAX)
        return damaged(err, "impossible virtual size");
    if (q->l1_size > L1_ENTRIES_MAX || q->l1_size < l1_needed)
        return damaged(err, "the L1 table does not fit the virtual size");
    if (q->l1_offset % q->cluster || q->refcount_offset % q->cluster)
        return damaged(err, "a table does not begin at a cluster");
    if (q->refcount_len == 0 || q->refcount_len > REFTABLE_BYTES_MAX || !q->refcount_offset)
        return damaged(err, "impossible size of the table of reference counts");
    if (q->snapshots > SNAPSHOTS_MAX)
        return damaged(err, "impossible number of internal snapshots");
    return 0;
}

static int
read_backing_name(const struct qcow2 *q, struct gold_image_facts *ret, struct gold_error **err)
{
    if (!q->backing_offset)
        return 0;
    if (q->backing_len == 0)
        return 0;
    if (q->backing_len > NAME_MAX_Q ||
        !gold_range_inside(q->backing_offset, q->backing_len, q->cluster))
        return damaged(err, "impossible place of the backing file's name");
    if (gold_header_need(q->b, q->backing_offset, q->backing_len, "the backing file's name",
                         err) < 0)
        return -1;
    if (memchr(q->b->head + q->backing_offset, 0, q->backing_len))
        return damaged(err, "the backing file's name holds a NUL");
    ret->backing_file =
        gold_strndup((const char *)q->b->head + q->backing_offset, q->backing_len, err);
    return ret->backing_file ? 0 : -1;
}

static int
keep_text(char **dst, const struct qcow2 *q, uint64_t at, uint32_t len, struct gold_error **err)
{
    const char *text = (const char *)q->b->head + at;

    if (*dst)
        return damaged(err, "an extension occurs twice");
    *dst = gold_strndup(text, strnlen(text, len), err);
    return *dst ? 0 : -1;
}

static int
read_extensions(const struct qcow2 *q, struct gold_image_facts *ret, struct gold_error **err)
{
    /* They end where the backing file's name begins, or with the first cluster. */
    uint64_t end = ret->backing_file ? q->backing_offset : q->cluster;
    uint64_t at = q->header_length;

    while (at < end && end - at >= 8) {
        if (gold_header_need(q->b, at, 8, "the qcow2 header", err) < 0)
            return -1;
        uint32_t type = gold_be32(q->b->head + at), len = gold_be32(q->b->head + at + 4);
        at += 8;
        if (type == EXT_END)
            break;
        if (!gold_range_inside(at, len, end))
            return damaged(err, "an extension runs over its end");
        if (gold_header_need(q->b, at, len, "a qcow2 header extension", err) < 0)
            return -1;
        if (type == EXT_BACKING_FORMAT && keep_text(&ret->backing_format, q, at, len, err) < 0)
            return -1;
        if (type == EXT_DATA_FILE && keep_text(&ret->data_file, q, at, len, err) < 0)
            return -1;
        at += ((uint64_t)len + 7) / 8 * 8;
    }
    if ((q->incompat & INCOMPAT_DATA_FILE) && !ret->data_file) {
        /* A name may also be given on QEMU's command line only; the data are elsewhere all the
         * same. */
        ret->data_file = gold_strdup("", err);
        return ret->data_file ? 0 : -1;
    }
    return 0;
}

/* Does a table, or what the L1 table in the head points to, lie beyond the end? */
static bool
is_truncated(const struct qcow2 *q)
{
    uint64_t l1_len = (uint64_t)q->l1_size * 8, size = q->b->file_size;

    if (!gold_range_inside(q->l1_offset, l1_len, size) ||
        !gold_range_inside(q->refcount_offset, q->refcount_len, size) ||
        (q->snapshots && q->snapshots_offset >= size))
        return true;
    for (uint64_t i = 0; i < q->l1_size; i++) {
        uint64_t at = q->l1_offset + i * 8;
        if (!gold_range_inside(at, 8, q->b->head_len))
            break;
        uint64_t l2 = gold_be64(q->b->head + at) & OFFSET_MASK;
        if (l2 && !gold_range_inside(l2, q->cluster, size))
            return true;
    }
    return false;
}

int
gold_header_read_qcow2(const struct gold_header_bytes *b, struct gold_image_facts *ret,
                       struct gold_error **err)
{
    struct qcow2 q = {.b = b};

    if (read_fixed(&q, ret, err) < 0 || check_geometry(&q, ret, err) < 0 ||
        read_backing_name(&q, ret, err) < 0 || read_extensions(&q, ret, err) < 0)
        return -1;
    ret->truncated = is_truncated(&q);
    return 0;
}
