/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"
#include "console.h"

static const char *const commit_choices[] = {"pass", "always", NULL};
static const char *const keep_choices[] = {"never", "onfailure", "always", NULL};

static const struct option_def options[] = {
    {"template", 't', OPTION_STRING, offsetof(struct gold_prepare_options, template_file),
     "FILE", NULL, "the template file: what to seal, to edit and to prove (required)"},
    {"commit", 0, OPTION_CHOICE, offsetof(struct gold_prepare_options, commit), "WHEN",
     commit_choices, "when to write: only after a pass, or always"},
    {"dry-run", 'n', OPTION_FLAG, offsetof(struct gold_prepare_options, dry_run), NULL, NULL,
     "show what would change; boot nothing, write nothing"},
    {"output", 'o', OPTION_STRING, offsetof(struct gold_prepare_options, output), "PATH", NULL,
     "write new files, the source is only read: a directory (definition), a file (image)"},
    {"zero-free", 0, OPTION_FLAG, offsetof(struct gold_prepare_options, zero_free), NULL, NULL,
     "fill free blocks with zeroes instead of trimming them"},
    {"connect", 'c', OPTION_STRING, offsetof(struct gold_prepare_options, uri), "URI", NULL,
     "libvirt connection for the clones (default: an embedded hypervisor)"},
    {"keep", 0, OPTION_CHOICE, offsetof(struct gold_prepare_options, keep), "WHEN",
     keep_choices, "keep logs and overlays of the clones"},
    IMAGE_OPTIONS(struct gold_prepare_options),
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *args, char **argv, int argc)
{
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    (void)argc;
    if (gold_prepare(cli->ctx, argv[0], args, &doc, &err) < 0)
        return console_report_error(err);
    return console_finish(cli, doc);
}

const struct command command_prepare = {
    "prepare",
    "Check, seal, edit, validate and commit: the main job",
    "SOURCE --template FILE [OPTION...]",
    "Turns an image, or a definition with its images, into a clone template and proves it. "
    "Everything is done on overlays; "
    "throw-away clones are booted from them and measured; only when they pass are the overlays "
    "committed and the edited "
    "definition is written. At every instant the source is the old or the new one.",
    options,
    sizeof(struct gold_prepare_options),
    1,
    1,
    run,
};
