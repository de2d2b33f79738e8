/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The context and its directories. No environment is read: where a program wants caches and
 * temporary files, it says so.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include "core/context.h"
#include "core/guard.h"
#include "core/io.h"
#include "core/str.h"

GOLD_DEFINE_CLEANUP(struct gold_context *, gold_context_free);

struct gold_context *
gold_context_new(void)
{
    GOLD_CLEANUP(gold_context_free_p) struct gold_context *ctx = calloc(1, sizeof(*ctx));

    if (!ctx)
        return NULL;
    ctx->log_least = GOLD_LOG_WARNING;
    atomic_init(&ctx->cancelled, false);
    ctx->cancel_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ctx->tmp_dir = gold_strdup("/tmp", NULL);
    ctx->cache_dir = gold_format(NULL, "/tmp/goldsmith-cache-%lu", (unsigned long)geteuid());
    ctx->libexec_dir = gold_strdup(GOLDSMITH_LIBEXECDIR, NULL);
    if (ctx->cancel_fd < 0 || !ctx->tmp_dir || !ctx->cache_dir || !ctx->libexec_dir)
        return NULL;
    return gold_steal_ptr(&ctx);
}

void
gold_context_free(struct gold_context *ctx)
{
    struct gold_error *err = NULL;

    if (!ctx)
        return;
    /* The guard first: it ends the processes that may still write into the run directory. */
    gold_guard_stop(ctx);
    if (ctx->run_dir && gold_remove_tree(ctx->run_dir, &err) < 0) {
        gold_warning(ctx, "%s, ignoring", gold_error_message(err));
        gold_error_free(err);
    }
    gold_close(&ctx->cancel_fd);
    free(ctx->run_dir);
    free(ctx->cache_dir);
    free(ctx->tmp_dir);
    free(ctx->libexec_dir);
    free(ctx);
}

void
gold_context_set_log(struct gold_context *ctx, gold_log_fn fn, void *opaque,
                     enum gold_log_level least)
{
    ctx->log = fn;
    ctx->log_opaque = opaque;
    ctx->log_least = least;
}

void
gold_context_set_progress(struct gold_context *ctx, gold_progress_fn fn, void *opaque)
{
    ctx->progress = fn;
    ctx->progress_opaque = opaque;
}

void
gold_context_set_accel(struct gold_context *ctx, enum gold_accel accel)
{
    ctx->accel = accel;
    ctx->accel_decided = GOLD_ACCEL_AUTO;
}

int
gold_context_set_cache_dir(struct gold_context *ctx, const char *dir)
{
    return dir ? gold_str_replace(&ctx->cache_dir, dir, NULL) : -1;
}

int
gold_context_set_tmp_dir(struct gold_context *ctx, const char *dir)
{
    return dir ? gold_str_replace(&ctx->tmp_dir, dir, NULL) : -1;
}

int
gold_context_set_libexec_dir(struct gold_context *ctx, const char *dir)
{
    return dir ? gold_str_replace(&ctx->libexec_dir, dir, NULL) : -1;
}

/* The path without symbolic links, so that the guard finds it in command lines as we write it.
 */
static char *
real_path(const char *path, struct gold_error **err)
{
    char *real = realpath(path, NULL);

    if (!real)
        gold_error_set_errno(err, errno, "cannot use directory '%s'", path);
    return real;
}

int
gold_context_run_dir(struct gold_context *ctx, const char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *parent = NULL;
    GOLD_CLEANUP_FREE char *dir = NULL;

    if (ctx->run_dir) {
        *ret = ctx->run_dir;
        return 0;
    }
    parent = real_path(ctx->tmp_dir, err);
    if (!parent)
        return -1;
    dir = gold_path_join(parent, "gold-XXXXXX", err);
    if (!dir)
        return -1;
    if (!mkdtemp(dir)) {
        gold_error_set_errno(err, errno, "cannot make a directory in '%s'", parent);
        return -1;
    }
    /* Others may pass through: QEMU runs as a user of its own and gets single files by name. */
    if (chmod(dir, 0711) < 0) {
        gold_error_set_errno(err, errno, "cannot set the mode of '%s'", dir);
        (void)rmdir(dir);
        return -1;
    }
    if (gold_guard_add_tree(ctx, dir, err) < 0) {
        (void)rmdir(dir);
        return -1;
    }
    *ret = ctx->run_dir = gold_steal_ptr(&dir);
    return 0;
}

/* mkdir -p with mode 0700. */
static int
make_dirs(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *parent = NULL;

    if (mkdir(path, 0700) == 0 || errno == EEXIST)
        return 0;
    if (errno != ENOENT) {
        gold_error_set_errno(err, errno, "cannot make directory '%s'", path);
        return -1;
    }
    parent = gold_path_dirname(path, err);
    if (!parent || strcmp(parent, path) == 0 || strcmp(parent, ".") == 0 ||
        make_dirs(parent, err) < 0) {
        if (parent && err && !*err)
            gold_error_set_errno(err, ENOENT, "cannot make directory '%s'", path);
        return -1;
    }
    if (mkdir(path, 0700) < 0 && errno != EEXIST) {
        gold_error_set_errno(err, errno, "cannot make directory '%s'", path);
        return -1;
    }
    return 0;
}

/* A cache in a shared directory could have been prepared by somebody else. */
static int
check_ours(const char *path, struct gold_error **err)
{
    struct stat link, st;

    if (lstat(path, &link) < 0 || stat(path, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot examine '%s'", path);
        return -1;
    }
    if (!S_ISDIR(st.st_mode)) {
        gold_error_set_errno(err, ENOTDIR, "cannot use '%s'", path);
        return -1;
    }
    if (link.st_uid != geteuid() || st.st_uid != geteuid() || (st.st_mode & 022)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "cache directory '%s' belongs to another user or others may write to it",
                       path);
        return -1;
    }
    return 0;
}

int
gold_context_cache_subdir(struct gold_context *ctx, const char *name, char **ret,
                          struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_path_join(ctx->cache_dir, name, err);

    if (!dir || make_dirs(ctx->cache_dir, err) < 0 || check_ours(ctx->cache_dir, err) < 0 ||
        make_dirs(dir, err) < 0 || check_ours(dir, err) < 0)
        return -1;
    *ret = gold_steal_ptr(&dir);
    return 0;
}
