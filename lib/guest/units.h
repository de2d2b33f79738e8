/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* systemd units as files: what a unit says, whether it is masked, and whether something starts
 * it. */
#ifndef GOLD_GUEST_UNITS_H
#define GOLD_GUEST_UNITS_H

#include "core/str.h"
#include "guest/scene.h"

/* The unit's text with that of its drop-ins behind it; *ret NULL when there is no such unit or
 *it is masked. free(). ret_path (may be NULL): where it is; free(). */
GOLD_MUST_CHECK int gold_unit_read(struct gold_scene *sc, const char *name, char **ret,
                                   char **ret_path, struct gold_error **err);
/* Is it linked from a .wants or .requires directory? For a template any instance counts. */
GOLD_MUST_CHECK int gold_unit_enabled(struct gold_scene *sc, const char *name,
                                      struct gold_error **err);
/* Names (owned) of the units in all unit directories that match a pattern such as
 * "*ssh*.service". */
GOLD_MUST_CHECK int gold_unit_glob(struct gold_scene *sc, const char *pattern,
                                   struct gold_strv *ret, struct gold_error **err);
/* The values of `key` in a unit's text, each split at blanks. */
GOLD_MUST_CHECK int gold_unit_values(const char *text, const char *key, struct gold_strv *ret,
                                     struct gold_error **err);
/* Is ConditionFirstBoot= (the last assignment counts) set to true? */
bool gold_unit_needs_first_boot(const char *text);
/* "sshd-keygen@.service" for "sshd-keygen@rsa.service", else a copy. */
GOLD_MUST_CHECK char *gold_unit_template(const char *name, struct gold_error **err);

#endif
