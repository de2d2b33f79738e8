/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From kernel device names to UUIDs. A guess is worse than a finding here (the clone would
 * mount the wrong file system), so a name is only resolved when nothing else fits. Does not
 * read the guest.
 */
#include <string.h>
#include <strings.h>

#include "guest/devname.h"

#define MAX_NUMBER 4096

static bool
take_number(const char *s, size_t len, size_t *pos, unsigned *ret)
{
    unsigned v = 0;
    size_t start = *pos;
    while (*pos < len && s[*pos] >= '0' && s[*pos] <= '9' && v <= MAX_NUMBER)
        v = v * 10 + (unsigned)(s[(*pos)++] - '0');
    *ret = v;
    return *pos > start && v <= MAX_NUMBER;
}

static bool
take_text(const char *s, size_t len, size_t *pos, const char *text)
{
    size_t n = strlen(text);
    if (len - *pos < n || memcmp(s + *pos, text, n) != 0)
        return false;
    *pos += n;
    return true;
}

/* "a" is 0, "z" 25, "aa" 26 */
static bool
take_letters(const char *s, size_t len, size_t *pos, unsigned *ret)
{
    unsigned v = 0;
    size_t n = 0;
    for (; *pos < len && s[*pos] >= 'a' && s[*pos] <= 'z'; n++)
        if (n < 3)
            v = v * 26 + (unsigned)(s[(*pos)++] - 'a') + 1;
        else
            return false;
    *ret = v - 1;
    return n > 0;
}

/* Disk with letters: partition number directly behind. */
static bool
parse_lettered(const char *s, size_t len, size_t *pos, struct gold_devname *d)
{
    static const char *const kinds[] = {"xvd", "sd", "hd", "vd", "ubd"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (take_text(s, len, pos, kinds[i]))
            return take_letters(s, len, pos, &d->index);
    return false;
}

/* Disk with a number: 'p' before the partition number. */
static bool
parse_numbered(const char *s, size_t len, size_t *pos, struct gold_devname *d)
{
    unsigned ns;
    if (take_text(s, len, pos, "nvme")) {
        if (!take_number(s, len, pos, &d->index) || !take_text(s, len, pos, "n") ||
            !take_number(s, len, pos, &ns))
            return false;
        d->index += ns > 0 ? ns - 1 : 0;
        return true;
    }
    if (take_text(s, len, pos, "mmcblk"))
        return take_number(s, len, pos, &d->index);
    d->leftover = true;
    return take_text(s, len, pos, "loop") && take_number(s, len, pos, &d->index);
}

bool
gold_devname_parse(const char *s, size_t len, struct gold_devname *ret)
{
    struct gold_devname d = {.part = 0};
    size_t pos = 0;
    bool mapper = take_text(
        s, len, &pos, "/dev/mapper/"); /* kpartx names the partitions of a loop device so */
    if (!mapper && !take_text(s, len, &pos, "/dev/"))
        return false;
    size_t name = pos;
    bool lettered = parse_lettered(s, len, &pos, &d);
    if (!lettered) {
        pos = name;
        if (!parse_numbered(s, len, &pos, &d))
            return false;
    }
    size_t n = pos - name;
    if (mapper && !d.leftover)
        return false;
    if (n >= sizeof(d.disk))
        return false;
    memcpy(d.disk, s + name, n);
    if (pos < len) {
        if (!lettered && !take_text(s, len, &pos, "p"))
            return false;
        if (!take_number(s, len, &pos, &d.part) || d.part == 0 || pos != len)
            return false;
    } else if (d.leftover) {
        return false; /* /dev/loop0 alone is an ordinary name inside a guest */
    }
    *ret = d;
    return true;
}

static bool
parse_device(const char *device, struct gold_devname *ret)
{
    return device && gold_devname_parse(device, strlen(device), ret) && !ret->leftover;
}

/* What a UUID=, LABEL= or PARTUUID= specification names. */
static void
claim(struct gold_devmap *map, const char *text, const struct gold_span *spec)
{
    for (size_t i = 0; i < map->guest->n_filesystems; i++) {
        const struct gold_filesystem *fs = &map->guest->filesystems[i];
        const struct {
            const char *key, *value;
        } names[] = {{"UUID=", fs->uuid}, {"LABEL=", fs->label}, {"PARTUUID=", fs->partuuid}};
        for (size_t k = 0; k < 3; k++) {
            size_t n = strlen(names[k].key), m = names[k].value ? strlen(names[k].value) : 0;
            const char *value = text + spec->offset + n;
            if (m == 0 || spec->len < n + m ||
                strncasecmp(text + spec->offset, names[k].key, n) != 0)
                continue;
            size_t quotes = *value == '"';
            if (spec->len == n + m + 2 * quotes &&
                strncasecmp(value + quotes, names[k].value, m) == 0)
                map->claimed[i] = true;
        }
    }
}

int
gold_devmap_init(struct gold_devmap *map, const struct gold_guest *guest,
                 const struct gold_root *root, const char *fstab, size_t fstab_len,
                 struct gold_error **err)
{
    *map = (struct gold_devmap){.guest = guest, .root = root};
    map->claimed = calloc(guest->n_filesystems + 1, sizeof(bool));
    if (!map->claimed)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < guest->n_filesystems; i++) {
        struct gold_devname d;
        if (parse_device(guest->filesystems[i].device, &d) && d.index + 1 > map->disks)
            map->disks = d.index + 1;
    }
    struct gold_lines walk = {0};
    struct gold_fields f;
    while (fstab && gold_fields_next(fstab, fstab_len, &walk, &f)) {
        struct gold_devname d;
        claim(map, fstab, &f.f[0]);
        if (f.n >= 2 && gold_span_is(fstab, &f.f[1], "/") &&
            gold_devname_parse(fstab + f.f[0].offset, f.f[0].len, &d) &&
            gold_devmap_pin_root(map, &d, err) < 0) {
            gold_devmap_done(map);
            return -1;
        }
    }
    return 0;
}

static const struct gold_devmap_pin *
find_pin(const struct gold_devmap *map, const char *guest_disk)
{
    for (size_t i = 0; i < map->n_pins; i++)
        if (strcmp(map->pins[i].guest, guest_disk) == 0)
            return &map->pins[i];
    return NULL;
}

int
gold_devmap_pin_root(struct gold_devmap *map, const struct gold_devname *name,
                     struct gold_error **err)
{
    struct gold_devname root;
    if (!map->root || !parse_device(map->root->device, &root) || root.part != name->part ||
        find_pin(map, name->disk))
        return 0;
    struct gold_devmap_pin *pin = gold_array_add(&map->pins, &map->n_pins, sizeof(*pin), err);
    if (!pin)
        return -1;
    memcpy(pin->guest, name->disk, sizeof(pin->guest));
    memcpy(pin->appliance, root.disk, sizeof(pin->appliance));
    return 0;
}

void
gold_devmap_done(struct gold_devmap *map)
{
    free(map->pins);
    free(map->claimed);
    *map = (struct gold_devmap){0};
}

static bool
type_fits(const char *have, enum gold_devuse use, const char *want)
{
    have = have ? have : "unknown";
    bool swap = strcmp(have, "swap") == 0, luks = strcmp(have, "crypto_LUKS") == 0,
         unknown = strcmp(have, "unknown") == 0;
    switch (use) {
    case GOLD_DEVUSE_SWAP:
        return swap;
    case GOLD_DEVUSE_LUKS:
        return luks;
    case GOLD_DEVUSE_PLAIN:
        return swap || unknown;
    case GOLD_DEVUSE_ROOT:
    case GOLD_DEVUSE_FS:
        break;
    }
    if (swap || luks || unknown || strstr(have, "_member"))
        return false;
    if (!want || strcmp(want, "auto") == 0 || strcmp(want, have) == 0)
        return true;
    if (strncmp(want, "ext", 3) == 0 && strncmp(have, "ext", 3) == 0)
        return true;
    return strcmp(want, "msdos") == 0 && strcmp(have, "vfat") == 0;
}

static bool
pinned_to_other(const struct gold_devmap *map, const char *appliance_disk)
{
    for (size_t i = 0; i < map->n_pins; i++)
        if (strcmp(map->pins[i].appliance, appliance_disk) == 0)
            return true;
    return false;
}

/* The one file system that the name can mean, or NULL. */
static const struct gold_filesystem *
find_filesystem(const struct gold_devmap *map, const struct gold_devname *name,
                enum gold_devuse use, const char *type, const char **ret_why)
{
    const struct gold_devmap_pin *pin = find_pin(map, name->disk);
    const struct gold_filesystem *found = NULL;
    *ret_why = "no file system of this image fits";
    if (!pin && name->index >= map->disks) {
        *ret_why = "that disk was not supplied";
        return NULL;
    }
    for (size_t i = 0; i < map->guest->n_filesystems; i++) {
        const struct gold_filesystem *fs = &map->guest->filesystems[i];
        struct gold_devname d;
        if (!parse_device(fs->device, &d) || d.part != name->part ||
            !type_fits(fs->type, use, type))
            continue;
        if (pin ? strcmp(pin->appliance, d.disk) != 0 : pinned_to_other(map, d.disk))
            continue;
        if (!pin && map->disks > 1 && map->claimed[i])
            continue;
        if (found) {
            *ret_why = "several file systems of this image fit";
            return NULL;
        }
        found = fs;
    }
    return found;
}

static bool
safe_uuid(const char *s)
{
    if (!s || !*s || strlen(s) > 64)
        return false;
    for (; *s; s++)
        if (!((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
              (*s >= 'A' && *s <= 'Z') || *s == '-'))
            return false;
    return true;
}

/* A UUID that two file systems of the image share names neither. */
static bool
unique(const struct gold_devmap *map, const struct gold_filesystem *fs, bool partuuid)
{
    size_t n = 0;
    const char *mine = partuuid ? fs->partuuid : fs->uuid;
    for (size_t i = 0; i < map->guest->n_filesystems; i++) {
        const char *other =
            partuuid ? map->guest->filesystems[i].partuuid : map->guest->filesystems[i].uuid;
        n += other && strcasecmp(other, mine) == 0;
    }
    return n == 1;
}

int
gold_devmap_resolve(const struct gold_devmap *map, const struct gold_devname *name,
                    enum gold_devuse use, const char *type, bool partuuid_only, char **ret,
                    const char **ret_why, struct gold_error **err)
{
    struct gold_devname root;
    const struct gold_filesystem *fs = NULL;
    *ret = NULL;
    if (use == GOLD_DEVUSE_ROOT && map->root && parse_device(map->root->device, &root) &&
        root.part == name->part) {
        for (size_t i = 0; i < map->guest->n_filesystems && !fs; i++)
            if (gold_streq(map->guest->filesystems[i].device, map->root->device))
                fs = &map->guest->filesystems[i];
    }
    if (!fs)
        fs = find_filesystem(map, name, use, type, ret_why);
    if (!fs)
        return 0;
    bool uuid_ok = safe_uuid(fs->uuid) && unique(map, fs, false) && !partuuid_only &&
                   use != GOLD_DEVUSE_PLAIN;
    bool partuuid_ok = safe_uuid(fs->partuuid) && unique(map, fs, true);
    if (!uuid_ok && !partuuid_ok) {
        *ret_why = "its file system has no UUID that could stand for it";
        return 0;
    }
    *ret = gold_format(err, "%s=%s", uuid_ok ? "UUID" : "PARTUUID",
                       uuid_ok ? fs->uuid : fs->partuuid);
    return *ret ? 0 : -1;
}
