/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check: does a suspended system wait in the image? */
#include "guest/checks.h"

static const char *const finding_ids[] = {"hibernation-image", NULL};

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    for (size_t i = 0; i < sc->guest->n_filesystems; i++) {
        const struct gold_filesystem *fs = &sc->guest->filesystems[i];
        if (fs->hibernated && gold_scene_find(sc, "hibernation-image", GOLD_ERROR,
                                              GOLD_FIX_MANUAL, NULL, 0, fs->type, err,
                                              "'%s' holds a suspended system: each clone would "
                                              "resume it over changed file systems",
                                              fs->device) < 0)
            return -1;
    }
    return 0;
}

const struct gold_check_entry gold_check_hibernation_image = {
    .about = {.name = "hibernation-image",
              .heading = "No suspended system is in the image",
              .description = "Looks for the signature of a hibernated Linux in swap devices "
                             "and swap files, and for a used "
                             "hiberfil.sys on NTFS. A clone would resume the suspended memory, "
                             "with its identity and with "
                             "file systems that have changed since, which destroys them; so "
                             "does writing to them now. Start "
                             "the machine, shut it down (on Windows without fast startup), and "
                             "take the image again."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_DEVICES,
    .run = run,
};
