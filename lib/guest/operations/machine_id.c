/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Leaves /etc/machine-id in a state from which each clone makes an id of its own. It runs last:
 * whatever ran after it could fill the file again. On a systemd guest the file is never
 * removed, because then systemd may prompt on the console or refuse to boot. What speaks
 * against a state is in guest/firstboot.h.
 */
#include <string.h>

#include "guest/firstboot.h"
#include "guest/machine_id.h"
#include "guest/operations.h"
#include "guest/stores.h"

#define ID   "/etc/machine-id"
#define WORD "uninitialized\n"

struct id_file {
    bool link, directory,
        astray; /* astray: a symlink whose target is missing or on another file system */
    enum gold_machine_id_state state;
    const char *why;
    char *text; /* owned */
    size_t len;
};

static void
id_file_done(struct id_file *f)
{
    free(f->text);
}
#define CLEANUP_ID_FILE GOLD_CLEANUP(id_file_done)

/* Is the path on a file system that is mounted below the root? */
static bool
is_elsewhere(const struct gold_root *root, const char *path)
{
    for (size_t i = 0; i < root->n_mounts; i++) {
        const char *where = root->mounts[i].where;
        size_t n = strlen(where);
        if (n > 1 && strncmp(path, where, n) == 0 && (path[n] == '/' || path[n] == '\0'))
            return true;
    }
    return false;
}

static int
look(struct gold_scene *sc, struct id_file *ret, struct gold_error **err)
{
    int link = gold_scene_is_symlink(sc, ID, err);
    int directory = link < 0 ? -1 : gold_scene_is_dir(sc, ID, err);
    int exists = directory < 0 ? -1 : gold_scene_exists(sc, ID, err);
    if (exists < 0)
        return -1;
    ret->link = link;
    ret->directory = directory;
    if (link) {
        GOLD_CLEANUP_FREE char *real = exists ? guestfs_realpath(sc->g, ID) : NULL;
        ret->astray = !real || is_elsewhere(sc->root, real);
    }
    if (gold_scene_read(sc, ID, &ret->text, &ret->len, err) < 0)
        return -1;
    ret->state = gold_machine_id_parse(ret->text, ret->len, &ret->why);
    if (directory) {
        ret->state = GOLD_MACHINE_ID_STATE_MALFORMED;
        ret->why = "it is a directory";
    } else if (ret->astray) {
        ret->why = "it is a symlink to where systemd may not find it early in the boot";
    }
    return 0;
}

/* A file that asks for a first boot may go on doing so, unless that would switch services off.
 */
static int
keep_word(struct gold_scene *sc, const struct id_file *f, const char **ret_text,
          struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv lost = {0};
    if (gold_firstboot_lost_units(sc, &lost, err) < 0)
        return -1;
    if (lost.n == 0)
        *ret_text = f->astray ? WORD : NULL;
    return 0;
}

/* What each wish comes to in this guest. */
static int
wanted(struct gold_scene *sc, const struct id_file *f, const char **ret_text,
       struct gold_error **err)
{
    unsigned version = sc->root->systemd_version;
    bool systemd = sc->root->init == GOLD_INIT_SYSTEMD;
    *ret_text = "";
    switch (sc->machine_id) {
    case GOLD_MACHINE_ID_EMPTY:
    case GOLD_MACHINE_ID_KEEP:
        return 0;
    case GOLD_MACHINE_ID_AUTO:
        /* Whoever built the image with the word wanted a first boot, and this systemd knows the
         * word. */
        if (systemd && f->state == GOLD_MACHINE_ID_STATE_UNINITIALIZED &&
            version >= GOLD_SYSTEMD_KNOWS_UNINITIALIZED)
            return keep_word(sc, f, ret_text, err);
        return 0;
    case GOLD_MACHINE_ID_UNINITIALIZED:
        if (systemd && (version == 0 || version >= GOLD_SYSTEMD_KNOWS_UNINITIALIZED)) {
            *ret_text =
                f->state == GOLD_MACHINE_ID_STATE_UNINITIALIZED && !f->astray ? NULL : WORD;
            return 0;
        }
        if (systemd)
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "systemd %u of this guest takes 'uninitialized' for a damaged " ID,
                           version);
        else
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "only systemd understands 'uninitialized' in " ID);
        gold_error_hint(err, "use --machine-id empty");
        return -1;
    }
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    CLEANUP_ID_FILE struct id_file f = {0};
    if (look(sc, &f, err) < 0)
        return -1;
    bool systemd = sc->root->init == GOLD_INIT_SYSTEMD;
    const char *reason = NULL;
    if (sc->machine_id == GOLD_MACHINE_ID_KEEP)
        reason = "the machine-id is to be kept";
    else if (f.state == GOLD_MACHINE_ID_STATE_MISSING && !f.link && !systemd)
        reason = "there is no " ID;
    if (!reason)
        return 1;
    *ret_reason = gold_strdup(reason, err);
    return *ret_reason ? 0 : -1;
}

/* Without systemd it is dbus-uuidgen that makes the id. Told to use this very file it fails on
   an empty one and makes one that is not there. */
static int
is_better_absent(struct gold_scene *sc, struct gold_error **err)
{
    static const char *const scripts[] = {"/etc/init.d/dbus", "/etc/init.d/machine-id",
                                          "/etc/rc.d/rc.messagebus"};
    if (sc->root->init == GOLD_INIT_SYSTEMD)
        return 0;
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        GOLD_CLEANUP_FREE char *text = NULL;
        size_t len;
        if (gold_scene_read(sc, scripts[i], &text, &len, err) < 0)
            return -1;
        if (text && gold_text_mentions(text, "--ensure=" ID))
            return 1;
    }
    return 0;
}

/* A directory in its place is an accident; only an empty one is taken away. */
static int
clear_directory(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv names = {0};
    if (gold_scene_list(sc, ID, &names, err) < 0)
        return -1;
    if (names.n > 0) {
        gold_error_set(err, GOLD_ERROR_GUEST, "'" ID "' is a directory that is not empty");
        return -1;
    }
    return gold_scene_remove_tree(sc, ID, "empty directory", err);
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    CLEANUP_ID_FILE struct id_file f = {0};
    const char *text;
    if (sc->machine_id == GOLD_MACHINE_ID_KEEP)
        return 0;
    if (look(sc, &f, err) < 0 || wanted(sc, &f, &text, err) < 0)
        return -1;
    int absent = is_better_absent(sc, err);
    if (absent < 0)
        return -1;
    if (absent && f.text)
        return gold_scene_remove(sc, ID, "D-Bus makes a new one when it is absent", err);
    if (!text || (!f.astray && f.state == GOLD_MACHINE_ID_STATE_EMPTY && !*text))
        return 0;
    if (f.directory && clear_directory(sc, err) < 0)
        return -1;
    const char *detail = *text ? "uninitialized" : "empty";
    if (f.text && gold_scene_rewrite(sc, ID, text, strlen(text), *text ? "edited" : "truncated",
                                     detail, err) < 0)
        return -1;
    if (f.text && !f.astray)
        return 0;
    if (f.link && gold_scene_remove(sc, ID, "symlink", err) < 0)
        return -1;
    return gold_scene_create(sc, ID, text, strlen(text), 0444, detail, err);
}

static int
find_set(struct gold_scene *sc, const struct id_file *f, struct gold_error **err)
{
    char shortened[16];
    gold_machine_id_shorten(f->text, f->len, shortened);
    if (sc->machine_id == GOLD_MACHINE_ID_KEEP)
        return gold_scene_find(sc, "machine-id-set", GOLD_WARNING, GOLD_FIX_NONE, ID, 1,
                               shortened, err,
                               "every clone has the same machine-id, as was asked for");
    return gold_scene_find(
        sc, "machine-id-set", GOLD_ERROR, GOLD_FIX_SAFE, ID, 1, shortened, err,
        "every clone would have the same machine-id, and with it the same DHCP client id");
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    CLEANUP_ID_FILE struct id_file f = {0};
    if (look(sc, &f, err) < 0)
        return -1;
    if (f.state == GOLD_MACHINE_ID_STATE_SET && find_set(sc, &f, err) < 0)
        return -1;
    if ((f.state == GOLD_MACHINE_ID_STATE_MALFORMED || f.astray) &&
        gold_scene_find(sc, "machine-id-malformed", GOLD_WARNING, GOLD_FIX_SAFE, ID, 0, NULL,
                        err, "not a valid machine-id file: %s", f.why) < 0)
        return -1;
    int absent = f.state == GOLD_MACHINE_ID_STATE_EMPTY ? is_better_absent(sc, err) : 0;
    if (absent < 0 ||
        (absent &&
         gold_scene_find(
             sc, "machine-id-policy", GOLD_ERROR, GOLD_FIX_SAFE, ID, 0, NULL, err,
             "D-Bus of this guest fails on an empty file, and makes one that is absent") < 0))
        return -1;
    return gold_firstboot_judge(sc, f.state, err);
}

static const char *const finding_ids[] = {"machine-id-set", "machine-id-malformed",
                                          "machine-id-policy", NULL};

const struct gold_operation gold_operation_machine_id = {
    .about = {.name = "machine-id",
              .heading = "Reset the machine-id",
              .description =
                  "Leaves " ID
                  " empty, so that each clone makes an id of its own at its first start. With\n"
                  "--machine-id uninitialized the clone also runs what is meant for a first "
                  "boot: presets are\n"
                  "applied, which can switch services on and off again.",
              .notes = "A file that says 'uninitialized' already stays so unless 'empty' is "
                       "asked for. Without systemd the\n"
                       "file is removed where D-Bus is told to keep its id in it, because "
                       "D-Bus fails on an empty one."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
