/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The context's inside, for the library; see goldsmith/context.h. */
#ifndef GOLD_CORE_CONTEXT_H
#define GOLD_CORE_CONTEXT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <goldsmith/context.h>

#include "core/error.h"

struct gold_guard;

struct gold_context {
    gold_log_fn log;
    void *log_opaque;
    enum gold_log_level log_least;
    gold_progress_fn progress;
    void *progress_opaque;
    const char *progress_source; /* borrowed; which source is being worked on */
    enum gold_accel accel;       /* wish; gold_accel_decide() in qemu/accel.h turns it into a fact */
    enum gold_accel accel_decided; /* AUTO: not yet decided */
    char *cache_dir, *tmp_dir, *libexec_dir; /* never NULL after gold_context_new() */
    char *run_dir;            /* NULL until gold_context_run_dir() */
    struct gold_guard *guard; /* NULL until first needed */
    atomic_bool cancelled;
    int cancel_fd; /* eventfd, readable once cancelled: for poll loops */
};

/* This run's private directory (mode 0711, short path, e.g. /tmp/gold-x3f9Qa), made on first call together
   with the guard that removes it when we die. Borrowed. */
GOLD_MUST_CHECK int gold_context_run_dir(struct gold_context *ctx, const char **ret, struct gold_error **err);
/* cache_dir/name, made (0700) with its parents when absent. *ret: free(). */
GOLD_MUST_CHECK int gold_context_cache_subdir(struct gold_context *ctx, const char *name, char **ret,
                                              struct gold_error **err);

/* core/log.c. ctx may be NULL (silent). Library code logs debug; a swallowed failure is a warning that
   ends in ", ignoring". */
void gold_debug(struct gold_context *ctx, const char *fmt, ...) GOLD_PRINTF(2, 3);
void gold_info(struct gold_context *ctx, const char *fmt, ...) GOLD_PRINTF(2, 3);
void gold_warning(struct gold_context *ctx, const char *fmt, ...) GOLD_PRINTF(2, 3);

/* core/progress.c. ctx may be NULL. */
void gold_progress(struct gold_context *ctx, const char *phase, double fraction, const char *detail_fmt, ...)
    GOLD_PRINTF(4, 5);
bool gold_cancelled(struct gold_context *ctx);
/* -1 with CANCELLED "interrupted" once the user has asked to stop. Long loops call it. */
GOLD_MUST_CHECK int gold_check_cancelled(struct gold_context *ctx, struct gold_error **err);

/* core/stop.c: in builds with test hooks, a named point where a kill test can end the process: when the
   environment variable GOLDSMITH_STOP_AT equals name, the process gets SIGKILL here. Else nothing. */
#ifdef GOLDSMITH_TEST_HOOKS
void gold_stop_point(const char *name);
#else
# define gold_stop_point(name) ((void) (name))
#endif

#endif
