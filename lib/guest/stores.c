/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One walk over a table of patterns. Which files those are is the operations' business. */
#include <fnmatch.h>
#include <string.h>

#include "guest/stores.h"

int
gold_scene_glob_all(struct gold_scene *sc, const char *const *patterns, size_t n,
                    struct gold_strv *ret, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str pattern = GOLD_STR_INIT;
    GOLD_CLEANUP_STRV struct gold_strv all = {0};
    for (size_t i = 0; i < n; i++)
        gold_str_printf(&pattern, "%s%s", i == 0 ? "/{" : ",",
                        patterns[i] + 1); /* must begin with '/' */
    gold_str_append_char(&pattern, '}');
    if (gold_str_finish(&pattern, "pattern", err) < 0 ||
        gold_scene_glob(sc, gold_str_text(&pattern), &all, err) < 0)
        return -1;
    for (size_t i = 0; i < all.n; i++)
        if ((i == 0 || strcmp(all.items[i - 1], all.items[i]) != 0) &&
            gold_strv_add(ret, all.items[i], err) < 0)
            return -1;
    return 0;
}

static int
find_all(struct gold_scene *sc, const struct gold_store *stores, size_t n,
         struct gold_strv *ret, struct gold_error **err)
{
    const char **patterns = calloc(n + 1, sizeof(*patterns));
    if (!patterns)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < n; i++)
        patterns[i] = stores[i].pattern;
    int r = gold_scene_glob_all(sc, patterns, n, ret, err);
    free(patterns);
    return r;
}

/* Calls fn for every file that is one, in the order of the table; stops when it does not return
 * 0. */
static int
each(struct gold_scene *sc, const struct gold_store *stores, size_t n,
     int (*fn)(struct gold_scene *, const struct gold_store *, const char *,
               struct gold_error **),
     struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    if (find_all(sc, stores, n, &paths, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < paths.n; k++) {
            if (fnmatch(stores[i].pattern, paths.items[k], FNM_PATHNAME | FNM_PERIOD) != 0)
                continue;
            int one = stores[i].is_one ? stores[i].is_one(sc, paths.items[k], err) : 1;
            int r = one > 0 ? fn(sc, &stores[i], paths.items[k], err) : one;
            if (r != 0)
                return r;
        }
    return 0;
}

static int
is_there(struct gold_scene *sc, const struct gold_store *store, const char *path,
         struct gold_error **err)
{
    (void)sc;
    (void)store;
    (void)path;
    (void)err;
    return 1;
}

int
gold_stores_present(struct gold_scene *sc, const struct gold_store *stores, size_t n,
                    const char *none, char **ret_reason, struct gold_error **err)
{
    int there = each(sc, stores, n, is_there, err);
    if (there != 0)
        return there;
    *ret_reason = gold_strdup(none, err);
    return *ret_reason ? 0 : -1;
}

static int
remove_one(struct gold_scene *sc, const struct gold_store *store, const char *path,
           struct gold_error **err)
{
    return gold_scene_remove(sc, path, store->what, err);
}

int
gold_stores_remove(struct gold_scene *sc, const struct gold_store *stores, size_t n,
                   struct gold_error **err)
{
    return each(sc, stores, n, remove_one, err);
}

static int
report_one(struct gold_scene *sc, const struct gold_store *store, const char *path,
           struct gold_error **err)
{
    return gold_scene_find(sc, store->finding, store->severity, GOLD_FIX_SAFE, path, 0, NULL,
                           err, "every clone would share the %s", store->what);
}

int
gold_stores_report(struct gold_scene *sc, const struct gold_store *stores, size_t n,
                   struct gold_error **err)
{
    return each(sc, stores, n, report_one, err);
}

static void
free_list(char ***list)
{
    for (size_t i = 0; *list && (*list)[i]; i++)
        free((*list)[i]);
    free(*list);
}

int
gold_scene_list(struct gold_scene *sc, const char *dir, struct gold_strv *ret,
                struct gold_error **err)
{
    int is_dir = gold_scene_is_dir(sc, dir, err);
    if (is_dir <= 0)
        return is_dir;
    GOLD_CLEANUP(free_list) char **names = guestfs_ls(sc->g, dir);
    if (!names) {
        gold_error_set_guestfs(err, sc->session, "cannot list '%s'", dir);
        return -1;
    }
    for (size_t i = 0; names[i]; i++)
        if (gold_strv_add(ret, names[i], err) < 0)
            return -1;
    return 0;
}

bool
gold_text_mentions(const char *text, const char *word)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        const char *first = line + strspn(line, " \t");
        if (*first != '#' && *first != ';' && memmem(line, n, word, strlen(word)))
            return true;
        line += n + (line[n] == '\n');
    }
    return false;
}
