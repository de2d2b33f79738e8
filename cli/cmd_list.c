/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "console.h"

static const struct {
    const char *name;
    enum gold_list_kind kind;
} kinds[] = {
    {"operations", GOLD_LIST_OPERATIONS},
    {"checks", GOLD_LIST_CHECKS},
    {"payloads", GOLD_LIST_PAYLOADS},
    {"formats", GOLD_LIST_FORMATS},
};

static int
run(struct cli *cli, void *args, char **argv, int argc)
{
    (void)args;
    (void)argc;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        if (strcmp(kinds[k].name, argv[0]) != 0)
            continue;
        struct gold_listing l;
        for (size_t i = 0; gold_list(kinds[k].kind, i, &l); i++) {
            const char *mark = kinds[k].kind != GOLD_LIST_OPERATIONS ? ""
                               : l.enabled_by_default                ? "* "
                                                                     : "  ";
            printf("%s%-22s %s\n", mark, l.about->name, l.about->heading);
            for (size_t f = 0; cli->common.verbose && l.finding_ids && l.finding_ids[f]; f++)
                printf("    %s\n", l.finding_ids[f]);
        }
        return EXIT_OK;
    }
    console_error("list: there is no list of '%s'", argv[0]);
    console_hint("goldsmith list operations|checks|payloads|formats");
    return EXIT_USAGE;
}

static const struct option_def options[] = {
    {NULL, 0, OPTION_FLAG, 0, NULL, NULL, NULL},
};

const struct command command_list = {
    "list",
    "List operations, checks, payloads or formats",
    "operations|checks|payloads|formats [-v]",
    "Lists a table in its own order; operations are marked with * when they run by default. "
    "With --verbose also the finding "
    "ids that an entry may report.",
    options,
    0,
    1,
    1,
    run,
};
