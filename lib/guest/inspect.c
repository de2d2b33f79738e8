/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which file systems the disks have, in which state they are, and which of them are roots.
 * Nothing is written and no journal is replayed. What a root is made of is read in
 * inspect_root.c.
 */
#include "guest/inspect.h"

#include <string.h>

#include "core/str.h"
#include "guest/filesystem.h"
#include "guest/handle.h"
#include "guest/inspect_root.h"

#define FILESYSTEMS_MOST 512

static void
filesystem_done(struct gold_filesystem *fs)
{
    free(fs->device);
    free(fs->type);
    free(fs->uuid);
    free(fs->label);
    free(fs->partuuid);
    free(fs->block);
}

void
gold_guest_free(struct gold_guest *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_filesystems; i++)
        filesystem_done(&g->filesystems[i]);
    free(g->filesystems);
    for (size_t i = 0; i < g->n_roots; i++)
        gold_root_done(&g->roots[i]);
    free(g->roots);
    free(g);
}

/* A call failed. 0 when only the guest's data is to blame, which inspection can live with; -1
 * when the appliance is gone. */
static int
tolerate(struct gold_session *s, const char *what, const char *device, struct gold_error **err)
{
    if (!gold_cancelled(gold_session_context(s)) &&
        guestfs_is_ready(gold_session_handle(s)) == 1) {
        const char *why = guestfs_last_error(gold_session_handle(s));
        gold_debug(gold_session_context(s), "%s '%s': %s", what, device,
                   why ? why : "unknown error");
        return 0;
    }
    gold_error_set_guestfs(err, s, "%s '%s'", what, device);
    return -1;
}

static int
read_tags(struct gold_session *s, struct gold_filesystem *fs, struct gold_error **err)
{
    GOLD_CLEANUP_GUESTFS_STRINGS char **tags = guestfs_blkid(gold_session_handle(s), fs->block);
    if (!tags)
        return tolerate(s, "reading the tags of", fs->block, err);
    for (size_t i = 0; tags[i] && tags[i + 1]; i += 2) {
        char **to = NULL;
        if (strcmp(tags[i], "UUID") == 0)
            to = &fs->uuid;
        else if (strcmp(tags[i], "LABEL") == 0)
            to = &fs->label;
        else if (strcmp(tags[i], "PART_ENTRY_UUID") == 0)
            to = &fs->partuuid;
        if (to && gold_str_replace(to, tags[i + 1], err) < 0)
            return -1;
    }
    return 0;
}

static int
read_head(struct gold_session *s, struct gold_filesystem *fs, struct gold_error **err)
{
    size_t len = 0;
    GOLD_CLEANUP_FREE char *head =
        guestfs_pread_device(gold_session_handle(s), fs->block, GOLD_FILESYSTEM_HEAD, 0, &len);
    if (!head)
        return tolerate(s, "reading the start of", fs->block, err);
    const unsigned char *bytes = (const unsigned char *)head;
    if (gold_str_has_prefix(fs->type, "ext"))
        fs->dirty = gold_ext_is_dirty(bytes, len);
    else if (strcmp(fs->type, "swsuspend") == 0 || strcmp(fs->type, "swap") == 0)
        fs->hibernated =
            strcmp(fs->type, "swsuspend") == 0 || gold_swap_is_suspended(bytes, len);
    return 0;
}

static struct gold_filesystem *
append_filesystem(struct gold_guest *guest, const char *device, const char *block,
                  const char *type, struct gold_error **err)
{
    if (guest->n_filesystems >= FILESYSTEMS_MOST) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "the disks have more than %d file systems",
                       FILESYSTEMS_MOST);
        return NULL;
    }
    struct gold_filesystem *fs =
        gold_array_add(&guest->filesystems, &guest->n_filesystems, sizeof *fs, err);
    if (!fs)
        return NULL;
    fs->device = gold_strdup(device, err);
    fs->block = fs->device ? gold_strdup(block, err) : NULL;
    fs->type = fs->block ? gold_strdup(type[0] ? type : "unknown", err) : NULL;
    return fs->type ? fs : NULL;
}

/* A volume that only keeps old states; there can be hundreds. */
static bool
is_snapshot(const char *path)
{
    return gold_str_has_prefix(path, ".snapshots/") || strstr(path, "/.snapshots/") ||
           gold_str_has_prefix(path, "timeshift-btrfs/");
}

static int
append_subvolumes(struct gold_guest *guest, size_t parent,
                  const struct guestfs_btrfssubvolume_list *list, struct gold_error **err)
{
    for (uint32_t i = 0; i < list->len; i++) {
        const char *path = list->val[i].btrfssubvolume_path;
        if (is_snapshot(path))
            continue;
        const struct gold_filesystem *of = &guest->filesystems[parent];
        GOLD_CLEANUP_FREE char *device = gold_format(err, "btrfsvol:%s/%s", of->block, path);
        GOLD_CLEANUP_FREE char *block = device ? gold_strdup(of->block, err) : NULL;
        if (!block)
            return -1;
        struct gold_filesystem *fs = append_filesystem(guest, device, block, "btrfs", err);
        of = &guest->filesystems[parent]; /* the array may have moved */
        if (!fs || gold_str_replace(&fs->uuid, of->uuid, err) < 0 ||
            gold_str_replace(&fs->label, of->label, err) < 0 ||
            gold_str_replace(&fs->partuuid, of->partuuid, err) < 0)
            return -1;
    }
    return 0;
}

/* libguestfs lists subvolumes itself, but under the kernel's names of the disks, which are
   others in each boot of the appliance and may name another disk of ours. So they are asked for
   here. */
static int
list_subvolumes(struct gold_session *s, struct gold_guest *guest, size_t parent,
                struct gold_error **err)
{
    guestfs_h *g = gold_session_handle(s);
    const char *device = guest->filesystems[parent].device;
    if (guestfs_mount_options(g, gold_readonly_options("btrfs"), device, "/") < 0)
        return tolerate(s, "mounting", device, err);
    struct guestfs_btrfssubvolume_list *list = guestfs_btrfs_subvolume_list(g, "/");
    int r = list ? append_subvolumes(guest, parent, list, err)
                 : tolerate(s, "listing the subvolumes of", device, err);
    if (list)
        guestfs_free_btrfssubvolume_list(list);
    if (r == 0 && guestfs_umount_all(g) < 0) {
        gold_error_set_guestfs(err, s, "unmounting '%s'", guest->filesystems[parent].device);
        return -1;
    }
    return r;
}

static int
add_filesystem(struct gold_session *s, struct gold_guest *guest, const char *device,
               const char *type, struct gold_error **err)
{
    struct gold_filesystem *fs = append_filesystem(guest, device, device, type, err);
    if (!fs || read_tags(s, fs, err) < 0 || read_head(s, fs, err) < 0)
        return -1;
    return strcmp(type, "btrfs") == 0 ? list_subvolumes(s, guest, guest->n_filesystems - 1, err)
                                      : 0;
}

static int
list_filesystems(struct gold_session *s, struct gold_guest *guest, struct gold_error **err)
{
    GOLD_CLEANUP_GUESTFS_STRINGS char **list = guestfs_list_filesystems(gold_session_handle(s));
    if (!list) {
        gold_error_set_guestfs(err, s, "listing the file systems");
        return -1;
    }
    for (size_t i = 0; list[i] && list[i + 1]; i += 2) {
        if (!gold_str_has_prefix(list[i], "btrfsvol:") &&
            add_filesystem(s, guest, list[i], list[i + 1], err) < 0)
            return -1;
    }
    return 0;
}

/* libguestfs leaves encrypted volumes out of its list, but without them one could not say why
 * there is no root. */
static int
add_if_encrypted(struct gold_session *s, struct gold_guest *guest, const char *device,
                 struct gold_error **err)
{
    static const char luks[] = {'L', 'U', 'K', 'S', '\xBA', '\xBE'}, bitlocker[] = "-FVE-FS-";
    for (size_t i = 0; i < guest->n_filesystems; i++)
        if (strcmp(guest->filesystems[i].block, device) == 0)
            return 0;
    size_t len = 0;
    GOLD_CLEANUP_FREE char *head =
        guestfs_pread_device(gold_session_handle(s), device, 16, 0, &len);
    if (!head)
        return tolerate(s, "reading the start of", device, err);
    if (len >= 16 && memcmp(head, luks, sizeof luks) == 0)
        return add_filesystem(s, guest, device, "crypto_LUKS", err);
    if (len >= 16 && memcmp(head + 3, bitlocker, strlen(bitlocker)) == 0)
        return add_filesystem(s, guest, device, "BitLocker", err);
    return 0;
}

static int
list_encrypted(struct gold_session *s, struct gold_guest *guest, struct gold_error **err)
{
    guestfs_h *g = gold_session_handle(s);
    for (int kind = 0; kind < 3; kind++) {
        GOLD_CLEANUP_GUESTFS_STRINGS char **list = kind == 0   ? guestfs_list_devices(g)
                                                   : kind == 1 ? guestfs_list_partitions(g)
                                                               : guestfs_lvs(g);
        if (!list) {
            gold_error_set_guestfs(err, s, "listing the devices");
            return -1;
        }
        for (size_t i = 0; list[i]; i++)
            if (add_if_encrypted(s, guest, list[i], err) < 0)
                return -1;
    }
    return 0;
}

/* Mounts at / without writing a bit. Where the superblock does not tell whether a journal
   replay is due, the kernel does: on a device that is set read-only it refuses to mount without
   one. 1: mounted, 0: not possible. */
static int
mount_to_look(struct gold_session *s, struct gold_filesystem *fs, struct gold_error **err)
{
    guestfs_h *g = gold_session_handle(s);
    bool ask_kernel = strcmp(fs->type, "xfs") == 0 || strcmp(fs->type, "btrfs") == 0;
    if (ask_kernel && guestfs_blockdev_setro(g, fs->block) < 0)
        return tolerate(s, "setting read-only", fs->block, err);
    bool mounted = ask_kernel && guestfs_mount_options(g, "ro", fs->device, "/") == 0;
    if (!mounted) {
        mounted =
            guestfs_mount_options(g, gold_readonly_options(fs->type), fs->device, "/") == 0;
        if (!mounted && tolerate(s, "mounting", fs->device, err) < 0)
            return -1;
        if (mounted && ask_kernel)
            fs->dirty = true;
    }
    /* Back to read-write for later: this does not change a mount that exists. */
    if (ask_kernel && guestfs_blockdev_setrw(g, fs->block) < 0 &&
        tolerate(s, "setting read-write", fs->block, err) < 0)
        return -1;
    return mounted;
}

static int
find_roots(struct gold_session *s, struct gold_guest *guest, struct gold_error **err)
{
    guestfs_h *g = gold_session_handle(s);
    struct gold_scene sc = {.ctx = gold_session_context(s),
                            .session = s,
                            .g = g,
                            .guest = guest,
                            .entry = "inspect"};
    for (size_t i = 0; i < guest->n_filesystems; i++) {
        struct gold_filesystem *fs = &guest->filesystems[i];
        if (gold_check_cancelled(sc.ctx, err) < 0)
            return -1;
        if (!gold_type_is_mountable(fs->type))
            continue;
        int mounted = mount_to_look(s, fs, err);
        if (mounted < 0)
            return -1;
        if (!mounted)
            continue;
        if (gold_root_read(&sc, guest, i, err) < 0) {
            gold_error_prefix(err, "looking at '%s'", fs->device);
            return -1;
        }
        if (guestfs_umount_all(g) < 0) {
            gold_error_set_guestfs(err, s, "unmounting '%s'", fs->device);
            return -1;
        }
    }
    return 0;
}

struct gold_guest *
gold_guest_inspect(struct gold_session *s, struct gold_error **err)
{
    GOLD_CLEANUP_GUEST struct gold_guest *guest = calloc(1, sizeof *guest);
    if (!guest) {
        gold_error_set_nomem(err);
        return NULL;
    }
    if (list_filesystems(s, guest, err) < 0 || list_encrypted(s, guest, err) < 0 ||
        find_roots(s, guest, err) < 0)
        return NULL;
    return gold_steal_ptr(&guest);
}

static void
describe_roots(const struct gold_guest *g, struct gold_str *ret)
{
    for (size_t i = 0; i < g->n_roots; i++)
        gold_str_printf(ret, "%s'%s' (%s)", i ? ", " : "", g->roots[i].device,
                        g->roots[i].name ? g->roots[i].name : g->roots[i].os);
}

const struct gold_root *
gold_guest_choose_root(const struct gold_guest *g, const char *selector,
                       struct gold_error **err)
{
    if (!selector && g->n_roots == 1)
        return &g->roots[0];
    const struct gold_filesystem *fs = NULL;
    if (selector)
        (void)gold_guest_find_device(g, selector, &fs);
    for (size_t i = 0; selector && i < g->n_roots; i++)
        if (strcmp(g->roots[i].device, selector) == 0 ||
            (fs && strcmp(g->roots[i].device, fs->device) == 0))
            return &g->roots[i];
    if (g->n_roots == 0) {
        gold_error_set(err, GOLD_ERROR_GUEST, "no operating system was found in the image");
        for (size_t i = 0; i < g->n_filesystems; i++)
            if (strcmp(g->filesystems[i].type, "crypto_LUKS") == 0)
                gold_error_hint(err, "'%s' is encrypted", g->filesystems[i].device);
        return NULL;
    }
    GOLD_CLEANUP_STR struct gold_str list = GOLD_STR_INIT;
    describe_roots(g, &list);
    if (selector)
        gold_error_set(err, GOLD_ERROR_GUEST,
                       "no operating system has its root at '%s'; there is %s", selector,
                       gold_str_text(&list));
    else
        gold_error_set(err, GOLD_ERROR_GUEST, "the image has %zu operating systems: %s",
                       g->n_roots, gold_str_text(&list));
    gold_error_hint(err, "choose one by its device with --root");
    return NULL;
}

/* Where to mount: the guest's own symlinks are resolved inside the guest, which mount itself
 * would not do. NULL: nowhere. */
static char *
mount_point(guestfs_h *g, const char *where)
{
    if (strcmp(where, "/") == 0)
        return strdup(where);
    GOLD_CLEANUP_FREE char *real = guestfs_realpath(g, where);
    if (!real || strcmp(real, "/") == 0 || guestfs_is_dir(g, real) != 1)
        return NULL;
    return gold_steal_ptr(&real);
}

static int
mount_one(struct gold_session *s, const struct gold_mount *m, bool readonly,
          struct gold_error **err)
{
    guestfs_h *g = gold_session_handle(s);
    GOLD_CLEANUP_FREE char *where = mount_point(g, m->where);
    if (where &&
        guestfs_mount_options(g, readonly ? m->readonly_options : "", m->device, where) == 0)
        return 0;
    if (m->optional && strcmp(m->where, "/") != 0)
        return tolerate(s, "mounting", m->device, err);
    if (!where)
        gold_error_set(err, GOLD_ERROR_GUEST,
                       "the mount point '%s' of '%s' is not a directory in the guest", m->where,
                       m->device);
    else
        gold_error_set_guestfs(err, s, "mounting '%s' at '%s'", m->device, m->where);
    return -1;
}

int
gold_guest_mount(struct gold_session *s, const struct gold_root *root, bool readonly,
                 struct gold_error **err)
{
    for (size_t i = 0; i < root->n_mounts; i++)
        if (mount_one(s, &root->mounts[i], readonly, err) < 0)
            return -1;
    return 0;
}

const char *
gold_init_name(enum gold_init init)
{
    static const char *const names[] = {"unknown", "systemd", "sysv", "openrc", "busybox"};
    return (size_t)init < sizeof names / sizeof *names ? names[init] : "unknown";
}

static int
filesystem_facts(const struct gold_filesystem *fs, struct gold_facts *ret,
                 struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name = gold_format(err, "filesystem.%s", fs->device);
    if (!name)
        return -1;
    GOLD_CLEANUP_STR struct gold_str value = GOLD_STR_INIT;
    gold_str_append(&value, fs->type);
    const struct {
        const char *name, *value;
    } tags[] = {{"UUID", fs->uuid}, {"LABEL", fs->label}, {"PARTUUID", fs->partuuid}};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (tags[i].value)
            gold_str_printf(&value, " %s=%s", tags[i].name, tags[i].value);
    if (fs->dirty)
        gold_str_append(&value, " dirty");
    if (fs->hibernated)
        gold_str_append(&value, " hibernated");
    if (gold_str_finish(&value, "description of a file system", err) < 0)
        return -1;
    return gold_facts_add(ret, name, gold_str_text(&value), err);
}

static int
root_facts(const struct gold_root *root, struct gold_facts *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *systemd =
        root->systemd_version ? gold_format(err, "%u", root->systemd_version) : NULL;
    if (root->systemd_version && !systemd)
        return -1;
    const struct {
        const char *name, *value;
    } facts[] = {
        {"os.root", root->device},   {"os.type", root->os},
        {"os.distro", root->distro}, {"os.version", root->version},
        {"os.name", root->name},     {"os.id-like", root->id_like},
        {"os.arch", root->arch},     {"os.init", gold_init_name(root->init)},
        {"os.systemd", systemd},     {"os.selinux", root->selinux ? "yes" : "no"},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (facts[i].value && gold_facts_add(ret, facts[i].name, facts[i].value, err) < 0)
            return -1;
    for (size_t i = 0; i < root->n_mounts; i++) {
        GOLD_CLEANUP_FREE char *name = gold_format(err, "mount.%s", root->mounts[i].where);
        if (!name || gold_facts_add(ret, name, root->mounts[i].device, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_guest_facts(const struct gold_guest *g, struct gold_facts *ret, struct gold_error **err)
{
    for (size_t i = 0; i < g->n_roots; i++)
        if (root_facts(&g->roots[i], ret, err) < 0)
            return -1;
    for (size_t i = 0; i < g->n_filesystems; i++)
        if (filesystem_facts(&g->filesystems[i], ret, err) < 0)
            return -1;
    return 0;
}
