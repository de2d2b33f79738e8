/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Phony guests: small images that look like an installed system, made from a list of files by
 * mke2fs -d, so without an appliance and in a tenth of a second. And what tests around them
 * need: a context, a scratch directory, a session.
 */
#ifndef GOLD_TESTS_GUEST_PHONY_H
#define GOLD_TESTS_GUEST_PHONY_H

#include "guest/session.h"

/* One file. path ends with "/": a directory. link: a symlink. Missing parents are made (0755).
 */
struct phony_file {
    const char *path; /* "/etc/os-release" */
    const char *bytes;
    const char *link;
    unsigned mode;     /* 0: 0644, directories 0755 */
    size_t len;        /* 0: strlen(bytes) */
};

struct phony_options {
    const char *label; /* of the file system */
    const char *uuid;
    const char *type; /* NULL: "ext4" */
    unsigned mib;     /* 0: 64 */
    bool dirty;       /* set needs_recovery */
};

/* End a list with {0}. A minimal systemd guest (Debian-like): os-release, fstab-less, a real
 * program as /bin/ls, /sbin/init. */
extern const struct phony_file phony_debian[];

/* Directory for this test program, removed by phony_cleanup(). */
const char *phony_dir(void);
void phony_cleanup(void);
/* A context with the build tree's appliance cache, TCG, and tmp dir in /tmp. */
struct gold_context *phony_context(void);
/* Makes phony_dir()/name, raw, an unpartitioned file system with the files of all lists
   (NULL-terminated list of lists, later ones win). opts may be NULL. Returns its path, to be
   freed. Fails the test on failure. */
char *phony_create(const char *name, const struct phony_options *opts,
                   const struct phony_file *const *lists);
/* A swap image; suspended: with a hibernation signature. */
char *phony_swap(const char *name, const char *uuid, bool suspended);
/* A copy with MBR partition table around images: partition i holds images[i]. */
char *phony_partitioned(const char *name, const char *const *images, size_t n);
/* A qcow2 overlay of a raw image. */
char *phony_overlay(const char *name, const char *base);
/* printf-like; runs a shell command line and fails the test when that fails. */
void phony_run(const char *fmt, ...) GOLD_PRINTF(1, 2);
/* Launches with raw images or overlays (by name ending ".qcow2"); asserts. */
struct gold_session *phony_session(struct gold_context *ctx, bool readonly,
                                   const char *const *images, size_t n);

#endif
