/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Empty and uninitialized both have victims: units that run on a first boot only, and services
 * that presets switch off. This tells which of them a guest has. Does not look at systemd
 * itself: whether it was built to apply presets in full cannot be read from it, so a preset
 * that disables everything else counts as a sign.
 */
#include <fnmatch.h>
#include <string.h>

#include "core/io.h"
#include "guest/firstboot.h"
#include "guest/ssh_keys.h"
#include "guest/stores.h"
#include "guest/text.h"
#include "guest/units.h"

#define ID "/etc/machine-id"

enum gold_preset
gold_preset_find(const char *text, size_t len, const char *unit)
{
    struct gold_lines walk = {0};
    struct gold_span line, verb, pattern;
    while (gold_lines_next(text, len, &walk, &line)) {
        if (!gold_span_word(text, &line, &verb) || !gold_span_word(text, &line, &pattern))
            continue;
        bool enable = gold_span_is(text, &verb, "enable"),
             disable = gold_span_is(text, &verb, "disable");
        char glob[256];
        if ((!enable && !disable) || pattern.len >= sizeof(glob))
            continue;
        memcpy(glob, text + pattern.offset, pattern.len);
        glob[pattern.len] = '\0';
        if (fnmatch(glob, unit, FNM_NOESCAPE) == 0)
            return enable ? GOLD_PRESET_ENABLE : GOLD_PRESET_DISABLE;
    }
    return GOLD_PRESET_NONE;
}

struct preset_files {
    struct gold_strv paths, texts;
};

static void
preset_files_done(struct preset_files *p)
{
    gold_strv_done(&p->paths);
    gold_strv_done(&p->texts);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(gold_path_basename(*(char *const *)a), gold_path_basename(*(char *const *)b));
}

/* All files in the order in which they count: by name, and of one name only the first
 * directory's. */
static int
read_presets(struct gold_scene *sc, struct preset_files *ret, struct gold_error **err)
{
    static const char *const patterns[] = {
        "/etc/systemd/system-preset/*.preset", "/usr/local/lib/systemd/system-preset/*.preset",
        "/usr/lib/systemd/system-preset/*.preset", "/lib/systemd/system-preset/*.preset"};
    GOLD_CLEANUP_STRV struct gold_strv found = {0};
    if (gold_scene_glob_all(sc, patterns, sizeof(patterns) / sizeof(patterns[0]), &found, err) <
        0)
        return -1;
    /* Sorted by path: the administrator's come first. */
    for (size_t k = 0; k < found.n; k++) {
        bool shadowed = false;
        for (size_t m = 0; m < ret->paths.n; m++)
            shadowed |= by_name(&ret->paths.items[m], &found.items[k]) == 0;
        if (!shadowed && gold_strv_add(&ret->paths, found.items[k], err) < 0)
            return -1;
    }
    if (ret->paths.n > 1)
        qsort(ret->paths.items, ret->paths.n, sizeof(char *), by_name);
    for (size_t i = 0; i < ret->paths.n; i++) {
        GOLD_CLEANUP_FREE char *text = NULL;
        size_t len;
        if (gold_scene_read(sc, ret->paths.items[i], &text, &len, err) < 0 ||
            gold_strv_add(&ret->texts, text ? text : "", err) < 0)
            return -1;
    }
    return 0;
}

static enum gold_preset
preset_of(const struct preset_files *presets, const char *unit)
{
    enum gold_preset found = GOLD_PRESET_NONE;
    for (size_t i = 0; i < presets->texts.n && found == GOLD_PRESET_NONE; i++)
        found =
            gold_preset_find(presets->texts.items[i], strlen(presets->texts.items[i]), unit);
    return found;
}

int
gold_firstboot_lost_units(struct gold_scene *sc, struct gold_strv *ret, struct gold_error **err)
{
    GOLD_CLEANUP(preset_files_done) struct preset_files presets = {0};
    GOLD_CLEANUP_STRV struct gold_strv links = {0};
    if (read_presets(sc, &presets, err) < 0)
        return -1;
    if (preset_of(&presets, "a-name-that-no-preset-lists.service") != GOLD_PRESET_DISABLE)
        return 0;
    if (gold_scene_glob(sc, "/etc/systemd/system/*.wants/*", &links, err) < 0)
        return -1;
    for (size_t i = 0; i < links.n; i++) {
        const char *unit = gold_path_basename(links.items[i]);
        if (preset_of(&presets, unit) == GOLD_PRESET_DISABLE &&
            !gold_strv_contains(ret, unit) && gold_strv_add(ret, unit, err) < 0)
            return -1;
    }
    return 0;
}

static int
judge_word(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv lost = {0};
    unsigned version = sc->root->systemd_version;
    if (version > 0 && version < GOLD_SYSTEMD_KNOWS_UNINITIALIZED)
        return gold_scene_find(sc, "machine-id-policy", GOLD_ERROR, GOLD_FIX_SAFE, ID, 1,
                               "uninitialized", err,
                               "systemd %u of this guest does not know 'uninitialized' and "
                               "takes the file for damaged",
                               version);
    if (gold_firstboot_lost_units(sc, &lost, err) < 0)
        return -1;
    if (lost.n == 0)
        return 0;
    /* Who asks for a first boot by name gets one, with a warning. */
    bool asked = sc->machine_id == GOLD_MACHINE_ID_UNINITIALIZED;
    return gold_scene_find(sc, "machine-id-policy", asked ? GOLD_WARNING : GOLD_ERROR,
                           asked ? GOLD_FIX_MANUAL : GOLD_FIX_SAFE, ID, 1, lost.items[0], err,
                           "the first boot that 'uninitialized' asks for applies presets, "
                           "which switch off %zu units that are "
                           "on, '%s' among them",
                           lost.n, lost.items[0]);
}

/* Units of the administrator's that wait for a first boot, which an empty file is not. */
static int
judge_waiting_units(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    if (gold_scene_glob(sc, "/etc/systemd/system/*.service", &paths, err) < 0)
        return -1;
    for (size_t i = 0; i < paths.n; i++) {
        GOLD_CLEANUP_FREE char *text = NULL;
        const char *name = gold_path_basename(paths.items[i]);
        if (gold_unit_read(sc, name, &text, NULL, err) < 0)
            return -1;
        if (!text || !gold_unit_needs_first_boot(text) || strstr(name, "keygen"))
            continue;
        int enabled = gold_unit_enabled(sc, name, err);
        if (enabled < 0 ||
            (enabled && gold_scene_find(sc, "machine-id-policy", GOLD_WARNING, GOLD_FIX_MANUAL,
                                        paths.items[i], 0, NULL, err,
                                        "'%s' runs on a first boot only, which a start with an "
                                        "empty machine-id is not",
                                        name) < 0))
            return -1;
    }
    return 0;
}

static int
judge_empty(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_SSH_KEYS struct gold_ssh_keys keys = {0};
    GOLD_CLEANUP_SSH_REGEN struct gold_ssh_regen regen = {.how = GOLD_SSH_REGEN_NONE};
    if (gold_ssh_keys_find(sc, &keys, err) < 0)
        return -1;
    if (keys.sshd && keys.secret.n == 0) {
        if (gold_ssh_regen_find(sc, &keys, &regen, err) < 0)
            return -1;
        if (regen.how == GOLD_SSH_REGEN_FIRST_BOOT &&
            gold_scene_find(sc, "machine-id-policy", GOLD_ERROR, GOLD_FIX_SAFE, ID, 0,
                            regen.evidence, err,
                            "an empty machine-id is not a first boot, and only on one does "
                            "'%s' make SSH host keys",
                            regen.evidence) < 0)
            return -1;
    }
    return judge_waiting_units(sc, err);
}

int
gold_firstboot_judge(struct gold_scene *sc, enum gold_machine_id_state state,
                     struct gold_error **err)
{
    if (sc->root->init != GOLD_INIT_SYSTEMD)
        return 0;
    switch (state) {
    case GOLD_MACHINE_ID_STATE_MISSING:
        return gold_scene_find(sc, "machine-id-policy", GOLD_WARNING, GOLD_FIX_SAFE, ID, 0,
                               NULL, err,
                               "without the file systemd may ask questions on the console, and "
                               "refuses to boot while /etc "
                               "is read-only");
    case GOLD_MACHINE_ID_STATE_UNINITIALIZED:
        return judge_word(sc, err);
    case GOLD_MACHINE_ID_STATE_EMPTY:
        return judge_empty(sc, err);
    case GOLD_MACHINE_ID_STATE_SET:
    case GOLD_MACHINE_ID_STATE_MALFORMED:
        break;
    }
    return 0;
}
