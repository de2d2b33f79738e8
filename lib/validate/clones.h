/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Throw-away clones: overlays over the template with the starter, an identity of its own for
 * each, and for each boot the machine's XML with payload disk, scratch disks, console, channel
 * and capture. It boots nothing.
 */
#ifndef GOLD_VALIDATE_CLONES_H
#define GOLD_VALIDATE_CLONES_H

#include <sys/types.h>

#include "core/vec.h"
#include "formats/domain.h"
#include "validate/validate.h"

#define GOLD_SCRATCH_SIZE (256 * GOLD_MIB)

/* Where clones live and who must be able to use them. */
struct gold_clone_place {
    bool no_direct; /* O_DIRECT does not work here */
    const char *dir; /* absolute, short: sockets live below it */
    bool give;       /* to this user */
    uid_t uid;
    gid_t gid;
};

struct gold_clone {
    unsigned number; /* from 1 */
    char *name;      /* "clone-1" */
    char uuid[37], mac[18];
    char *dir;
    struct gold_strv overlays; /* as the plan's disks */
};

/* A scratch disk of a clone, beside the payload disk. */
struct gold_scratch {
    const struct gold_disk *disk; /* whose limits it has; NULL: the control, without any */
    char *serial, *path;
};
GOLD_VEC(gold_scratches, struct gold_scratch);
void gold_scratches_done(struct gold_scratches *s);

/* What one boot of a clone needs; all owned. */
struct gold_clone_boot {
    unsigned boot; /* 1, 2 */
    char nonce[33];
    char *domain;                             /* name */
    char *console, *channel, *pcap, *payload; /* paths */
    unsigned payload_s;                       /* what its plan takes at full speed */
    char *xml;
};

/* A random version 4 UUID and a random MAC with QEMU's prefix. */
GOLD_MUST_CHECK int gold_clone_identity(char ret_uuid[37], char ret_mac[18],
                                        struct gold_error **err);
/* A directory that only the place's user can use (and we). *ret: free(). */
GOLD_MUST_CHECK int gold_clone_dir(const struct gold_clone_place *place, const char *name,
                                   char **ret, struct gold_error **err);
/* Hands a file over to the place's user. */
GOLD_MUST_CHECK int gold_clone_give(const struct gold_clone_place *place, const char *path,
                                    struct gold_error **err);

/* Directory, identity, and an overlay over each of `bases` (qcow2). */
GOLD_MUST_CHECK int gold_clone_create(struct gold_context *ctx,
                                      const struct gold_clone_place *place, unsigned number,
                                      const char *const *bases, size_t n_bases,
                                      struct gold_clone *ret, struct gold_error **err);
void gold_clone_done(struct gold_clone *c);

/* The scratch disks that the plan's payloads ask for, made in the clone's directory; none is no
 * error. */
GOLD_MUST_CHECK int gold_clone_scratch(struct gold_context *ctx,
                                       const struct gold_clone_place *place,
                                       const struct gold_validate_plan *plan,
                                       const struct gold_clone *c, struct gold_scratches *ret,
                                       struct gold_error **err);
/* A disk of the definition as the payloads are to expect it. */
const struct gold_disk *gold_plan_disk(const struct gold_validate_plan *plan, size_t i);
/* Does any payload of the plan ask for scratch disks? */
bool gold_plan_measures(const struct gold_validate_plan *plan);
/* The agent's plan for that boot of that clone. */
GOLD_MUST_CHECK int gold_plan_text(const struct gold_validate_plan *plan, unsigned clone,
                                   unsigned boot, const char *nonce, unsigned wait_s,
                                   struct gold_str *ret, struct gold_error **err);
/* Seconds that such a text keeps the agent busy, generously. */
unsigned gold_plan_seconds(const char *text);
/* Payload disk and XML. scratch may be NULL. */
GOLD_MUST_CHECK int
gold_clone_boot_create(struct gold_context *ctx, const struct gold_clone_place *place,
                       const struct gold_validate_plan *plan, const struct gold_clone *c,
                       unsigned boot, unsigned wait_s, const char *accel,
                       const struct gold_scratches *scratch, struct gold_clone_boot *ret,
                       struct gold_error **err);
void gold_clone_boot_done(struct gold_clone_boot *b);

#endif
