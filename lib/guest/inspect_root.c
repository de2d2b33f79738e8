/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is known of one root: os-release, init, architecture, SELinux, and which file systems
 * belong to it. Found by files, never by a distribution's name. Everything read is the guest's
 * data: bounded, and never trusted.
 */
#include "guest/inspect_root.h"

#include <string.h>

#include "core/limits.h"
#include "core/number.h"
#include "core/str.h"
#include "guest/filesystem.h"
#include "guest/fstab.h"

void
gold_root_done(struct gold_root *root)
{
    free(root->device);
    free(root->os);
    free(root->distro);
    free(root->version);
    free(root->name);
    free(root->id_like);
    free(root->arch);
    for (size_t i = 0; i < root->n_mounts; i++) {
        free(root->mounts[i].device);
        free(root->mounts[i].where);
    }
    free(root->mounts);
    *root = (struct gold_root){0};
}

const char *
gold_readonly_options(const char *type)
{
    if (strcmp(type, "ext3") == 0 || strcmp(type, "ext4") == 0)
        return "ro,noload";
    if (strcmp(type, "xfs") == 0)
        return "ro,norecovery,nouuid";
    if (strcmp(type, "btrfs") == 0)
        return "ro,nologreplay";
    return "ro";
}

bool
gold_type_is_mountable(const char *type)
{
    static const char *const types[] = {"ext2",     "ext3", "ext4", "xfs",  "btrfs", "f2fs",
                                        "reiserfs", "jfs",  "vfat", "ntfs", "ntfs3", "exfat"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* 1 as soon as one of the files is there. */
static int
any_file(struct gold_scene *sc, const char *const *paths, struct gold_error **err)
{
    for (size_t i = 0; paths[i]; i++) {
        int r = gold_scene_is_file(sc, paths[i], err);
        if (r != 0)
            return r;
    }
    return 0;
}

/* 1: Linux, 2: Windows, 0: no root. */
static int
recognise(struct gold_scene *sc, const char *type, struct gold_error **err)
{
    if (gold_str_has_prefix(type, "ntfs")) {
        static const char *const system32[] = {"/Windows/System32/ntoskrnl.exe",
                                               "/WINDOWS/system32/ntoskrnl.exe",
                                               "/windows/system32/ntoskrnl.exe", NULL};
        int r = any_file(sc, system32, err);
        return r > 0 ? 2 : r;
    }
    if (strcmp(type, "vfat") == 0 || strcmp(type, "exfat") == 0)
        return 0;
    int r = gold_scene_is_dir(sc, "/etc", err);
    if (r <= 0)
        return r;
    /* A symlink counts: it may lead into a /usr that is another file system. */
    static const char *const releases[] = {"/etc/os-release", "/usr/lib/os-release", NULL};
    r = any_file(sc, releases, err);
    if (r == 0)
        r = gold_scene_is_symlink(sc, "/etc/os-release", err);
    if (r != 0)
        return r;
    /* Older ones: a place for programs and a table of file systems. */
    r = gold_scene_exists(sc, "/bin", err);
    return r <= 0 ? r : gold_scene_is_file(sc, "/etc/fstab", err);
}

static int
compare_mounts(const void *a, const void *b)
{
    /* "/" and every parent sort before what is below them. */
    return strcmp(((const struct gold_mount *)a)->where, ((const struct gold_mount *)b)->where);
}

static int
add_mount(struct gold_root *root, const char *device, const char *where, const char *type,
          bool optional, struct gold_error **err)
{
    for (size_t i = 0; i < root->n_mounts; i++)
        if (strcmp(root->mounts[i].where, where) == 0)
            return 0;
    struct gold_mount *m = gold_array_add(&root->mounts, &root->n_mounts, sizeof *m, err);
    if (!m)
        return -1;
    m->readonly_options = gold_readonly_options(type);
    m->optional = optional;
    m->device = gold_strdup(device, err);
    m->where = m->device ? gold_strdup(where, err) : NULL;
    return m->where ? 0 : -1;
}

/* A swap file with a suspended system in it makes its file system one that must not be touched.
 */
static int
look_at_swap_file(struct gold_scene *sc, struct gold_filesystem *fs, const char *path,
                  struct gold_error **err)
{
    int r = gold_scene_is_file(sc, path, err);
    if (r <= 0)
        return r;
    size_t len = 0;
    GOLD_CLEANUP_FREE char *head = guestfs_pread(sc->g, path, GOLD_FILESYSTEM_HEAD, 0, &len);
    if (!head) {
        gold_error_set_guestfs(err, sc->session, "reading '%s' in the guest", path);
        return -1;
    }
    if (gold_swap_is_suspended((const unsigned char *)head, len))
        fs->hibernated = true;
    return 0;
}

/* What a line of fstab mounts: the file system, or the subvolume that its options name. */
static char *
line_device(const struct gold_filesystem *fs, const struct gold_fstab_line *line,
            struct gold_error **err)
{
    const char *subvolume = NULL;
    if (strcmp(fs->type, "btrfs") != 0 ||
        !gold_fstab_has_option(line->field[3], "subvol=", &subvolume))
        return gold_strdup(fs->block, err);
    while (*subvolume == '/')
        subvolume++;
    int len = (int)strcspn(subvolume, ",");
    return len ? gold_format(err, "btrfsvol:%s/%.*s", fs->block, len, subvolume)
               : gold_strdup(fs->block, err);
}

static int
add_fstab_mount(struct gold_guest *guest, const struct gold_fstab_line *line,
                struct gold_root *root, struct gold_error **err)
{
    const char *where = line->field[1], *options = line->field[3];
    const struct gold_filesystem *fs = NULL;
    if (where[0] != '/' || strcmp(where, "/") == 0 ||
        gold_guest_find_device(guest, line->field[0], &fs) != GOLD_DEVICE_FOUND ||
        !gold_type_is_mountable(fs->type))
        return 0;
    bool optional = gold_fstab_has_option(options, "nofail", NULL) ||
                    gold_fstab_has_option(options, "noauto", NULL) ||
                    gold_fstab_has_option(options, "bind", NULL);
    GOLD_CLEANUP_FREE char *device = line_device(fs, line, err);
    return device ? add_mount(root, device, where, fs->type, optional, err) : -1;
}

/* Is this btrfs volume only a copy (a snapshot) of a root, or the same root under another name?
   Its own fstab says which volume is mounted at /. 1: yes. */
static int
is_copy(const struct gold_guest *guest, const struct gold_filesystem *fs,
        const struct gold_fstab *table, struct gold_error **err)
{
    for (size_t i = 0; i < table->n && strcmp(fs->type, "btrfs") == 0; i++) {
        const struct gold_filesystem *other = NULL;
        if (strcmp(table->lines[i].field[1], "/") != 0 ||
            gold_guest_find_device(guest, table->lines[i].field[0], &other) !=
                GOLD_DEVICE_FOUND ||
            strcmp(other->block, fs->block) != 0)
            continue;
        GOLD_CLEANUP_FREE char *device = line_device(other, &table->lines[i], err);
        if (!device)
            return -1;
        for (size_t k = 0; k < guest->n_filesystems; k++)
            if (strcmp(guest->filesystems[k].device, device) == 0)
                return strcmp(fs->device, device) != 0;
    }
    return 0;
}

/* 1: this is only a copy of another root. */
static int
read_fstab(struct gold_scene *sc, struct gold_guest *guest, size_t index,
           struct gold_root *root, struct gold_error **err)
{
    struct gold_filesystem *fs = &guest->filesystems[index];
    if (add_mount(root, fs->device, "/", fs->type, false, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, "/etc/fstab", &text, &len, err) < 0)
        return -1;
    if (!text)
        return 0;
    GOLD_CLEANUP_FSTAB struct gold_fstab table = {0};
    if (gold_fstab_parse(text, len, &table, err) < 0)
        return -1;
    int copy = is_copy(guest, fs, &table, err);
    if (copy != 0)
        return copy;
    for (size_t i = 0; i < table.n; i++) {
        const struct gold_fstab_line *line = &table.lines[i];
        bool swap = strcmp(line->field[2], "swap") == 0;
        if (swap && line->field[0][0] == '/' && !gold_str_has_prefix(line->field[0], "/dev/")) {
            if (look_at_swap_file(sc, fs, line->field[0], err) < 0)
                return -1;
        } else if (!swap && add_fstab_mount(guest, line, root, err) < 0) {
            return -1;
        }
    }
    qsort(root->mounts, root->n_mounts, sizeof *root->mounts, compare_mounts);
    return 0;
}

/* Most of what is asked below is in /usr. */
static int
mount_usr(struct gold_scene *sc, const struct gold_root *root, struct gold_error **err)
{
    for (size_t i = 0; i < root->n_mounts; i++) {
        const struct gold_mount *m = &root->mounts[i];
        if (strcmp(m->where, "/usr") != 0)
            continue;
        int is_link = gold_scene_is_symlink(sc, "/usr", err);
        int is_dir = is_link ? is_link : gold_scene_is_dir(sc, "/usr", err);
        if (is_dir < 0)
            return -1;
        if (is_link || !is_dir)
            continue;
        if (guestfs_mount_options(sc->g, m->readonly_options, m->device, "/usr") < 0)
            gold_debug(sc->ctx, "mounting '%s' at '/usr': %s", m->device,
                       guestfs_last_error(sc->g));
    }
    return 0;
}

static int
read_release(struct gold_scene *sc, struct gold_root *root, struct gold_error **err)
{
    static const char *const paths[] = {"/etc/os-release", "/usr/lib/os-release"};
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    for (size_t i = 0; i < 2 && !text; i++)
        if (gold_scene_read(sc, paths[i], &text, &len, err) < 0)
            return -1;
    if (!text)
        return 0;
    const struct {
        const char *key;
        char **to;
    } values[] = {{"ID", &root->distro},
                  {"VERSION_ID", &root->version},
                  {"PRETTY_NAME", &root->name},
                  {"ID_LIKE", &root->id_like}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (gold_shell_value(text, len, values[i].key, values[i].to, err) < 0)
            return -1;
        char *value = *values[i].to;
        if (value && value[0] == '\0') {
            free(value);
            *values[i].to = NULL;
        }
    }
    return 0;
}

static int
read_init(struct gold_scene *sc, enum gold_init *ret, struct gold_error **err)
{
    static const char *const systemd[] = {"/usr/lib/systemd/systemd", "/lib/systemd/systemd",
                                          NULL};
    static const char *const openrc[] = {"/sbin/openrc",        "/usr/sbin/openrc",
                                         "/usr/bin/openrc",     "/sbin/openrc-run",
                                         "/usr/bin/openrc-run", NULL};
    static const char *const inittab[] = {"/etc/inittab", NULL};
    GOLD_CLEANUP_FREE char *target = NULL;
    if (gold_scene_readlink(sc, "/sbin/init", &target, err) < 0)
        return -1;
    int has_systemd = any_file(sc, systemd, err);
    int has_openrc = has_systemd < 0 ? -1 : any_file(sc, openrc, err);
    int has_inittab = has_openrc < 0 ? -1 : any_file(sc, inittab, err);
    int own_init =
        has_inittab < 0 || target ? has_inittab : gold_scene_is_file(sc, "/sbin/init", err);
    if (has_inittab < 0 || own_init < 0)
        return -1;
    int has_levels = gold_scene_is_dir(sc, "/etc/rc2.d", err);
    if (has_levels == 0)
        has_levels = gold_scene_is_dir(sc, "/etc/rc.d", err);
    if (has_levels < 0)
        return -1;
    /* Both may be installed; then the name "init" decides. */
    bool other_init = target ? strstr(target, "systemd") == NULL : own_init && has_inittab;
    if (has_systemd && !other_init)
        *ret = GOLD_INIT_SYSTEMD;
    else if (has_openrc)
        *ret = GOLD_INIT_OPENRC;
    else if (target && strstr(target, "busybox"))
        *ret = GOLD_INIT_BUSYBOX;
    else if (has_inittab && has_levels)
        *ret = GOLD_INIT_SYSV;
    else if (has_systemd)
        *ret = GOLD_INIT_SYSTEMD;
    return 0;
}

/* "libsystemd-shared-252.22-1.fc38.so" */
static unsigned
version_of_library(const char *path)
{
    static const char prefix[] = "libsystemd-shared-";
    const char *p = strstr(path, prefix);
    if (!p)
        return 0;
    p += strlen(prefix);
    unsigned version = 0;
    for (size_t i = 0; i < 5 && p[i] >= '0' && p[i] <= '9'; i++)
        version = version * 10 + (unsigned)(p[i] - '0');
    return version;
}

static int
read_systemd_version(struct gold_scene *sc, unsigned *ret, struct gold_error **err)
{
    static const char *const patterns[] = {
        "/usr/lib/systemd/libsystemd-shared-*.so", "/usr/lib/*/systemd/libsystemd-shared-*.so",
        "/lib/systemd/libsystemd-shared-*.so", "/usr/lib64/systemd/libsystemd-shared-*.so"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && *ret == 0; i++) {
        GOLD_CLEANUP_STRV struct gold_strv found = {0};
        if (gold_scene_glob(sc, patterns[i], &found, err) < 0)
            return -1;
        for (size_t k = 0; k < found.n; k++) {
            unsigned version = version_of_library(found.items[k]);
            if (version > *ret)
                *ret = version;
        }
    }
    return 0;
}

static int
read_arch(struct gold_scene *sc, char **ret, struct gold_error **err)
{
    static const char *const programs[] = {"/bin/sh", "/bin/bash", "/bin/ls", "/usr/bin/sh",
                                           "/sbin/init"};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        int r = gold_scene_is_file(sc, programs[i], err);
        if (r < 0)
            return -1;
        size_t len = 0;
        GOLD_CLEANUP_FREE char *head =
            r ? guestfs_pread(sc->g, programs[i], 64, 0, &len) : NULL;
        const char *name =
            head ? gold_elf_architecture((const unsigned char *)head, len) : NULL;
        if (!name)
            continue;
        *ret = gold_strdup(name, err);
        return *ret ? 0 : -1;
    }
    return 0;
}

static int
read_selinux(struct gold_scene *sc, bool *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL, *value = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, "/etc/selinux/config", &text, &len, err) < 0)
        return -1;
    if (text && gold_shell_value(text, len, "SELINUX", &value, err) < 0)
        return -1;
    *ret = gold_streq(value, "enforcing") || gold_streq(value, "permissive");
    return 0;
}

/* 1: this is only a copy of another root. */
/* 1: this is only a copy of another root. */
static int
read_linux(struct gold_scene *sc, struct gold_guest *guest, size_t index,
           struct gold_root *root, struct gold_error **err)
{
    int copy = read_fstab(sc, guest, index, root, err);
    if (copy != 0)
        return copy;
    if (mount_usr(sc, root, err) < 0 || read_release(sc, root, err) < 0 ||
        read_init(sc, &root->init, err) < 0 ||
        read_systemd_version(sc, &root->systemd_version, err) < 0 ||
        read_arch(sc, &root->arch, err) < 0)
        return -1;
    return read_selinux(sc, &root->selinux, err);
}

static int
read_windows(struct gold_scene *sc, struct gold_filesystem *fs, struct gold_root *root,
             struct gold_error **err)
{
    if (add_mount(root, fs->device, "/", fs->type, false, err) < 0)
        return -1;
    static const char file[] = "/hiberfil.sys";
    int r = gold_scene_is_file(sc, file, err);
    if (r <= 0)
        return r;
    size_t len = 0;
    GOLD_CLEANUP_FREE char *head = guestfs_pread(sc->g, file, 4, 0, &len);
    /* After a resume it says "wake", and zeroes mean that it was never used. */
    fs->hibernated = head && len == 4 &&
                     (memcmp(head, "hibr", 4) == 0 || memcmp(head, "HIBR", 4) == 0 ||
                      memcmp(head, "RSTR", 4) == 0);
    return 0;
}

int
gold_root_read(struct gold_scene *sc, struct gold_guest *guest, size_t index,
               struct gold_error **err)
{
    struct gold_filesystem *fs = &guest->filesystems[index];
    int kind = recognise(sc, fs->type, err);
    if (kind <= 0)
        return kind;
    struct gold_root *root = gold_array_add(&guest->roots, &guest->n_roots, sizeof *root, err);
    if (!root)
        return -1;
    root->device = gold_strdup(fs->device, err);
    root->os = root->device ? gold_strdup(kind == 2 ? "windows" : "linux", err) : NULL;
    if (!root->os)
        return -1;
    int r =
        kind == 2 ? read_windows(sc, fs, root, err) : read_linux(sc, guest, index, root, err);
    if (r == 1) {
        gold_root_done(root);
        guest->n_roots--;
    }
    return r < 0 ? -1 : 0;
}
