/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Our own generator of SSH host keys, as a unit or an init script. It makes what is missing and
 * nothing else, so it may stay in the clone for good. Does not decide whether a guest needs it.
 */
#include <string.h>

#include "guest/ssh_keys.h"

#define ABOUT "Make SSH host keys that this machine does not have"

bool
gold_ssh_starter_possible(const struct gold_scene *sc, const struct gold_ssh_keys *keys)
{
    enum gold_init init = sc->root->init;
    if (init != GOLD_INIT_SYSTEMD && init != GOLD_INIT_OPENRC && init != GOLD_INIT_SYSV)
        return false;
    return (!keys->sshd || keys->keygen) && (!keys->dropbear || keys->dropbearkey);
}

/* "ed25519" for a key called ..._ed25519_... or whose public half says so. */
static int
key_type(struct gold_scene *sc, const char *path, const char **ret, struct gold_error **err)
{
    static const char *const types[] = {"ed25519", "ecdsa", "rsa"};
    GOLD_CLEANUP_FREE char *text = NULL, *public = gold_format(err, "%s.pub", path);
    size_t len = 0;
    if (!public || gold_scene_read(sc, public, &text, &len, err) < 0)
        return -1;
    *ret = "rsa";
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        size_t first = text ? strcspn(text, " \n") : 0;
        if (text ? memmem(text, first, types[i], strlen(types[i])) != NULL
                 : strstr(path, types[i]) != NULL) {
            *ret = types[i];
            return 0;
        }
    }
    return 0;
}

/* One shell command for each kind of key, without single quotes; `dollar` is how the file says
 * '$'. */
static int
commands(struct gold_scene *sc, const struct gold_ssh_keys *keys, const char *dollar,
         struct gold_strv *ret, struct gold_error **err)
{
    if (keys->sshd && keys->keygen) {
        GOLD_CLEANUP_FREE char *all = gold_format(
            err, "ls /etc/ssh/ssh_host_*_key >/dev/null 2>&1 || exec %s -A", keys->keygen);
        if (!all || gold_strv_add(ret, all, err) < 0)
            return -1;
    }
    for (size_t i = 0; keys->keygen && i < keys->custom.n; i++) {
        const char *type, *path = keys->custom.items[i];
        if (key_type(sc, path, &type, err) < 0)
            return -1;
        GOLD_CLEANUP_FREE char *one =
            gold_format(err, "test -s %s || exec %s -q -t %s -N \"\" -f %s", path, keys->keygen,
                        type, path);
        if (!one || gold_strv_add(ret, one, err) < 0)
            return -1;
    }
    if (!keys->dropbear || !keys->dropbearkey)
        return 0;
    GOLD_CLEANUP_FREE char *bear =
        gold_format(err,
                    "for t in rsa ecdsa ed25519; do k=/etc/dropbear/dropbear_%s{t}_host_key; "
                    "test -s %s{k} || %s -t %s{t} "
                    "-f %s{k} >/dev/null || :; done",
                    dollar, dollar, keys->dropbearkey, dollar, dollar);
    return bear ? gold_strv_add(ret, bear, err) : -1;
}

static int
install_unit(struct gold_scene *sc, const struct gold_ssh_keys *keys, struct gold_error **err)
{
    static const char enabled[] =
        "/etc/systemd/system/multi-user.target.wants/goldsmith-ssh-keygen.service";
    GOLD_CLEANUP_STR struct gold_str unit = GOLD_STR_INIT;
    GOLD_CLEANUP_STRV struct gold_strv list = {0};
    bool plain = keys->custom.n == 0 && !keys->dropbear;
    int cloud = gold_scene_exists(sc, "/usr/bin/cloud-init", err);
    int restorecon = cloud < 0 ? -1 : gold_scene_exists(sc, "/usr/sbin/restorecon", err);
    if (restorecon < 0 || (!plain && commands(sc, keys, "$$", &list, err) < 0))
        return -1;
    gold_str_append(&unit, "[Unit]\nDescription=" ABOUT "\nDocumentation=man:ssh-keygen(1)\n"
                           "DefaultDependencies=no\nConflicts=shutdown.target\n");
    /* cloud-init may delete and make host keys itself, late in the boot: then after it, and so
       not before sockets, which systemd opens earlier. A connection waits for ssh.service, and
       that waits for us. */
    gold_str_append(
        &unit, cloud ? "After=local-fs.target cloud-init.service cloud-init-network.service\n"
                       "Before=ssh.service sshd.service dropbear.service shutdown.target\n"
                     : "After=local-fs.target\n"
                       "Before=ssh.service sshd.service ssh.socket sshd.socket "
                       "dropbear.service dropbear.socket "
                       "shutdown.target\n");
    gold_str_append(&unit, "RequiresMountsFor=/etc/ssh\n");
    if (plain)
        gold_str_append(&unit, "ConditionPathExistsGlob=!/etc/ssh/ssh_host_*_key\n");
    gold_str_append(&unit, "\n[Service]\nType=oneshot\nRemainAfterExit=yes\n");
    if (plain)
        gold_str_printf(&unit, "ExecStart=%s -A\n", keys->keygen);
    for (size_t i = 0; i < list.n; i++)
        gold_str_printf(&unit, "ExecStart=/bin/sh -c '%s'\n", list.items[i]);
    if (restorecon && sc->root->selinux)
        gold_str_append(&unit, "ExecStartPost=-/usr/sbin/restorecon -R /etc/ssh\n");
    gold_str_append(&unit, "\n[Install]\nWantedBy=multi-user.target\n");
    if (gold_str_finish(&unit, "unit", err) < 0 ||
        gold_scene_create(sc, GOLD_SSH_STARTER_UNIT, gold_str_text(&unit), unit.len, 0644,
                          "makes SSH host keys on the clone", err) < 0)
        return -1;
    return gold_scene_symlink(sc, GOLD_SSH_STARTER_UNIT, enabled, "switches it on", err);
}

/* The commands as functions' bodies in a script, each in a subshell because of its exec. */
static int
script_body(struct gold_scene *sc, const struct gold_ssh_keys *keys, struct gold_str *out,
            struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv list = {0};
    if (commands(sc, keys, "$", &list, err) < 0)
        return -1;
    gold_str_append(out, "make_keys() {\n    status=0\n");
    for (size_t i = 0; i < list.n; i++)
        gold_str_printf(out, "    ( %s ) >/dev/null || status=1\n", list.items[i]);
    gold_str_append(out, "    return $status\n}\n\n");
    return 0;
}

static int
install_openrc(struct gold_scene *sc, const struct gold_ssh_keys *keys, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(&s, "#!/sbin/openrc-run\n# " ABOUT "\n\ndescription=\"" ABOUT "\"\n\n"
                        "depend() {\n    need localmount\n    before sshd dropbear\n}\n\n");
    if (script_body(sc, keys, &s, err) < 0)
        return -1;
    gold_str_append(
        &s, "start() {\n    ebegin \"Making SSH host keys\"\n    make_keys\n    eend $?\n}\n");
    if (gold_str_finish(&s, "script", err) < 0 ||
        gold_scene_create(sc, GOLD_SSH_STARTER_SCRIPT, gold_str_text(&s), s.len, 0755,
                          "makes SSH host keys on the clone", err) < 0)
        return -1;
    return gold_scene_symlink(sc, GOLD_SSH_STARTER_SCRIPT,
                              "/etc/runlevels/default/goldsmith-ssh-keygen", "switches it on",
                              err);
}

static int
install_sysv(struct gold_scene *sc, const struct gold_ssh_keys *keys, struct gold_error **err)
{
    /* In the boot stage already: where scripts of one runlevel start in parallel, ssh could be
       faster. Sorted before ssh in the others for systems without that stage. */
    static const char *const links[][2] = {{"/etc/rcS.d", "S99"},
                                           {"/etc/rc2.d", "S01"},
                                           {"/etc/rc3.d", "S01"},
                                           {"/etc/rc4.d", "S01"},
                                           {"/etc/rc5.d", "S01"}};
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append(
        &s, "#!/bin/sh\n### BEGIN INIT INFO\n# Provides:          goldsmith-ssh-keygen\n"
            "# Required-Start:    $local_fs\n# Required-Stop:\n# X-Start-Before:    ssh sshd "
            "dropbear\n"
            "# Default-Start:     S 2 3 4 5\n# Default-Stop:\n"
            "# Short-Description: " ABOUT "\n### END INIT INFO\n\n");
    if (script_body(sc, keys, &s, err) < 0)
        return -1;
    gold_str_append(&s, "case \"$1\" in\nstart) make_keys ;;\n*) exit 0 ;;\nesac\n");
    if (gold_str_finish(&s, "script", err) < 0 ||
        gold_scene_create(sc, GOLD_SSH_STARTER_SCRIPT, gold_str_text(&s), s.len, 0755,
                          "makes SSH host keys on the clone", err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        int there = gold_scene_is_dir(sc, links[i][0], err);
        GOLD_CLEANUP_FREE char *path =
            gold_format(err, "%s/%sgoldsmith-ssh-keygen", links[i][0], links[i][1]);
        if (there < 0 || !path ||
            (there && gold_scene_symlink(sc, "../init.d/goldsmith-ssh-keygen", path,
                                         "switches it on", err) < 0))
            return -1;
    }
    return 0;
}

int
gold_ssh_starter_install(struct gold_scene *sc, const struct gold_ssh_keys *keys,
                         struct gold_error **err)
{
    switch (sc->root->init) {
    case GOLD_INIT_SYSTEMD:
        return install_unit(sc, keys, err);
    case GOLD_INIT_OPENRC:
        return install_openrc(sc, keys, err);
    case GOLD_INIT_SYSV:
        return install_sysv(sc, keys, err);
    default:
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "no known init system to make SSH host keys with");
        return -1;
    }
}
