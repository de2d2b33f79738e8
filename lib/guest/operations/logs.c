/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empties /var/log. Daemons expect their files and directories to be there with the owner and
 * mode that they have, so what is current is truncated and only what was rotated away is
 * removed. The journal is an operation of its own.
 */
#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "core/context.h"
#include "core/io.h"
#include "core/limits.h"
#include "guest/operations.h"
#include "guest/stores.h"

#define LOGS "/var/log"

enum fate { FATE_TRUNCATE, FATE_REMOVE };

struct log_file {
    char *path; /* owned */
    enum fate fate;
};
GOLD_VEC(log_files, struct log_file);

static void
log_files_done(struct log_files *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->items[i].path);
    log_files_clear(v);
}

static bool
all_digits(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return false;
    return n > 0;
}

/* "syslog.1", "messages-20240131", "dpkg.log.2.gz", "Xorg.0.log.old" */
static bool
is_rotated(const char *name)
{
    static const char *const packed[] = {".gz", ".xz", ".bz2", ".zst", ".old", ".lz4"};
    for (size_t i = 0; i < sizeof(packed) / sizeof(packed[0]); i++)
        if (gold_str_has_suffix(name, packed[i]))
            return true;
    const char *dot = strrchr(name, '.'), *dash = strrchr(name, '-');
    if (dot && dot > name && all_digits(dot + 1, strlen(dot + 1)) && strlen(dot + 1) <= 4)
        return true;
    return dash && dash > name && strlen(dash + 1) >= 8 && all_digits(dash + 1, 8);
}

/* What nothing writes to again, or what its program refuses to read when it is empty (sysstat).
 */
static bool
is_spent(const char *relative)
{
    static const char *const places[] = {"installer/", "anaconda/", "sysstat/", "sa/",
                                         "YaST2/"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (gold_str_has_prefix(relative, places[i]))
            return true;
    return false;
}

static void
free_names(char ***names)
{
    for (size_t i = 0; *names && (*names)[i]; i++)
        free((*names)[i]);
    free(*names);
}

static void
free_stats(struct guestfs_statns_list **stats)
{
    if (*stats)
        guestfs_free_statns_list(*stats);
}

/* One found name: keeps it when it is a regular file that has something in it, or was rotated
 * away. */
static int
consider(const char *path, const struct guestfs_statns *st, struct log_files *ret,
         struct gold_error **err)
{
    bool spent = is_rotated(gold_path_basename(path)) || is_spent(path + strlen(LOGS "/"));
    if (!S_ISREG((mode_t)st->st_mode) || (st->st_size == 0 && !spent))
        return 0;
    if (ret->n >= GOLD_LIMIT_GUEST_ENTRIES) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'" LOGS "' has more than %d files",
                       GOLD_LIMIT_GUEST_ENTRIES);
        return -1;
    }
    struct log_file f = {.path = gold_strdup(path, err),
                         .fate = spent ? FATE_REMOVE : FATE_TRUNCATE};
    if (!f.path)
        return -1;
    if (log_files_append(ret, f, err) < 0) {
        free(f.path);
        return -1;
    }
    return 0;
}

/* What is in one directory: files are considered, directories go to `dirs`. Symlinks are
 * neither. */
static int
look_into(struct gold_scene *sc, const char *dir, struct gold_strv *dirs, struct log_files *ret,
          struct gold_error **err)
{
    GOLD_CLEANUP(free_names) char **names = guestfs_ls(sc->g, dir);
    if (!names) {
        gold_error_set_guestfs(err, sc->session, "cannot list '%s'", dir);
        return -1;
    }
    GOLD_CLEANUP(free_stats)
    struct guestfs_statns_list *stats = guestfs_lstatnslist(sc->g, dir, names);
    if (!stats) {
        gold_error_set_guestfs(err, sc->session, "cannot read what is in '%s'", dir);
        return -1;
    }
    for (size_t i = 0; names[i] && i < stats->len; i++) {
        GOLD_CLEANUP_FREE char *path = gold_path_join(dir, names[i], err);
        if (!path)
            return -1;
        bool deeper =
            S_ISDIR((mode_t)stats->val[i].st_mode) && strcmp(path, LOGS "/journal") != 0;
        if ((deeper && gold_strv_add(dirs, path, err) < 0) ||
            consider(path, &stats->val[i], ret, err) < 0)
            return -1;
    }
    return 0;
}

static int
find_logs(struct gold_scene *sc, struct log_files *ret, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv dirs = {0};
    int is_dir = gold_scene_is_dir(sc, LOGS, err);
    if (is_dir <= 0)
        return is_dir;
    if (gold_strv_add(&dirs, LOGS, err) < 0)
        return -1;
    for (size_t i = 0; i < dirs.n; i++) {
        if (i >= GOLD_LIMIT_GUEST_ENTRIES) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "'" LOGS "' has more than %d directories", GOLD_LIMIT_GUEST_ENTRIES);
            return -1;
        }
        if (look_into(sc, dirs.items[i], &dirs, ret, err) < 0)
            return -1;
    }
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    GOLD_CLEANUP(log_files_done) struct log_files found = {0};
    if (find_logs(sc, &found, err) < 0)
        return -1;
    if (found.n > 0)
        return 1;
    *ret_reason = gold_strdup("no logs found", err);
    return *ret_reason ? 0 : -1;
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP(log_files_done) struct log_files found = {0};
    if (find_logs(sc, &found, err) < 0)
        return -1;
    for (size_t i = 0; i < found.n; i++) {
        const struct log_file *f = &found.items[i];
        if (gold_check_cancelled(sc->ctx, err) < 0)
            return -1;
        int r = f->fate == FATE_REMOVE
                    ? gold_scene_remove(sc, f->path, "old log", err)
                    : gold_scene_rewrite(sc, f->path, "", 0, "truncated", "log", err);
        if (r < 0)
            return -1;
    }
    return 0;
}

/* One finding for all: a list of two hundred logs hides what matters. */
static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP(log_files_done) struct log_files found = {0};
    if (find_logs(sc, &found, err) < 0)
        return -1;
    if (found.n == 0)
        return 0;
    GOLD_CLEANUP_STR struct gold_str names = GOLD_STR_INIT;
    for (size_t i = 0; i < found.n && i < 3; i++)
        gold_str_printf(&names, "%s%s", i > 0 ? ", " : "", found.items[i].path);
    if (found.n > 3)
        gold_str_printf(&names, ", %zu more", found.n - 3);
    if (gold_str_finish(&names, "list of logs", err) < 0)
        return -1;
    return gold_scene_find(sc, "logs-left", GOLD_WARNING, GOLD_FIX_SAFE, LOGS, 0,
                           gold_str_text(&names), err,
                           "%zu log files of the template are in every clone", found.n);
}

static const char *const finding_ids[] = {"logs-left", NULL};

const struct gold_operation gold_operation_logs = {
    .about = {.name = "logs",
              .heading = "Empty the logs",
              .description = "Truncates the files under " LOGS
                             " and removes those that were rotated away, the installer's\n"
                             "logs and the data files of sysstat. Directories, owners and "
                             "modes stay as they are.",
              .notes = "The journal has an operation of its own."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
