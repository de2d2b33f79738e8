/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locale, environment, signals, dispatch, exit status. All that the library must not do itself
 * is done here.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "console.h"
#include "options.h"

/* A signal handler has no other way to reach it. */
static struct gold_context *interrupted_context;

static void
on_signal(int sig)
{
    if (interrupted_context)
        gold_cancel_request(interrupted_context);
    /* The second one ends us at once; the guard cleans up. */
    (void)signal(sig, SIG_DFL);
}

static void
install_signals(struct gold_context *ctx)
{
    struct sigaction act = {.sa_handler = on_signal};
    interrupted_context = ctx;
    sigemptyset(&act.sa_mask);
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        (void)sigaction(signals[i], &act, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

/* A file that the library opens must never become standard error. */
static int
open_standard_streams(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
        if (fd < 0)
            return -1;
    } while (fd <= STDERR_FILENO);
    return close(fd);
}

/* The helpers stand beside the command, in an installation as in a build tree:
 * bin/../libexec/goldsmith. */
static int
set_libexec(struct gold_context *ctx)
{
    const char *wish = getenv("GOLDSMITH_LIBEXECDIR");
    if (wish && *wish)
        return gold_context_set_libexec_dir(ctx, wish);
    char *self = realpath("/proc/self/exe", NULL);
    char *dir = NULL;
    int r = 0;
    if (self && asprintf(&dir, "%s/../libexec/goldsmith", dirname(self)) >= 0 &&
        access(dir, X_OK) == 0)
        r = gold_context_set_libexec_dir(ctx, dir);
    free(self);
    free(dir);
    return r;
}

static int
set_directories(struct gold_context *ctx)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME"), *tmp = getenv("TMPDIR");
    char *cache = NULL;
    int r = 0;
    if (xdg && xdg[0] == '/'
            ? asprintf(&cache, "%s/goldsmith", xdg) < 0
            : home && home[0] == '/' && asprintf(&cache, "%s/.cache/goldsmith", home) < 0)
        return -1;
    if (cache)
        r = gold_context_set_cache_dir(ctx, cache);
    free(cache);
    /* Sockets live below it, and their paths are short by law. */
    if (r == 0 && tmp && tmp[0] == '/' && strlen(tmp) <= 32)
        r = gold_context_set_tmp_dir(ctx, tmp);
    return r == 0 ? set_libexec(ctx) : r;
}

static int
run_command(struct cli *cli, const struct command *cmd, int argc, char **argv)
{
    int first = 0, status = EXIT_USAGE;
    void *args = calloc(1, cmd->args_size ? cmd->args_size : 1);
    if (!args) {
        console_error("out of memory");
        return EXIT_FAILED;
    }
    if (options_parse(cmd, &cli->common, args, argc, argv, &first) == 0) {
        int n = argc - first;
        if (cli->common.help) {
            options_print_help(stdout, cmd);
            status = EXIT_OK;
        } else if (n < cmd->min_args || (cmd->max_args >= 0 && n > cmd->max_args)) {
            console_error("%s: %s", cmd->name,
                          n < cmd->min_args ? "an argument is missing" : "too many arguments");
            console_hint("goldsmith %s %s", cmd->name, cmd->synopsis);
        } else {
            gold_context_set_accel(cli->ctx, (enum gold_accel)cli->common.accel);
            console_attach(cli);
            status = cmd->run(cli, args, argv + first, n);
        }
    }
    options_free(cmd->options, args);
    free(args);
    return status;
}

static int
dispatch(struct cli *cli, int argc, char **argv)
{
    int first = 0;
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("goldsmith %s\n", gold_version());
        return EXIT_OK;
    }
    if (options_parse(NULL, &cli->common, NULL, argc, argv, &first) < 0)
        return EXIT_USAGE;
    if (first >= argc) {
        options_print_help(cli->common.help ? stdout : stderr, NULL);
        return cli->common.help ? EXIT_OK : EXIT_USAGE;
    }
    const struct command *cmd = command_find(argv[first]);
    if (!cmd) {
        console_error("there is no command '%s'", argv[first]);
        console_hint("goldsmith help");
        return EXIT_USAGE;
    }
    return run_command(cli, cmd, argc - first, argv + first);
}

int
main(int argc, char **argv)
{
    struct cli cli = {0};
    int status = EXIT_FAILED;

    if (open_standard_streams() < 0)
        return EXIT_FAILED;
    (void)setlocale(LC_ALL, "");
    (void)setlocale(LC_NUMERIC, "C");
    /* The embedded hypervisor logs from inside our process; its errors reach us through the API.
     * The library would set this too, but by then there may be threads that read the
     * environment. */
    (void)setenv("LIBVIRT_LOG_OUTPUTS", "4:file:/dev/null", 0);
    cli.ctx = gold_context_new();
    if (!cli.ctx || set_directories(cli.ctx) < 0) {
        console_error("out of memory");
    } else {
        install_signals(cli.ctx);
        status = dispatch(&cli, argc, argv);
    }
    console_progress_end();
    free(cli.common.reports.items);
    interrupted_context = NULL;
    gold_context_free(cli.ctx);
    /* A full disk behind a redirected stdout must not look like success. */
    if (fflush(stdout) != 0 && status == EXIT_OK) {
        console_error("cannot write to standard output: %s", strerror(errno));
        status = EXIT_FAILED;
    }
    return status;
}
