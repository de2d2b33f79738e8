/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does something make SSH host keys on a clone that has none? Judged by the files of the guest:
 * units that sshd pulls in or that are switched on, init scripts, cloud-init. In doubt the
 * answer is no, and an own generator is put in: it does nothing when keys are there.
 */
#include <string.h>

#include "guest/ssh_keys.h"
#include "guest/stores.h"
#include "guest/units.h"

#define OUR_UNIT   "goldsmith-ssh-keygen.service"
#define OUR_SCRIPT "goldsmith-ssh-keygen"

void
gold_ssh_regen_done(struct gold_ssh_regen *r)
{
    free(r->evidence);
    r->evidence = NULL;
}

bool
gold_ssh_regen_complete(const struct gold_ssh_keys *keys, const struct gold_ssh_regen *r,
                        bool first_boot)
{
    bool standard = !keys->sshd || r->how == GOLD_SSH_REGEN_GUEST ||
                    r->how == GOLD_SSH_REGEN_OURS ||
                    (r->how == GOLD_SSH_REGEN_FIRST_BOOT && first_boot);
    return standard && r->custom && r->dropbear;
}

static int
settle(struct gold_ssh_regen *r, enum gold_ssh_regen_how how, const char *evidence,
       struct gold_error **err)
{
    if (how <= r->how)
        return 0;
    r->how = how;
    return gold_str_replace(&r->evidence, evidence, err);
}

static bool
mentions_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

/* Do the commands of a unit make host keys? */
static int
generates(const char *unit, struct gold_error **err)
{
    static const char *const keys[] = {"ssh-keygen", NULL}, *const all[] = {" -A", "ssh_host",
                                                                            NULL};
    static const char *const scripts[] = {"sshd-keygen", "sshd-gen-keys", "sshd_keygen",
                                          "sshdgenkeys", NULL};
    GOLD_CLEANUP_STRV struct gold_strv words = {0};
    GOLD_CLEANUP_STR struct gold_str joined = GOLD_STR_INIT;
    if (gold_unit_values(unit, "ExecStartPre", &words, err) < 0 ||
        gold_unit_values(unit, "ExecStart", &words, err) < 0)
        return -1;
    for (size_t i = 0; i < words.n; i++)
        gold_str_printf(&joined, "%s ", words.items[i]);
    if (gold_str_finish(&joined, "commands of a unit", err) < 0)
        return -1;
    const char *text = gold_str_text(&joined);
    return mentions_any(text, scripts) ||
           (mentions_any(text, keys) && mentions_any(text, all)) ||
           (strstr(text, "dpkg-reconfigure") && strstr(text, "openssh-server"));
}

/* What the units of the SSH server pull in, over a few steps; names of templates. */
static int
pulled_in(struct gold_scene *sc, struct gold_strv *ret, struct gold_error **err)
{
    static const char *const servers[] = {"ssh.service", "sshd.service", "ssh.socket",
                                          "sshd.socket", "ssh@.service", "sshd@.service"};
    static const char *const kinds[] = {"Wants", "Requires", "BindsTo", "Upholds"};
    for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++)
        if (gold_strv_add(ret, servers[i], err) < 0)
            return -1;
    for (size_t i = 0; i < ret->n && i < 64; i++) {
        GOLD_CLEANUP_FREE char *text = NULL;
        GOLD_CLEANUP_STRV struct gold_strv names = {0};
        /* Further than the key generators and their target there is nothing of interest. */
        if (i >= sizeof(servers) / sizeof(servers[0]) && !strstr(ret->items[i], "ssh"))
            continue;
        if (gold_unit_read(sc, ret->items[i], &text, NULL, err) < 0)
            return -1;
        for (size_t k = 0; text && k < sizeof(kinds) / sizeof(kinds[0]); k++)
            if (gold_unit_values(text, kinds[k], &names, err) < 0)
                return -1;
        for (size_t k = 0; k < names.n; k++) {
            GOLD_CLEANUP_FREE char *base = gold_unit_template(names.items[k], err);
            if (!base || (!gold_strv_contains(ret, base) && gold_strv_add(ret, base, err) < 0))
                return -1;
        }
    }
    return 0;
}

/* A YAML list item "- ssh" in cloud.cfg. */
static bool
has_ssh_module(const char *text)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        const char *p = line + strspn(line, " \t");
        if (*p == '-') {
            p++;
            p += strspn(p, " \t[");
            size_t m = strcspn(p, " \t\r\n,]");
            if (m == 3 && strncmp(p, "ssh", 3) == 0)
                return true;
        }
        line += n + (line[n] == '\n');
    }
    return false;
}

/* One data source apart from None: cloud-init does not look whether it is there, it is used. */
static bool
has_one_source(const char *text)
{
    bool one = false;
    for (const char *at = text; (at = strstr(at, "datasource_list:")); at++) {
        const char *bol = at;
        while (bol > text && bol[-1] != '\n')
            bol--;
        const char *open = at + strcspn(at, "[\n");
        if (memchr(bol, '#', (size_t)(at - bol)) || *open != '[')
            continue;
        size_t sources = 0;
        for (const char *p = open + 1; *p && *p != ']' && *p != '\n';) {
            p += strspn(p, " \t,\"'");
            size_t m = strcspn(p, " \t,\"']\n");
            sources += m > 0 && !(m == 4 && strncmp(p, "None", 4) == 0);
            p += m;
        }
        one = sources == 1;
    }
    return one;
}

enum cloud { CLOUD_NONE, CLOUD_NO_KEYS, CLOUD_MAYBE, CLOUD_SURE };

static int
cloud_source(struct gold_scene *sc, const char *cfg, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv seeds = {0}, parts = {0};
    bool one = has_one_source(cfg);
    if (gold_scene_glob(sc, "/var/lib/cloud/seed/*/meta-data", &seeds, err) < 0 ||
        gold_scene_glob(sc, "/etc/cloud/cloud.cfg.d/*.cfg", &parts, err) < 0)
        return -1;
    if (seeds.n > 0)
        return 1;
    for (size_t i = 0; i < parts.n; i++) {
        GOLD_CLEANUP_FREE char *text = NULL;
        size_t len;
        if (gold_scene_read(sc, parts.items[i], &text, &len, err) < 0)
            return -1;
        if (text && gold_text_mentions(text, "datasource_list:"))
            one = has_one_source(text);
    }
    return one;
}

static int
cloud_init(struct gold_scene *sc, enum cloud *ret, struct gold_error **err)
{
    static const char generator[] = "/usr/lib/systemd/system-generators/cloud-init-generator";
    GOLD_CLEANUP_FREE char *cfg = NULL;
    size_t len;
    *ret = CLOUD_NONE;
    int there = gold_scene_exists(sc, "/usr/bin/cloud-init", err);
    int off = there > 0 ? gold_scene_exists(sc, "/etc/cloud/cloud-init.disabled", err) : 0;
    if (there <= 0 || off != 0)
        return there < 0 || off < 0 ? -1 : 0;
    int started = gold_scene_exists(sc, generator, err);
    for (size_t i = 0; started == 0 && i < 2; i++)
        started =
            gold_unit_enabled(sc, i ? "cloud-init.service" : "cloud-init-network.service", err);
    if (started <= 0)
        return started;
    if (gold_scene_read(sc, "/etc/cloud/cloud.cfg", &cfg, &len, err) < 0)
        return -1;
    if (!cfg || !has_ssh_module(cfg)) {
        *ret = CLOUD_NO_KEYS;
        return 0;
    }
    int source = cloud_source(sc, cfg, err);
    *ret = source > 0 ? CLOUD_SURE : CLOUD_MAYBE;
    return source < 0 ? -1 : 0;
}

/* One unit that may be a generator. */
static int
judge_unit(struct gold_scene *sc, const char *name, const struct gold_strv *pulled,
           enum cloud cloud, struct gold_ssh_regen *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL, *path = NULL;
    if (gold_unit_read(sc, name, &text, &path, err) < 0)
        return -1;
    int makes = text ? generates(text, err) : 0;
    if (makes <= 0)
        return makes;
    int starts = gold_strv_contains(pulled, name) ? 1 : gold_unit_enabled(sc, name, err);
    if (starts <= 0)
        return starts;
    if (strcmp(name, OUR_UNIT) == 0)
        return settle(ret, GOLD_SSH_REGEN_OURS, path, err);
    if (gold_unit_needs_first_boot(text))
        return settle(ret, GOLD_SSH_REGEN_FIRST_BOOT, path, err);
    /* Fedora leaves the keys to cloud-init where that runs; without its ssh module nobody makes
     * them. */
    if (cloud == CLOUD_NO_KEYS && gold_text_mentions(text, "cloud-init.target"))
        return 0;
    return settle(ret, GOLD_SSH_REGEN_GUEST, path, err);
}

static int
look_at_units(struct gold_scene *sc, struct gold_ssh_regen *ret, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv names = {0}, pulled = {0};
    enum cloud cloud = CLOUD_NONE;
    if (cloud_init(sc, &cloud, err) < 0 || pulled_in(sc, &pulled, err) < 0 ||
        gold_unit_glob(sc, "*ssh*.service", &names, err) < 0 ||
        gold_unit_glob(sc, "*keygen*.service", &names, err) < 0)
        return -1;
    for (size_t i = 0; i < names.n; i++)
        if (judge_unit(sc, names.items[i], &pulled, cloud, ret, err) < 0)
            return -1;
    return cloud == CLOUD_SURE ? settle(ret, GOLD_SSH_REGEN_GUEST, "/etc/cloud/cloud.cfg", err)
                               : 0;
}

static int
script_starts(struct gold_scene *sc, const char *name, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    GOLD_CLEANUP_FREE char *pattern =
        gold_format(err, "/etc/{runlevels/*/,rc[2-5S].d/S*,rc.d/rc[2-5S].d/S*}%s", name);
    if (!pattern || gold_scene_glob(sc, pattern, &paths, err) < 0)
        return -1;
    return paths.n > 0;
}

/* Is the generating part of an init script switched off? */
static int
script_is_off(struct gold_scene *sc, const char *name, struct gold_error **err)
{
    static const char *const dirs[] = {"/etc/conf.d", "/etc/sysconfig", "/etc/default"};
    static const char *const words[] = {
        "sshd_disable_keygen=\"yes\"", "sshd_disable_keygen=yes", "sshd_disable_keygen='yes'",
        "AUTOCREATE_SERVER_KEYS=NO", "AUTOCREATE_SERVER_KEYS=\"NO\""};
    for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
        GOLD_CLEANUP_FREE char *text = NULL, *path = gold_format(err, "%s/%s", dirs[i], name);
        size_t len;
        if (!path || gold_scene_read(sc, path, &text, &len, err) < 0)
            return -1;
        for (size_t k = 0; text && k < sizeof(words) / sizeof(words[0]); k++)
            if (gold_text_mentions(text, words[k]))
                return 1;
    }
    return 0;
}

static int
look_at_scripts(struct gold_scene *sc, struct gold_ssh_regen *ret, struct gold_error **err)
{
    static const char *const names[] = {"sshd", "ssh", "openssh-server", OUR_SCRIPT};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        GOLD_CLEANUP_FREE char *text = NULL,
                               *path = gold_format(err, "/etc/init.d/%s", names[i]);
        size_t len;
        if (!path || gold_scene_read(sc, path, &text, &len, err) < 0)
            return -1;
        if (!text || !gold_text_mentions(text, "ssh-keygen"))
            continue;
        int starts = script_starts(sc, names[i], err);
        int off = starts > 0 ? script_is_off(sc, names[i], err) : 0;
        if (starts < 0 || off < 0)
            return -1;
        bool ours = strcmp(names[i], OUR_SCRIPT) == 0;
        if (starts && !off &&
            settle(ret, ours ? GOLD_SSH_REGEN_OURS : GOLD_SSH_REGEN_GUEST, path, err) < 0)
            return -1;
    }
    return 0;
}

/* Keys in places of their own, and dropbear's: only our generator is known to make them, or
 * dropbear itself (-R). */
static int
look_at_others(struct gold_scene *sc, const struct gold_ssh_keys *keys,
               struct gold_ssh_regen *ret, struct gold_error **err)
{
    static const char *const sources[] = {"/etc/init.d/dropbear", "/etc/default/dropbear",
                                          "/etc/conf.d/dropbear"};
    GOLD_CLEANUP_FREE char *ours = NULL, *unit = NULL;
    size_t len = 0;
    if (ret->how == GOLD_SSH_REGEN_OURS &&
        gold_scene_read(sc, ret->evidence, &ours, &len, err) < 0)
        return -1;
    ret->custom = true;
    for (size_t i = 0; i < keys->custom.n; i++)
        ret->custom &= ours && strstr(ours, keys->custom.items[i]);
    ret->dropbear = !keys->dropbear || (ours && strstr(ours, "dropbearkey"));
    for (size_t i = 0; !ret->dropbear && i < sizeof(sources) / sizeof(sources[0]); i++) {
        GOLD_CLEANUP_FREE char *text = NULL;
        if (gold_scene_read(sc, sources[i], &text, &len, err) < 0)
            return -1;
        ret->dropbear = text && (gold_text_mentions(text, "dropbearkey") ||
                                 gold_text_mentions(text, " -R"));
    }
    if (!ret->dropbear && gold_unit_read(sc, "dropbear.service", &unit, NULL, err) < 0)
        return -1;
    if (unit && (strstr(unit, " -R") || strstr(unit, "dropbearkey")))
        ret->dropbear = true;
    return 0;
}

int
gold_ssh_regen_find(struct gold_scene *sc, const struct gold_ssh_keys *keys,
                    struct gold_ssh_regen *ret, struct gold_error **err)
{
    GOLD_CLEANUP_SSH_REGEN struct gold_ssh_regen r = {.how = GOLD_SSH_REGEN_NONE};
    int found = sc->root->init == GOLD_INIT_SYSTEMD ? look_at_units(sc, &r, err)
                                                    : look_at_scripts(sc, &r, err);
    if (found < 0 || look_at_others(sc, keys, &r, err) < 0)
        return -1;
    *ret = r;
    r.evidence = NULL;
    return 0;
}
