/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds SSH host keys, also where sshd_config puts them elsewhere. Changes nothing. */
#include <string.h>
#include <strings.h>

#include "guest/ssh_keys.h"
#include "guest/stores.h"
#include "guest/text.h"
#include "guest/units.h"

void
gold_ssh_keys_done(struct gold_ssh_keys *k)
{
    gold_strv_done(&k->secret);
    gold_strv_done(&k->public);
    gold_strv_done(&k->custom);
    gold_strv_done(&k->odd);
    gold_strv_done(&k->embedded);
}

bool
gold_ssh_is_standard(const char *path)
{
    static const char *const standard[] = {
        "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_dsa_key", "/etc/ssh/ssh_host_ecdsa_key",
        "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_key"};
    for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++)
        if (strcmp(path, standard[i]) == 0)
            return true;
    return false;
}

int
gold_ssh_config_host_keys(const char *text, size_t len, struct gold_strv *ret,
                          struct gold_error **err)
{
    static const char keyword[] = "hostkey";
    const size_t n = sizeof(keyword) - 1;
    struct gold_lines walk = {0};
    struct gold_span line;
    while (gold_lines_next(text, len, &walk, &line)) {
        line = gold_span_trim(text, line);
        if (line.len <= n || strncasecmp(text + line.offset, keyword, n) != 0)
            continue;
        char after = text[line.offset + n];
        if (!gold_is_blank(after) && after != '=')
            continue; /* HostKeyAlgorithms and others */
        struct gold_span rest =
            gold_span_trim(text, (struct gold_span){line.offset + n, line.len - n, line.line});
        if (rest.len > 0 && text[rest.offset] == '=')
            rest = gold_span_trim(text,
                                  (struct gold_span){rest.offset + 1, rest.len - 1, line.line});
        struct gold_span path;
        if (rest.len > 0 && text[rest.offset] == '"') {
            const char *end = memchr(text + rest.offset + 1, '"', rest.len - 1);
            size_t m = end ? (size_t)(end - text) - rest.offset - 1 : rest.len - 1;
            path = (struct gold_span){rest.offset + 1, m, line.line};
        } else if (!gold_span_word(text, &rest, &path)) {
            continue;
        }
        if (path.len == 0 || text[path.offset] != '/' ||
            memchr(text + path.offset, '\0', path.len))
            continue;
        GOLD_CLEANUP_FREE char *copy = gold_strndup(text + path.offset, path.len, err);
        if (!copy || (!gold_strv_contains(ret, copy) && gold_strv_add(ret, copy, err) < 0))
            return -1;
    }
    return 0;
}

static bool
safe_path(const char *path)
{
    static const char ok[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
    return path[strspn(path, ok)] == '\0';
}

static int
find_custom(struct gold_scene *sc, struct gold_ssh_keys *k, struct gold_error **err)
{
    static const char *const patterns[] = {"/etc/ssh/sshd_config",
                                           "/etc/ssh/sshd_config.d/*.conf"};
    GOLD_CLEANUP_STRV struct gold_strv all = {0};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        GOLD_CLEANUP_STRV struct gold_strv paths = {0};
        if (gold_scene_glob(sc, patterns[i], &paths, err) < 0)
            return -1;
        for (size_t p = 0; p < paths.n; p++) {
            GOLD_CLEANUP_FREE char *text = NULL;
            size_t len = 0;
            if (gold_scene_read(sc, paths.items[p], &text, &len, err) < 0 ||
                (text && gold_ssh_config_host_keys(text, len, &all, err) < 0))
                return -1;
        }
    }
    for (size_t i = 0; i < all.n; i++) {
        const char *path = all.items[i];
        if (!gold_ssh_is_standard(path) &&
            gold_strv_add(safe_path(path) ? &k->custom : &k->odd, path, err) < 0)
            return -1;
    }
    return 0;
}

/* Sorts one file that is there by what its name ends in; copies and backups of a private key
 * are as secret as it. */
static int
add_file(struct gold_ssh_keys *k, const char *path, struct gold_error **err)
{
    struct gold_strv *list = gold_str_has_suffix(path, ".pub") ? &k->public : &k->secret;
    if (gold_strv_contains(list, path))
        return 0;
    return gold_strv_add(list, path, err);
}

static int
add_matches(struct gold_scene *sc, struct gold_ssh_keys *k, const char *pattern,
            struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    if (gold_scene_glob(sc, pattern, &paths, err) < 0)
        return -1;
    for (size_t i = 0; i < paths.n; i++)
        if (add_file(k, paths.items[i], err) < 0)
            return -1;
    return 0;
}

static int
add_custom_files(struct gold_scene *sc, struct gold_ssh_keys *k, const struct gold_strv *paths,
                 struct gold_error **err)
{
    static const char *const suffixes[] = {"", ".pub", "-cert.pub"};
    for (size_t i = 0; i < paths->n; i++)
        for (size_t s = 0; s < sizeof(suffixes) / sizeof(suffixes[0]); s++) {
            GOLD_CLEANUP_FREE char *path =
                gold_format(err, "%s%s", paths->items[i], suffixes[s]);
            int there = path ? gold_scene_is_file(sc, path, err) : -1;
            if (there < 0 || (there && add_file(k, path, err) < 0))
                return -1;
        }
    return 0;
}

/* The first of the paths that is there, or NULL. */
static const char *
first_of(const struct gold_strv *there, const char *const *paths)
{
    for (; *paths; paths++)
        if (gold_strv_contains(there, *paths))
            return *paths;
    return NULL;
}

static int
find_programs(struct gold_scene *sc, struct gold_ssh_keys *k, struct gold_error **err)
{
    static const char *const sshds[] = {"/usr/sbin/sshd", "/usr/bin/sshd", "/sbin/sshd",
                                        "/usr/local/sbin/sshd", NULL};
    static const char *const dropbears[] = {"/usr/sbin/dropbear", "/usr/bin/dropbear", NULL};
    static const char *const keygens[] = {"/usr/bin/ssh-keygen", "/bin/ssh-keygen",
                                          "/usr/local/bin/ssh-keygen", NULL};
    static const char *const dropbearkeys[] = {"/usr/bin/dropbearkey", "/usr/sbin/dropbearkey",
                                               NULL};
    static const char *const patterns[] = {
        "/{usr/,usr/local/,}{bin,sbin}/{sshd,dropbear,ssh-keygen,dropbearkey}"};
    static const char *const dropbear_starts[] = {"/etc/rc[2-5].d/S*dropbear",
                                                  "/etc/runlevels/*/dropbear",
                                                  "/etc/dropbear/dropbear_*_host_key"};
    GOLD_CLEANUP_STRV struct gold_strv there = {0}, starts = {0};
    if (gold_scene_glob_all(sc, patterns, 1, &there, err) < 0)
        return -1;
    k->sshd = first_of(&there, sshds) != NULL;
    k->keygen = first_of(&there, keygens);
    k->dropbearkey = first_of(&there, dropbearkeys);
    if (!first_of(&there, dropbears))
        return 0;
    if (gold_scene_glob_all(sc, dropbear_starts,
                            sizeof(dropbear_starts) / sizeof(dropbear_starts[0]), &starts,
                            err) < 0)
        return -1;
    int started = starts.n > 0 ? 1 : gold_unit_enabled(sc, "dropbear.service", err);
    k->dropbear = started > 0;
    return started < 0 ? -1 : 0;
}

int
gold_ssh_keys_find(struct gold_scene *sc, struct gold_ssh_keys *ret, struct gold_error **err)
{
    static const char *const embedded[] = {
        "/etc/dropbear/initramfs/dropbear_*_host_key",
        "/etc/dropbear-initramfs/dropbear_*_host_key",
        "/etc/initramfs-tools/etc/dropbear/dropbear_*_host_key"};
    GOLD_CLEANUP_SSH_KEYS struct gold_ssh_keys k = {0};
    if (find_programs(sc, &k, err) < 0 || find_custom(sc, &k, err) < 0 ||
        add_matches(sc, &k, "/etc/ssh/ssh_host_*key*", err) < 0 ||
        add_matches(sc, &k, "/etc/dropbear/dropbear_*_host_key*", err) < 0 ||
        add_custom_files(sc, &k, &k.custom, err) < 0)
        return -1;
    if (gold_scene_glob_all(sc, embedded, sizeof(embedded) / sizeof(embedded[0]), &k.embedded,
                            err) < 0)
        return -1;
    *ret = k;
    k = (struct gold_ssh_keys){0};
    return 0;
}
