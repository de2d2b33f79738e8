/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks the L1 and L2 tables of a qcow2 to see whether all that they name is inside the file. A
 * download that stopped keeps its header and L1 table, so nothing else shows that the end is
 * missing. Reference counts and overlaps are left to qemu-img check.
 */
#include <inttypes.h>
#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "qemu/header_internal.h"
#include "qemu/image_internal.h"

#define OFFSET_MASK    0x00fffffffffffe00ULL
#define COMPRESSED     (1ULL << 62)
#define READS_AS_ZERO  1ULL
#define EXTENDED_L2    (1ULL << 4)
#define L1_ENTRIES_MAX (4u * 1024 * 1024)
/* Enough for the tables of 1 TiB at the usual cluster size. */
#define TABLES_MAX (128 * GOLD_MIB)

struct walk {
    int fd;
    const char *path;
    uint64_t file_size, cluster, l1_at, l1_size;
    unsigned cluster_bits, step; /* step: of L2 entries, in 8 bytes */
    unsigned char *table;
};

/* How many bytes are there of len; what is missing counts as zero. */
static int
read_at(const struct walk *w, void *buf, size_t len, uint64_t at, struct gold_error **err)
{
    ssize_t n = gold_pread_full(w->fd, buf, len, at);

    if (n < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", w->path);
        return -1;
    }
    memset((unsigned char *)buf + n, 0, len - (size_t)n);
    return 0;
}

static bool
entry_is_outside(const struct walk *w, const unsigned char *p)
{
    uint64_t entry = gold_be64(p);

    if (entry & COMPRESSED) {
        uint64_t at = entry & ((1ULL << (62 - (w->cluster_bits - 8))) - 1);
        return at >= w->file_size;
    }
    /* A cluster that is reserved but reads as zero need not have been written yet. Extended
       entries tell it of each part of a cluster, by a bitmap. */
    bool stored = w->step == 1 ? !(entry & READS_AS_ZERO) : gold_be64(p + 8) & UINT32_MAX;
    uint64_t at = entry & OFFSET_MASK;
    return at && stored && at >= w->file_size;
}

static int
walk_l2(const struct walk *w, uint64_t at, bool *ret, struct gold_error **err)
{
    if (!gold_range_inside(at, w->cluster, w->file_size)) {
        *ret = true;
        return 0;
    }
    if (read_at(w, w->table, w->cluster, at, err) < 0)
        return -1;
    for (size_t i = 0; i < w->cluster / 8 && !*ret; i += w->step)
        *ret = entry_is_outside(w, w->table + i * 8);
    return 0;
}

static int
walk_l1(const struct walk *w, bool *ret, struct gold_error **err)
{
    unsigned char chunk[4096];
    uint64_t read = 0;

    for (uint64_t i = 0; i < w->l1_size && !*ret; i++) {
        if (i % (sizeof(chunk) / 8) == 0 &&
            read_at(w, chunk, sizeof(chunk), w->l1_at + i * 8, err) < 0)
            return -1;
        uint64_t l2 = gold_be64(chunk + i % (sizeof(chunk) / 8) * 8) & OFFSET_MASK;
        if (!l2)
            continue;
        if (read >= TABLES_MAX)
            break;
        read += w->cluster;
        if (walk_l2(w, l2, ret, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_qcow2_is_truncated(int fd, const char *path, uint64_t file_size, bool *ret,
                        struct gold_error **err)
{
    unsigned char h[104];
    struct walk w = {.fd = fd, .path = path, .file_size = file_size, .step = 1};

    if (read_at(&w, h, sizeof(h), 0, err) < 0)
        return -1;
    w.cluster_bits = gold_be32(h + 20);
    w.l1_size = gold_be32(h + 36);
    if (w.cluster_bits < 9 || w.cluster_bits > 21 || w.l1_size > L1_ENTRIES_MAX) {
        gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' changed while it was read", path);
        return -1;
    }
    w.cluster = 1ULL << w.cluster_bits;
    w.l1_at = gold_be64(h + 40);
    if (gold_be32(h + 4) >= 3 && (gold_be64(h + 72) & EXTENDED_L2))
        w.step = 2;
    GOLD_CLEANUP_FREE unsigned char *table = malloc(w.cluster);
    if (!table)
        return gold_error_set_nomem(err);
    w.table = table;
    *ret = false;
    return walk_l1(&w, ret, err);
}
