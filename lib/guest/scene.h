/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The scene: what an operation or a check sees of the guest and the only way in which it may touch it. Everything that
 * changes goes through these functions, which record it as an effect, keep owner, mode and xattrs, and remember the path
 * for labels.
 */
#ifndef GOLD_GUEST_SCENE_H
#define GOLD_GUEST_SCENE_H

#include <goldsmith/workflow.h>

#include "core/result.h"
#include "guest/inspect.h"

struct gold_scene {
    struct gold_context *ctx;
    struct gold_session *session;
    guestfs_h *g;
    const struct gold_guest *guest;
    const struct gold_root *root;  /* NULL for checks that run before a root is mounted */
    enum gold_machine_id machine_id; /* wish */
    bool writable;
    const char *entry; /* name of the operation or check that runs */
    struct gold_source_result *src; /* where findings and effects go */
    struct gold_strv touched;       /* paths created or rewritten, for labels */
    struct gold_strv uncleared;     /* mount points whose free space still holds what was deleted */
};

/* What the guest has. 1, 0, -1. Symlinks are followed inside the guest, as libguestfs does. */
GOLD_MUST_CHECK int gold_scene_is_file(struct gold_scene *sc, const char *path, struct gold_error **err);
GOLD_MUST_CHECK int gold_scene_is_dir(struct gold_scene *sc, const char *path, struct gold_error **err);
GOLD_MUST_CHECK int gold_scene_is_symlink(struct gold_scene *sc, const char *path, struct gold_error **err); /* the name itself */
GOLD_MUST_CHECK int gold_scene_exists(struct gold_scene *sc, const char *path, struct gold_error **err);
/* Names that match (no directories); sorted. */
GOLD_MUST_CHECK int gold_scene_glob(struct gold_scene *sc, const char *pattern, struct gold_strv *ret, struct gold_error **err);
/* Content of a regular file, at most GOLD_LIMIT_GUEST_FILE, NUL-terminated; *ret NULL when it is not there. free(). */
GOLD_MUST_CHECK int gold_scene_read(struct gold_scene *sc, const char *path, char **ret, size_t *ret_len,
                                    struct gold_error **err);
/* Target of a symlink, NULL when it is none. free(). */
GOLD_MUST_CHECK int gold_scene_readlink(struct gold_scene *sc, const char *path, char **ret, struct gold_error **err);

/* Changes. Each records an effect with `detail` (may be NULL; never the secret itself). What small files held is
   overwritten before it is removed or replaced, because free blocks keep it. */
GOLD_MUST_CHECK int gold_scene_remove(struct gold_scene *sc, const char *path, const char *detail, struct gold_error **err);
GOLD_MUST_CHECK int gold_scene_remove_tree(struct gold_scene *sc, const char *path, const char *detail, struct gold_error **err);
/* In place: the inode, owner, mode and xattrs stay. action: "edited" or "truncated". */
GOLD_MUST_CHECK int gold_scene_rewrite(struct gold_scene *sc, const char *path, const char *bytes, size_t len, const char *action,
                                       const char *detail, struct gold_error **err);
/* A new file (parents must exist or are made 0755), root-owned. */
GOLD_MUST_CHECK int gold_scene_create(struct gold_scene *sc, const char *path, const char *bytes, size_t len, unsigned mode,
                                      const char *detail, struct gold_error **err);
GOLD_MUST_CHECK int gold_scene_symlink(struct gold_scene *sc, const char *target, const char *path, const char *detail,
                                       struct gold_error **err);
/* A finding of this entry. */
GOLD_MUST_CHECK int gold_scene_find(struct gold_scene *sc, const char *id, enum gold_severity severity, enum gold_fix fix,
                                    const char *file, unsigned line, const char *evidence, struct gold_error **err,
                                    const char *message_fmt, ...) GOLD_PRINTF(9, 10);
/* Gives touched paths the SELinux label that their neighbours have, when the guest uses SELinux. */
GOLD_MUST_CHECK int gold_scene_label(struct gold_scene *sc, struct gold_error **err);
void gold_scene_done(struct gold_scene *sc);

#endif
