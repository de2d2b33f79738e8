/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "did you mean": the known name that a mistyped one most likely stands for. */
#ifndef GOLD_TEMPLATE_NEAREST_H
#define GOLD_TEMPLATE_NEAREST_H

#include <stddef.h>

/* The first of the nearest of `n` names, or NULL when none is near: more than a third of the
   letters differ. '_' counts as '-' and capitals as small letters. */
const char *gold_nearest(const char *text, const char *const *names, size_t n);

#endif
