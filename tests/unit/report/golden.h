/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Golden files: what a rendering must be, byte for byte. With GOLDSMITH_REGENERATE=1 they are
 * written instead. */
#ifndef GOLD_TESTS_GOLDEN_H
#define GOLD_TESTS_GOLDEN_H

#include <goldsmith/report.h>

/* A rendering, to be freed. */
char *golden_render(const struct gold_document *doc, enum gold_report_format format,
                    const struct gold_report_options *opts);
/* Renders and compares with tests/data/report/<name>; fails with the first line that differs.
 */
void golden_compare(const struct gold_document *doc, enum gold_report_format format,
                    const struct gold_report_options *opts, const char *name);

#endif
