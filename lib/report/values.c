/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers for people: few digits, the unit behind. The exact values are in the JSON. */
#include <math.h>

#include "core/number.h"
#include "core/result.h"
#include "report/render.h"

#define SIZE_MAX_SHOWN 1e15 /* bytes; beyond it a size is shown as a plain number */

/* Decimals for about four significant digits, none for whole numbers. */
static unsigned
decimals_for(double v)
{
    unsigned decimals = 3;
    double a = fabs(v);
    if (a >= 1000 || a == floor(a))
        return 0;
    for (double limit = 10; limit <= 100 && a >= limit; limit *= 10)
        decimals--;
    for (double limit = 1; limit > 1e-6 && a < limit && decimals < 9; limit /= 10)
        decimals++;
    return decimals;
}

void
gold_report_append_value(struct gold_str *s, double v, const char *unit)
{
    const char *suffix = unit ? unit : "";
    bool bytes = gold_streq(unit, "B/s") || gold_streq(unit, "B");
    if (!isfinite(v)) {
        gold_str_append(s, "–");
        return;
    }
    if (bytes && v >= 0 && v < SIZE_MAX_SHOWN) {
        gold_append_size(s, (uint64_t)(v + 0.5));
        gold_str_append(s, gold_streq(unit, "B/s") ? "/s" : "");
        return;
    }
    gold_append_double(s, v, decimals_for(v));
    if (gold_streq(unit, "1/s"))
        suffix = "/s";
    if (*suffix && !gold_streq(unit, "1")) {
        gold_str_append_char(s, ' ');
        gold_str_append(s, suffix);
    }
}

void
gold_report_append_percent(struct gold_str *s, double ratio)
{
    double percent = ratio * 100;
    if (!isfinite(percent)) {
        gold_str_append(s, "–");
        return;
    }
    /* 0.03 * 100 is not quite 3. */
    gold_append_double(s, percent, fabs(percent - round(percent)) < 1e-9 ? 0 : 1);
    gold_str_append(s, " %");
}

void
gold_report_append_deviation(struct gold_str *s, const struct gold_metric *m)
{
    double percent = (m->median - m->expected) / m->expected * 100;
    if (!m->has_expected || m->expected == 0 || !isfinite(percent)) {
        gold_str_append(s, "–");
        return;
    }
    if (percent >= 0.005)
        gold_str_append_char(s, '+');
    gold_append_double(s, fabs(percent) < 0.005 ? 0 : percent, fabs(percent) < 100 ? 2 : 0);
    gold_str_append(s, " %");
}

void
gold_report_append_tolerance(struct gold_str *s, const struct gold_metric *m)
{
    if (m->tolerance == 0)
        return;
    gold_str_append(s, " ± ");
    gold_report_append_percent(s, m->tolerance);
}
