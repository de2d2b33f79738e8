/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "console.h"

static int
run(struct cli *cli, void *args, char **argv, int argc)
{
    struct gold_error *err = NULL;
    char *text = NULL;
    (void)cli;
    (void)args;
    (void)argc;
    if (gold_explain(argv[0], &text, &err) < 0)
        return console_report_error(err);
    int status = console_output(text, strlen(text));
    free(text);
    return status;
}

static const struct option_def options[] = {
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

const struct command command_explain = {
    "explain", "Explain an operation, a check, a payload or a finding id",
    "ID",      "Prints what is known of an id: what it does, why, and what it may report.",
    options,   0,
    1,         1,
    run,
};
