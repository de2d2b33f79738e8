/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people see: messages, hints and progress on stderr, documents on stdout (complete or not
 * at all). */
#ifndef CLI_CONSOLE_H
#define CLI_CONSOLE_H

#include "command.h"

enum { PROGRESS_AUTO, PROGRESS_NEVER, PROGRESS_JSON };
enum { COLOR_AUTO, COLOR_NEVER, COLOR_ALWAYS };

void console_error(const char *fmt, ...) GOLD_PRINTF(1, 2);
void console_hint(const char *fmt, ...) GOLD_PRINTF(1, 2);
/* Prints the library's error with its hint and frees it; returns the exit status that goes with
 * it. */
int console_report_error(struct gold_error *err);
/* Connects the context's log and progress with stderr. */
void console_attach(struct cli *cli);
/* Takes the progress line off the terminal. */
void console_progress_end(void);
/* Prints a document (text or JSON), writes --report files, frees it; the exit status. */
int console_finish(struct cli *cli, struct gold_document *doc);
/* Writes text to stdout; EXIT_FAILED when that fails. */
int console_output(const char *text, size_t len);

#endif
