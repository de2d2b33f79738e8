/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the state of the machine-id file means for a clone's first boot in this very guest. */
#ifndef GOLD_GUEST_FIRSTBOOT_H
#define GOLD_GUEST_FIRSTBOOT_H

#include "core/str.h"
#include "guest/machine_id.h"
#include "guest/scene.h"

/* The first version for which the word "uninitialized" in the file means a first boot. */
#define GOLD_SYSTEMD_KNOWS_UNINITIALIZED 247

/* Reports machine-id-policy findings. */
GOLD_MUST_CHECK int gold_firstboot_judge(struct gold_scene *sc,
                                         enum gold_machine_id_state state,
                                         struct gold_error **err);

/* Services that are switched on now and that presets switch off on a first boot, where systemd
 * applies them in full. */
GOLD_MUST_CHECK int gold_firstboot_lost_units(struct gold_scene *sc, struct gold_strv *ret,
                                              struct gold_error **err);

/* What presets say of a unit: text is one preset file; the first line that matches decides. */
enum gold_preset { GOLD_PRESET_NONE, GOLD_PRESET_ENABLE, GOLD_PRESET_DISABLE };
enum gold_preset gold_preset_find(const char *text, size_t len, const char *unit);

#endif
