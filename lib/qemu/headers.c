/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which format a file is in, by its magic and by what the caller wants, and the facts of a raw
 * image. The formats themselves are read in header_*.c. Nothing is opened here, so that hostile
 * headers meet no more code than this.
 */
#include "qemu/header_internal.h"

#include <inttypes.h>
#include <string.h>

#include "core/str.h"

static const struct {
    enum gold_image_format format;
    const char *name;
} format_names[] = {
    {GOLD_IMAGE_RAW, "raw"}, {GOLD_IMAGE_QCOW2, "qcow2"}, {GOLD_IMAGE_VMDK, "vmdk"},
    {GOLD_IMAGE_VDI, "vdi"}, {GOLD_IMAGE_VHDX, "vhdx"},
};

/* What nobody wants to have read as a raw disk by accident. Guests do not write these at the
 * start of a disk. */
static const struct {
    size_t offset, len;
    const char *magic;
    const char *what;
} foreign_magics[] = {
    {0, 4, "QED\0", "a QED image"},
    {0, 8, "conectix", "a VHD image"},
    {0, 16, "WithoutFreeSpace", "a Parallels image"},
    {0, 16, "WithouFreSpacExt", "a Parallels image"},
    {0, 4, "COWD", "a vmfsSparse extent without its descriptor"},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     "compressed with xz"},
    {0, 4, "\x28\xb5\x2f\xfd", "compressed with zstd"},
    {0, 3, "\x1f\x8b\x08", "compressed with gzip"},
    {0, 3, "BZh", "compressed with bzip2"},
    {0, 4, "PK\x03\x04", "a ZIP archive"},
    {257, 5, "ustar", "a tar archive (an OVA package is one)"},
};

const char *
gold_image_format_name(enum gold_image_format format)
{
    for (size_t i = 0; i < sizeof(format_names) / sizeof(format_names[0]); i++)
        if (format_names[i].format == format)
            return format_names[i].name;
    return "unknown";
}

enum gold_image_format
gold_image_format_parse(const char *name)
{
    for (size_t i = 0; name && i < sizeof(format_names) / sizeof(format_names[0]); i++)
        if (gold_streq(format_names[i].name, name))
            return format_names[i].format;
    return GOLD_IMAGE_UNKNOWN;
}

void
gold_image_facts_done(struct gold_image_facts *facts)
{
    free(facts->backing_file);
    free(facts->backing_format);
    free(facts->data_file);
    free(facts->subformat);
    memset(facts, 0, sizeof(*facts));
}

int
gold_header_need(const struct gold_header_bytes *b, uint64_t offset, uint64_t len,
                 const char *what, struct gold_error **err)
{
    if (gold_range_inside(offset, len, b->head_len))
        return 0;
    if (!gold_range_inside(offset, len, b->file_size))
        gold_error_set(err, GOLD_ERROR_FORMAT, "%s is cut off: the file ends at byte %" PRIu64,
                       what, b->file_size);
    else
        gold_error_set(err, GOLD_ERROR_FORMAT, "%s lies at an unusual place (byte %" PRIu64 ")",
                       what, offset);
    return -1;
}

static bool
has_magic(const struct gold_header_bytes *b, size_t offset, const char *magic, size_t len)
{
    return gold_range_inside(offset, len, b->head_len) &&
           memcmp(b->head + offset, magic, len) == 0;
}

static enum gold_image_format
format_by_magic(const struct gold_header_bytes *b)
{
    if (has_magic(b, 0, "QFI\xfb", 4))
        return GOLD_IMAGE_QCOW2;
    if (has_magic(b, 0, "KDMV", 4) || gold_header_is_vmdk_descriptor(b))
        return GOLD_IMAGE_VMDK;
    if (has_magic(b, 0x40, "\x7f\x10\xda\xbe", 4))
        return GOLD_IMAGE_VDI;
    if (has_magic(b, 0, "vhdxfile", 8))
        return GOLD_IMAGE_VHDX;
    return GOLD_IMAGE_UNKNOWN;
}

static int
refuse_foreign(const struct gold_header_bytes *b, struct gold_error **err)
{
    for (size_t i = 0; i < sizeof(foreign_magics) / sizeof(foreign_magics[0]); i++) {
        if (!has_magic(b, foreign_magics[i].offset, foreign_magics[i].magic,
                       foreign_magics[i].len))
            continue;
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "this is %s, not a disk image in a known format",
                       foreign_magics[i].what);
        gold_error_hint(err, "if it is a raw disk all the same, say --format raw");
        return -1;
    }
    return 0;
}

static int
read_as(const struct gold_header_bytes *b, enum gold_image_format format,
        struct gold_image_facts *facts, struct gold_error **err)
{
    facts->format = format;
    facts->file_size = b->file_size;
    switch (format) {
    case GOLD_IMAGE_QCOW2:
        return gold_header_read_qcow2(b, facts, err);
    case GOLD_IMAGE_VMDK:
        return gold_header_read_vmdk(b, facts, err);
    case GOLD_IMAGE_VDI:
        return gold_header_read_vdi(b, facts, err);
    case GOLD_IMAGE_VHDX:
        return gold_header_read_vhdx(b, facts, err);
    default:
        facts->virtual_size = b->file_size;
        return 0;
    }
}

int
gold_image_read_header(const unsigned char *head, size_t head_len, const unsigned char *tail,
                       size_t tail_len, uint64_t file_size, enum gold_image_format wanted,
                       struct gold_image_facts *ret, struct gold_error **err)
{
    const struct gold_header_bytes b = {head, head_len, tail, tail_len, file_size};
    GOLD_CLEANUP_IMAGE_FACTS struct gold_image_facts facts = {0};
    enum gold_image_format found = format_by_magic(&b);

    if (wanted == GOLD_IMAGE_UNKNOWN) {
        if (found == GOLD_IMAGE_UNKNOWN && refuse_foreign(&b, err) < 0)
            return -1;
        wanted = found == GOLD_IMAGE_UNKNOWN ? GOLD_IMAGE_RAW : found;
    } else if (wanted != GOLD_IMAGE_RAW && wanted != found) {
        /* No magic of its own is as definite as a foreign one: nothing of ours lacks one. */
        if (found == GOLD_IMAGE_UNKNOWN)
            gold_error_set(err, GOLD_ERROR_FORMAT, "not a %s image",
                           gold_image_format_name(wanted));
        else
            gold_error_set(err, GOLD_ERROR_FORMAT, "not a %s image but a %s image",
                           gold_image_format_name(wanted), gold_image_format_name(found));
        return -1;
    }
    if (read_as(&b, wanted, &facts, err) < 0)
        return -1;
    *ret = facts;
    memset(&facts, 0, sizeof(facts));
    return 0;
}
