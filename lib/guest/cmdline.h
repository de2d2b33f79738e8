/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Kernel parameters as they stand in the boot configuration of a guest: where each of them is,
 * in the many files that hold command lines. Finding only; edits are made with guest/text.h.
 */
#ifndef GOLD_GUEST_CMDLINE_H
#define GOLD_GUEST_CMDLINE_H

#include "guest/text.h"

enum gold_cmdline_kind {
    GOLD_CMDLINE_PLAIN,   /* the whole file: /etc/kernel/cmdline */
    GOLD_CMDLINE_BLS,     /* "options" lines of a Type 1 boot loader entry */
    GOLD_CMDLINE_GRUB,    /* grub.cfg, and menu.lst of GRUB legacy */
    GOLD_CMDLINE_GRUBENV, /* GRUB's environment block: kernelopts= */
    GOLD_CMDLINE_SHELL,   /* assignments: /etc/default/grub */
    GOLD_CMDLINE_EXTLINUX /* "append" lines */
};

/* Appends the span of every parameter. Quotes around a whole parameter are inside its span. */
GOLD_MUST_CHECK int gold_cmdline_params(enum gold_cmdline_kind kind, const char *text,
                                        size_t len, struct gold_spans *ret,
                                        struct gold_error **err);
/* The value of the parameter `key` ('-' and '_' are the same, as for the kernel) without
   quotes. True when it is that parameter; a parameter without '=' has an empty value at its
   end. */
bool gold_cmdline_value(const char *text, const struct gold_span *param, const char *key,
                        struct gold_span *ret);
/* A GRUB environment block must keep its size: cuts or pads the edited text to `size` with '#'.
   FORMAT when it does not fit. */
GOLD_MUST_CHECK int gold_grubenv_fit(char **text, size_t *len, size_t size,
                                     struct gold_error **err);

#endif
