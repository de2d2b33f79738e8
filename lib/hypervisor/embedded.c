/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The embedded driver's root; see embedded.h. */
#include "hypervisor/embedded.h"

#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#include "core/guard.h"
#include "core/io.h"
#include "core/limits.h"
#include "core/replace.h"

#define QEMU_USER    "libvirt-qemu"
#define CAPABILITIES "cache/qemu/capabilities"
#define CACHE_NAME   "libvirt-capabilities"
#define MAX_CAPABILITIES \
    32 /* files: one for each QEMU and accelerator that was ever used here */

int
gold_qemu_user_find(struct gold_qemu_user *ret, struct gold_error **err)
{
    struct gold_qemu_user user = {.uid = geteuid(), .gid = getegid()};
    struct passwd pw, *found = NULL;
    GOLD_CLEANUP_FREE char *buf = NULL;
    size_t size = 16 * GOLD_KIB;

    if (user.uid == 0) {
        buf = malloc(size);
        if (!buf)
            return gold_error_set_nomem(err);
        /* A user database that cannot be read means the same as a user that is not there. */
        if (getpwnam_r(QEMU_USER, &pw, buf, size, &found) == 0 && found) {
            user.other = true;
            user.uid = pw.pw_uid;
            user.gid = pw.pw_gid;
        }
    }
    *ret = user;
    return 0;
}

int
gold_embedded_conf(const struct gold_qemu_user *user, struct gold_str *ret,
                   struct gold_error **err)
{
    /* Ownership is ours to set: libvirt would change the owner of the template behind the
       overlays too. No security driver, name space or cgroup: they need a daemon's privileges,
       and the machine's own ones stay untouched. */
    if (geteuid() == 0)
        gold_str_printf(ret, "user = \"+%lu\"\ngroup = \"+%lu\"\n", (unsigned long)user->uid,
                        (unsigned long)user->gid);
    gold_str_append(ret, "dynamic_ownership = 0\n"
                         "remember_owner = 0\n"
                         "security_driver = \"none\"\n"
                         "namespaces = []\n"
                         "cgroup_controllers = []\n"
                         "stdio_handler = \"file\"\n");
    return gold_str_finish(ret, "qemu.conf", err);
}

/* mkdir that is content with a directory of ours. */
static int
make_dir(const char *path, mode_t mode, const struct gold_qemu_user *owner,
         struct gold_error **err)
{
    struct stat st;

    if (mkdir(path, mode) < 0 && errno != EEXIST) {
        gold_error_set_errno(err, errno, "cannot make directory '%s'", path);
        return -1;
    }
    if (lstat(path, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot look at directory '%s'", path);
        return -1;
    }
    if (!S_ISDIR(st.st_mode) ||
        (st.st_uid != geteuid() && !(owner && st.st_uid == owner->uid))) {
        gold_error_set(err, GOLD_ERROR_IO, "'%s' is not a directory of ours", path);
        return -1;
    }
    /* Not left to the umask: QEMU's user has to pass. */
    if (chmod(path, mode) < 0 ||
        (owner && owner->other && lchown(path, owner->uid, owner->gid) < 0)) {
        gold_error_set_errno(err, errno, "cannot set mode and owner of '%s'", path);
        return -1;
    }
    return 0;
}

/* What libvirt's driver makes once, when it starts, and relies on afterwards. */
static int
make_tree_again(const char *root, const struct gold_qemu_user *user, struct gold_error **err)
{
    static const struct {
        const char *path;
        bool qemu_owns;
    } dirs[] = {
        {"cache", false},
        {"cache/qemu", false},
        {CAPABILITIES, false},
        {"lib", false},
        {"lib/qemu", true},
        {"lib/qemu/channel", true},
        {"lib/qemu/channel/target", true},
        {"lib/qemu/checkpoint", true},
        {"lib/qemu/dump", true},
        {"lib/qemu/nvram", true},
        {"lib/qemu/ram", true},
        {"lib/qemu/save", true},
        {"lib/qemu/snapshot", true},
        {"log", false},
        {"log/qemu", false},
        {"run", false},
        {"run/qemu", false},
        {"run/qemu/dbus", true},
        {"run/qemu/passt", true},
        {"run/qemu/slirp", true},
    };

    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        GOLD_CLEANUP_FREE char *path = gold_path_join(root, dirs[i].path, err);

        if (!path || make_dir(path, 0755, dirs[i].qemu_owns ? user : NULL, err) < 0)
            return -1;
    }
    return 0;
}

/* Copies the *.xml that are not there yet. */
static int
copy_capabilities(const char *from, const char *to, struct gold_error **err)
{
    GOLD_CLEANUP_DIR DIR *dir = opendir(from);
    const struct dirent *entry;
    unsigned n = 0;

    if (!dir) {
        if (errno == ENOENT)
            return 0;
        gold_error_set_errno(err, errno, "cannot read directory '%s'", from);
        return -1;
    }
    while ((entry = readdir(dir)) && n < MAX_CAPABILITIES) {
        GOLD_CLEANUP_FREE char *source = NULL, *target = NULL, *data = NULL;
        size_t len;
        struct stat st;

        if (!gold_str_has_suffix(entry->d_name, ".xml") || entry->d_name[0] == '.')
            continue;
        n++;
        source = gold_path_join(from, entry->d_name, err);
        target = source ? gold_path_join(to, entry->d_name, err) : NULL;
        if (!target || gold_read_file(source, 4 * GOLD_MIB, &data, &len, err) < 0)
            return -1;
        /* libvirt rewrites a file that no longer fits QEMU, under the same name: size is how we
         * notice. */
        if (lstat(target, &st) == 0 && (size_t)st.st_size == len)
            continue;
        if (gold_replace_file(target, data, len, 0, 0600, err) < 0)
            return -1;
    }
    return 0;
}

static int
fill_capabilities(struct gold_context *ctx, const char *root, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *cache = NULL, *dir = NULL;

    if (gold_context_cache_subdir(ctx, CACHE_NAME, &cache, err) < 0)
        return -1;
    dir = gold_path_join(root, CAPABILITIES, err);
    return dir ? copy_capabilities(cache, dir, err) : -1;
}

int
gold_embedded_prepare(struct gold_context *ctx, const char *root,
                      const struct gold_qemu_user *user, bool again, struct gold_error **err)
{
    static const char *const dirs[] = {"etc", "cache", "cache/qemu", CAPABILITIES};
    GOLD_CLEANUP_STR struct gold_str conf = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *path = NULL;
    GOLD_CLEANUP_ERROR struct gold_error *cache_err = NULL;

    if (again) {
        /* The context that made it may have ended, and its guard with it. */
        GOLD_CLEANUP_FREE char *parent = gold_path_dirname(root, err);

        if (!parent || make_dir(parent, 0711, NULL, err) < 0 ||
            gold_guard_add_tree(ctx, parent, err) < 0)
            return -1;
    }
    if (make_dir(root, 0711, NULL, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        GOLD_CLEANUP_FREE char *dir = gold_path_join(root, dirs[i], err);

        if (!dir || make_dir(dir, 0755, NULL, err) < 0)
            return -1;
    }
    if (again && make_tree_again(root, user, err) < 0)
        return -1;
    path = gold_path_join(root, "etc/qemu.conf", err);
    if (!path || gold_embedded_conf(user, &conf, err) < 0 ||
        gold_replace_file(path, conf.data, conf.len, 0, 0644, err) < 0)
        return -1;
    if (fill_capabilities(ctx, root, &cache_err) < 0)
        gold_warning(ctx, "cannot use the cache of QEMU's capabilities: %s, ignoring",
                     gold_error_message(cache_err));
    return 0;
}

void
gold_embedded_save_capabilities(struct gold_context *ctx, const char *root)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *cache = NULL, *dir = NULL;

    if (gold_context_cache_subdir(ctx, CACHE_NAME, &cache, &err) == 0)
        dir = gold_path_join(root, CAPABILITIES, &err);
    if (!dir || copy_capabilities(dir, cache, &err) < 0)
        gold_warning(ctx, "cannot keep QEMU's capabilities for the next run: %s, ignoring",
                     err ? gold_error_message(err) : "no cache");
}
