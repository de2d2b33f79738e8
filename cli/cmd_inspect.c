/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"
#include "console.h"

static const struct option_def options[] = {
    IMAGE_OPTIONS(struct gold_inspect_options),
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *args, char **argv, int argc)
{
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    if (gold_inspect(cli->ctx, (const char *const *)argv, (size_t)argc, args, &doc, &err) < 0)
        return console_report_error(err);
    return console_finish(cli, doc);
}

const struct command command_inspect = {
    "inspect",
    "Say what a source is: system, disks, boot disk, limits, identity",
    "SOURCE... [OPTION...]",
    "Reads images and definitions and prints the facts that the other commands work with. "
    "Nothing is judged or written.",
    options,
    sizeof(struct gold_inspect_options),
    1,
    -1,
    run,
};
