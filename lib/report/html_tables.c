/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was measured, each metric with its plot, and the clones side by side, as HTML. */
#include "report/html.h"

/* A value with its unit; the unit is foreign text. */
static void
value(struct gold_str *s, double v, const char *unit)
{
    GOLD_CLEANUP_STR struct gold_str text = GOLD_STR_INIT;
    gold_report_append_value(&text, v, unit);
    gold_report_taint(s, &text);
    gold_html_text(s, gold_str_text(&text));
}

/* A metric with a plot: a block of the grid. */
static void
plotted(struct gold_str *s, const struct gold_metric *m, const char *id)
{
    gold_str_append(s, "<div><div class=\"row\">");
    gold_html_element(s, "h4", NULL, m->name);
    gold_html_verdict(s, m->verdict);
    gold_str_append(s, "</div>\n<p class=\"small\">median <b>");
    value(s, m->median, m->unit);
    gold_str_append(s, "</b>");
    if (m->has_expected) {
        gold_str_append(s, " · expected ");
        value(s, m->expected, m->unit);
        gold_report_append_tolerance(s, m);
        gold_str_append(s, " · deviation ");
        gold_report_append_deviation(s, m);
    }
    gold_str_printf(s, " · %zu %s</p>\n", m->n_samples,
                    m->n_samples == 1 ? "sample" : "samples");
    gold_report_svg(s, m, id);
    if (m->note)
        gold_html_element(s, "p", "small soft", m->note);
    gold_str_append(s, "</div>\n");
}

static void
plots(struct gold_str *s, const struct gold_measurement *m, size_t source, size_t number)
{
    GOLD_CLEANUP_STR struct gold_str id = GOLD_STR_INIT;
    bool any = false;
    for (size_t i = 0; i < m->n_metrics; i++) {
        if (!gold_report_has_plot(&m->metrics[i]))
            continue;
        gold_str_append(s, any ? "" : "<div class=\"grid\">\n");
        any = true;
        gold_str_clear(&id);
        gold_str_printf(&id, "plot-%zu-%zu-%zu", source + 1, number + 1, i + 1);
        gold_report_taint(s, &id);
        plotted(s, &m->metrics[i], gold_str_text(&id));
    }
    gold_str_append(s, any ? "</div>\n" : "");
}

/* Metrics without a plot: rows of a table. */
static void
others(struct gold_str *s, const struct gold_measurement *m)
{
    bool any = false;
    for (size_t i = 0; i < m->n_metrics; i++) {
        const struct gold_metric *metric = &m->metrics[i];
        if (gold_report_has_plot(metric))
            continue;
        gold_str_append(
            s, any ? ""
                   : "<table "
                     "class=\"small\"><thead><tr><th>Metric</th><th>Value</th><th>Expected</th>"
                     "<th>Verdict</th><th></th></tr></thead><tbody>\n");
        any = true;
        gold_str_append(s, "<tr>");
        gold_html_element(s, "td", NULL, metric->name);
        gold_str_append(s, "<td>");
        value(s, metric->median, metric->unit);
        gold_str_append(s, "</td><td>");
        if (metric->has_expected) {
            value(s, metric->expected, metric->unit);
            gold_report_append_tolerance(s, metric);
        }
        gold_str_append(s, "</td><td>");
        gold_html_verdict(s, metric->verdict);
        gold_str_append(s, "</td>");
        gold_html_element(s, "td", "soft", metric->note);
        gold_str_append(s, "</tr>\n");
    }
    gold_str_append(s, any ? "</tbody></table>\n" : "");
}

static void
about(struct gold_str *s, const struct gold_measurement *m)
{
    const struct {
        const char *before, *text;
    } parts[] = {{"disk ", m->disk}, {"on ", m->clone}, {"accelerator ", m->accelerator}};
    bool any = false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!parts[i].text)
            continue;
        gold_str_append(s, any ? " · " : " <span class=\"soft small\">");
        gold_str_append(s, parts[i].before);
        gold_html_text(s, parts[i].text);
        any = true;
    }
    gold_str_append(s, any ? "</span>" : "");
}

static void
measurement(struct gold_str *s, const struct gold_measurement *m, size_t source, size_t number)
{
    gold_str_append(s, "<div class=\"card\"><div class=\"row\"><h4>");
    gold_html_text(s, m->payload);
    about(s, m);
    gold_str_append(s, "</h4>");
    gold_html_verdict(s, m->verdict);
    gold_str_append(s, "</div>\n");
    if (m->reason)
        gold_html_element(s, "p", NULL, m->reason);
    plots(s, m, source, number);
    others(s, m);
    gold_str_append(s, "</div>\n");
}

void
gold_html_measurements(struct gold_str *s, const struct gold_source_result *src, size_t source)
{
    bool any = false;
    if (src->n_measurements == 0)
        return;
    gold_str_append(s, "<h3>Measurements</h3>\n");
    for (size_t i = 0; i < src->n_measurements; i++)
        for (size_t k = 0; k < src->measurements[i].n_metrics && !any; k++)
            any = gold_report_has_plot(&src->measurements[i].metrics[k]);
    if (any)
        gold_str_append(
            s,
            "<p class=\"key\"><span>● sample</span><span>✕ sample outside the tolerance</span>"
            "<span>◆ median</span><span>┆ expected value, in its tolerance band</span></p>\n");
    for (size_t i = 0; i < src->n_measurements; i++)
        measurement(s, &src->measurements[i], source, i);
}

static void
likeness(struct gold_str *s, const struct gold_comparison *c)
{
    static const char *const signs[] = {
        [GOLD_LIKENESS_SINGLE] = "",
        [GOLD_LIKENESS_DIFFERENT] = "≠",
        [GOLD_LIKENESS_EQUAL] = "=",
        [GOLD_LIKENESS_MIXED] = "≈",
    };
    bool different = c->likeness == GOLD_LIKENESS_DIFFERENT;
    if (c->likeness != GOLD_LIKENESS_SINGLE)
        gold_str_printf(s, "<span class=\"chip %s\">%s %s</span>",
                        different        ? "good"
                        : c->must_differ ? "bad"
                                         : "none",
                        signs[c->likeness], gold_likeness_name(c->likeness));
}

static void
clone_row(struct gold_str *s, const struct gold_source_result *src,
          const struct gold_comparison *c)
{
    bool shared = c->must_differ &&
                  (c->likeness == GOLD_LIKENESS_EQUAL || c->likeness == GOLD_LIKENESS_MIXED);
    gold_str_printf(s, "<tr%s><th scope=\"row\">", shared ? " class=\"shared\"" : "");
    gold_html_text(s, c->name);
    gold_str_append(s, "</th>");
    for (size_t i = 0; i < src->n_clones; i++) {
        gold_str_append(s, "<td class=\"value\">");
        for (size_t row = 0; row < c->rows; row++) {
            const char *text = gold_report_fact(&src->clones[i].identity, c->name, row);
            gold_str_append(s, row > 0 && text ? "<br>" : "");
            gold_html_text(s, text ? text : row == 0 ? "–" : NULL);
        }
        gold_str_append(s, "</td>");
    }
    gold_str_append(s, "<td>");
    likeness(s, c);
    gold_str_append(s, "</td></tr>\n");
}

int
gold_html_clones(struct gold_str *s, const struct gold_source_result *src,
                 struct gold_error **err)
{
    GOLD_CLEANUP(gold_comparisons_clear) struct gold_comparisons facts = {0};
    if (src->n_clones == 0)
        return 0;
    if (gold_report_compare(src, &facts, err) < 0)
        return -1;
    gold_str_append(
        s,
        "<h3>Clones side by side</h3>\n<div class=\"card plain\"><table><thead><tr><th></th>");
    for (size_t i = 0; i < src->n_clones; i++) {
        const struct gold_clone_result *c = &src->clones[i];
        gold_str_append(s, "<th scope=\"col\">");
        gold_html_text(s, c->name);
        if (c->state && !gold_streq(c->state, "bye")) {
            gold_str_append(s, " <span class=\"chip warn\">ended in state ");
            gold_html_text(s, c->state);
            gold_str_append(s, "</span>");
        }
        gold_str_append(s, "</th>");
    }
    gold_str_append(s, "<th></th></tr></thead><tbody>\n");
    for (size_t i = 0; i < facts.n && !s->failed; i++)
        clone_row(s, src, &facts.items[i]);
    gold_str_append(s, "</tbody></table></div>\n");
    return 0;
}
