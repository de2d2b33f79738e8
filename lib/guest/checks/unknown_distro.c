/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check: do we know this kind of system? Never silent: it names what does not apply. */
#include <string.h>

#include "core/limits.h"
#include "core/str.h"
#include "guest/checks.h"
#include "guest/operation.h"

static const char *const finding_ids[] = {"unknown-distro", NULL};

static int
list_skipped(struct gold_scene *sc, struct gold_str *ret, struct gold_error **err)
{
    for (size_t i = 0; gold_operations[i]; i++) {
        GOLD_CLEANUP_FREE char *reason = NULL;
        int r = gold_operations[i]->applies(sc, &reason, err);
        if (r < 0)
            return -1;
        if (r == 0)
            gold_str_printf(ret, "%s%s (%s)",
                            ret->len ? ", " : "not applied: ", gold_operations[i]->about.name,
                            reason ? reason : "does not apply");
    }
    return gold_str_finish(ret, "list of operations", err);
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    const struct gold_root *root = sc->root;
    bool windows = strcmp(root->os, "windows") == 0;
    if (!windows && root->distro && root->init != GOLD_INIT_UNKNOWN)
        return 0;
    GOLD_CLEANUP_STR struct gold_str skipped = {.limit = 64 * GOLD_KIB};
    if (list_skipped(sc, &skipped, err) < 0)
        return -1;
    const char *message =
        windows        ? "Windows is not sealed"
        : root->distro ? "the init system was not recognised"
        : root->init == GOLD_INIT_UNKNOWN
            ? "neither the distribution nor the init system was recognised"
            : "the distribution was not recognised: there is no os-release file "
              "with an ID";
    return gold_scene_find(sc, "unknown-distro", GOLD_WARNING, GOLD_FIX_NONE, "/etc/os-release",
                           0, skipped.len ? gold_str_text(&skipped) : NULL, err, "%s", message);
}

const struct gold_check_entry gold_check_unknown_distro = {
    .about = {.name = "unknown-distro",
              .heading = "The system is of a known kind",
              .description = "Operations go by the files that they find and not by a "
                             "distribution's name, so a system that is "
                             "not recognised is sealed as far as its files are known. This "
                             "warning says that the "
                             "distribution (os-release) or the init system is not known, and "
                             "its evidence lists every "
                             "operation that does not apply, with the reason."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_MOUNTED,
    .run = run,
};
