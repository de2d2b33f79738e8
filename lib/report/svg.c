/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One metric as a strip plot: the tolerance band, the expected value, every sample, the median.
 * Inline SVG that takes its colours from the page's style sheet. Coordinates are printed by
 * core/number, so no locale can break them.
 */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "report/html.h"

#define WIDTH       460.0
#define LEFT        14.0
#define RIGHT       446.0
#define TOP         8.0
#define BOTTOM      62.0
#define MIDDLE      35.0
#define SHOWN       400 /* samples drawn; of more, every k-th */
#define MAX_TICKS   8
#define LABEL_WIDTH 46.0

struct axis {
    double low, high; /* of the values */
    double scale;     /* values are shown divided by this */
    const char *unit; /* of the shown values */
};

static double
x_of(const struct axis *a, double v)
{
    return LEFT + (v - a->low) / (a->high - a->low) * (RIGHT - LEFT);
}

/* name="v" */
static void
attribute(struct gold_str *s, const char *name, double v)
{
    gold_str_printf(s, " %s=\"", name);
    gold_append_double(s, v, 1);
    gold_str_append_char(s, '"');
}

static void
widen(struct axis *a, double v)
{
    a->low = v < a->low ? v : a->low;
    a->high = v > a->high ? v : a->high;
}

static bool
has_band(const struct gold_metric *m)
{
    return m->has_expected && isfinite(m->expected) && isfinite(m->tolerance);
}

static double
band_half(const struct gold_metric *m)
{
    return fabs(m->expected * m->tolerance);
}

/* Sizes are shown in the binary unit that fits the largest value. */
static void
choose_unit(struct axis *a, const char *unit)
{
    static const char *const rates[] = {"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"};
    static const char *const sizes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    bool rate = gold_streq(unit, "B/s");
    size_t i = 0;
    a->scale = 1;
    a->unit = gold_streq(unit, "1/s") ? "/s" : unit && !gold_streq(unit, "1") ? unit : "";
    if (!rate && !gold_streq(unit, "B"))
        return;
    for (; i < 4 && fabs(a->high) >= a->scale * 1024; i++)
        a->scale *= 1024;
    a->unit = rate ? rates[i] : sizes[i];
}

/* False when there is nothing to draw. */
static bool
make_axis(const struct gold_metric *m, struct axis *ret)
{
    struct axis a = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < m->n_samples; i++)
        if (isfinite(m->samples[i]))
            widen(&a, m->samples[i]);
    if (a.low > a.high)
        return false;
    if (has_band(m)) {
        widen(&a, m->expected - band_half(m));
        widen(&a, m->expected + band_half(m));
    }
    double pad = (a.high - a.low) * 0.06;
    if (pad <= fabs(a.high) * 1e-9)
        pad = a.high != 0 ? fabs(a.high) * 0.05 : 1;
    a.low -= pad;
    a.high += pad;
    choose_unit(&a, m->unit);
    *ret = a;
    return a.high > a.low && isfinite(a.high - a.low) && isfinite(1 / (a.high - a.low));
}

/* 1, 2 or 5 times a power of ten, so that about five fit. */
static double
tick_step(double span)
{
    double step = pow(10, floor(log10(span / 5)));
    if (span / step > 25)
        return step * 5;
    return span / step > 10 ? step * 2 : step;
}

static void
ticks(struct gold_str *s, const struct axis *a)
{
    double low = a->low / a->scale, high = a->high / a->scale, step = tick_step(high - low);
    unsigned decimals = step >= 1 ? 0 : (unsigned)ceil(-log10(step) - 1e-9);
    if (!isfinite(step) || step <= 0 || decimals > 12)
        return;
    for (int i = 0; i <= MAX_TICKS * 2; i++) {
        double v = (ceil(low / step) + i) * step;
        double x = x_of(a, v * a->scale);
        if (v > high)
            break;
        gold_str_append(s, "<line class=\"tick\"");
        attribute(s, "x1", x);
        attribute(s, "x2", x);
        attribute(s, "y1", BOTTOM);
        attribute(s, "y2", BOTTOM + 4);
        gold_str_append(s, "/>");
        if (x > RIGHT - LABEL_WIDTH)
            continue; /* the unit stands there */
        gold_str_append(s, "<text class=\"label\" text-anchor=\"middle\"");
        attribute(s, "x", x);
        attribute(s, "y", BOTTOM + 17);
        gold_str_append_char(s, '>');
        gold_append_double(s, v, decimals);
        gold_str_append(s, "</text>");
    }
    gold_str_append(s, "<text class=\"label\" text-anchor=\"end\"");
    attribute(s, "x", RIGHT);
    attribute(s, "y", BOTTOM + 17);
    gold_str_append_char(s, '>');
    gold_html_text(s, a->unit);
    gold_str_append(s, "</text>\n");
}

static void
vertical(struct gold_str *s, const char *class, double x, double y1, double y2)
{
    gold_str_printf(s, "<line class=\"%s\"", class);
    attribute(s, "x1", x);
    attribute(s, "x2", x);
    attribute(s, "y1", y1);
    attribute(s, "y2", y2);
    gold_str_append(s, "/>");
}

static void
band(struct gold_str *s, const struct gold_metric *m, const struct axis *a)
{
    if (!has_band(m))
        return;
    double left = x_of(a, m->expected - band_half(m)),
           right = x_of(a, m->expected + band_half(m));
    double width = right - left < 2 ? 2 : right - left;
    gold_str_append(s, "<rect class=\"band\"");
    attribute(s, "x", left);
    attribute(s, "y", TOP);
    attribute(s, "width", width);
    attribute(s, "height", BOTTOM - TOP);
    gold_str_append(s, "/>");
    vertical(s, "expected", x_of(a, m->expected), TOP, BOTTOM);
    gold_str_append_char(s, '\n');
}

/* Inside the band a dot, outside a cross: told apart by shape, not by colour. */
static void
sample(struct gold_str *s, const struct gold_metric *m, const struct axis *a, size_t i)
{
    static const double offsets[] = {0, -11, 11, -6,
                                     6, -16, 16}; /* so that equal samples stay visible */
    double v = m->samples[i], x = x_of(a, v),
           y = MIDDLE + offsets[i % (sizeof(offsets) / sizeof(offsets[0]))];
    bool outside = has_band(m) && fabs(v - m->expected) > band_half(m);
    if (!outside) {
        gold_str_append(s, "<circle class=\"dot\" r=\"4\"");
        attribute(s, "cx", x);
        attribute(s, "cy", y);
        gold_str_append(s, "/>");
        return;
    }
    gold_str_append(s, "<path class=\"out\" d=\"M");
    gold_append_double(s, x - 4, 1);
    gold_str_append_char(s, ' ');
    gold_append_double(s, y - 4, 1);
    gold_str_append(s, "l8 8m-8 0l8 -8\"/>");
}

static void
samples(struct gold_str *s, const struct gold_metric *m, const struct axis *a)
{
    size_t every = m->n_samples / SHOWN + (m->n_samples % SHOWN ? 1 : 0);
    for (size_t i = 0; i < m->n_samples; i += every)
        if (isfinite(m->samples[i]))
            sample(s, m, a, i);
    gold_str_append_char(s, '\n');
    if (!isfinite(m->median) || m->median < a->low || m->median > a->high)
        return;
    double x = x_of(a, m->median);
    vertical(s, "median", x, TOP - 2, BOTTOM);
    gold_str_append(s, "<path class=\"medianmark\" d=\"M");
    gold_append_double(s, x, 1);
    gold_str_append(s, " 12l5 -5l-5 -5l-5 5z\"/>\n");
}

bool
gold_report_has_plot(const struct gold_metric *m)
{
    struct axis a = {0};
    return (m->n_samples > 1 || (has_band(m) && band_half(m) > 0)) && make_axis(m, &a);
}

/* For those who do not see the plot. Not yet escaped: name and unit are foreign. */
static void
describe(struct gold_str *s, const struct gold_metric *m)
{
    gold_str_append(s, m->name);
    gold_str_printf(s, ": %zu samples, median ", m->n_samples);
    gold_report_append_value(s, m->median, m->unit);
    if (!m->has_expected)
        return;
    gold_str_append(s, ", expected ");
    gold_report_append_value(s, m->expected, m->unit);
    gold_str_append(s, " within ");
    gold_report_append_percent(s, m->tolerance);
    if (m->n_samples > SHOWN)
        gold_str_append(s, "; not every sample is drawn");
}

void
gold_report_svg(struct gold_str *s, const struct gold_metric *m, const char *id)
{
    struct axis a = {0};
    GOLD_CLEANUP_STR struct gold_str title = GOLD_STR_INIT;
    if (!gold_report_has_plot(m) || !make_axis(m, &a))
        return;
    describe(&title, m);
    gold_report_taint(s, &title);
    gold_str_printf(s, "<svg viewBox=\"0 0 460 84\" role=\"img\" aria-labelledby=\"%s\">", id);
    gold_str_printf(s, "<title id=\"%s\">", id);
    gold_html_text(s, gold_str_text(&title));
    gold_str_append(s, "</title>\n");
    band(s, m, &a);
    gold_str_append(s, "<line class=\"axis\"");
    attribute(s, "x1", LEFT);
    attribute(s, "x2", RIGHT);
    attribute(s, "y1", BOTTOM);
    attribute(s, "y2", BOTTOM);
    gold_str_append(s, "/>\n");
    ticks(s, &a);
    samples(s, m, &a);
    gold_str_append(s, "</svg>\n");
}
