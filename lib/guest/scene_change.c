/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The changes that may be made to a guest. Each checks first whether there is anything to
 * change, resolves the parent inside the guest (some of libguestfs' calls follow an absolute
 * symlink in the middle of a path out of the guest, into the appliance), then changes, then
 * records. No policy is here.
 */
#include "guest/scene.h"

#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/str.h"
#include "guest/handle.h"

#define WIPE_MOST (1 << 20)

static int
failed(struct gold_scene *sc, const char *what, const char *path, struct gold_error **err)
{
    gold_error_set_guestfs(err, sc->session, "%s '%s' in the guest", what, path);
    return -1;
}

static int
record(struct gold_scene *sc, const char *path, const char *action, const char *detail,
       bool touched, struct gold_error **err)
{
    if (gold_source_add_effect(sc->src, sc->entry, path, action, detail, err) < 0)
        return -1;
    if (!touched || gold_strv_contains(&sc->touched, path))
        return 0;
    return gold_strv_add(&sc->touched, path, err);
}

static int
check_writable(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    if (path[0] != '/') {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is not an absolute path in the guest",
                       path);
        return -1;
    }
    if (sc->writable)
        return 0;
    gold_error_set(err, GOLD_ERROR_USAGE,
                   "'%s' wants to change '%s' while the guest is only read", sc->entry, path);
    return -1;
}

/* What the name itself is: 1 and *ret (to be freed), 0: not there, -1. */
static int
stat_name(struct gold_scene *sc, const char *path, struct guestfs_statns **ret,
          struct gold_error **err)
{
    *ret = guestfs_lstatns(sc->g, path);
    if (*ret)
        return 1;
    int e = guestfs_last_errno(sc->g);
    return e == ENOENT || e == ENOTDIR || e == ELOOP ? 0 : failed(sc, "looking at", path, err);
}

static int
mode_of(struct gold_scene *sc, const char *path, mode_t *ret_mode, struct gold_error **err)
{
    GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st = NULL;
    int r = stat_name(sc, path, &st, err);
    if (r > 0)
        *ret_mode = (mode_t)st->st_mode;
    return r;
}

/* path with every symlink of its parent resolved as the guest would. */
static char *
resolve_parent(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *parent = gold_path_dirname(path, err);
    if (!parent)
        return NULL;
    GOLD_CLEANUP_FREE char *real = guestfs_realpath(sc->g, parent);
    if (!real) {
        (void)failed(sc, "resolving", parent, err);
        return NULL;
    }
    return gold_path_join(real, gold_path_basename(path), err);
}

/*
 * Overwrites the content of a small regular file where it lies on the disk. Freed blocks keep
 * what was in them, and discarding free space does not reach all of them: a qcow2 image only
 * lets go of whole clusters. Keys and ids are small; what is larger is left to the discard.
 * With copy-on-write file systems this does nothing.
 */
static int
wipe(struct gold_scene *sc, const char *path, const struct guestfs_statns *st,
     struct gold_error **err)
{
    if (!S_ISREG((mode_t)st->st_mode) || st->st_size <= 0 || st->st_size > WIPE_MOST)
        return 0;
    size_t len = (size_t)st->st_size;
    GOLD_CLEANUP_FREE char *zeroes = calloc(1, len);
    if (!zeroes)
        return gold_error_set_nomem(err);
    for (size_t done = 0; done < len;) {
        int n = guestfs_pwrite(sc->g, path, zeroes + done, len - done, (int64_t)done);
        if (n <= 0)
            return failed(sc, "overwriting", path, err);
        done += (size_t)n;
    }
    /* Before the file goes, or its dirty pages go with it. */
    return guestfs_sync(sc->g) < 0 ? failed(sc, "overwriting", path, err) : 0;
}

int
gold_scene_remove(struct gold_scene *sc, const char *path, const char *detail,
                  struct gold_error **err)
{
    if (check_writable(sc, path, err) < 0)
        return -1;
    GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st = NULL;
    int r = stat_name(sc, path, &st, err);
    if (r <= 0)
        return r;
    /* The content of a file with other names stays. */
    if (st->st_nlink == 1 && wipe(sc, path, st, err) < 0)
        return -1;
    if (guestfs_rm(sc->g, path) < 0)
        return failed(sc, "removing", path, err);
    return record(sc, path, "removed", detail, false, err);
}

int
gold_scene_remove_tree(struct gold_scene *sc, const char *path, const char *detail,
                       struct gold_error **err)
{
    mode_t mode;
    if (check_writable(sc, path, err) < 0)
        return -1;
    int r = mode_of(sc, path, &mode, err);
    if (r <= 0)
        return r;
    GOLD_CLEANUP_FREE char *real = resolve_parent(sc, path, err);
    if (!real)
        return -1;
    if (guestfs_rm_rf(sc->g, real) < 0)
        return failed(sc, "removing", path, err);
    return record(sc, path, "removed", detail, false, err);
}

int
gold_scene_rewrite(struct gold_scene *sc, const char *path, const char *bytes, size_t len,
                   const char *action, const char *detail, struct gold_error **err)
{
    if (check_writable(sc, path, err) < 0)
        return -1;
    /* Only what is a regular file already: opening anything else for writing could block for
     * ever. */
    GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st = guestfs_statns(sc->g, path);
    if (!st)
        return failed(sc, "looking at", path, err);
    if (!S_ISREG((mode_t)st->st_mode)) {
        gold_error_set(err, GOLD_ERROR_GUEST, "'%s' in the guest is not a regular file", path);
        return -1;
    }
    if (wipe(sc, path, st, err) < 0)
        return -1;
    int r = len ? guestfs_write(sc->g, path, bytes, len) : guestfs_truncate(sc->g, path);
    if (r < 0)
        return failed(sc, "writing", path, err);
    return record(sc, path, action, detail, true, err);
}

/* Makes the missing parents of path, root-owned and 0755, and remembers them for labels. */
static int
make_parents(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *parent = gold_path_dirname(path, err);
    if (!parent)
        return -1;
    if (strcmp(parent, "/") == 0)
        return 0;
    int r = gold_scene_is_dir(sc, parent, err);
    if (r != 0)
        return r < 0 ? -1 : 0;
    if (make_parents(sc, parent, err) < 0)
        return -1;
    if (guestfs_mkdir_mode(sc->g, parent, 0755) < 0 || guestfs_chmod(sc->g, 0755, parent) < 0)
        return failed(sc, "making the directory", parent, err);
    return gold_strv_add(&sc->touched, parent, err);
}

/* Clears the way for a new name: a symlink is taken away (writing would go through it), a file
   may be overwritten, anything else is in the way. *ret_was_file: there is a file. */
static int
clear_the_way(struct gold_scene *sc, const char *path, bool *ret_was_file,
              struct gold_error **err)
{
    mode_t mode = 0;
    int r = mode_of(sc, path, &mode, err);
    if (r < 0)
        return -1;
    *ret_was_file = r && S_ISREG(mode);
    if (!r || S_ISREG(mode))
        return 0;
    if (!S_ISLNK(mode)) {
        gold_error_set(err, GOLD_ERROR_GUEST,
                       "'%s' in the guest is in the way: it is not a file", path);
        return -1;
    }
    if (guestfs_rm(sc->g, path) < 0)
        return failed(sc, "removing", path, err);
    return 0;
}

int
gold_scene_create(struct gold_scene *sc, const char *path, const char *bytes, size_t len,
                  unsigned mode, const char *detail, struct gold_error **err)
{
    bool was_file = false;
    if (check_writable(sc, path, err) < 0 || make_parents(sc, path, err) < 0 ||
        clear_the_way(sc, path, &was_file, err) < 0)
        return -1;
    /* A secret must not be readable for an instant: the mode first, then the content. */
    if ((!was_file && guestfs_touch(sc->g, path) < 0) || guestfs_chown(sc->g, 0, 0, path) < 0 ||
        guestfs_chmod(sc->g, (int)(mode & 07777), path) < 0 ||
        (len ? guestfs_write(sc->g, path, bytes, len) : guestfs_truncate(sc->g, path)) < 0)
        return failed(sc, "creating", path, err);
    return record(sc, path, was_file ? "edited" : "created", detail, true, err);
}

int
gold_scene_symlink(struct gold_scene *sc, const char *target, const char *path,
                   const char *detail, struct gold_error **err)
{
    bool was_file = false;
    if (check_writable(sc, path, err) < 0 || make_parents(sc, path, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *old = NULL;
    if (gold_scene_readlink(sc, path, &old, err) < 0)
        return -1;
    if (gold_streq(old, target))
        return 0;
    if (clear_the_way(sc, path, &was_file, err) < 0)
        return -1;
    if (was_file && guestfs_rm(sc->g, path) < 0)
        return failed(sc, "removing", path, err);
    GOLD_CLEANUP_FREE char *real = resolve_parent(sc, path, err);
    if (!real)
        return -1;
    if (guestfs_ln_s(sc->g, target, real) < 0)
        return failed(sc, "linking", path, err);
    return record(sc, path, "linked", detail, true, err);
}
