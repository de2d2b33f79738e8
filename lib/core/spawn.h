/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fork and exec for process.c and guard.c; nobody else starts programs. */
#ifndef GOLD_CORE_SPAWN_H
#define GOLD_CORE_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

#define GOLD_SPAWN_MAX_KEEP 4

struct gold_spawn {
    const char *const *argv; /* argv[0] without a slash is searched in the fixed PATH */
    const char *const *env;  /* complete; NULL-terminated */
    int stdio[3];            /* -1: /dev/null */
    int keep_fd[GOLD_SPAWN_MAX_KEEP]; /* same number in the child */
    unsigned n_keep_fd;
    uint64_t max_memory; /* RLIMIT_AS; 0: none */
    bool own_session;    /* survives us in a session of its own and ignores requests to end; else own group and PDEATHSIG */
};

#define GOLD_SPAWN_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* Returns once the program runs (exec succeeded). The parent waits for *ret_pid. */
GOLD_MUST_CHECK int gold_spawn(const struct gold_spawn *spawn, pid_t *ret_pid, struct gold_error **err);

#endif
