/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child programs with limits: own process group, PR_SET_PDEATHSIG(SIGKILL), only the named descriptors, empty
 * environment but for LC_ALL=C and PATH, bounded output, time and address space, killed on cancellation.
 */
#ifndef GOLD_CORE_PROCESS_H
#define GOLD_CORE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "core/context.h"
#include "core/str.h"

struct gold_process_spec {
    const char *const *argv; /* NULL-terminated; argv[0] is searched in the fixed PATH */
    const char *const *env;  /* further NAME=VALUE, NULL-terminated, may be NULL */
    const void *input;       /* given on stdin; NULL: /dev/null */
    size_t input_len;
    size_t max_output;   /* per stream; 0: GOLD_LIMIT_CHILD_OUTPUT */
    unsigned timeout_ms; /* 0: none */
    uint64_t max_memory; /* RLIMIT_AS in bytes; 0: none */
    int keep_fd[4];      /* further descriptors that it inherits under the same number; end with -1 or n_keep_fd */
    unsigned n_keep_fd;
};

struct gold_process_result {
    int exit_status; /* 0..255, or -1 when a signal ended it */
    int signal;
    struct gold_str out, err;
};

/* Starts it, waits, collects. -1 when it could not be started, ran over a limit or was cancelled; a non-zero
   exit is a success of this function. ctx may be NULL. *ret needs gold_process_result_done(). */
GOLD_MUST_CHECK int gold_process_run(struct gold_context *ctx, const struct gold_process_spec *spec,
                                     struct gold_process_result *ret, struct gold_error **err);
void gold_process_result_done(struct gold_process_result *r);
#define GOLD_CLEANUP_PROCESS_RESULT GOLD_CLEANUP(gold_process_result_done)

/* Long-running child (qemu for calibration, ...). in_fd/out_fd/err_fd: descriptors for 0,1,2, or -1 for
   /dev/null. The pid must be waited for by the caller. PR_SET_PDEATHSIG looks at threads: the child ends with
   the thread that called this, so call it from one that lasts. */
GOLD_MUST_CHECK int gold_process_spawn(const struct gold_process_spec *spec, int in_fd, int out_fd, int err_fd,
                                       pid_t *ret_pid, struct gold_error **err);

#endif
