/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SELinux labels for what we have created: the appliance's kernel gives none, and a guest that
 * enforces would not let its programs use such files. A new file gets the label of a neighbour
 * of its kind, else that of its directory. Files that have a label keep it, and nothing else of
 * the guest is relabelled.
 */
#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/str.h"
#include "guest/handle.h"
#include "guest/scene.h"

#define XATTR           "security.selinux"
#define NEIGHBOURS_MOST 200

struct label {
    char *text;
    size_t len;
};

/* 1: it has one, 0: none, -1. */
static int
get_label(struct gold_scene *sc, const char *path, struct label *ret, struct gold_error **err)
{
    size_t len = 0;
    char *text = guestfs_lgetxattr(sc->g, path, XATTR, &len);
    if (text && len > 0) {
        *ret = (struct label){text, len};
        return 1;
    }
    if (text) {
        free(text);
        return 0;
    }
    int e = guestfs_last_errno(sc->g);
    if (e == ENODATA || e == ENOENT || e == ENOTDIR || e == EOPNOTSUPP)
        return 0;
    gold_error_set_guestfs(err, sc->session, "reading the label of '%s' in the guest", path);
    return -1;
}

/* Of the same kind: the same ending behind a dot (units, keys, configuration), or none as well.
 */
static bool
is_same_kind(const char *a, const char *b)
{
    const char *dot_a = strrchr(a, '.'), *dot_b = strrchr(b, '.');
    return dot_a && dot_b ? strcmp(dot_a, dot_b) == 0 : !dot_a && !dot_b;
}

static int
neighbour_label(struct gold_scene *sc, const char *dir, const char *path, struct label *ret,
                struct gold_error **err)
{
    const char *name = gold_path_basename(path);
    bool is_link = guestfs_is_symlink(sc->g, path) == 1;
    GOLD_CLEANUP_GUESTFS_STRINGS char **names = guestfs_ls(sc->g, dir);
    if (!names) {
        gold_error_set_guestfs(err, sc->session, "listing '%s' in the guest", dir);
        return -1;
    }
    for (size_t i = 0, tried = 0; names[i] && tried < NEIGHBOURS_MOST; i++) {
        if (strcmp(names[i], name) == 0 || !is_same_kind(names[i], name))
            continue;
        tried++;
        GOLD_CLEANUP_FREE char *other = gold_path_join(dir, names[i], err);
        if (!other)
            return -1;
        GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st = guestfs_lstatns(sc->g, other);
        if (!st || (is_link ? !S_ISLNK((mode_t)st->st_mode) : !S_ISREG((mode_t)st->st_mode)))
            continue;
        int r = get_label(sc, other, ret, err);
        if (r != 0)
            return r;
    }
    return 0;
}

static int
label_one(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    struct label label = {0};
    GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st = guestfs_lstatns(sc->g, path);
    if (!st) {
        if (guestfs_last_errno(sc->g) == ENOENT)
            return 0; /* a later operation removed it again */
        gold_error_set_guestfs(err, sc->session, "looking at '%s' in the guest", path);
        return -1;
    }
    int r = get_label(sc, path, &label, err);
    if (r != 0) {
        free(label.text);
        return r < 0 ? -1 : 0;
    }
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(path, err);
    if (!dir)
        return -1;
    if (!S_ISDIR((mode_t)st->st_mode))
        r = neighbour_label(sc, dir, path, &label, err);
    if (r == 0)
        r = get_label(sc, dir, &label, err);
    GOLD_CLEANUP_FREE char *text = label.text;
    if (r <= 0) {
        if (r == 0)
            gold_warning(
                sc->ctx,
                "'%s' in the guest gets no SELinux label: nothing near it has one, ignoring",
                path);
        return r;
    }
    if (guestfs_lsetxattr(sc->g, XATTR, text, (int)label.len, path) < 0) {
        gold_error_set_guestfs(err, sc->session, "labelling '%s' in the guest", path);
        return -1;
    }
    return 0;
}

int
gold_scene_label(struct gold_scene *sc, struct gold_error **err)
{
    if (!sc->root || !sc->root->selinux)
        return 0;
    /* In the order of creation: a directory has its label before its content asks for it. */
    for (size_t i = 0; i < sc->touched.n; i++)
        if (label_one(sc, sc->touched.items[i], err) < 0)
            return -1;
    return 0;
}
