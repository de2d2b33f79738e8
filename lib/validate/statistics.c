/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Median, spread and an interval for the median, for the verdicts of payloads. It judges
 * nothing and drops no outlier: a sample that is far off is for the reader to see.
 */
#include "validate/statistics.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of a sorted array. */
static double
middle(const double *sorted, size_t n)
{
    if (n % 2)
        return sorted[n / 2];
    /* Halved first: the sum of two large samples may overflow. */
    return sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

static double *
sorted_copy(const double *samples, size_t n, struct gold_error **err)
{
    if (n == 0) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "there are no samples");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(samples[i])) {
            gold_error_set(err, GOLD_ERROR_FORMAT, "sample %zu is not a finite number", i + 1);
            return NULL;
        }
    }
    double *copy = calloc(n, sizeof(*copy));
    if (!copy) {
        gold_error_set_nomem(err);
        return NULL;
    }
    memcpy(copy, samples, n * sizeof(*copy));
    qsort(copy, n, sizeof(*copy), compare);
    return copy;
}

int
gold_median(const double *samples, size_t n, double *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE double *sorted = sorted_copy(samples, n, err);
    if (!sorted)
        return -1;
    *ret = middle(sorted, n);
    return 0;
}

int
gold_mad(const double *samples, size_t n, double *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE double *sorted = sorted_copy(samples, n, err);
    if (!sorted)
        return -1;
    double median = middle(sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(sorted[i] - median);
    qsort(sorted, n, sizeof(*sorted), compare);
    *ret = middle(sorted, n);
    return 0;
}

/* xorshift64*: statistics only, and the same on every machine. */
static uint64_t
next_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}

int
gold_bootstrap_median(const double *samples, size_t n, double level, unsigned resamples,
                      double *ret_low, double *ret_high, struct gold_error **err)
{
    GOLD_CLEANUP_FREE double *source = sorted_copy(samples, n, err);
    if (!source)
        return -1;
    if (!(level > 0 && level < 1) || resamples == 0 || resamples > 100000) {
        gold_error_set(err, GOLD_ERROR_USAGE, "no interval of level %g from %u resamples",
                       level, resamples);
        return -1;
    }
    GOLD_CLEANUP_FREE double *drawn = calloc(n, sizeof(*drawn));
    GOLD_CLEANUP_FREE double *medians = calloc(resamples, sizeof(*medians));
    if (!drawn || !medians)
        return gold_error_set_nomem(err);
    uint64_t state = 0x9E3779B97F4A7C15ULL;
    for (unsigned r = 0; r < resamples; r++) {
        for (size_t i = 0; i < n; i++)
            drawn[i] = source[next_random(&state) % n];
        qsort(drawn, n, sizeof(*drawn), compare);
        medians[r] = middle(drawn, n);
    }
    qsort(medians, resamples, sizeof(*medians), compare);
    size_t low = (size_t)((1 - level) / 2 * (resamples - 1));
    *ret_low = medians[low];
    *ret_high = medians[resamples - 1 - low];
    return 0;
}
