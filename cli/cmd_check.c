/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"
#include "console.h"

/* The default stands first: an option that was not given is 0. */
static const char *const severity_choices[] = {"error", "warning", "info", NULL};
static const enum gold_severity severities[] = {GOLD_ERROR, GOLD_WARNING, GOLD_INFO};

struct check_args {
    struct gold_image_options image;
    int fail_on; /* index into the two above */
};

static const struct option_def options[] = {
    {"fail-on", 0, OPTION_CHOICE, offsetof(struct check_args, fail_on), "SEVERITY",
     severity_choices, "exit 3 for findings at or above this"},
    IMAGE_OPTIONS(struct check_args),
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *opaque, char **argv, int argc)
{
    const struct check_args *args = opaque;
    struct gold_check_options opts = {
        .image = args->image,
        .has_fail_on = true,
        .fail_on = severities[args->fail_on],
    };
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    if (gold_check(cli->ctx, (const char *const *)argv, (size_t)argc, &opts, &doc, &err) < 0)
        return console_report_error(err);
    return console_finish(cli, doc);
}

const struct command command_check = {
    "check",
    "Read-only pre-flight checks: findings with severity and fix",
    "SOURCE... [OPTION...]",
    "Looks into images and definitions for what clones would share and for what would keep a "
    "clone from working. Nothing is "
    "written. Exit status 3 when there are findings at or above --fail-on.",
    options,
    sizeof(struct check_args),
    1,
    -1,
    run,
};
