/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From option tables: the parser, --help, completion and manual fragments. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "command.h"

/* Parses argv[*index...] by the common table (into `common`) and, when cmd is not NULL, by the
   command's (into args). Without a command it stops at the first word that is no option. On
   success *index is where the operands start (they are moved to the end). 0, or -1 after a
   message on stderr. */
int options_parse(const struct command *cmd, struct common_args *common, void *args, int argc,
                  char **argv, int *index);
void options_free(const struct option_def *defs, void *args);

void options_print_help(FILE *out, const struct command *cmd); /* cmd NULL: the program */
void options_print_bash(FILE *out);
/* The OPTIONS section in scdoc's language. */
void options_print_scd(FILE *out, const struct command *cmd);

#endif
