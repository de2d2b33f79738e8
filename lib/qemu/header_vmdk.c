/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * VMDK: the sparse header ("KDMV"), the footer of stream-optimized ones, and the text
 * descriptor, embedded or on its own. Extents that a descriptor names are summed up for the
 * size, never opened.
 */
#include "qemu/header_internal.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "core/limits.h"
#include "core/number.h"
#include "core/str.h"

#define SECTOR         512u
#define GD_AT_END      UINT64_MAX
#define DESCRIPTOR_MAX (1u * 1024 * 1024)
#define CAPACITY_MAX   ((uint64_t)INT64_MAX / SECTOR)
#define GRAIN_MAX      (64u * 1024 * 1024 / SECTOR)
#define NO_PARENT      "ffffffff"

static const char descriptor_start[] = "# Disk DescriptorFile";

static int
damaged(struct gold_error **err, const char *what)
{
    gold_error_set(err, GOLD_ERROR_FORMAT, "damaged VMDK header: %s", what);
    return -1;
}

bool
gold_header_is_vmdk_descriptor(const struct gold_header_bytes *b)
{
    size_t len = sizeof(descriptor_start) - 1;

    return b->head_len >= len && strncasecmp((const char *)b->head, descriptor_start, len) == 0;
}

/* If the line is KEY=VALUE or KEY="VALUE": the value as a new string in *ret (untouched
 * otherwise). */
static int
take_value(const char *line, size_t len, const char *key, char **ret, struct gold_error **err)
{
    size_t key_len = strlen(key);

    if (*ret || len <= key_len || strncasecmp(line, key, key_len) != 0)
        return 0;
    line += key_len;
    len -= key_len;
    while (len && (*line == ' ' || *line == '\t')) {
        line++;
        len--;
    }
    if (!len || *line != '=')
        return 0;
    line++;
    len--;
    while (len && (*line == ' ' || *line == '"')) {
        line++;
        len--;
    }
    while (len && (line[len - 1] == ' ' || line[len - 1] == '"' || line[len - 1] == '\r'))
        len--;
    *ret = gold_strndup(line, len, err);
    return *ret ? 0 : -1;
}

struct descriptor {
    char *create_type, *parent_cid, *parent_hint;
    uint64_t sectors;
    unsigned extents;
};

static void
descriptor_done(struct descriptor *d)
{
    free(d->create_type);
    free(d->parent_cid);
    free(d->parent_hint);
}

/* An extent line: ACCESS SECTORS TYPE ["FILE" [OFFSET]]. */
static int
take_extent(struct descriptor *d, const char *line, size_t len, struct gold_error **err)
{
    const char *end = line + len, *p;

    if (len > 3 && strncmp(line, "RW ", 3) == 0)
        p = line + 3;
    else if (len > 7 && strncmp(line, "RDONLY ", 7) == 0)
        p = line + 7;
    else if (len > 9 && strncmp(line, "NOACCESS ", 9) == 0)
        p = line + 9;
    else
        return 0;
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    GOLD_CLEANUP_FREE char *number = gold_strndup(digits, (size_t)(p - digits), err);
    uint64_t sectors;
    if (!number)
        return -1;
    if (gold_parse_u64_max(number, CAPACITY_MAX, &sectors, NULL) < 0 || sectors == 0 ||
        p == end || !gold_add_u64(d->sectors, sectors, &d->sectors) ||
        d->sectors > CAPACITY_MAX)
        return damaged(err, "an extent of impossible size");
    d->extents++;
    return 0;
}

static int
read_descriptor(const char *text, size_t len, struct descriptor *d, struct gold_error **err)
{
    const char *nul = memchr(text, 0, len), *end = nul ? nul : text + len;

    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t n = (size_t)((stop ? stop : end) - line);
        if (take_value(line, n, "createType", &d->create_type, err) < 0 ||
            take_value(line, n, "parentCID", &d->parent_cid, err) < 0 ||
            take_value(line, n, "parentFileNameHint", &d->parent_hint, err) < 0 ||
            take_extent(d, line, n, err) < 0)
            return -1;
        line += n + 1;
    }
    if (!d->create_type || !*d->create_type)
        return damaged(err, "the descriptor says no createType");
    return 0;
}

/* What both kinds of descriptor tell. */
static int
keep_descriptor(struct descriptor *d, struct gold_image_facts *ret, struct gold_error **err)
{
    if (d->parent_cid && strcasecmp(d->parent_cid, NO_PARENT) != 0) {
        if (!d->parent_hint || !*d->parent_hint)
            return damaged(err, "it has a parent but does not name it");
        ret->backing_file = gold_steal_ptr(&d->parent_hint);
        ret->backing_format = gold_strdup("vmdk", err);
        if (!ret->backing_format)
            return -1;
    }
    ret->subformat = gold_steal_ptr(&d->create_type);
    return 0;
}

static int
read_text(const struct gold_header_bytes *b, struct gold_image_facts *ret,
          struct gold_error **err)
{
    GOLD_CLEANUP(descriptor_done) struct descriptor d = {0};

    if (b->file_size > DESCRIPTOR_MAX)
        return damaged(err, "the descriptor is too large");
    if (read_descriptor((const char *)b->head, b->head_len, &d, err) < 0)
        return -1;
    if (!d.extents)
        return damaged(err, "the descriptor names no extents");
    ret->virtual_size = d.sectors * SECTOR;
    ret->extents_elsewhere = true;
    return keep_descriptor(&d, ret, err);
}

static int
check_sparse(const unsigned char *h, struct gold_error **err)
{
    uint32_t version = gold_le32(h + 4), entries = gold_le32(h + 44);
    uint64_t capacity = gold_le64(h + 12), grain = gold_le64(h + 20);

    if (version < 1 || version > 3) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "VMDK version %u is not supported",
                       version);
        return -1;
    }
    if (memcmp(h + 73, "\n \r\n", 4) != 0)
        return damaged(err, "line ends were converted, as by a transfer in text mode");
    if (capacity == 0 || capacity > CAPACITY_MAX)
        return damaged(err, "impossible virtual size");
    if (grain < 1 || grain > GRAIN_MAX || (grain & (grain - 1)))
        return damaged(err, "impossible grain size");
    if (entries < 1 || entries > 512)
        return damaged(err, "impossible size of grain tables");
    return 0;
}

/* With the grain directory at the end, the real header is the second last but one sector. */
static int
find_footer(const struct gold_header_bytes *b, const unsigned char **ret, bool *ret_truncated,
            struct gold_error **err)
{
    if (!b->tail || b->tail_len < 3 * SECTOR) {
        *ret_truncated = b->tail != NULL;
        return 0;
    }
    const unsigned char *f = b->tail + b->tail_len - 2 * SECTOR;
    if (memcmp(f, "KDMV", 4) != 0 || gold_le64(f + 56) == GD_AT_END) {
        *ret_truncated = true;
        return 0;
    }
    if (check_sparse(f, err) < 0)
        return -1;
    *ret = f;
    return 0;
}

static int
read_embedded(const struct gold_header_bytes *b, struct descriptor *d, struct gold_error **err)
{
    uint64_t at = gold_le64(b->head + 28), len = gold_le64(b->head + 36);

    if (at == 0)
        return 0;
    if (len == 0 || len > DESCRIPTOR_MAX / SECTOR || at > b->file_size / SECTOR)
        return damaged(err, "impossible place of the descriptor");
    at *= SECTOR;
    len *= SECTOR;
    if (gold_header_need(b, at, len, "the VMDK descriptor", err) < 0)
        return -1;
    if (b->head[at] == 0)
        return 0; /* room for one, as in the extents of a multi-file image */
    return read_descriptor((const char *)b->head + at, len, d, err);
}

/* Does the grain directory, or a grain table that it names in the head, lie beyond the end? */
static bool
is_truncated(const struct gold_header_bytes *b, const unsigned char *h)
{
    uint64_t capacity = gold_le64(h + 12), gd = gold_le64(h + 56);
    uint64_t table_len = (uint64_t)gold_le32(h + 44) * 4, size = b->file_size;
    uint64_t covered = gold_le64(h + 20) * gold_le32(h + 44);
    uint64_t tables = capacity / covered + (capacity % covered != 0);

    if (gd > size / SECTOR || !gold_range_inside(gd * SECTOR, tables * 4, size))
        return true;
    for (uint64_t i = 0; i < tables; i++) {
        uint64_t at = gd * SECTOR + i * 4;
        if (!gold_range_inside(at, 4, b->head_len))
            break;
        uint64_t table = (uint64_t)gold_le32(b->head + at) * SECTOR;
        if (table && !gold_range_inside(table, table_len, size))
            return true;
    }
    return false;
}

static int
read_sparse(const struct gold_header_bytes *b, struct gold_image_facts *ret,
            struct gold_error **err)
{
    GOLD_CLEANUP(descriptor_done) struct descriptor d = {0};

    if (gold_header_need(b, 0, SECTOR, "the VMDK header", err) < 0)
        return -1;
    const unsigned char *h = b->head;
    if (check_sparse(h, err) < 0 || read_embedded(b, &d, err) < 0)
        return -1;
    if (gold_le64(h + 56) == GD_AT_END && find_footer(b, &h, &ret->truncated, err) < 0)
        return -1;
    uint64_t capacity = gold_le64(h + 12), grain = gold_le64(h + 20);
    if (gold_le64(h + 56) != GD_AT_END && is_truncated(b, h))
        ret->truncated = true;
    ret->virtual_size = capacity * SECTOR;
    ret->cluster_size = (uint32_t)(grain * SECTOR);
    /* An extent of a multi-file image carries no descriptor of its own. */
    if (!d.create_type) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "a VMDK extent without a descriptor, which is a part of an image");
        return -1;
    }
    ret->extents_elsewhere = d.extents > 1;
    return keep_descriptor(&d, ret, err);
}

int
gold_header_read_vmdk(const struct gold_header_bytes *b, struct gold_image_facts *ret,
                      struct gold_error **err)
{
    return gold_header_is_vmdk_descriptor(b) ? read_text(b, ret, err)
                                             : read_sparse(b, ret, err);
}
