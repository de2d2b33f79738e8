/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The questions that may be asked of a guest. Nothing is read before its kind and size are
 * known, because a guest can offer a fifo or a terabyte under any name. Changes are in
 * scene_change.c.
 */
#include "guest/scene.h"

#include <string.h>
#include <sys/stat.h>

#include "core/limits.h"
#include "core/str.h"
#include "guest/handle.h"

static int
failed(struct gold_scene *sc, const char *what, const char *path, struct gold_error **err)
{
    gold_error_set_guestfs(err, sc->session, "%s '%s' in the guest", what, path);
    return -1;
}

/* Does the last error mean that the name is not there? */
static bool
is_absent(struct gold_scene *sc)
{
    int e = guestfs_last_errno(sc->g);
    return e == ENOENT || e == ENOTDIR || e == ELOOP || e == ENAMETOOLONG;
}

/* The mode of what the path leads to, or of the name itself. 1, 0: not there, -1. */
static int
mode_of(struct gold_scene *sc, const char *path, bool follow, mode_t *ret_mode,
        struct gold_error **err)
{
    GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st =
        follow ? guestfs_statns(sc->g, path) : guestfs_lstatns(sc->g, path);
    if (!st)
        return is_absent(sc) ? 0 : failed(sc, "looking at", path, err);
    *ret_mode = (mode_t)st->st_mode;
    return 1;
}

int
gold_scene_is_file(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    mode_t mode = 0;
    int r = mode_of(sc, path, true, &mode, err);
    return r > 0 ? S_ISREG(mode) : r;
}

int
gold_scene_is_dir(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    mode_t mode = 0;
    int r = mode_of(sc, path, true, &mode, err);
    return r > 0 ? S_ISDIR(mode) : r;
}

int
gold_scene_is_symlink(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    mode_t mode = 0;
    int r = mode_of(sc, path, false, &mode, err);
    return r > 0 ? S_ISLNK(mode) : r;
}

int
gold_scene_exists(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    mode_t mode = 0;
    return mode_of(sc, path, true, &mode, err);
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int
gold_scene_glob(struct gold_scene *sc, const char *pattern, struct gold_strv *ret,
                struct gold_error **err)
{
    GOLD_CLEANUP_GUESTFS_STRINGS char **names = guestfs_glob_expand_opts(
        sc->g, pattern, GUESTFS_GLOB_EXPAND_OPTS_DIRECTORYSLASH, 1, -1);
    if (!names)
        return failed(sc, "listing", pattern, err);
    GOLD_CLEANUP_STRV struct gold_strv list = {0};
    for (size_t i = 0; names[i]; i++) {
        if (i >= GOLD_LIMIT_GUEST_ENTRIES) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "'%s' in the guest matches more than %d names", pattern,
                           GOLD_LIMIT_GUEST_ENTRIES);
            return -1;
        }
        if (!gold_str_has_suffix(names[i], "/") && gold_strv_add(&list, names[i], err) < 0)
            return -1;
    }
    if (list.n > 1)
        qsort(list.items, list.n, sizeof *list.items, compare_names);
    *ret = list;
    list = (struct gold_strv){0};
    return 0;
}

int
gold_scene_read(struct gold_scene *sc, const char *path, char **ret, size_t *ret_len,
                struct gold_error **err)
{
    GOLD_CLEANUP_GUESTFS_STATNS struct guestfs_statns *st = guestfs_statns(sc->g, path);
    if (!st && !is_absent(sc))
        return failed(sc, "reading", path, err);
    if (!st || !S_ISREG((mode_t)st->st_mode)) {
        *ret = NULL;
        *ret_len = 0;
        return 0;
    }
    if (st->st_size < 0 || (uint64_t)st->st_size > GOLD_LIMIT_GUEST_FILE) {
        gold_error_set(err, GOLD_ERROR_FORMAT,
                       "'%s' in the guest is too large: %lld bytes, the limit is %llu", path,
                       (long long)st->st_size, (unsigned long long)GOLD_LIMIT_GUEST_FILE);
        return -1;
    }
    size_t len = 0;
    GOLD_CLEANUP_FREE char *data = guestfs_read_file(sc->g, path, &len);
    if (!data)
        return failed(sc, "reading", path, err);
    /* libguestfs ends it with a NUL; that is not promised for a size of zero, so ours is. */
    char *bigger = realloc(data, len + 1);
    if (!bigger)
        return gold_error_set_nomem(err);
    data = NULL;
    bigger[len] = '\0';
    *ret = bigger;
    *ret_len = len;
    return 0;
}

int
gold_scene_readlink(struct gold_scene *sc, const char *path, char **ret,
                    struct gold_error **err)
{
    int r = gold_scene_is_symlink(sc, path, err);
    if (r < 0)
        return -1;
    char *target = r ? guestfs_readlink(sc->g, path) : NULL;
    if (r && !target)
        return failed(sc, "reading the symlink", path, err);
    *ret = target;
    return 0;
}

int
gold_scene_find(struct gold_scene *sc, const char *id, enum gold_severity severity,
                enum gold_fix fix, const char *file, unsigned line, const char *evidence,
                struct gold_error **err, const char *message_fmt, ...)
{
    GOLD_CLEANUP_STR struct gold_str message = GOLD_STR_INIT;
    va_list args;
    va_start(args, message_fmt);
    gold_str_vprintf(&message, message_fmt, args);
    va_end(args);
    if (gold_str_finish(&message, "message of a finding", err) < 0)
        return -1;
    struct gold_finding *finding = gold_source_add_finding(sc->src, id, severity, file, err,
                                                           "%s", gold_str_text(&message));
    if (!finding)
        return -1;
    finding->fix = fix;
    finding->line = line;
    return gold_str_replace(&finding->evidence, evidence, err);
}

void
gold_scene_done(struct gold_scene *sc)
{
    gold_strv_done(&sc->touched);
    gold_strv_done(&sc->uncleared);
}
