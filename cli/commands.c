/* SPDX-License-Identifier: GPL-2.0-or-later */
/* THE table of commands, and what they share. */
#include <string.h>

#include "command.h"
#include "console.h"

const char *const images_choices[] = {"auto", "no", "require", NULL};
static const char *const progress_choices[] = {"auto", "never", "json", NULL};
static const char *const color_choices[] = {"auto", "never", "always", NULL};
static const char *const accel_choices[] = {"auto", "kvm", "tcg", NULL};

const struct option_def common_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct common_args, json), NULL, NULL,
     "print one JSON document instead of text"},
    {"report", 0, OPTION_LIST, offsetof(struct common_args, reports), "FILE", NULL,
     "also write the result to FILE; .html and .json say the format, else text"},
    {"progress", 0, OPTION_CHOICE, offsetof(struct common_args, progress), "WHEN",
     progress_choices, "progress on standard error"},
    {"color", 0, OPTION_CHOICE, offsetof(struct common_args, color), "WHEN", color_choices,
     "colours in text"},
    {"accel", 0, OPTION_CHOICE, offsetof(struct common_args, accel), "WHAT", accel_choices,
     "accelerator of appliance and clones; auto finds out what works"},
    {"quiet", 'q', OPTION_FLAG, offsetof(struct common_args, quiet), NULL, NULL,
     "only what went wrong"},
    {"verbose", 'v', OPTION_FLAG, offsetof(struct common_args, verbose), NULL, NULL,
     "say what is being done"},
    {"help", 'h', OPTION_FLAG, offsetof(struct common_args, help), NULL, NULL, "this help"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

const struct command *const commands[] = {
    &command_prepare,
    &command_seal,
    &command_check,
    &command_inspect,
    &command_iotune,
    &command_validate,
    &command_report,
    &command_list,
    &command_explain,
    &command_help,
    NULL,
};

const struct command *
command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}
