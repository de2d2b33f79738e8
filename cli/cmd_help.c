/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "command.h"
#include "console.h"
#include "options.h"

enum { FORMAT_TEXT, FORMAT_BASH, FORMAT_SCD };
static const char *const format_choices[] = {"text", "bash", "scd", NULL};

struct help_args {
    int format;
};

static const struct option_def options[] = {
    {"format", 0, OPTION_CHOICE, offsetof(struct help_args, format), "FORMAT", format_choices,
     "text for people; bash: the completion script; scd: the OPTIONS section of a manual page"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *opaque, char **argv, int argc)
{
    const struct help_args *args = opaque;
    const struct command *cmd = NULL;
    (void)cli;
    if (argc > 0 && !(cmd = command_find(argv[0]))) {
        console_error("there is no command '%s'", argv[0]);
        return EXIT_USAGE;
    }
    if (args->format == FORMAT_BASH)
        options_print_bash(stdout);
    else if (args->format == FORMAT_SCD && cmd)
        options_print_scd(stdout, cmd);
    else
        options_print_help(stdout, cmd);
    return EXIT_OK;
}

const struct command command_help = {
    "help",      "Explain a command",
    "[COMMAND]", "Prints the commands, or the options of one.",
    options,     sizeof(struct help_args),
    0,           1,
    run,
};
