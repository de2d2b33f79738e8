/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Errors as a caller sees them.
 *
 * A function that can fail takes `struct gold_error **err` last and returns 0 or -1, a pointer or
 * NULL, or a count or -1. On failure *err is set exactly once (err may be NULL) and no ret_ output
 * is touched; on success *err is untouched. The caller owns the error: gold_error_free().
 */
#ifndef GOLDSMITH_ERROR_H
#define GOLDSMITH_ERROR_H

#include <goldsmith/api.h>

/* Few, and each means something to a caller. Never renumbered. */
enum gold_code {
    GOLD_ERROR_USAGE = 1,       /* the request itself is wrong: option, template file, selector */
    GOLD_ERROR_IO = 2,          /* the operating system refused: open, write, fsync, no space */
    GOLD_ERROR_FORMAT = 3,      /* input is damaged or is not what it should be */
    GOLD_ERROR_UNSUPPORTED = 4, /* understood, and refused: cannot be done or is not safe */
    GOLD_ERROR_BUSY = 5,        /* in use by somebody else: a running VM, another goldsmith */
    GOLD_ERROR_GUEST = 6,       /* libguestfs or the file systems inside the image */
    GOLD_ERROR_HYPERVISOR = 7,  /* libvirt or QEMU */
    GOLD_ERROR_CHECK = 8,       /* the template is not fit: findings remain */
    GOLD_ERROR_CHANGED = 9,     /* a file changed under our hands */
    GOLD_ERROR_CANCELLED = 10,  /* the user interrupted */
    GOLD_ERROR_NOMEM = 11
};

struct gold_error;

GOLD_API enum gold_code gold_error_code(const struct gold_error *err);
/* One line without newline or final period; valid until the error is freed. */
GOLD_API const char *gold_error_message(const struct gold_error *err);
/* Advice, or NULL. */
GOLD_API const char *gold_error_hint_text(const struct gold_error *err);
/* Accepts NULL. */
GOLD_API void gold_error_free(struct gold_error *err);

#endif
