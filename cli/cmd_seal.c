/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"
#include "console.h"

static const char *const machine_id_choices[] = {"auto", "empty", "uninitialized", "keep",
                                                 NULL};

static const struct option_def options[] = {
    {"operations", 0, OPTION_STRING, offsetof(struct gold_seal_options, operations), "LIST",
     NULL,
     "which operations, from left to right: default,-x,y,all (see 'goldsmith list "
     "operations')"},
    {"machine-id", 0, OPTION_CHOICE, offsetof(struct gold_seal_options, machine_id), "STATE",
     machine_id_choices,
     "what /etc/machine-id becomes; auto chooses by what the guest does with it"},
    {"dry-run", 'n', OPTION_FLAG, offsetof(struct gold_seal_options, dry_run), NULL, NULL,
     "show what would change, write nothing"},
    {"output", 'o', OPTION_STRING, offsetof(struct gold_seal_options, output), "PATH", NULL,
     "write new files, the source is only read: a directory (definition), a file (image)"},
    {"zero-free", 0, OPTION_FLAG, offsetof(struct gold_seal_options, zero_free), NULL, NULL,
     "fill free blocks with zeroes instead of trimming them"},
    IMAGE_OPTIONS(struct gold_seal_options),
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *args, char **argv, int argc)
{
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    if (gold_seal(cli->ctx, (const char *const *)argv, (size_t)argc, args, &doc, &err) < 0)
        return console_report_error(err);
    return console_finish(cli, doc);
}

const struct command command_seal = {
    "seal",
    "Remove what clones must not share, and make sure it comes back unique",
    "SOURCE... [OPTION...]",
    "Seals images offline, without booting them. A definition's own identity (UUID, MAC) is "
    "reset, and the images that it "
    "brings along are sealed. The work is done on an overlay, verified, and only then "
    "committed: a seal that fails leaves the "
    "image as it was.",
    options,
    sizeof(struct gold_seal_options),
    1,
    -1,
    run,
};
