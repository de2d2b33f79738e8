/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts the starter into a throw-away overlay: two units and a script that mount the payload
 * disk and run the agent on it, early in the boot and again when the default target is reached.
 * The template itself never gets it.
 */
#include <string.h>

#include "core/str.h"
#include "guest/identity.h"
#include "guest/work.h"

#define UNITS  "/etc/systemd/system/"
#define SCRIPT "/etc/goldsmith-starter"

/* Disk, label, directory and program are those of the payload disk; the validation's tests
 * compare them. */
static const char script[] =
    "#!/bin/sh\n"
    "# Mounts the payload disk and runs the agent on it. In a throw-away copy of the machine "
    "only.\n"
    "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n"
    "export PATH\n"
    "at=/run/goldsmith\n"
    "\n"
    "find_disk() {\n"
    "    for d in /dev/disk/by-id/*GSPAYLOAD*; do\n"
    "        if [ -b \"$d\" ]; then echo \"$d\"; return 0; fi\n"
    "    done\n"
    "    for d in /sys/block/*; do\n"
    "        for f in \"$d/serial\" \"$d/device/serial\" \"$d/device/vpd_pg80\"; do\n"
    "            [ -r \"$f\" ] || continue\n"
    "            case $(tr -d '\\000' <\"$f\" 2>/dev/null) in\n"
    "            *GSPAYLOAD*) if [ -b \"/dev/${d##*/}\" ]; then echo \"/dev/${d##*/}\"; return "
    "0; fi ;;\n"
    "            esac\n"
    "        done\n"
    "    done\n"
    "    d=$(blkid -L GSPAYLOAD 2>/dev/null) && [ -b \"$d\" ] && echo \"$d\"\n"
    "}\n"
    "\n"
    "mount_disk() {\n"
    "    mkdir -p \"$at\"\n"
    "    if [ -e /sys/fs/selinux/enforce ]; then\n"
    "        mount -t ext4 -o ro,context=system_u:object_r:bin_t:s0 \"$1\" \"$at\" 2>/dev/null "
    "&& return 0\n"
    "    fi\n"
    "    mount -t ext4 -o ro \"$1\" \"$at\"\n"
    "}\n"
    "\n"
    "case $1 in\n"
    "main)\n"
    "    for m in virtio_pci virtio_blk virtio_scsi virtio_console ext4; do\n"
    "        modprobe -q \"$m\" 2>/dev/null\n"
    "    done\n"
    "    ;;\n"
    "reached) ;;\n"
    "*) exit 2 ;;\n"
    "esac\n"
    "n=0\n"
    "until [ -x \"$at/agent\" ]; do\n"
    "    if [ \"$1\" = main ]; then\n"
    "        disk=$(find_disk) && mount_disk \"$disk\" && continue\n"
    "    fi\n"
    "    n=$((n + 1))\n"
    "    if [ \"$n\" -gt 60 ]; then\n"
    "        echo \"goldsmith-starter: no payload disk\" >&2\n"
    "        exit 1\n"
    "    fi\n"
    "    sleep 1\n"
    "done\n"
    "exec \"$at/agent\" \"$1\"\n";

/* Not "oneshot": while that runs the manager has a job under way, and the system would never be
   "running". It is kept when the boot ends in emergency mode, so that a broken boot is heard of
   too. */
static const char agent_unit[] = "[Unit]\n"
                                 "Description=goldsmith agent\n"
                                 "DefaultDependencies=no\n"
                                 "IgnoreOnIsolate=yes\n"
                                 "After=local-fs.target systemd-udevd.service\n"
                                 "Conflicts=shutdown.target\n"
                                 "Before=shutdown.target\n"
                                 "\n"
                                 "[Service]\n"
                                 "Type=simple\n"
                                 "ExecStart=/bin/sh " SCRIPT " main\n"
                                 "StandardInput=null\n"
                                 "StandardOutput=journal\n"
                                 "StandardError=journal+console\n"
                                 "RuntimeMaxSec=14400\n"
                                 "TimeoutStopSec=10\n";

static const char reached_unit[] = "[Unit]\n"
                                   "Description=goldsmith agent, default target reached\n"
                                   "DefaultDependencies=no\n"
                                   "After=multi-user.target graphical.target %s\n"
                                   "Conflicts=shutdown.target\n"
                                   "Before=shutdown.target\n"
                                   "\n"
                                   "[Service]\n"
                                   "Type=oneshot\n"
                                   "ExecStart=/bin/sh " SCRIPT " reached\n"
                                   "StandardInput=null\n"
                                   "StandardError=journal+console\n"
                                   "TimeoutStartSec=300\n";

static bool
is_target_name(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@:";
    size_t len = strlen(name);
    return len > strlen(".target") && len < 256 && name[0] != '.' &&
           strspn(name, allowed) == len && gold_str_has_suffix(name, ".target");
}

/* *ret: the name of the default target, "multi-user.target" when there is none that we
 * understand. */
static int
default_target(struct gold_scene *sc, char **ret, struct gold_error **err)
{
    static const char *const links[] = {UNITS "default.target",
                                        "/usr/lib/systemd/system/default.target",
                                        "/lib/systemd/system/default.target"};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        GOLD_CLEANUP_FREE char *target = NULL;
        if (gold_scene_readlink(sc, links[i], &target, err) < 0)
            return -1;
        const char *slash = target ? strrchr(target, '/') : NULL;
        const char *name = slash ? slash + 1 : target;
        if (!name || !is_target_name(name))
            continue;
        *ret = gold_strdup(name, err);
        return *ret ? 0 : -1;
    }
    *ret = gold_strdup("multi-user.target", err);
    return *ret ? 0 : -1;
}

static int
want(struct gold_scene *sc, const char *target, const char *unit, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *link = gold_format(err, UNITS "%s.wants/%s", target, unit);
    GOLD_CLEANUP_FREE char *to = link ? gold_format(err, UNITS "%s", unit) : NULL;
    return to ? gold_scene_symlink(sc, to, link, NULL, err) : -1;
}

static int
inject_systemd(struct gold_scene *sc, struct gold_error **err)
{
    static const char agent[] = "goldsmith-agent.service",
                      reached[] = "goldsmith-reached.service";
    static const char *const early[] = {"sysinit.target", "emergency.target", "rescue.target"};
    GOLD_CLEANUP_FREE char *target = NULL;
    if (default_target(sc, &target, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *unit = gold_format(err, reached_unit, target);
    if (!unit)
        return -1;
    if (gold_scene_create(sc, SCRIPT, script, strlen(script), 0755, NULL, err) < 0 ||
        gold_scene_create(sc, UNITS "goldsmith-agent.service", agent_unit, strlen(agent_unit),
                          0644, NULL, err) < 0 ||
        gold_scene_create(sc, UNITS "goldsmith-reached.service", unit, strlen(unit), 0644, NULL,
                          err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof early / sizeof *early; i++)
        if (want(sc, early[i], agent, err) < 0)
            return -1;
    if (strcmp(target, "multi-user.target") != 0 && want(sc, target, reached, err) < 0)
        return -1;
    return want(sc, "multi-user.target", reached, err);
}

static int
inject(struct gold_scene *sc, struct gold_facts *ret_identity, struct gold_error **err)
{
    for (size_t i = 0; i < sc->guest->n_filesystems; i++) {
        if (!sc->guest->filesystems[i].hibernated)
            continue;
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' holds a suspended system: clones cannot be started",
                       sc->guest->filesystems[i].device);
        return -1;
    }
    if (strcmp(sc->root->os, "linux") != 0 || sc->root->init != GOLD_INIT_SYSTEMD) {
        gold_error_set(
            err, GOLD_ERROR_UNSUPPORTED,
            "the agent cannot be started in the guest: no starter for %s with init '%s'",
            sc->root->os, gold_init_name(sc->root->init));
        return -1;
    }
    if (gold_guest_mount(sc->session, sc->root, false, err) < 0 ||
        gold_guest_identity(sc, ret_identity, err) < 0 || inject_systemd(sc, err) < 0)
        return -1;
    return gold_scene_label(sc, err);
}

int
gold_guest_inject_starter(struct gold_context *ctx, const struct gold_session_disk *disks,
                          size_t n_disks, const char *root, enum gold_init *ret_init,
                          struct gold_facts *ret_identity, struct gold_error **err)
{
    GOLD_CLEANUP_SESSION struct gold_session *session =
        gold_session_open(ctx, disks, n_disks, err);
    if (!session)
        return -1;
    GOLD_CLEANUP_GUEST struct gold_guest *guest = gold_guest_inspect(session, err);
    const struct gold_root *chosen = guest ? gold_guest_choose_root(guest, root, err) : NULL;
    if (!chosen)
        return -1;
    struct gold_source_result effects = {0}; /* of no interest: the overlay is thrown away */
    struct gold_facts identity = {0};
    struct gold_scene sc = {.ctx = ctx,
                            .session = session,
                            .g = gold_session_handle(session),
                            .guest = guest,
                            .root = chosen,
                            .writable = true,
                            .entry = "starter",
                            .src = &effects};
    int r = inject(&sc, &identity, err);
    gold_scene_done(&sc);
    gold_source_result_done(&effects);
    if (r == 0)
        r = gold_session_close(gold_steal_ptr(&session), err);
    if (r < 0) {
        gold_facts_done(&identity);
        return -1;
    }
    *ret_init = chosen->init;
    *ret_identity = identity;
    return 0;
}
