/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers from and to text, never dependent on the locale. Parsing is strict: no sign, no blanks, no
 * empty text, nothing behind, no overflow. Messages name the text: "'10M': not a whole number". Errors
 * are FORMAT, of gold_parse_size() USAGE because only people write such units; gold_error_recode() changes that.
 */
#ifndef GOLD_CORE_NUMBER_H
#define GOLD_CORE_NUMBER_H

#include <stdint.h>

#include "core/error.h"
#include "core/str.h"

GOLD_MUST_CHECK int gold_parse_u64(const char *text, uint64_t *ret, struct gold_error **err);
GOLD_MUST_CHECK int gold_parse_u64_max(const char *text, uint64_t max, uint64_t *ret, struct gold_error **err);
/* A byte count: digits with an optional fraction and a unit: none or B (bytes), KiB MiB GiB TiB (powers of
   1024), kB KB MB GB TB (powers of 1000). K, M, G, T alone are refused as ambiguous (a factor of 1.05
   decides whether a limit holds). The fraction must give whole bytes when multiplied (1.5KiB = 1536). */
GOLD_MUST_CHECK int gold_parse_size(const char *text, uint64_t *ret, struct gold_error **err);
/* A finite decimal number, optional leading minus, optional exponent, '.' as decimal point. */
GOLD_MUST_CHECK int gold_parse_double(const char *text, double *ret, struct gold_error **err);
/* Fixed notation with `decimals` digits after the point. */
void gold_append_double(struct gold_str *s, double v, unsigned decimals);
/* "10 MiB", "1.5 GiB", "512 B": exact when it divides, else one decimal. */
void gold_append_size(struct gold_str *s, uint64_t bytes);

#endif
