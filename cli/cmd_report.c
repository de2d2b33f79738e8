/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "command.h"
#include "console.h"
#include "files.h"

static const char *const format_choices[] = {"text", "html", "json", NULL};
static const enum gold_report_format formats[] = {GOLD_REPORT_TEXT, GOLD_REPORT_HTML,
                                                  GOLD_REPORT_JSON};

struct report_args {
    int format;
    const char *output;
};

static const struct option_def options[] = {
    {"format", 'f', OPTION_CHOICE, offsetof(struct report_args, format), "FORMAT",
     format_choices, "what to make of it"},
    {"output", 'o', OPTION_STRING, offsetof(struct report_args, output), "FILE", NULL,
     "write here instead of standard output (one RESULT only)"},
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

static int
render(struct cli *cli, const struct report_args *args, const char *path)
{
    struct gold_document *doc = NULL;
    struct gold_error *err = NULL;
    enum gold_report_format format =
        cli->common.json ? GOLD_REPORT_JSON : formats[args->format];
    struct gold_report_options opts = {.verbose = cli->common.verbose,
                                       .color = cli->common.color == COLOR_ALWAYS};
    char *json = NULL, *text = NULL;
    size_t json_len = 0, len = 0;
    int status = EXIT_FAILED;

    if (file_read(path, &json, &json_len) < 0)
        return EXIT_FAILED;
    if (gold_report_parse(json, json_len, path, &doc, &err) < 0)
        status = console_report_error(err);
    else if (args->output)
        status = gold_report_write(doc, format, args->output, &err) < 0
                     ? console_report_error(err)
                     : EXIT_OK;
    else if (gold_report_render(doc, format, &opts, &text, &len, &err) < 0)
        status = console_report_error(err);
    else
        status = console_output(text, len);
    free(json);
    free(text);
    gold_document_free(doc);
    return status;
}

static int
run(struct cli *cli, void *opaque, char **argv, int argc)
{
    const struct report_args *args = opaque;
    int status = EXIT_OK;
    if (args->output && argc > 1) {
        console_error("report: --output takes one RESULT");
        return EXIT_USAGE;
    }
    for (int i = 0; i < argc; i++) {
        int one = render(cli, args, argv[i]);
        if (one != EXIT_OK)
            status = one;
    }
    return status;
}

const struct command command_report = {
    "report",
    "Render a result that was saved as JSON",
    "RESULT.json... [--format text|html|json] [-o FILE]",
    "Renders documents that goldsmith wrote with --json or --report FILE.json. Nothing is "
    "computed anew; the exit status says "
    "whether they could be rendered, not what they say.",
    options,
    sizeof(struct report_args),
    1,
    -1,
    run,
};
