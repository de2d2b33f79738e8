/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of the text rendering: what was measured, and the clones side by side. */
#include "report/paint.h"

#define WIDEST 120 /* columns that a table of clones may take; else each value gets a line */
#define INDENT 4

static const char *
verdict_word(enum gold_verdict v)
{
    const char *name = gold_verdict_name(v);
    return name ? name : "not judged";
}

/* A cell of at least `width` columns and two blanks. */
static void
cell(const struct gold_out *o, enum gold_paint paint, const char *text, size_t width)
{
    gold_out_pad(o, paint, text, width);
    gold_str_append(o->s, "  ");
}

static void
metric(const struct gold_out *o, const struct gold_metric *m)
{
    GOLD_CLEANUP_STR struct gold_str expected = GOLD_STR_INIT;
    GOLD_CLEANUP_STR struct gold_str median = GOLD_STR_INIT;
    GOLD_CLEANUP_STR struct gold_str deviation = GOLD_STR_INIT;
    GOLD_CLEANUP_STR struct gold_str samples = GOLD_STR_INIT;
    if (m->has_expected) {
        gold_report_append_value(&expected, m->expected, m->unit);
        gold_report_append_tolerance(&expected, m);
    }
    gold_report_append_value(&median, m->median, m->unit);
    gold_report_append_deviation(&deviation, m);
    gold_str_printf(&samples, "%zu", m->n_samples);
    gold_report_taint(o->s, &expected);
    gold_report_taint(o->s, &median);
    gold_report_taint(o->s, &deviation);
    gold_report_taint(o->s, &samples);
    gold_out_blanks(o, INDENT + 2);
    cell(o, GOLD_PAINT_NONE, m->name, 24);
    cell(o, GOLD_PAINT_NONE, m->has_expected ? gold_str_text(&expected) : "–", 18);
    cell(o, GOLD_PAINT_BOLD, gold_str_text(&median), 12);
    cell(o, GOLD_PAINT_NONE, gold_str_text(&deviation), 9);
    cell(o, GOLD_PAINT_NONE, gold_str_text(&samples), 7);
    gold_out_paint(o, gold_paint_of_verdict(m->verdict), verdict_word(m->verdict));
    gold_str_append_char(o->s, '\n');
    if (m->note) {
        gold_out_blanks(o, INDENT + 4);
        gold_out_paint(o, GOLD_PAINT_DIM, m->note);
        gold_str_append_char(o->s, '\n');
    }
}

static void
measurement(const struct gold_out *o, const struct gold_measurement *m)
{
    const struct {
        const char *before, *text;
    } parts[] = {
        {" of disk ", m->disk}, {" on ", m->clone}, {", accelerator ", m->accelerator}};
    gold_out_blanks(o, INDENT);
    gold_out_paint(o, GOLD_PAINT_BOLD, m->payload);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!parts[i].text)
            continue;
        gold_str_append(o->s, parts[i].before);
        gold_out_paint(o, GOLD_PAINT_NONE, parts[i].text);
    }
    gold_str_append(o->s, ": ");
    gold_out_paint(o, gold_paint_of_verdict(m->verdict), verdict_word(m->verdict));
    if (m->reason) {
        gold_str_append(o->s, ": ");
        gold_out_paint(o, GOLD_PAINT_NONE, m->reason);
    }
    gold_str_append_char(o->s, '\n');
    if (m->n_metrics == 0)
        return;
    gold_out_blanks(o, INDENT + 2);
    cell(o, GOLD_PAINT_DIM, "metric", 24);
    cell(o, GOLD_PAINT_DIM, "expected", 18);
    cell(o, GOLD_PAINT_DIM, "median", 12);
    cell(o, GOLD_PAINT_DIM, "deviation", 9);
    cell(o, GOLD_PAINT_DIM, "samples", 7);
    gold_out_paint(o, GOLD_PAINT_DIM, "verdict");
    gold_str_append_char(o->s, '\n');
    for (size_t i = 0; i < m->n_metrics; i++)
        metric(o, &m->metrics[i]);
}

void
gold_text_measurements(const struct gold_out *o, const struct gold_source_result *src)
{
    if (src->n_measurements == 0)
        return;
    gold_str_append(o->s, "\n  ");
    gold_out_paint(o, GOLD_PAINT_BOLD, "Measurements");
    gold_str_append_char(o->s, '\n');
    for (size_t i = 0; i < src->n_measurements; i++)
        measurement(o, &src->measurements[i]);
}

static void
likeness(const struct gold_out *o, const struct gold_comparison *c)
{
    bool shared = c->likeness == GOLD_LIKENESS_EQUAL || c->likeness == GOLD_LIKENESS_MIXED;
    if (c->likeness == GOLD_LIKENESS_SINGLE)
        return;
    gold_out_paint(o,
                   shared && c->must_differ ? GOLD_PAINT_BAD
                   : shared                 ? GOLD_PAINT_NONE
                                            : GOLD_PAINT_GOOD,
                   gold_likeness_name(c->likeness));
}

static size_t
widest_value(const struct gold_out *o, const struct gold_clone_result *clone)
{
    size_t widest = gold_out_width(o, clone->name);
    for (size_t i = 0; i < clone->identity.n; i++) {
        size_t n = gold_out_width(o, clone->identity.items[i].value);
        widest = n > widest ? n : widest;
    }
    return widest;
}

static void
table_row(const struct gold_out *o, const struct gold_source_result *src,
          const struct gold_comparison *c, size_t row, const size_t *widths)
{
    gold_out_blanks(o, INDENT);
    cell(o, GOLD_PAINT_NONE, row == 0 ? c->name : "", widths[src->n_clones]);
    for (size_t i = 0; i < src->n_clones; i++) {
        const char *value = gold_report_fact(&src->clones[i].identity, c->name, row);
        cell(o, GOLD_PAINT_NONE, value ? value : row == 0 ? "–" : "", widths[i]);
    }
    if (row == 0)
        likeness(o, c);
    gold_str_append_char(o->s, '\n');
}

/* widths: of each clone's column, and behind them of the names. */
static void
clones_table(const struct gold_out *o, const struct gold_source_result *src,
             const struct gold_comparisons *facts, const size_t *widths)
{
    gold_out_blanks(o, INDENT);
    cell(o, GOLD_PAINT_NONE, "", widths[src->n_clones]);
    for (size_t i = 0; i < src->n_clones; i++)
        cell(o, GOLD_PAINT_BOLD, src->clones[i].name, widths[i]);
    gold_str_append_char(o->s, '\n');
    for (size_t i = 0; i < facts->n; i++)
        for (size_t row = 0; row < facts->items[i].rows; row++)
            table_row(o, src, &facts->items[i], row, widths);
}

static void
clones_list(const struct gold_out *o, const struct gold_source_result *src,
            const struct gold_comparisons *facts, size_t name_width)
{
    for (size_t i = 0; i < facts->n && !o->s->failed; i++) {
        const struct gold_comparison *c = &facts->items[i];
        gold_out_blanks(o, INDENT);
        cell(o, GOLD_PAINT_NONE, c->name, 0);
        likeness(o, c);
        gold_str_append_char(o->s, '\n');
        for (size_t k = 0; k < src->n_clones; k++)
            for (size_t row = 0; row < c->rows; row++) {
                const char *value = gold_report_fact(&src->clones[k].identity, c->name, row);
                if (!value && row > 0)
                    continue;
                gold_out_blanks(o, INDENT + 2);
                cell(o, GOLD_PAINT_BOLD, row == 0 ? src->clones[k].name : "", name_width);
                gold_out_paint(o, GOLD_PAINT_NONE, value ? value : "–");
                gold_str_append_char(o->s, '\n');
            }
    }
}

static void
clone_states(const struct gold_out *o, const struct gold_source_result *src)
{
    for (size_t i = 0; i < src->n_clones; i++) {
        if (!src->clones[i].state || gold_streq(src->clones[i].state, "bye"))
            continue;
        gold_out_blanks(o, INDENT);
        gold_out_paint(o, GOLD_PAINT_BOLD, src->clones[i].name);
        gold_str_append(o->s, " ended in state ");
        gold_out_paint(o, GOLD_PAINT_WARN, src->clones[i].state);
        gold_str_append_char(o->s, '\n');
    }
}

int
gold_text_clones(const struct gold_out *o, const struct gold_source_result *src,
                 struct gold_error **err)
{
    GOLD_CLEANUP(gold_comparisons_clear) struct gold_comparisons facts = {0};
    if (src->n_clones == 0)
        return 0;
    if (gold_report_compare(src, &facts, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE size_t *widths = calloc(src->n_clones + 1, sizeof(*widths));
    if (!widths)
        return gold_error_set_nomem(err);
    size_t names = 0, clone_names = 0, total = INDENT + 2;
    for (size_t i = 0; i < facts.n; i++) {
        size_t n = gold_out_width(o, facts.items[i].name);
        names = n > names ? n : names;
    }
    widths[src->n_clones] = names;
    for (size_t i = 0; i < src->n_clones; i++) {
        size_t n = gold_out_width(o, src->clones[i].name);
        clone_names = n > clone_names ? n : clone_names;
        widths[i] = widest_value(o, &src->clones[i]);
        total += widths[i] + 2;
    }
    gold_str_append(o->s, "\n  ");
    gold_out_paint(o, GOLD_PAINT_BOLD, "Clones");
    gold_str_append_char(o->s, '\n');
    clone_states(o, src);
    if (total + names <= WIDEST)
        clones_table(o, src, &facts, widths);
    else
        clones_list(o, src, &facts, clone_names);
    return 0;
}
