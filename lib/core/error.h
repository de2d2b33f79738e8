/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting errors, for the library's own code. The contract is in docs/HACKING.md: set once, at the
 * place that knows; prefixed on the way up; printed only by the command.
 *
 * The message says what failed and on what, names in single quotes, no newline, no final period.
 */
#ifndef GOLD_CORE_ERROR_H
#define GOLD_CORE_ERROR_H

#include <stdarg.h>

#include <goldsmith/error.h>

/* All setters accept err == NULL. Setting over an existing error is a bug (assertion). */
void gold_error_set(struct gold_error **err, enum gold_code code, const char *fmt, ...) GOLD_PRINTF(3, 4);
/* Appends ": " and the text of errnum. ENOSPC and the like keep code IO; see gold_error_errno(). */
void gold_error_set_errno(struct gold_error **err, int errnum, const char *fmt, ...) GOLD_PRINTF(3, 4);
/* Out of memory: a static object, reporting allocates nothing. Returns -1 so that one can `return` it. */
int gold_error_set_nomem(struct gold_error **err);
/* Puts "<text>: " before the message of an error that is already set. No-op when err or *err is NULL. */
void gold_error_prefix(struct gold_error **err, const char *fmt, ...) GOLD_PRINTF(2, 3);
/* Sets or replaces the advice. No-op when err or *err is NULL. */
void gold_error_hint(struct gold_error **err, const char *fmt, ...) GOLD_PRINTF(2, 3);
/* Changes what kind of failure it is, when it is of kind `from`: a bad number is damage in a file and a usage
   error in an option. No-op when err or *err is NULL. */
void gold_error_recode(struct gold_error **err, enum gold_code from, enum gold_code to);
/* The errno behind the error, 0 when there is none. */
int gold_error_errno(const struct gold_error *err);
/* Moves an error: *to must be unset. `from` is NULLed. */
void gold_error_move(struct gold_error **to, struct gold_error **from);
/* Forgets *err. */
void gold_error_clear(struct gold_error **err);

#endif
