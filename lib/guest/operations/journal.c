/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes the persistent journal of the template. Does not touch journald's configuration or
 * remote journals. */
#include <string.h>

#include "guest/machine_id.h"
#include "guest/operations.h"
#include "guest/stores.h"

#define JOURNAL "/var/log/journal"

/* Directories named after a machine-id; journald makes a new one for the clone's.
 * "ID.namespace" too. */
static int
find_journals(struct gold_scene *sc, struct gold_strv *ret, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv names = {0};
    if (gold_scene_list(sc, JOURNAL, &names, err) < 0)
        return -1;
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.items[i];
        if (strnlen(name, 32) < 32 || !gold_machine_id_is_hex(name, 32) ||
            (name[32] != '\0' && name[32] != '.'))
            continue;
        GOLD_CLEANUP_FREE char *path = gold_format(err, JOURNAL "/%s", name);
        if (!path || gold_strv_add(ret, path, err) < 0)
            return -1;
    }
    return 0;
}

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv found = {0};
    if (find_journals(sc, &found, err) < 0)
        return -1;
    if (found.n > 0)
        return 1;
    *ret_reason = gold_strdup("no persistent journal found", err);
    return *ret_reason ? 0 : -1;
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv found = {0};
    if (find_journals(sc, &found, err) < 0)
        return -1;
    for (size_t i = 0; i < found.n; i++)
        if (gold_scene_remove_tree(sc, found.items[i], "journal of the template", err) < 0)
            return -1;
    return 0;
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv found = {0};
    if (find_journals(sc, &found, err) < 0)
        return -1;
    for (size_t i = 0; i < found.n; i++)
        if (gold_scene_find(sc, "journal-old-id", GOLD_WARNING, GOLD_FIX_SAFE, found.items[i],
                            0, NULL, err,
                            "the journal of the template is in every clone, under the "
                            "template's machine-id") < 0)
            return -1;
    return 0;
}

static const char *const finding_ids[] = {"journal-old-id", NULL};

const struct gold_operation gold_operation_journal = {
    .about = {.name = "journal",
              .heading = "Remove the persistent journal",
              .description =
                  "Removes the directories under " JOURNAL
                  " that are named after a machine-id, with what is in\n"
                  "them. " JOURNAL
                  " itself stays, so that clones go on keeping a persistent journal.",
              .notes = "Journals that were received from other machines stay."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
