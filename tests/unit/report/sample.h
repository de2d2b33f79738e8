/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Documents for the tests of the renderings, filled through the same functions as real ones. */
#ifndef GOLD_TESTS_SAMPLE_H
#define GOLD_TESTS_SAMPLE_H

#include "core/result.h"

/* A Debian template that passes: nine operations, an edit, two clones, limits measured. */
struct gold_document *sample_pass(void);
/* The same template with a limit that was dropped and clones that share a machine-id. */
struct gold_document *sample_fail(void);
/* check of three sources: findings, a waived one, a source that could not be read. */
struct gold_document *sample_check(void);
/* A dry run of seal. */
struct gold_document *sample_dry_run(void);
/* inspect: facts, one of them a list. */
struct gold_document *sample_inspect(void);
/* Every member holds `text`. */
struct gold_document *sample_hostile(const char *text);
/* Nothing but a command. */
struct gold_document *sample_empty(void);

#endif
