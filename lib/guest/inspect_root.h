/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading one root: for inspect.c, which mounts it. */
#ifndef GOLD_GUEST_INSPECT_ROOT_H
#define GOLD_GUEST_INSPECT_ROOT_H

#include "guest/scene.h"

/* Options with which a file system of this type is mounted read-only without replaying its
 * journal. Static. */
const char *gold_readonly_options(const char *type);
/* Can a file system of this type be mounted as part of a system? */
bool gold_type_is_mountable(const char *type);
/* Looks at the file system that is mounted read-only at / and is guest->filesystems[index].
   When it is a root, appends it to guest->roots. Mounts its /usr below it when that is
   elsewhere. sc->guest is `guest`. */
GOLD_MUST_CHECK int gold_root_read(struct gold_scene *sc, struct gold_guest *guest,
                                   size_t index, struct gold_error **err);
void gold_root_done(struct gold_root *root);

#endif
