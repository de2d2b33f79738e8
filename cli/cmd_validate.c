/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command.h"
#include "console.h"

static const char *const keep_choices[] = {"never", "onfailure", "always", NULL};

struct validate_args {
    struct gold_validate_options opts;
    struct string_list only;
};

#define IN_OPTS(member) offsetof(struct validate_args, opts.member)

static const struct option_def options[] = {
    {"template", 't', OPTION_STRING, IN_OPTS(template_file), "FILE", NULL,
     "template file with payloads and expectations (default: all payloads, the definition's "
     "own limits)"},
    {"only", 0, OPTION_LIST, offsetof(struct validate_args, only), "PAYLOAD", NULL,
     "run only this payload; may be given several times"},
    {"clones", 0, OPTION_UNSIGNED, IN_OPTS(clones), "N", NULL, "how many clones (default: 2)"},
    {"connect", 'c', OPTION_STRING, IN_OPTS(uri), "URI", NULL,
     "libvirt connection for the clones (default: an embedded hypervisor)"},
    {"keep", 0, OPTION_CHOICE, IN_OPTS(keep), "WHEN", keep_choices,
     "keep logs and overlays of the clones"},
    {"format", 0, OPTION_STRING, IN_OPTS(image.format), "FORMAT", NULL,
     "format of the image: raw, qcow2, vmdk, vdi, vhdx (default: what the definition or the "
     "header says)"},
    {"allow-backing", 0, OPTION_FLAG, IN_OPTS(image.allow_backing), NULL, NULL,
     "follow a backing file that the image itself names"},
    {"root", 0, OPTION_STRING, IN_OPTS(image.root), "DEVICE", NULL,
     "the system to work on where an image holds several"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *opaque, char **argv, int argc)
{
    struct validate_args *args = opaque;
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    (void)argc;
    args->opts.only = args->only.items;
    if (gold_validate(cli->ctx, argv[0], &args->opts, &doc, &err) < 0)
        return console_report_error(err);
    return console_finish(cli, doc);
}

const struct command command_validate = {
    "validate",
    "Boot throw-away clones of a template and measure them",
    "SOURCE [OPTION...]",
    "Boots clones on overlays through the template's own boot path, runs payloads in them and "
    "judges what they show: do the "
    "clones differ, do the IO limits hold? The template is only read; it is hashed before and "
    "after. Exit status 3 when the "
    "verdict is fail, 4 when it is inconclusive, 5 when the template changed meanwhile.",
    options,
    sizeof(struct validate_args),
    1,
    1,
    run,
};
