/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check at the end of seal: is what was deleted really gone? */
#include "guest/checks.h"

static const char *const finding_ids[] = {"free-space-not-cleared", NULL};

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    for (size_t i = 0; i < sc->uncleared.n; i++)
        if (gold_scene_find(sc, "free-space-not-cleared", GOLD_WARNING, GOLD_FIX_MANUAL,
                            sc->uncleared.items[i], 0, NULL, err,
                            "free space at '%s' was not cleared: deleted keys can still be "
                            "read from its free blocks",
                            sc->uncleared.items[i]) < 0)
            return -1;
    return 0;
}

const struct gold_check_entry gold_check_free_space = {
    .about = {.name = "free-space",
              .heading = "What seal deleted is gone from the image",
              .description = "After sealing, free blocks are discarded, so that deleted keys "
                             "and logs cannot be read back from "
                             "the image. Where neither that nor filling with zeroes worked, "
                             "this warning names the file system.",
              .notes = "Reported by seal only. The option --zero-free fills free space with "
                       "zeroes where discarding does not work."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_SEALED,
    .run = run,
};
