/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Putting a run's files aside for a look: console logs, captures and overlays, on request only.
 */
#include <sys/stat.h>

#include "core/io.h"
#include "core/process.h"
#include "core/replace.h"
#include "validate/run.h"

int
gold_run_write_log(const struct gold_clone *clone, unsigned boot,
                   const struct gold_console *console, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str log = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *path = gold_format(err, "%s/console-%u.log", clone->dir, boot);

    if (!path || gold_console_log(console, &log, err) < 0)
        return -1;
    return gold_replace_file(path, log.data ? log.data : "", log.len, 0, 0600, err);
}

/* The overlays name what they stand on by its absolute path, which has just changed. */
static int
rebase(struct gold_run *run, const char *overlay, const char *base, struct gold_error **err)
{
    const char *const argv[] = {"qemu-img", "rebase", "-u", "-f",    "qcow2", "-F",
                                "qcow2",    "-b",     base, overlay, NULL};
    const struct gold_process_spec spec = {.argv = argv, .timeout_ms = 60000};
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {.exit_status = -1};

    if (gold_process_run(run->ctx, &spec, &result, err) < 0)
        return -1;
    if (result.exit_status == 0)
        return 0;
    gold_error_set(err, GOLD_ERROR_IO, "cannot set what '%s' stands on", overlay);
    return -1;
}

static int
rebase_all(struct gold_run *run, struct gold_error **err)
{
    for (size_t c = 0; c < run->n_clones; c++) {
        for (size_t d = 0; d < run->plan->n_disks; d++) {
            GOLD_CLEANUP_FREE char *base =
                gold_format(err, "%s/starter/disk-%zu.qcow2", run->dir, d);
            GOLD_CLEANUP_FREE char *overlay =
                base ? gold_format(err, "%s/%zu/disk-%zu.qcow2", run->dir, c + 1, d) : NULL;

            if (!overlay || rebase(run, overlay, base, err) < 0)
                return -1;
        }
    }
    return 0;
}

int
gold_run_keep(struct gold_run *run, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *kept =
        gold_path_join(run->ctx->tmp_dir, "goldsmith-kept-XXXXXX", err);
    GOLD_CLEANUP_FREE char *target = NULL;

    if (!kept)
        return -1;
    if (!mkdtemp(kept)) {
        gold_error_set_errno(err, errno, "cannot make a directory in '%s'", run->ctx->tmp_dir);
        return -1;
    }
    for (size_t i = 0; i < run->scratch.n; i++)
        (void)unlink(run->scratch.items[i].path);
    target = gold_path_join(kept, "run", err);
    if (!target)
        return -1;
    if (rename(run->dir, target) < 0) {
        gold_error_set_errno(err, errno, "cannot move '%s' to '%s'", run->dir, target);
        return -1;
    }
    free(run->dir);
    run->dir = gold_steal_ptr(&target);
    run->place.dir = run->dir;
    if (rebase_all(run, err) < 0)
        return -1;
    gold_info(run->ctx, "console logs and overlays are kept in '%s'", run->dir);
    return 0;
}
