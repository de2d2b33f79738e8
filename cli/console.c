/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One progress line at most stands on the terminal; whatever else is printed takes it off
 * first. Texts may come from a guest, so they are escaped before they reach a terminal.
 */
#include "console.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The only state of this file: it belongs to the process's stderr, of which there is one. */
static struct {
    bool line_shown;
    int mode;
    long long last_ms;
} progress;

static void
print_escaped(FILE *out, const char *text)
{
    char *safe = gold_report_escape(text);
    fputs(safe ? safe : "(out of memory)", out);
    free(safe);
}

void
console_progress_end(void)
{
    if (progress.line_shown)
        fputs("\r\033[K", stderr);
    progress.line_shown = false;
}

static void
message(const char *label, const char *fmt, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    console_progress_end();
    fprintf(stderr, "goldsmith: %s", label);
    print_escaped(stderr, text ? text : fmt);
    fputc('\n', stderr);
    free(text);
}

void
console_error(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    message("", fmt, args);
    va_end(args);
}

void
console_hint(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    message("hint: ", fmt, args);
    va_end(args);
}

int
console_report_error(struct gold_error *err)
{
    int status = EXIT_FAILED;
    if (!err)
        return status;
    console_error("%s", gold_error_message(err));
    if (gold_error_hint_text(err))
        console_hint("%s", gold_error_hint_text(err));
    if (gold_error_code(err) == GOLD_ERROR_USAGE)
        status = EXIT_USAGE;
    else if (gold_error_code(err) == GOLD_ERROR_CANCELLED)
        status = 130;
    gold_error_free(err);
    return status;
}

static void
on_log(void *opaque, enum gold_log_level level, const char *text)
{
    (void)opaque;
    console_progress_end();
    fprintf(stderr, "goldsmith: %s",
            level == GOLD_LOG_WARNING ? "warning: "
            : level == GOLD_LOG_DEBUG ? "debug: "
                                      : "");
    print_escaped(stderr, text);
    fputc('\n', stderr);
}

static void
progress_json(const struct gold_progress_event *e)
{
    char *text = gold_report_progress(e);
    if (text)
        fprintf(stderr, "%s\n", text);
    free(text);
}

static void
on_progress(void *opaque, const struct gold_progress_event *e)
{
    (void)opaque;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
    if (progress.mode == PROGRESS_JSON) {
        progress_json(e);
        return;
    }
    /* Ten redraws a second are enough for an eye. */
    if (progress.line_shown && ms - progress.last_ms < 100)
        return;
    progress.last_ms = ms;
    fputs("\r\033[K", stderr);
    print_escaped(stderr, e->phase);
    if (e->fraction >= 0)
        fprintf(stderr, " %3d%%", (int)(e->fraction * 100));
    if (e->detail) {
        char detail[61];
        snprintf(detail, sizeof(detail), "%s", e->detail);
        fputs("  ", stderr);
        print_escaped(stderr, detail);
    }
    fflush(stderr);
    progress.line_shown = true;
}

void
console_attach(struct cli *cli)
{
    enum gold_log_level least = cli->common.verbose ? GOLD_LOG_DEBUG
                                : cli->common.quiet ? GOLD_LOG_WARNING
                                                    : GOLD_LOG_INFO;
    progress.mode = cli->common.progress;
    gold_context_set_log(cli->ctx, on_log, NULL, least);
    bool shown =
        progress.mode == PROGRESS_JSON ||
        (progress.mode == PROGRESS_AUTO && !cli->common.quiet && isatty(STDERR_FILENO));
    if (shown)
        gold_context_set_progress(cli->ctx, on_progress, NULL);
}

int
console_output(const char *text, size_t len)
{
    if (fwrite(text, 1, len, stdout) != len || fflush(stdout) != 0) {
        console_error("cannot write to standard output: %s", strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static bool
want_color(const struct cli *cli)
{
    if (cli->common.color != COLOR_AUTO)
        return cli->common.color == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
}

static int
write_reports(struct cli *cli, const struct gold_document *doc)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < cli->common.reports.n; i++) {
        const char *path = cli->common.reports.items[i];
        const char *dot = strrchr(path, '.');
        enum gold_report_format format = dot && strcmp(dot, ".html") == 0   ? GOLD_REPORT_HTML
                                         : dot && strcmp(dot, ".json") == 0 ? GOLD_REPORT_JSON
                                                                            : GOLD_REPORT_TEXT;
        struct gold_error *err = NULL;
        if (gold_report_write(doc, format, path, &err) < 0)
            status = console_report_error(err);
        else if (!cli->common.quiet)
            fprintf(stderr, "goldsmith: report written to %s\n", path);
    }
    return status;
}

int
console_finish(struct cli *cli, struct gold_document *doc)
{
    struct gold_error *err = NULL;
    struct gold_report_options opts = {.color = want_color(cli),
                                       .verbose = cli->common.verbose};
    char *text = NULL;
    size_t len = 0;
    int status = gold_document_exit_status(doc);

    console_progress_end();
    int reports = write_reports(cli, doc);
    int failed = EXIT_OK;
    if (gold_report_render(doc, cli->common.json ? GOLD_REPORT_JSON : GOLD_REPORT_TEXT, &opts,
                           &text, &len, &err) < 0)
        failed = console_report_error(err);
    else if (cli->common.json || !cli->common.quiet || status != EXIT_OK)
        failed = console_output(text, len);
    free(text);
    gold_document_free(doc);
    if (status == 130)
        return status;
    return failed != EXIT_OK ? failed : reports != EXIT_OK ? reports : status;
}
