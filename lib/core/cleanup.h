/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Release at the end of scope. Every owning local is declared with one of these and an initialiser;
 * ownership leaves it only through gold_steal_ptr() or gold_steal_fd().
 */
#ifndef GOLD_CORE_CLEANUP_H
#define GOLD_CORE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/error.h"

#define GOLD_CLEANUP(fn) __attribute__((cleanup(fn)))

/* Defines the function that GOLD_CLEANUP needs: frees *p of pointer type `type` with `free_fn`. */
#define GOLD_DEFINE_CLEANUP(type, free_fn)                                                                   \
    static inline void free_fn##_p(type *p)                                                                  \
    {                                                                                                        \
        if (*p)                                                                                              \
            free_fn(*p);                                                                                     \
    }                                                                                                        \
    struct gold_swallow_semicolon

static inline void
gold_cleanup_free(void *p)
{
    void **pp = (void **) p;
    free(*pp);
}

/* Closes and sets -1, errno kept. Never retried: on Linux the descriptor is gone in any case. */
static inline void
gold_close(int *fd)
{
    if (*fd >= 0) {
        int saved = errno;
        (void) close(*fd);
        errno = saved;
        *fd = -1;
    }
}

static inline void
gold_cleanup_file(FILE **f)
{
    if (*f)
        (void) fclose(*f);
}

static inline void
gold_cleanup_dir(DIR **d)
{
    if (*d)
        (void) closedir(*d);
}

GOLD_DEFINE_CLEANUP(struct gold_error *, gold_error_free);

#define GOLD_CLEANUP_FREE  GOLD_CLEANUP(gold_cleanup_free)
#define GOLD_CLEANUP_FD    GOLD_CLEANUP(gold_close)
#define GOLD_CLEANUP_FILE  GOLD_CLEANUP(gold_cleanup_file)
#define GOLD_CLEANUP_DIR   GOLD_CLEANUP(gold_cleanup_dir)
#define GOLD_CLEANUP_ERROR GOLD_CLEANUP(gold_error_free_p)

/* Hands over: yields *pp and leaves NULL behind. */
#define gold_steal_ptr(pp)                                                                                   \
    ({                                                                                                       \
        __typeof__(pp) gold_steal_pp_ = (pp);                                                                \
        __typeof__(*gold_steal_pp_) gold_stolen_ = *gold_steal_pp_;                                          \
        *gold_steal_pp_ = NULL;                                                                              \
        gold_stolen_;                                                                                        \
    })

static inline int
gold_steal_fd(int *fd)
{
    int stolen = *fd;
    *fd = -1;
    return stolen;
}

#endif
