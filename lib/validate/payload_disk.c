/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The payload disk: agent and plan in a small ext4 that mke2fs fills by itself, so that nothing
 * is mounted and nobody need be root. Its features are named one by one: the defaults of the
 * host's mke2fs may be newer than the guest's kernel.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/process.h"
#include "core/str.h"
#include "validate/protocol.h"

#define MAX_AGENT (64 * GOLD_MIB)

static int
put_file(const char *dir, const char *name, mode_t mode, const char *bytes, size_t len,
         struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *path = gold_path_join(dir, name, err);
    if (!path)
        return -1;
    GOLD_CLEANUP_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", path);
        return -1;
    }
    /* The mode is not left to the umask: the guest's init must be able to run it. */
    if (gold_write_all(fd, bytes, len) < 0 || fchmod(fd, mode) < 0) {
        gold_error_set_errno(err, errno, "cannot write '%s'", path);
        return -1;
    }
    return 0;
}

static int
stage(struct gold_context *ctx, const char *dir, const char *plan, size_t *ret_bytes,
      struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *agent = gold_path_join(ctx->libexec_dir, GOLD_AGENT_PROGRAM, err);
    GOLD_CLEANUP_FREE char *bytes = NULL;
    size_t len = 0;
    if (!agent)
        return -1;
    if (gold_read_file(agent, MAX_AGENT, &bytes, &len, err) < 0) {
        gold_error_prefix(err, "cannot take the agent for the guest along");
        return -1;
    }
    if (put_file(dir, GOLD_AGENT_NAME, 0755, bytes, len, err) < 0 ||
        put_file(dir, GOLD_AGENT_PLAN, 0644, plan, strlen(plan), err) < 0)
        return -1;
    *ret_bytes = len + strlen(plan);
    return 0;
}

static int
make_file_system(struct gold_context *ctx, const char *dir, const char *path, size_t bytes,
                 struct gold_error **err)
{
    /* Room for the content, and 4 MiB for inodes, bitmaps and whatever else mke2fs thinks of.
     */
    GOLD_CLEANUP_FREE char *kib = gold_format(err, "%zuk", (bytes / 1024 / 1024 + 5) * 1024);
    if (!kib)
        return -1;
    const char *const argv[] = {"mke2fs",
                                "-q",
                                "-F",
                                "-t",
                                "ext4",
                                "-b",
                                "1024",
                                "-m",
                                "0",
                                "-O",
                                "none,filetype,extent,large_file,sparse_super,dir_index",
                                "-E",
                                "root_owner=0:0,lazy_itable_init=0,nodiscard",
                                "-L",
                                GOLD_PAYLOAD_LABEL,
                                "-d",
                                dir,
                                path,
                                kib,
                                NULL};
    struct gold_process_spec spec = {
        .argv = argv, .max_output = 64 * GOLD_KIB, .timeout_ms = 60000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {0};
    if (gold_process_run(ctx, &spec, &result, err) < 0) {
        gold_error_prefix(err, "cannot make the payload disk '%s'", path);
        if (err && *err && gold_error_errno(*err) == ENOENT)
            gold_error_hint(err, "install e2fsprogs, which brings mke2fs");
        return -1;
    }
    if (result.exit_status != 0) {
        GOLD_CLEANUP_STR struct gold_str said = GOLD_STR_INIT;
        gold_str_append_terminal(&said, gold_str_text(&result.err));
        gold_error_set(err, GOLD_ERROR_IO,
                       "mke2fs could not make the payload disk '%s' (exit status %d): %s", path,
                       result.exit_status, gold_str_text(&said));
        return -1;
    }
    return 0;
}

int
gold_payload_disk_create(struct gold_context *ctx, const char *path, const char *plan,
                         struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_format(err, "%s.d", path);
    size_t bytes = 0;
    if (!dir)
        return -1;
    if (mkdir(dir, 0700) < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", dir);
        return -1;
    }
    int rc = stage(ctx, dir, plan, &bytes, err);
    if (rc == 0)
        rc = make_file_system(ctx, dir, path, bytes, err);
    GOLD_CLEANUP_ERROR struct gold_error *ignored = NULL;
    if (gold_remove_tree(dir, &ignored) < 0)
        gold_warning(ctx, "%s, ignoring", gold_error_message(ignored));
    if (rc < 0)
        (void)unlink(path);
    return rc;
}
