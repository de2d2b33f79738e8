/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads superblocks and the names by which a guest calls its file systems. All input is the
 * guest's, so nothing is read beyond its length and nothing is believed about it. Does not open
 * or mount anything.
 */
#include "guest/filesystem.h"

#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "core/str.h"

static unsigned
le16(const unsigned char *p)
{
    return (unsigned)p[0] | (unsigned)p[1] << 8;
}

bool
gold_ext_is_dirty(const unsigned char *head, size_t len)
{
    if (len < 1024 + 0x64 || le16(head + 1024 + 0x38) != 0xEF53)
        return false;
    const unsigned char *sb = head + 1024;
    bool valid = le16(sb + 0x3A) & 1;   /* s_state: cleanly unmounted */
    bool errors = le16(sb + 0x3A) & 2;  /* s_state: errors were found */
    bool recover = le16(sb + 0x60) & 4; /* s_feature_incompat: needs_recovery */
    return !valid || errors || recover;
}

bool
gold_swap_is_suspended(const unsigned char *head, size_t len)
{
    static const char signatures[][10] = {"S1SUSPEND", "S2SUSPEND", "ULSUSPEND", "LINHIB0001"};
    static const size_t lengths[] = {9, 9, 9, 10};
    if (len < 4096)
        return false;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (memcmp(head + 4086, signatures[i], lengths[i]) == 0)
            return true;
    return false;
}

const char *
gold_elf_architecture(const unsigned char *head, size_t len)
{
    static const struct {
        unsigned machine, bits; /* 0: either */
        bool big;
        const char *name;
    } known[] = {
        {62, 2, false, "x86_64"},       {3, 1, false, "i386"},     {183, 2, false, "aarch64"},
        {40, 1, false, "arm"},          {21, 2, false, "ppc64le"}, {21, 2, true, "ppc64"},
        {20, 1, true, "ppc"},           {22, 2, true, "s390x"},    {243, 2, false, "riscv64"},
        {258, 2, false, "loongarch64"},
    };
    if (len < 20 || memcmp(head, "\177ELF", 4) != 0)
        return NULL;
    bool big = head[5] == 2;
    unsigned machine = big ? (unsigned)head[18] << 8 | head[19] : le16(head + 18);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].machine == machine && known[i].bits == head[4] && known[i].big == big)
            return known[i].name;
    return NULL;
}

enum tag { TAG_UUID, TAG_LABEL, TAG_PARTUUID };

static bool
has_tag(const struct gold_filesystem *fs, enum tag tag, const char *value)
{
    switch (tag) {
    case TAG_UUID:
        return fs->uuid && strcasecmp(fs->uuid, value) == 0;
    case TAG_LABEL:
        return fs->label && strcmp(fs->label, value) == 0;
    default:
        return fs->partuuid && strcasecmp(fs->partuuid, value) == 0;
    }
}

static enum gold_device_match
find_tag(const struct gold_guest *g, enum tag tag, const char *value,
         const struct gold_filesystem **ret)
{
    /* "UUID='...'" is written too. */
    char text[300];
    size_t len = strlen(value);
    if (len >= 2 && (value[0] == '"' || value[0] == '\'') && value[len - 1] == value[0]) {
        value++;
        len -= 2;
    }
    if (len == 0 || len >= sizeof text)
        return GOLD_DEVICE_OTHER;
    memcpy(text, value, len);
    text[len] = '\0';
    for (size_t i = 0; i < g->n_filesystems; i++) {
        if (has_tag(&g->filesystems[i], tag, text)) {
            *ret = &g->filesystems[i];
            return GOLD_DEVICE_FOUND;
        }
    }
    return GOLD_DEVICE_MISSING;
}

/* Is `name` ("vg-lv", hyphens inside doubled) the mapper's name of `device` ("/dev/vg/lv")? */
static bool
is_mapper_name(const char *device, const char *name)
{
    const char *p = device + strlen("/dev/");
    const char *slash = strchr(p, '/');
    if (!gold_str_has_prefix(device, "/dev/") || !slash || strchr(slash + 1, '/'))
        return false;
    for (; *p; p++) {
        if (p == slash) {
            if (*name++ != '-')
                return false;
        } else if (*p == '-') {
            if (name[0] != '-' || name[1] != '-')
                return false;
            name += 2;
        } else if (*name++ != *p) {
            return false;
        }
    }
    return *name == '\0';
}

/* The guest's name of a partition as libguestfs calls it: "/dev/vdb2", "/dev/nvme1n1p2" to
   "/dev/sdb2". A guess: the order of disks is that in which they were given. */
static bool
translate_disk(const char *spec, char *buf, size_t size)
{
    static const char *const letters[] = {"/dev/sd", "/dev/vd", "/dev/hd", "/dev/xvd"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (!gold_str_has_prefix(spec, letters[i]))
            continue;
        const char *rest = spec + strlen(letters[i]);
        size_t n = strspn(rest, "abcdefghijklmnopqrstuvwxyz");
        size_t digits = strspn(rest + n, "0123456789");
        if (n < 1 || n > 2 || digits > 3 || rest[n + digits] != '\0')
            return false;
        (void)snprintf(buf, size, "/dev/sd%s", rest);
        return true;
    }
    static const struct {
        const char *prefix, *middle;
    } numbered[] = {{"/dev/nvme", "n1"}, {"/dev/mmcblk", ""}};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        if (!gold_str_has_prefix(spec, numbered[i].prefix))
            continue;
        const char *rest = spec + strlen(numbered[i].prefix);
        size_t middle = strlen(numbered[i].middle);
        if (rest[0] < '0' || rest[0] > '9' ||
            strncmp(rest + 1, numbered[i].middle, middle) != 0)
            return false;
        const char *part = rest + 1 + middle;
        if (*part == 'p')
            part++;
        size_t digits = strspn(part, "0123456789");
        if (digits > 3 || part[digits] != '\0')
            return false;
        (void)snprintf(buf, size, "/dev/sd%c%s", 'a' + (rest[0] - '0'), part);
        return true;
    }
    return false;
}

static enum gold_device_match
find_name(const struct gold_guest *g, const char *spec, const struct gold_filesystem **ret)
{
    char translated[32] = "";
    if (translate_disk(spec, translated, sizeof translated))
        spec = translated;
    const char *mapper =
        gold_str_has_prefix(spec, "/dev/mapper/") ? spec + strlen("/dev/mapper/") : NULL;
    for (size_t i = 0; i < g->n_filesystems; i++) {
        const char *device = g->filesystems[i].device;
        if (strcmp(device, spec) == 0 || (mapper && is_mapper_name(device, mapper))) {
            *ret = &g->filesystems[i];
            return GOLD_DEVICE_FOUND;
        }
    }
    return GOLD_DEVICE_OTHER;
}

enum gold_device_match
gold_guest_find_device(const struct gold_guest *g, const char *spec,
                       const struct gold_filesystem **ret)
{
    static const struct {
        const char *prefix;
        enum tag tag;
    } tags[] = {
        {"UUID=", TAG_UUID},
        {"LABEL=", TAG_LABEL},
        {"PARTUUID=", TAG_PARTUUID},
        {"/dev/disk/by-uuid/", TAG_UUID},
        {"/dev/disk/by-label/", TAG_LABEL},
        {"/dev/disk/by-partuuid/", TAG_PARTUUID},
    };
    *ret = NULL;
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (gold_str_has_prefix(spec, tags[i].prefix))
            return find_tag(g, tags[i].tag, spec + strlen(tags[i].prefix), ret);
    return gold_str_has_prefix(spec, "/dev/") ? find_name(g, spec, ret) : GOLD_DEVICE_OTHER;
}
