/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The context: what a whole run shares. Where messages and progress go, whether the user has
 * interrupted, which directories may be used, which accelerator is wanted. The library reads no
 * environment variables, prints nothing and installs no signal handlers: the program that uses it
 * sets these.
 *
 * A context belongs to one thread; only gold_cancel_request() may be called from elsewhere.
 */
#ifndef GOLDSMITH_CONTEXT_H
#define GOLDSMITH_CONTEXT_H

#include <goldsmith/error.h>

struct gold_context;

enum gold_log_level { GOLD_LOG_DEBUG, GOLD_LOG_INFO, GOLD_LOG_WARNING };
/* message: one line without newline; may hold text from a guest, so escape it for a terminal. */
typedef void (*gold_log_fn)(void *opaque, enum gold_log_level level, const char *message);

struct gold_progress_event {
    const char *source; /* which source is worked on, or NULL */
    const char *phase;  /* short: "launch", "seal", "boot clone-1", ... */
    const char *detail; /* one line, or NULL */
    double fraction;    /* 0 to 1 of this phase, negative when unknown */
};
typedef void (*gold_progress_fn)(void *opaque, const struct gold_progress_event *event);

enum gold_accel { GOLD_ACCEL_AUTO, GOLD_ACCEL_KVM, GOLD_ACCEL_TCG };

/* NULL only when out of memory. */
GOLD_API struct gold_context *gold_context_new(void);
/* Ends what the run has started (guard, run directory). Accepts NULL. */
GOLD_API void gold_context_free(struct gold_context *ctx);

GOLD_API void gold_context_set_log(struct gold_context *ctx, gold_log_fn fn, void *opaque,
                                   enum gold_log_level least);
GOLD_API void gold_context_set_progress(struct gold_context *ctx, gold_progress_fn fn, void *opaque);
GOLD_API void gold_context_set_accel(struct gold_context *ctx, enum gold_accel accel);
/* The strings are copied. -1: out of memory. */
/* Cache of this user, for example ~/.cache/goldsmith; made on first need. */
GOLD_API int gold_context_set_cache_dir(struct gold_context *ctx, const char *dir);
/* Where run directories are made, for example /tmp. Short: sockets live below it. */
GOLD_API int gold_context_set_tmp_dir(struct gold_context *ctx, const char *dir);
/* Where the guard and the agent are installed. */
GOLD_API int gold_context_set_libexec_dir(struct gold_context *ctx, const char *dir);

/* Asks the run to stop as soon as it safely can. Safe in a signal handler and in any thread. */
GOLD_API void gold_cancel_request(struct gold_context *ctx);

#endif
