/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check: were the file systems unmounted cleanly? */
#include "guest/checks.h"

static const char *const finding_ids[] = {"fs-dirty", NULL};

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    for (size_t i = 0; i < sc->guest->n_filesystems; i++) {
        const struct gold_filesystem *fs = &sc->guest->filesystems[i];
        if (!fs->dirty)
            continue;
        /* Another system's file system is not ours to judge as hard: it is not touched. */
        enum gold_severity severity = gold_root_uses(sc->root, fs) ? GOLD_ERROR : GOLD_WARNING;
        if (gold_scene_find(sc, "fs-dirty", severity, GOLD_FIX_MANUAL, NULL, 0, fs->type, err,
                            "the file system on '%s' was not unmounted cleanly",
                            fs->device) < 0)
            return -1;
    }
    return 0;
}

const struct gold_check_entry gold_check_fs_dirty = {
    .about = {.name = "fs-dirty",
              .heading = "File systems were unmounted cleanly",
              .description = "Looks, without mounting for writing, whether a file system needs "
                             "its journal replayed or needs "
                             "a check. Such an image was copied from a running machine or from "
                             "one that was switched off: "
                             "what its files hold is not what a clone will see, and no "
                             "statement about it is safe. Start the "
                             "machine, shut it down, and take the image again.",
              .notes = "ext2, ext3, ext4, XFS and btrfs are looked at."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_DEVICES,
    .run = run,
};
