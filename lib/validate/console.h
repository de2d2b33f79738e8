/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A guest's console: kept up to a cap, counted beyond it, and watched for the lines that say
 * how far a boot has come or why it will come no further. What it says is the guest's word: it
 * names a state, it never proves success.
 */
#ifndef GOLD_VALIDATE_CONSOLE_H
#define GOLD_VALIDATE_CONSOLE_H

#include <stdint.h>

#include "core/str.h"

/* In the order in which a later one wins over an earlier one. */
enum gold_console_mark {
    GOLD_MARK_KERNEL,
    GOLD_MARK_INIT,
    GOLD_MARK_LOGIN,
    GOLD_MARK_NOTE,      /* trouble that does not end a boot by itself */
    GOLD_MARK_EMERGENCY, /* emergency or rescue mode of the init system */
    GOLD_MARK_INITRAMFS, /* shell of the initramfs: the root was not found */
    GOLD_MARK_PANIC,
    GOLD_MARK_NO_ROOT,     /* the kernel could not mount its root; a panic with a better name */
    GOLD_MARK_BOOTLOADER,  /* the boot loader did not find what to load */
    GOLD_MARK_NO_BOOTABLE, /* the firmware did not find a boot loader */
    GOLD_MARK_N
};

struct gold_console {
    struct gold_str kept;        /* the first bytes, raw */
    struct gold_str tail;        /* the last ones, without control characters and escapes */
    struct gold_str line;        /* under way, likewise */
    struct gold_str notes;       /* lines of GOLD_MARK_NOTE */
    char *evidence[GOLD_MARK_N]; /* the first line of each mark */
    uint64_t total;              /* bytes that came */
    uint64_t seen;               /* patterns found in this line */
    unsigned escape;             /* where in an escape sequence */
    unsigned n_notes;
};

void gold_console_start(struct gold_console *c);
void gold_console_done(struct gold_console *c);
#define GOLD_CLEANUP_CONSOLE GOLD_CLEANUP(gold_console_done)
/* *ret_marks: bit 1 << mark for each that these bytes completed. NOMEM only. */
GOLD_MUST_CHECK int gold_console_feed(struct gold_console *c, const char *bytes, size_t len,
                                      unsigned *ret_marks, struct gold_error **err);
/* The last `lines` lines as plain text; "" when nothing came. *ret: free(). */
GOLD_MUST_CHECK int gold_console_tail(const struct gold_console *c, unsigned lines, char **ret,
                                      struct gold_error **err);
/* The lines that tell of trouble, as plain text. *ret: free(). */
GOLD_MUST_CHECK int gold_console_notes(const struct gold_console *c, char **ret,
                                       struct gold_error **err);
/* The whole log for a file: what was kept, how much was not, and the end. */
GOLD_MUST_CHECK int gold_console_log(const struct gold_console *c, struct gold_str *ret,
                                     struct gold_error **err);

#endif
