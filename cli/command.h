/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two tables that the command line is made of: commands, and options per command. Parsing,
 * --help, completion, the manual pages' OPTIONS sections all come from them.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include <goldsmith/goldsmith.h>

enum option_type {
    OPTION_FLAG,     /* bool */
    OPTION_STRING,   /* const char * */
    OPTION_UNSIGNED, /* unsigned */
    OPTION_CHOICE,   /* int: index into choices */
    OPTION_LIST,     /* struct string_list: may be given several times */
    OPTION_SETTING   /* struct setting_list: collects {option's name, value} */
};

struct string_list {
    const char **items; /* NULL-terminated once something was added */
    size_t n;
};

struct setting_list {
    struct gold_setting *items;
    size_t n;
};

struct option_def {
    const char *name;
    char letter; /* 0: none */
    enum option_type type;
    size_t offset;              /* of the member that takes the value */
    const char *metavar;        /* what stands for the value in help; NULL for flags */
    const char *const *choices; /* NULL-terminated, for OPTION_CHOICE */
    const char *help;           /* one line, no final period */
};

/* Options that every command takes. */
struct common_args {
    bool help, json, quiet, verbose;
    int progress, color, accel;
    struct string_list reports;
};

struct cli {
    struct gold_context *ctx;
    struct common_args common;
};

struct command {
    const char *name;
    const char *heading;              /* one line, no final period */
    const char *synopsis;             /* what follows the name */
    const char *description;          /* paragraphs, separated by an empty line */
    const struct option_def *options; /* ends with name NULL */
    size_t args_size;
    int min_args, max_args; /* of what remains after options; max -1: any number */
    /* Returns the exit status. */
    int (*run)(struct cli *cli, void *args, char **argv, int argc);
};

extern const struct command *const commands[]; /* NULL-terminated */
extern const struct option_def common_options[];

const struct command *command_find(const char *name);

/* Each in its own file. */
extern const struct command command_check, command_explain, command_help, command_inspect,
    command_iotune, command_list, command_prepare, command_report, command_seal,
    command_validate;

/* Exit status, the documented list. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Options that several commands share, for use inside their tables; `type` is the command's
 * argument struct. */
#define IMAGE_OPTIONS(type)                                                                   \
    {"format",                                                                                \
     0,                                                                                       \
     OPTION_STRING,                                                                           \
     offsetof(type, image.format),                                                            \
     "FORMAT",                                                                                \
     NULL,                                                                                    \
     "format of the image: raw, qcow2, vmdk, vdi, vhdx (default: what the definition or the " \
     "header says)"},                                                                         \
        {"allow-backing",                                                                     \
         0,                                                                                   \
         OPTION_FLAG,                                                                         \
         offsetof(type, image.allow_backing),                                                 \
         NULL,                                                                                \
         NULL,                                                                                \
         "follow a backing file that the image itself names"},                                \
        {"images",                                                                            \
         0,                                                                                   \
         OPTION_CHOICE,                                                                       \
         offsetof(type, image.images),                                                        \
         "WHEN",                                                                              \
         images_choices,                                                                      \
         "whether a definition brings its images along"},                                     \
    {                                                                                         \
        "root", 0, OPTION_STRING, offsetof(type, image.root), "DEVICE", NULL,                 \
            "the system to work on where an image holds several"                              \
    }
extern const char *const images_choices[];

#endif
