/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * D-Bus may keep a machine-id of its own, which systemd copies back into /etc/machine-id when
 * that is empty: every clone would get the old id. An empty file is no way out, because D-Bus
 * libraries fail on it; so the file becomes a symlink on systemd guests and goes on others.
 */
#include "core/str.h"
#include "guest/machine_id.h"
#include "guest/operations.h"

#define DBUS_ID   "/var/lib/dbus/machine-id"
#define SYSTEM_ID "/etc/machine-id"

/* 1 for a regular file; a symlink is what we want. */
static int
is_regular(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    int link = gold_scene_is_symlink(sc, path, err);
    if (link != 0)
        return link < 0 ? -1 : 0;
    return gold_scene_is_file(sc, path, err);
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    int regular = is_regular(sc, DBUS_ID, err);
    if (regular < 0)
        return -1;
    if (regular && sc->machine_id != GOLD_MACHINE_ID_KEEP)
        return 1;
    *ret_reason = gold_strdup(
        regular ? "the machine-id is to be kept" : "D-Bus has no machine-id of its own", err);
    return *ret_reason ? 0 : -1;
}

/* Old guests have /etc/machine-id as a symlink to the file of D-Bus: the two must not point at
 * each other. */
static int
part_them(struct gold_scene *sc, struct gold_error **err)
{
    int link = gold_scene_is_symlink(sc, SYSTEM_ID, err);
    if (link <= 0)
        return link;
    GOLD_CLEANUP_FREE char *real = guestfs_realpath(sc->g, SYSTEM_ID);
    GOLD_CLEANUP_FREE char *dbus = guestfs_realpath(sc->g, DBUS_ID);
    if (!gold_streq(real, dbus))
        return 0;
    if (gold_scene_remove(sc, SYSTEM_ID, "symlink to the machine-id of D-Bus", err) < 0)
        return -1;
    return gold_scene_create(sc, SYSTEM_ID, "", 0, 0444, "empty", err);
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    int regular = is_regular(sc, DBUS_ID, err);
    if (regular <= 0)
        return regular;
    if (part_them(sc, err) < 0 ||
        gold_scene_remove(sc, DBUS_ID, "machine-id of D-Bus", err) < 0)
        return -1;
    if (sc->root->init != GOLD_INIT_SYSTEMD)
        return 0;
    return gold_scene_symlink(sc, SYSTEM_ID, DBUS_ID, "to " SYSTEM_ID, err);
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    char shortened[16];
    int regular = is_regular(sc, DBUS_ID, err);
    if (regular <= 0)
        return regular;
    if (gold_scene_read(sc, DBUS_ID, &text, &len, err) < 0)
        return -1;
    if (gold_machine_id_parse(text, len, NULL) == GOLD_MACHINE_ID_STATE_EMPTY)
        return gold_scene_find(sc, "dbus-machine-id", GOLD_WARNING, GOLD_FIX_SAFE, DBUS_ID, 0,
                               NULL, err, "D-Bus libraries fail on an empty file");
    gold_machine_id_shorten(text ? text : "", len, shortened);
    if (sc->machine_id == GOLD_MACHINE_ID_KEEP)
        return gold_scene_find(sc, "dbus-machine-id", GOLD_WARNING, GOLD_FIX_NONE, DBUS_ID, 0,
                               shortened, err,
                               "every clone has the same D-Bus machine-id, as was asked for");
    return gold_scene_find(
        sc, "dbus-machine-id", GOLD_ERROR, GOLD_FIX_SAFE, DBUS_ID, 0, shortened, err,
        "D-Bus keeps the machine-id of the template, and it becomes that of every clone");
}

static const char *const finding_ids[] = {"dbus-machine-id", NULL};

const struct gold_operation gold_operation_dbus_machine_id = {
    .about = {.name = "dbus-machine-id",
              .heading = "Take away the machine-id of D-Bus",
              .description =
                  "Replaces a " DBUS_ID " that is a file by a symlink to " SYSTEM_ID "\n"
                  "where systemd runs, and removes it elsewhere. systemd would copy the old id "
                  "back from it.",
              .notes = NULL},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
