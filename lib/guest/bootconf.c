/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a guest keeps its kernel command lines: found by the files that are there. Does not
 * decide what a parameter should be.
 */
#include <fnmatch.h>
#include <string.h>

#include "core/limits.h"
#include "guest/bootconf.h"
#include "guest/stores.h"

static const struct {
    const char *pattern;
    enum gold_cmdline_kind kind;
} places[] = {
    {"/boot/grub/grub.cfg", GOLD_CMDLINE_GRUB},
    {"/boot/grub2/grub.cfg", GOLD_CMDLINE_GRUB},
    {"/boot/efi/EFI/*/grub.cfg", GOLD_CMDLINE_GRUB},
    {"/boot/grub/custom.cfg", GOLD_CMDLINE_GRUB},
    {"/boot/grub/menu.lst", GOLD_CMDLINE_GRUB},
    {"/boot/grub/grub.conf", GOLD_CMDLINE_GRUB},
    {"/etc/grub.d/40_custom", GOLD_CMDLINE_GRUB},
    {"/boot/grub/grubenv", GOLD_CMDLINE_GRUBENV},
    {"/boot/grub2/grubenv", GOLD_CMDLINE_GRUBENV},
    {"/boot/efi/EFI/*/grubenv", GOLD_CMDLINE_GRUBENV},
    {"/etc/default/grub", GOLD_CMDLINE_SHELL},
    {"/etc/default/grub.d/*.cfg", GOLD_CMDLINE_SHELL},
    {"/etc/default/extlinux", GOLD_CMDLINE_SHELL},
    {"/etc/update-extlinux.conf", GOLD_CMDLINE_SHELL},
    {"/etc/initramfs-tools/conf.d/resume", GOLD_CMDLINE_SHELL},
    {"/boot/extlinux/*.conf", GOLD_CMDLINE_EXTLINUX},
    {"/boot/extlinux.conf", GOLD_CMDLINE_EXTLINUX},
    {"/extlinux.conf", GOLD_CMDLINE_EXTLINUX},
    {"/boot/syslinux/*.cfg", GOLD_CMDLINE_EXTLINUX},
    {"/boot/syslinux.cfg", GOLD_CMDLINE_EXTLINUX},
    {"/boot/efi/syslinux.cfg", GOLD_CMDLINE_EXTLINUX},
    {"/boot/efi/EFI/syslinux/syslinux.cfg", GOLD_CMDLINE_EXTLINUX},
    {"/boot/loader/entries/*.conf", GOLD_CMDLINE_BLS},
    {"/boot/efi/loader/entries/*.conf", GOLD_CMDLINE_BLS},
    {"/efi/loader/entries/*.conf", GOLD_CMDLINE_BLS},
    {"/etc/kernel/cmdline", GOLD_CMDLINE_PLAIN},
    {"/etc/cmdline", GOLD_CMDLINE_PLAIN},
    {"/etc/cmdline.d/*.conf", GOLD_CMDLINE_PLAIN},
    {"/boot/cmdline.txt", GOLD_CMDLINE_PLAIN},
    {"/boot/firmware/cmdline.txt", GOLD_CMDLINE_PLAIN},
};

const char *const gold_uki_patterns[] = {"/boot/EFI/Linux/*.efi", "/boot/efi/EFI/Linux/*.efi",
                                         "/efi/EFI/Linux/*.efi", NULL};

static int
one_file(struct gold_scene *sc, const char *path, enum gold_cmdline_kind kind,
         gold_bootconf_fn *fn, void *opaque, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    GOLD_CLEANUP_SPANS struct gold_spans params = {0};
    size_t len = 0;
    if (gold_scene_read(sc, path, &text, &len, err) < 0)
        return -1;
    if (!text)
        return 0;
    if (gold_cmdline_params(kind, text, len, &params, err) < 0)
        return -1;
    struct gold_bootconf file = {
        .path = path, .kind = kind, .text = text, .len = len, .params = &params};
    return fn(sc, &file, opaque, err);
}

int
gold_bootconf_each(struct gold_scene *sc, gold_bootconf_fn *fn, void *opaque,
                   struct gold_error **err)
{
    const size_t n = sizeof(places) / sizeof(places[0]);
    const char *patterns[sizeof(places) / sizeof(places[0])];
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    for (size_t i = 0; i < n; i++)
        patterns[i] = places[i].pattern;
    if (gold_scene_glob_all(sc, patterns, n, &paths, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < paths.n; k++)
            if (fnmatch(places[i].pattern, paths.items[k], FNM_PATHNAME | FNM_PERIOD) == 0 &&
                one_file(sc, paths.items[k], places[i].kind, fn, opaque, err) < 0)
                return -1;
    return 0;
}

int
gold_bootconf_write(struct gold_scene *sc, const struct gold_bootconf *file,
                    const struct gold_text_edits *edits, const char *detail,
                    struct gold_error **err)
{
    if (edits->n == 0)
        return 0;
    size_t len = 0;
    GOLD_CLEANUP_FREE char *text =
        gold_text_edits_apply(edits, file->text, file->len, &len, err);
    if (!text)
        return -1;
    if (file->kind == GOLD_CMDLINE_GRUBENV &&
        gold_grubenv_fit(&text, &len, file->len, err) < 0) {
        gold_error_prefix(err, "cannot edit '%s'", file->path);
        return -1;
    }
    return gold_scene_rewrite(sc, file->path, text, len, "edited", detail, err);
}

static uint32_t
le32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint32_t
le16(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8;
}

bool
gold_pe_section(const char *header, size_t len, const char *name, uint64_t *ret_offset,
                uint64_t *ret_size)
{
    if (len < 64 || memcmp(header, "MZ", 2) != 0)
        return false;
    uint64_t pe = le32(header + 60);
    if (pe + 24 > len || memcmp(header + pe, "PE\0\0", 4) != 0)
        return false;
    uint32_t sections = le16(header + pe + 6);
    uint64_t at = pe + 24 + le16(header + pe + 20);
    size_t n = strlen(name);
    for (uint32_t i = 0; i < sections && at + 40 <= len; i++, at += 40) {
        const char *s = header + at;
        if (n > 8 || memcmp(s, name, n) != 0 || (n < 8 && s[n] != '\0'))
            continue;
        uint32_t virtual_size = le32(s + 8), raw_size = le32(s + 16);
        *ret_offset = le32(s + 20);
        *ret_size = virtual_size < raw_size ? virtual_size : raw_size;
        return true;
    }
    return false;
}

int
gold_uki_cmdline(struct gold_scene *sc, const char *path, char **ret, size_t *ret_len,
                 struct gold_error **err)
{
    size_t len = 0;
    uint64_t offset, size;
    *ret = NULL;
    GOLD_CLEANUP_FREE char *header = guestfs_pread(sc->g, path, 4096, 0, &len);
    if (!header) {
        gold_error_set_guestfs(err, sc->session, "cannot read '%s'", path);
        return -1;
    }
    if (!gold_pe_section(header, len, ".cmdline", &offset, &size) || size == 0)
        return 0;
    if (size > 64 * GOLD_KIB)
        size = 64 * GOLD_KIB;
    char *text = guestfs_pread(sc->g, path, (int)size, (int64_t)offset, ret_len);
    if (!text) {
        gold_error_set_guestfs(err, sc->session, "cannot read '%s'", path);
        return -1;
    }
    *ret = text;
    return 0;
}
