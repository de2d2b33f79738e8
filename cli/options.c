/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt_long under our own tables. Nothing here knows a particular option.
 */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

enum { OPTIONS_MAX = 64, HELP_WIDTH = 79, HELP_COLUMN = 27, FIRST_LONG = 256 };

/* All options that apply, common ones last, with the base address of the struct each writes to.
 */
struct option_set {
    const struct option_def *defs[OPTIONS_MAX];
    void *base[OPTIONS_MAX];
    size_t n;
};

static void
set_add(struct option_set *set, const struct option_def *defs, void *base)
{
    for (; defs && defs->name && set->n < OPTIONS_MAX; defs++) {
        set->defs[set->n] = defs;
        set->base[set->n++] = base;
    }
}

static int
parse_unsigned(const char *name, const char *text, unsigned *ret)
{
    unsigned long v = 0;
    if (!*text)
        goto bad;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9')
            goto bad;
        v = v * 10 + (unsigned long)(*p - '0');
        if (v > INT_MAX)
            goto bad;
    }
    *ret = (unsigned)v;
    return 0;
bad:
    console_error("--%s: '%s' is not a whole number", name, text);
    return -1;
}

static int
parse_choice(const struct option_def *def, const char *text, int *ret)
{
    for (int i = 0; def->choices[i]; i++)
        if (strcmp(def->choices[i], text) == 0) {
            *ret = i;
            return 0;
        }
    console_error("--%s: '%s' is not one of its values (see --help)", def->name, text);
    return -1;
}

static int
append_string(struct string_list *list, const char *value)
{
    const char **items = realloc(list->items, (list->n + 2) * sizeof(*items));
    if (!items) {
        console_error("out of memory");
        return -1;
    }
    items[list->n++] = value;
    items[list->n] = NULL;
    list->items = items;
    return 0;
}

static int
append_setting(struct setting_list *list, const char *name, const char *value)
{
    struct gold_setting *items = realloc(list->items, (list->n + 1) * sizeof(*items));
    if (!items) {
        console_error("out of memory");
        return -1;
    }
    items[list->n++] = (struct gold_setting){name, value};
    list->items = items;
    return 0;
}

static int
store(const struct option_def *def, void *base, const char *value)
{
    void *member = (char *)base + def->offset;
    switch (def->type) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return 0;
    case OPTION_STRING:
        *(const char **)member = value;
        return 0;
    case OPTION_UNSIGNED:
        return parse_unsigned(def->name, value, member);
    case OPTION_CHOICE:
        return parse_choice(def, value, member);
    case OPTION_LIST:
        return append_string(member, value);
    case OPTION_SETTING:
        return append_setting(member, def->name, value);
    default:
        return -1;
    }
}

int
options_parse(const struct command *cmd, struct common_args *common, void *args, int argc,
              char **argv, int *index)
{
    struct option_set set = {.n = 0};
    struct option longs[OPTIONS_MAX + 1];
    char shorts[2 * OPTIONS_MAX + 3];
    size_t n_shorts = 0;

    if (cmd)
        set_add(&set, cmd->options, args);
    set_add(&set, common_options, common);
    shorts[n_shorts++] = cmd ? ':' : '+';
    if (!cmd)
        shorts[n_shorts++] = ':';
    for (size_t i = 0; i < set.n; i++) {
        const struct option_def *def = set.defs[i];
        longs[i] = (struct option){def->name,
                                   def->type == OPTION_FLAG ? no_argument : required_argument,
                                   NULL, FIRST_LONG + (int)i};
        if (def->letter) {
            shorts[n_shorts++] = def->letter;
            if (def->type != OPTION_FLAG)
                shorts[n_shorts++] = ':';
        }
    }
    longs[set.n] = (struct option){NULL, 0, NULL, 0};
    shorts[n_shorts] = '\0';

    optind = 0; /* GNU: start afresh */
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const struct option_def *def = NULL;
        void *base = NULL;
        for (size_t i = 0; i < set.n; i++)
            if (c == FIRST_LONG + (int)i || (set.defs[i]->letter && c == set.defs[i]->letter)) {
                def = set.defs[i];
                base = set.base[i];
                break;
            }
        if (!def) {
            const char *word = argv[optind - 1];
            console_error(c == ':' ? "'%s' needs a value" : "unknown option '%s'", word);
            console_hint("goldsmith%s%s --help", cmd ? " " : "", cmd ? cmd->name : "");
            return -1;
        }
        if (store(def, base, optarg) < 0)
            return -1;
    }
    *index = optind;
    return 0;
}

void
options_free(const struct option_def *defs, void *args)
{
    for (; defs && defs->name; defs++) {
        void *member = (char *)args + defs->offset;
        /* Several options may fill one list: the first frees it for all. */
        if (defs->type == OPTION_LIST) {
            struct string_list *list = member;
            free(list->items);
            *list = (struct string_list){0};
        } else if (defs->type == OPTION_SETTING) {
            struct setting_list *list = member;
            free(list->items);
            *list = (struct setting_list){0};
        }
    }
}

/* Text in lines of at most HELP_WIDTH columns, each behind `indent` blanks; `column` is where
 * the cursor stands. */
static void
print_wrapped(FILE *out, const char *text, int indent, int column)
{
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (column + (int)word > HELP_WIDTH && column > indent) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        fprintf(out, "%.*s", (int)word, text);
        column += (int)word;
        text += word;
        if (*text == '\n') {
            fprintf(out, "\n%s%*s", text[1] == '\n' ? "\n" : "", text[1] == '\n' ? indent : 0,
                    "");
            text += text[1] == '\n' ? 2 : 1;
            column = indent;
        } else if (*text == ' ') {
            text++;
            if (*text && column + 1 + (int)strcspn(text, " \n") <= HELP_WIDTH) {
                fputc(' ', out);
                column++;
            } else if (*text) {
                fprintf(out, "\n%*s", indent, "");
                column = indent;
            }
        }
    }
    fputc('\n', out);
}

static void
print_option(FILE *out, const struct option_def *def)
{
    char left[128];
    int n = snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", def->letter ? '-' : ' ',
                     def->letter ? def->letter : ' ', def->letter ? ',' : ' ', def->name,
                     def->metavar ? " " : "", def->metavar ? def->metavar : "");
    fputs(left, out);
    if (n >= HELP_COLUMN - 1) {
        fputc('\n', out);
        n = 0;
    }
    fprintf(out, "%*s", HELP_COLUMN - n, "");
    char help[512];
    int used = snprintf(help, sizeof(help), "%s", def->help);
    for (int i = 0; def->choices && def->choices[i]; i++)
        used += snprintf(help + used, sizeof(help) - (size_t)used, "%s%s", i ? ", " : ": ",
                         def->choices[i]);
    print_wrapped(out, help, HELP_COLUMN, HELP_COLUMN);
}

static void
print_options(FILE *out, const struct option_def *defs)
{
    for (; defs && defs->name; defs++)
        print_option(out, defs);
}

void
options_print_help(FILE *out, const struct command *cmd)
{
    if (cmd) {
        fprintf(out, "Usage: goldsmith %s %s\n\n", cmd->name, cmd->synopsis);
        print_wrapped(out, cmd->description, 0, 0);
        if (cmd->options && cmd->options->name) {
            fputs("\nOptions:\n", out);
            print_options(out, cmd->options);
        }
        fputs("\nCommon options:\n", out);
        print_options(out, common_options);
        return;
    }
    fputs("Usage: goldsmith [OPTION...] COMMAND [ARGUMENT...]\n\n"
          "Turns VM images into clone templates and proves that they are good.\n\nCommands:\n",
          out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "  %-10s ", commands[i]->name);
        print_wrapped(out, commands[i]->heading, 13, 13);
    }
    fputs("\nCommon options:\n", out);
    print_options(out, common_options);
    fputs("\n'goldsmith COMMAND --help' says more of each. Exit status: 0 done or pass,\n"
          "1 failed, 2 usage, 3 findings or verdict fail, 4 inconclusive, 5 the template\n"
          "changed while it was validated, 130 interrupted.\n",
          out);
}

static void
print_bash_words(FILE *out, const struct option_def *defs)
{
    for (; defs && defs->name; defs++) {
        fprintf(out, " --%s", defs->name);
        if (defs->letter)
            fprintf(out, " -%c", defs->letter);
    }
}

static void
print_bash_choices(FILE *out, const struct option_def *defs)
{
    for (; defs && defs->name; defs++) {
        if (!defs->choices)
            continue;
        fprintf(out, "    --%s) COMPREPLY=($(compgen -W \"", defs->name);
        for (int i = 0; defs->choices[i]; i++)
            fprintf(out, "%s%s", i ? " " : "", defs->choices[i]);
        fputs("\" -- \"$cur\")); return ;;\n", out);
    }
}

void
options_print_bash(FILE *out)
{
    fputs("# bash completion for goldsmith; made from the command's own tables\n"
          "_goldsmith()\n{\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb='' word "
          "words\n"
          "  COMPREPLY=()\n"
          "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "    case $word in -*) ;; *) verb=$word; break ;; esac\n"
          "  done\n"
          "  case $prev in\n",
          out);
    print_bash_choices(out, common_options);
    fputs("  esac\n  case $verb in\n", out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "  %s)\n    case $prev in\n", commands[i]->name);
        print_bash_choices(out, commands[i]->options);
        fputs("    esac\n    words=\"", out);
        print_bash_words(out, commands[i]->options);
        print_bash_words(out, common_options);
        fputs("\" ;;\n", out);
    }
    fputs("  '') words=\"", out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "%s ", commands[i]->name);
    print_bash_words(out, common_options);
    fputs("\" ;;\n  esac\n"
          "  case $cur in\n"
          "  -*) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
          "  *) if [ -z \"$verb\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")); fi "
          ";;\n"
          "  esac\n"
          "}\n"
          "complete -o default -F _goldsmith goldsmith\n",
          out);
}

static void
print_scd_options(FILE *out, const struct option_def *defs)
{
    for (; defs && defs->name; defs++) {
        fputc('\n', out);
        if (defs->letter)
            fprintf(out, "*-%c*, ", defs->letter);
        fprintf(out, "*--%s*", defs->name);
        if (defs->metavar)
            fprintf(out, " _%s_", defs->metavar);
        fprintf(out, "\n\t%c%s",
                defs->help[0] >= 'a' && defs->help[0] <= 'z' ? defs->help[0] - 32
                                                             : defs->help[0],
                defs->help + 1);
        for (int i = 0; defs->choices && defs->choices[i]; i++)
            fprintf(out, "%s*%s*", i ? ", " : ": ", defs->choices[i]);
        fputs(".\n", out);
    }
}

void
options_print_scd(FILE *out, const struct command *cmd)
{
    print_scd_options(out, cmd->options);
    print_scd_options(out, common_options);
}
