/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check: is it clear which operating system is meant? */
#include "core/str.h"
#include "guest/checks.h"

static const char *const finding_ids[] = {"several-roots", NULL};

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    if (sc->guest->n_roots < 2 || sc->root)
        return 0;
    GOLD_CLEANUP_STR struct gold_str seen = GOLD_STR_INIT;
    for (size_t i = 0; i < sc->guest->n_roots && i < 16; i++) {
        const struct gold_root *root = &sc->guest->roots[i];
        gold_str_printf(&seen, "%s%s: %s", i ? ", " : "", root->device,
                        root->name ? root->name : root->os);
    }
    if (gold_str_finish(&seen, "list of operating systems", err) < 0)
        return -1;
    return gold_scene_find(
        sc, "several-roots", GOLD_ERROR, GOLD_FIX_MANUAL, NULL, 0, gold_str_text(&seen), err,
        "the image has %zu operating systems: choose one with --root", sc->guest->n_roots);
}

const struct gold_check_entry gold_check_several_roots = {
    .about = {.name = "several-roots",
              .heading = "There is one operating system, or one was chosen",
              .description = "An image with several operating systems shares more than one "
                             "identity with its clones. Only "
                             "the one that is chosen with --root is looked at and sealed; "
                             "without a choice nothing is."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_DEVICES,
    .run = run,
};
