/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads unit files offline. Generators, presets and run-time units are not looked at. */
#include <string.h>

#include "core/io.h"
#include "guest/stores.h"
#include "guest/units.h"

/* Where units are; brace patterns of glob. */
#define UNIT_DIRS "/{etc,usr/local/lib,usr/lib,lib}/systemd/system"
/* What a name must not have to be put into one. */
#define UNSAFE "*?[]{},\\"

char *
gold_unit_template(const char *name, struct gold_error **err)
{
    const char *at = strchr(name, '@'), *dot = strrchr(name, '.');
    if (!at || !dot || dot < at)
        return gold_strdup(name, err);
    return gold_format(err, "%.*s@%s", (int)(at - name), name, dot);
}

static int
append_file(struct gold_scene *sc, const char *path, struct gold_str *out,
            struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;
    if (gold_scene_read(sc, path, &text, &len, err) < 0)
        return -1;
    if (!text)
        return 0;
    gold_str_append(out, text);
    gold_str_append_char(out, '\n');
    return 1;
}

static int
by_name(const void *a, const void *b)
{
    const char *p = *(char *const *)a, *q = *(char *const *)b;
    int r = strcmp(gold_path_basename(p), gold_path_basename(q));
    return r ? r : strcmp(p, q);
}

/* In the order of their names; of one name only the administrator's counts, whose path sorts
 * first. */
static int
append_dropins(struct gold_scene *sc, const char *name, struct gold_str *out,
               struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    GOLD_CLEANUP_FREE char *pattern = gold_format(err, UNIT_DIRS "/%s.d/*.conf", name);
    if (!pattern || gold_scene_glob(sc, pattern, &paths, err) < 0)
        return -1;
    if (paths.n > 1)
        qsort(paths.items, paths.n, sizeof(char *), by_name);
    for (size_t i = 0; i < paths.n; i++) {
        bool shadowed = i > 0 && gold_streq(gold_path_basename(paths.items[i]),
                                            gold_path_basename(paths.items[i - 1]));
        if (!shadowed && append_file(sc, paths.items[i], out, err) < 0)
            return -1;
    }
    return 0;
}

/* A link to /dev/null, or an empty file. */
static int
is_masked(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *target = NULL;
    if (gold_scene_readlink(sc, path, &target, err) < 0)
        return -1;
    return target && strcmp(target, "/dev/null") == 0;
}

/* /lib is mostly /usr/lib under another name; the latter is the one to show. */
static const char *
unit_path(const struct gold_strv *paths)
{
    if (gold_str_has_prefix(paths->items[0], "/lib/"))
        for (size_t i = 1; i < paths->n; i++)
            if (gold_str_has_prefix(paths->items[i], "/usr/lib/"))
                return paths->items[i];
    return paths->items[0];
}

/* Calls to the appliance are what costs time here: one finds the unit wherever it is. */
int
gold_unit_read(struct gold_scene *sc, const char *name, char **ret, char **ret_path,
               struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    GOLD_CLEANUP_STR struct gold_str out = GOLD_STR_INIT;
    *ret = NULL;
    GOLD_CLEANUP_FREE char *base = gold_unit_template(name, err);
    if (!base)
        return -1;
    if (strpbrk(base, UNSAFE))
        return 0;
    GOLD_CLEANUP_FREE char *pattern = gold_format(err, UNIT_DIRS "/%s", base);
    if (!pattern || gold_scene_glob(sc, pattern, &paths, err) < 0)
        return -1;
    if (paths.n == 0)
        return 0;
    /* Sorted by path, the administrator's is the first; the others are the distribution's. */
    int masked = is_masked(sc, paths.items[0], err);
    if (masked != 0)
        return masked < 0 ? -1 : 0;
    int r = append_file(sc, paths.items[0], &out, err);
    if (r <= 0)
        return r;
    if (append_dropins(sc, base, &out, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *path = ret_path ? gold_strdup(unit_path(&paths), err) : NULL;
    if (ret_path && !path)
        return -1;
    *ret = gold_str_steal(&out, NULL, err);
    if (*ret && ret_path)
        *ret_path = gold_steal_ptr(&path);
    return *ret ? 0 : -1;
}

int
gold_unit_enabled(struct gold_scene *sc, const char *name, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    GOLD_CLEANUP_FREE char *base = gold_unit_template(name, err);
    if (!base)
        return -1;
    if (strpbrk(base, UNSAFE))
        return 0;
    const char *at = strchr(base, '@');
    GOLD_CLEANUP_FREE char *pattern =
        at ? gold_format(err, UNIT_DIRS "/*.{wants,requires,upholds}/%.*s@*%s",
                         (int)(at - base), base, at + 1)
           : gold_format(err, UNIT_DIRS "/*.{wants,requires,upholds}/%s", base);
    if (!pattern || gold_scene_glob(sc, pattern, &paths, err) < 0)
        return -1;
    return paths.n > 0;
}

int
gold_unit_glob(struct gold_scene *sc, const char *pattern, struct gold_strv *ret,
               struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    GOLD_CLEANUP_FREE char *full = gold_format(err, UNIT_DIRS "/%s", pattern);
    if (!full || gold_scene_glob(sc, full, &paths, err) < 0)
        return -1;
    for (size_t k = 0; k < paths.n; k++) {
        const char *name = gold_path_basename(paths.items[k]);
        if (!gold_strv_contains(ret, name) && gold_strv_add(ret, name, err) < 0)
            return -1;
    }
    return 0;
}

/* Calls with each value of the key; an assignment may have blanks around '='. */
static const char *
next_value(const char **text, const char *key, size_t *ret_len)
{
    while (**text) {
        const char *line = *text;
        size_t n = strcspn(line, "\n");
        *text = line + n + (line[n] == '\n');
        const char *p = line + strspn(line, " \t");
        if (strncmp(p, key, strlen(key)) != 0)
            continue;
        p += strlen(key);
        p += strspn(p, " \t");
        if (*p != '=')
            continue;
        p++;
        p += strspn(p, " \t");
        *ret_len = p < line + n ? (size_t)(line + n - p) : 0;
        while (*ret_len > 0 && strchr(" \t\r", p[*ret_len - 1]))
            (*ret_len)--;
        return p;
    }
    return NULL;
}

int
gold_unit_values(const char *text, const char *key, struct gold_strv *ret,
                 struct gold_error **err)
{
    const char *value;
    size_t len;
    while ((value = next_value(&text, key, &len))) {
        while (len > 0) {
            size_t n = 0;
            while (n < len && value[n] != ' ' && value[n] != '\t')
                n++;
            if (n > 0) {
                GOLD_CLEANUP_FREE char *word = gold_strndup(value, n, err);
                if (!word || gold_strv_add(ret, word, err) < 0)
                    return -1;
            }
            n += n < len;
            value += n;
            len -= n;
        }
    }
    return 0;
}

bool
gold_unit_needs_first_boot(const char *text)
{
    static const char *const yes[] = {"yes", "true", "1", "on", "y", "t"};
    bool needs = false;
    const char *value;
    size_t len;
    while ((value = next_value(&text, "ConditionFirstBoot", &len))) {
        needs = false;
        for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
            needs |= len == strlen(yes[i]) && strncasecmp(value, yes[i], len) == 0;
    }
    return needs;
}
