/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that hold state of one machine and are simply removed: a table of patterns serves
 * applies, run and verify. */
#ifndef GOLD_GUEST_STORES_H
#define GOLD_GUEST_STORES_H

#include "core/str.h"
#include "guest/scene.h"

struct gold_store {
    const char *pattern;
    const char *finding;
    enum gold_severity severity;
    const char *what; /* "DHCP leases of dhclient": into messages and effects */
    /* 1: this file is one; 0: leave it. NULL: every match is one. */
    int (*is_one)(struct gold_scene *sc, const char *path, struct gold_error **err);
};

/* 1 when one is there, else 0 with *ret_reason set to a copy of `none`. */
GOLD_MUST_CHECK int gold_stores_present(struct gold_scene *sc, const struct gold_store *stores,
                                        size_t n, const char *none, char **ret_reason,
                                        struct gold_error **err);
GOLD_MUST_CHECK int gold_stores_remove(struct gold_scene *sc, const struct gold_store *stores,
                                       size_t n, struct gold_error **err);
GOLD_MUST_CHECK int gold_stores_report(struct gold_scene *sc, const struct gold_store *stores,
                                       size_t n, struct gold_error **err);

/* gold_scene_glob() over several patterns in one call to the appliance; sorted, each name once.
 */
GOLD_MUST_CHECK int gold_scene_glob_all(struct gold_scene *sc, const char *const *patterns,
                                        size_t n, struct gold_strv *ret,
                                        struct gold_error **err);
/* Names in a directory; nothing when it is none. */
GOLD_MUST_CHECK int gold_scene_list(struct gold_scene *sc, const char *dir,
                                    struct gold_strv *ret, struct gold_error **err);
/* Does a line of the text, comments ('#', ';') apart, contain the word? */
bool gold_text_mentions(const char *text, const char *word);

#endif
