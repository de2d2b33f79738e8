/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "command.h"
#include "console.h"

struct iotune_args {
    struct gold_iotune_options opts;
    struct setting_list settings;
};

#define IN_OPTS(member) offsetof(struct iotune_args, opts.member)
#define SETTING(name, metavar, help)                                                         \
    {                                                                                        \
        name, 0, OPTION_SETTING, offsetof(struct iotune_args, settings), metavar, NULL, help \
    }

static const struct option_def options[] = {
    {"disk", 'd', OPTION_STRING, IN_OPTS(disk), "DISK", NULL,
     "target (vda), file name, 'boot' or 'all' (required)"},
    SETTING("total-bytes-sec", "SIZE",
            "throughput of reads and writes together, a second (10MiB, 10MB)"),
    SETTING("read-bytes-sec", "SIZE", "throughput of reads"),
    SETTING("write-bytes-sec", "SIZE", "throughput of writes"),
    SETTING("total-iops-sec", "N", "operations a second, reads and writes together"),
    SETTING("read-iops-sec", "N", "read operations a second"),
    SETTING("write-iops-sec", "N", "write operations a second"),
    SETTING("total-bytes-sec-max", "SIZE", "burst rate of both"),
    SETTING("read-bytes-sec-max", "SIZE", "burst rate of reads"),
    SETTING("write-bytes-sec-max", "SIZE", "burst rate of writes"),
    SETTING("total-iops-sec-max", "N", "burst operations of both"),
    SETTING("read-iops-sec-max", "N", "burst read operations"),
    SETTING("write-iops-sec-max", "N", "burst write operations"),
    SETTING("size-iops-sec", "SIZE", "how large a request counts as one operation"),
    SETTING("total-bytes-sec-max-length", "SECONDS", "how long the burst of both may last"),
    SETTING("read-bytes-sec-max-length", "SECONDS", "how long the burst of reads may last"),
    SETTING("write-bytes-sec-max-length", "SECONDS", "how long the burst of writes may last"),
    SETTING("total-iops-sec-max-length", "SECONDS",
            "how long the burst of operations may last"),
    SETTING("read-iops-sec-max-length", "SECONDS",
            "how long the burst of read operations may last"),
    SETTING("write-iops-sec-max-length", "SECONDS",
            "how long the burst of write operations may last"),
    SETTING("group-name", "NAME", "throttle group that shares the limits"),
    {"clear", 0, OPTION_FLAG, IN_OPTS(clear), NULL, NULL, "drop all limits first"},
    {"explain", 0, OPTION_FLAG, IN_OPTS(explain), NULL, NULL,
     "say how long bursts last and what a measurement will show"},
    {"dry-run", 'n', OPTION_FLAG, IN_OPTS(dry_run), NULL, NULL,
     "show the difference, write nothing"},
    {"output", 'o', OPTION_STRING, IN_OPTS(output), "FILE", NULL,
     "write here instead; '-' is standard output"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
run(struct cli *cli, void *opaque, char **argv, int argc)
{
    struct iotune_args *args = opaque;
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    char *text = NULL;
    (void)argc;
    args->opts.settings = args->settings.items;
    args->opts.n_settings = args->settings.n;
    if (gold_iotune(cli->ctx, argv[0], &args->opts, &doc, &text, &err) < 0)
        return console_report_error(err);
    if (!text)
        return console_finish(cli, doc);
    /* With -o - the definition itself is the output. */
    int status = gold_document_exit_status(doc);
    gold_document_free(doc);
    int written = console_output(text, __builtin_strlen(text));
    free(text);
    return written != EXIT_OK ? written : status;
}

const struct command command_iotune = {
    "iotune",
    "Set, clear or explain the IO limits of disks in a definition",
    "DEFINITION --disk DISK [OPTION...]",
    "Edits a VM definition so that exactly the intended lines change. Setting one limit leaves "
    "its siblings as they are; 0 "
    "drops one. Combinations that libvirt or QEMU would refuse, at definition or at start, are "
    "refused here, before anything "
    "is written.",
    options,
    sizeof(struct iotune_args),
    1,
    1,
    run,
};
