/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Robust statistics of few samples. Pure functions; NOMEM is their only error. */
#ifndef GOLD_VALIDATE_STATISTICS_H
#define GOLD_VALIDATE_STATISTICS_H

#include <stddef.h>

#include "core/cleanup.h"

/* All refuse n == 0 and samples that are not finite (FORMAT). */
GOLD_MUST_CHECK int gold_median(const double *samples, size_t n, double *ret,
                                struct gold_error **err);
/* Median of the absolute distances from the median, not scaled. */
GOLD_MUST_CHECK int gold_mad(const double *samples, size_t n, double *ret,
                             struct gold_error **err);
/* Percentile interval of the median over `resamples` bootstrap samples. The seed is fixed: the
   same samples give the same interval in every report. level: 0.95. resamples: 1 to 100000. */
GOLD_MUST_CHECK int gold_bootstrap_median(const double *samples, size_t n, double level,
                                          unsigned resamples, double *ret_low, double *ret_high,
                                          struct gold_error **err);

#endif
