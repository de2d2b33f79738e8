/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check: is there an operating system at all? */
#include <string.h>

#include "core/str.h"
#include "guest/checks.h"

static const char *const finding_ids[] = {"no-root", NULL};

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    if (sc->guest->n_roots > 0)
        return 0;
    GOLD_CLEANUP_STR struct gold_str seen = GOLD_STR_INIT;
    bool encrypted = false;
    for (size_t i = 0; i < sc->guest->n_filesystems && i < 16; i++) {
        const struct gold_filesystem *fs = &sc->guest->filesystems[i];
        encrypted |= strcmp(fs->type, "crypto_LUKS") == 0;
        gold_str_printf(&seen, "%s%s: %s", i ? ", " : "", fs->device, fs->type);
    }
    if (gold_str_finish(&seen, "list of file systems", err) < 0)
        return -1;
    return gold_scene_find(sc, "no-root", GOLD_ERROR, GOLD_FIX_NONE, NULL, 0,
                           seen.len ? gold_str_text(&seen) : "no file system", err,
                           encrypted ? "no operating system was found; a volume is encrypted"
                                     : "no operating system was found");
}

const struct gold_check_entry gold_check_no_root = {
    .about = {.name = "no-root",
              .heading = "An operating system is there",
              .description = "Looks for a file system with an /etc and an os-release file (or "
                             "an fstab and programs), or "
                             "with a Windows system directory. Without one nothing else can be "
                             "checked, and seal refuses. "
                             "The evidence lists the file systems that were seen.",
              .notes = "Encrypted volumes are reported and not opened."},
    .finding_ids = finding_ids,
    .stage = GOLD_CHECK_DEVICES,
    .run = run,
};
