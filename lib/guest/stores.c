/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One walk over a table of patterns. Which files those are is the operations' business. */
#include <string.h>

#include "guest/stores.h"

static int
match(struct gold_scene *sc, const struct gold_store *store, struct gold_strv *ret,
      struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    if (gold_scene_glob(sc, store->pattern, &paths, err) < 0)
        return -1;
    for (size_t i = 0; i < paths.n; i++) {
        int one = store->is_one ? store->is_one(sc, paths.items[i], err) : 1;
        if (one < 0 || (one > 0 && gold_strv_add(ret, paths.items[i], err) < 0))
            return -1;
    }
    return 0;
}

int
gold_stores_present(struct gold_scene *sc, const struct gold_store *stores, size_t n,
                    const char *none, char **ret_reason, struct gold_error **err)
{
    for (size_t i = 0; i < n; i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (match(sc, &stores[i], &paths, err) < 0)
            return -1;
        if (paths.n > 0)
            return 1;
    }
    *ret_reason = gold_strdup(none, err);
    return *ret_reason ? 0 : -1;
}

int
gold_stores_remove(struct gold_scene *sc, const struct gold_store *stores, size_t n,
                   struct gold_error **err)
{
    for (size_t i = 0; i < n; i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (match(sc, &stores[i], &paths, err) < 0)
            return -1;
        for (size_t k = 0; k < paths.n; k++)
            if (gold_scene_remove(sc, paths.items[k], stores[i].what, err) < 0)
                return -1;
    }
    return 0;
}

int
gold_stores_report(struct gold_scene *sc, const struct gold_store *stores, size_t n,
                   struct gold_error **err)
{
    for (size_t i = 0; i < n; i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (match(sc, &stores[i], &paths, err) < 0)
            return -1;
        for (size_t k = 0; k < paths.n; k++)
            if (gold_scene_find(sc, stores[i].finding, stores[i].severity, GOLD_FIX_SAFE,
                                paths.items[k], 0, NULL, err, "every clone would share the %s",
                                stores[i].what) < 0)
                return -1;
    }
    return 0;
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
