/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs qemu-img. What it is asked to do is the business of overlay.c, commit_rename.c and
 * journal.c. */
#include "qemu/qemu_img.h"

#include <string.h>

#include "core/limits.h"
#include "core/process.h"

#define MEMORY_MAX (4 * GOLD_GIB)
#define OUTPUT_MAX (1 * GOLD_MIB)

/* Its first line with its own name says why; what follows is less precise. The name is noise in
 * our messages. */
static int
failure_line(const struct gold_str *text, char **ret, struct gold_error **err)
{
    static const char own[] = "qemu-img: ";
    const char *start = gold_str_text(text), *line = strstr(start, own);
    size_t len;

    line = line ? line + sizeof(own) - 1 : start;
    len = strcspn(line, "\n");
    while (len && line[len - 1] == '.')
        len--;
    *ret = gold_strndup(line, len, err);
    return *ret ? 0 : -1;
}

static void
set_failure(struct gold_error **err, const struct gold_process_result *r, const char *action,
            const char *path)
{
    const char *text = gold_str_text(&r->err);
    GOLD_CLEANUP_FREE char *line = NULL;

    if (r->exit_status < 0) {
        gold_error_set(err, GOLD_ERROR_IO, "cannot %s '%s': qemu-img was ended by signal %d",
                       action, path, r->signal);
        return;
    }
    if (strstr(text, "No space left on device")) {
        gold_error_set_errno(err, ENOSPC, "cannot %s '%s'", action, path);
        return;
    }
    if (failure_line(&r->err, &line, err) < 0)
        return;
    if (strstr(text, " lock") && strstr(text, "Failed to get")) {
        gold_error_set(err, GOLD_ERROR_BUSY, "cannot %s '%s': it is in use by another process",
                       action, path);
        gold_error_hint(err, "shut the VM down first");
        return;
    }
    gold_error_set(err, GOLD_ERROR_IO, "cannot %s '%s': %s", action, path,
                   *line ? line : "qemu-img failed without a word");
}

int
gold_qemu_img(struct gold_context *ctx, const char *const *argv, unsigned timeout_ms,
              const char *action, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {0};
    struct gold_process_spec spec = {.argv = argv,
                                     .max_output = OUTPUT_MAX,
                                     .timeout_ms = timeout_ms,
                                     .max_memory = MEMORY_MAX};

    if (gold_process_run(ctx, &spec, &result, err) < 0) {
        gold_error_prefix(err, "cannot %s '%s'", action, path);
        return -1;
    }
    if (result.exit_status == 0)
        return 0;
    set_failure(err, &result, action, path);
    return -1;
}
