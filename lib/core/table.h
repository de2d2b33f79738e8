/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lint that every table of const structs passes in its unit test. */
#ifndef GOLD_CORE_TABLE_H
#define GOLD_CORE_TABLE_H

#include <goldsmith/list.h>

#include "core/error.h"

/* Name: a-z, 0-9, single hyphens inside, unique among `n`; heading: one line, not empty, no final period;
   description: not empty, no final newline. */
GOLD_MUST_CHECK int gold_about_lint(const struct gold_about *const *abouts, size_t n, struct gold_error **err);

#endif
