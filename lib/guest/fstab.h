/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Readers of small texts of a guest: fstab and crypttab (fields in columns), os-release (shell
 * assignments). */
#ifndef GOLD_GUEST_FSTAB_H
#define GOLD_GUEST_FSTAB_H

#include "core/vec.h"

/* One line, its octal escapes (\040) undone. */
struct gold_fstab_line {
    unsigned line;
    char *field[4]; /* device, where, type, options; "" when absent. crypttab: name, device,
                       key, options */
};

struct gold_fstab {
    struct gold_fstab_line *lines;
    size_t n;
};

/* At most a few thousand lines are taken, lines without a second field are none. */
GOLD_MUST_CHECK int gold_fstab_parse(const char *text, size_t len, struct gold_fstab *ret,
                                     struct gold_error **err);
void gold_fstab_done(struct gold_fstab *t);
#define GOLD_CLEANUP_FSTAB GOLD_CLEANUP(gold_fstab_done)
/* Is `option` among the comma-separated options? "subvol=" matches by prefix and *ret_value
   (borrowed, ends at a comma or the end) is behind it; ret_value may be NULL. */
bool gold_fstab_has_option(const char *options, const char *option, const char **ret_value);

/* The value of `key` in os-release or any file of shell-like assignments, unquoted; the last
   assignment counts. *ret is NULL when there is none. Values are cut at a few hundred bytes,
   and control characters and what is not UTF-8 become
   '?'. */
GOLD_MUST_CHECK int gold_shell_value(const char *text, size_t len, const char *key, char **ret,
                                     struct gold_error **err);

#endif
