/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The document for people at a terminal: the verdict first, then per source what was found,
 * done and measured. Without `verbose` long lists are cut, and say so; a dry run is never cut,
 * because it is what the user decides by.
 */
#include <string.h>

#include "report/group.h"
#include "report/paint.h"

#define EFFECTS_SHOWN 6  /* per operation, unless verbose */
#define DIFF_SHOWN    60 /* lines, unless verbose */

static void
plain(const struct gold_out *o, const char *text)
{
    gold_str_append(o->s, text);
}

static void
heading(const struct gold_out *o, const char *text)
{
    plain(o, "\n  ");
    gold_out_paint(o, GOLD_PAINT_BOLD, text);
    plain(o, "\n");
}

/* Text that may have several lines, each one indented. */
static void
indented(const struct gold_out *o, size_t indent, enum gold_paint paint, const char *text)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;
    while (*text) {
        size_t n = strcspn(text, "\n");
        gold_str_clear(&line);
        gold_str_append_len(&line, text, n);
        gold_report_taint(o->s, &line);
        gold_out_blanks(o, indent);
        gold_out_paint(o, paint, gold_str_text(&line));
        plain(o, "\n");
        text += n + (text[n] == '\n');
    }
}

static void
counted(const struct gold_out *o, size_t n, const char *one, const char *many)
{
    gold_str_printf(o->s, "%zu %s", n, n == 1 ? one : many);
}

static void
findings_line(const struct gold_out *o, const struct gold_report_counts *n)
{
    counted(o, n->findings[GOLD_ERROR], "error", "errors");
    plain(o, ", ");
    counted(o, n->findings[GOLD_WARNING], "warning", "warnings");
    gold_str_printf(o->s, ", %zu info", n->findings[GOLD_INFO]);
    if (n->waived)
        gold_str_printf(o->s, ", %zu waived", n->waived);
}

static void
head(const struct gold_out *o, const struct gold_document *doc)
{
    struct gold_report_counts n = gold_report_count(doc);
    struct gold_headline h = gold_report_headline(doc);
    gold_out_paint(
        o, h.tone == GOLD_VERDICT_NONE ? GOLD_PAINT_BOLD : gold_paint_of_verdict(h.tone),
        h.word);
    plain(o, "  goldsmith ");
    gold_out_paint(o, GOLD_PAINT_NONE, doc->command);
    if (doc->dry_run)
        plain(o, " (dry run: nothing was changed)");
    plain(o, ": ");
    counted(o, n.sources, "source", "sources");
    gold_str_printf(o->s, ", %zu ok, %zu failed; ", n.ok, n.failed);
    findings_line(o, &n);
    plain(o, "\n");
}

static void
place(const struct gold_out *o, const struct gold_finding *f)
{
    if (!f->file)
        return;
    gold_out_paint(o, GOLD_PAINT_MARK, f->file);
    if (f->line)
        gold_str_printf(o->s, ":%u", f->line);
    plain(o, ": ");
}

static void
finding(const struct gold_out *o, const struct gold_finding *f)
{
    plain(o, "    ");
    gold_out_pad(o, f->waived ? GOLD_PAINT_DIM : gold_paint_of_severity(f->severity),
                 f->waived ? "waived" : gold_severity_name(f->severity), 9);
    place(o, f);
    gold_out_paint(o, GOLD_PAINT_NONE, f->message);
    plain(o, " [");
    gold_out_paint(o, GOLD_PAINT_DIM, f->id);
    if (f->fix != GOLD_FIX_NONE)
        gold_str_printf(o->s, ", fix: %s", gold_fix_name(f->fix));
    plain(o, "]\n");
    if (f->evidence)
        indented(o, 13, GOLD_PAINT_DIM, f->evidence);
    if (f->waived && f->waive_reason) {
        gold_out_blanks(o, 13);
        plain(o, "because: ");
        gold_out_paint(o, GOLD_PAINT_NONE, f->waive_reason);
        plain(o, "\n");
    }
}

/* The worst first, the waived last; within these as they were found. */
static void
findings(const struct gold_out *o, const struct gold_source_result *src)
{
    if (src->n_findings == 0)
        return;
    heading(o, "Findings");
    for (int severity = GOLD_ERROR; severity >= GOLD_INFO; severity--)
        for (size_t i = 0; i < src->n_findings; i++)
            if (!src->findings[i].waived && (int)src->findings[i].severity == severity)
                finding(o, &src->findings[i]);
    for (size_t i = 0; i < src->n_findings; i++)
        if (src->findings[i].waived)
            finding(o, &src->findings[i]);
}

static void
effects(const struct gold_out *o, const struct gold_source_result *src,
        struct gold_effect_group *group, size_t most)
{
    for (size_t i = 0; i < group->n && i < most; i++) {
        const struct gold_effect *e = &src->effects[group->indexes[i]];
        plain(o, "      ");
        gold_out_pad(o, GOLD_PAINT_NONE, e->action, 10);
        gold_out_paint(o, GOLD_PAINT_MARK, e->path);
        if (e->detail) {
            plain(o, "  ");
            gold_out_paint(o, GOLD_PAINT_DIM, e->detail);
        }
        plain(o, "\n");
    }
    if (group->n > most)
        gold_str_printf(o->s, "      and %zu more (-v shows them)\n", group->n - most);
    group->shown = true;
}

static void
step(const struct gold_out *o, const struct gold_step *s)
{
    static const enum gold_paint paints[] = {
        [GOLD_STEP_UNCHANGED] = GOLD_PAINT_DIM,
        [GOLD_STEP_CHANGED] = GOLD_PAINT_GOOD,
        [GOLD_STEP_SKIPPED] = GOLD_PAINT_DIM,
        [GOLD_STEP_FAILED] = GOLD_PAINT_BAD,
    };
    plain(o, "    ");
    gold_out_pad(o, GOLD_PAINT_BOLD, s->operation, 22);
    plain(o, "  ");
    gold_out_paint(o, paints[s->status], gold_step_status_name(s->status));
    if (s->reason) {
        plain(o, ": ");
        gold_out_paint(o, GOLD_PAINT_NONE, s->reason);
    }
    plain(o, "\n");
}

/* Without verbose the operations that had nothing to do share one line. */
static void
unchanged(const struct gold_out *o, const struct gold_source_result *src)
{
    size_t n = 0;
    for (size_t i = 0; i < src->n_steps; i++) {
        if (src->steps[i].status != GOLD_STEP_UNCHANGED)
            continue;
        plain(o, n++ ? ", " : "    nothing to do: ");
        gold_out_paint(o, GOLD_PAINT_DIM, src->steps[i].operation);
    }
    if (n)
        plain(o, "\n");
}

static int
operations(const struct gold_out *o, const struct gold_source_result *src, bool all,
           struct gold_error **err)
{
    GOLD_CLEANUP_EFFECT_GROUPS struct gold_effect_groups groups = {0};
    size_t most = all ? SIZE_MAX : EFFECTS_SHOWN;
    if (src->n_steps == 0 && src->n_effects == 0)
        return 0;
    if (gold_effect_groups_make(src, &groups, err) < 0)
        return -1;
    heading(o, "Operations");
    for (size_t i = 0; i < src->n_steps; i++) {
        const struct gold_step *s = &src->steps[i];
        struct gold_effect_group *group = gold_effect_groups_find(&groups, s->operation);
        if (s->status == GOLD_STEP_UNCHANGED && !o->verbose && !group)
            continue;
        step(o, s);
        if (group && !group->shown)
            effects(o, src, group, most);
    }
    if (!o->verbose)
        unchanged(o, src);
    for (size_t i = 0; i < groups.n; i++) {
        if (groups.items[i].shown)
            continue;
        plain(o, "    ");
        gold_out_paint(o, GOLD_PAINT_BOLD, groups.items[i].operation);
        plain(o, "\n");
        effects(o, src, &groups.items[i], most);
    }
    return 0;
}

/* The first two lines name the files. */
static enum gold_paint
paint_of_diff(const char *line, size_t i)
{
    if (i < 2 && (gold_str_has_prefix(line, "---") || gold_str_has_prefix(line, "+++")))
        return GOLD_PAINT_BOLD;
    switch (*line) {
    case '+':
        return GOLD_PAINT_GOOD;
    case '-':
        return GOLD_PAINT_BAD;
    case '@':
        return GOLD_PAINT_MARK;
    default:
        return GOLD_PAINT_NONE;
    }
}

/* Tabs stay tabs: they are what the file has, and harmless. */
static void
diff_line(const struct gold_out *o, const char *line, enum gold_paint paint)
{
    GOLD_CLEANUP_STR struct gold_str part = GOLD_STR_INIT;
    plain(o, "    ");
    while (*line) {
        size_t n = strcspn(line, "\t");
        gold_str_clear(&part);
        gold_str_append_len(&part, line, n);
        gold_report_taint(o->s, &part);
        gold_out_paint(o, paint, gold_str_text(&part));
        if (line[n] == '\t')
            plain(o, "\t");
        line += n + (line[n] == '\t');
    }
    plain(o, "\n");
}

static void
edit(const struct gold_out *o, const struct gold_edit *e, bool all)
{
    GOLD_CLEANUP_STR struct gold_str line = GOLD_STR_INIT;
    size_t n = 0, hidden = 0;
    for (const char *p = e->diff; *p; n++) {
        size_t len = strcspn(p, "\n");
        gold_str_clear(&line);
        gold_str_append_len(&line, p, len);
        gold_report_taint(o->s, &line);
        if (all || n < DIFF_SHOWN)
            diff_line(o, gold_str_text(&line), paint_of_diff(gold_str_text(&line), n));
        else
            hidden++;
        p += len + (p[len] == '\n');
    }
    if (hidden)
        gold_str_printf(o->s, "    and %zu more lines (-v shows them)\n", hidden);
}

static void
edits(const struct gold_out *o, const struct gold_source_result *src, bool all)
{
    for (size_t i = 0; i < src->n_edits; i++) {
        GOLD_CLEANUP_STR struct gold_str title = GOLD_STR_INIT;
        gold_str_printf(&title, "Edit of %s", src->edits[i].file);
        gold_report_taint(o->s, &title);
        heading(o, gold_str_text(&title));
        edit(o, &src->edits[i], all);
    }
}

static void
facts(const struct gold_out *o, const struct gold_source_result *src)
{
    if (src->facts.n == 0)
        return;
    heading(o, "Facts");
    for (size_t i = 0; i < src->facts.n; i++) {
        plain(o, "    ");
        gold_out_pad(o, GOLD_PAINT_NONE, src->facts.items[i].name, 22);
        plain(o, "  ");
        gold_out_paint(o, GOLD_PAINT_NONE, src->facts.items[i].value);
        plain(o, "\n");
    }
}

static void
source_line(const struct gold_out *o, const struct gold_source_result *src)
{
    plain(o, "\n");
    gold_out_paint(o, GOLD_PAINT_BOLD, src->source);
    if (src->kind) {
        plain(o, " (");
        gold_out_paint(o, GOLD_PAINT_NONE, src->kind);
        plain(o, ")");
    }
    plain(o, ": ");
    if (src->error) {
        gold_out_paint(o, GOLD_PAINT_BAD, "failed");
        plain(o, "\n  error: ");
        gold_out_paint(o, GOLD_PAINT_NONE, src->error);
    } else if (src->verdict != GOLD_VERDICT_NONE) {
        gold_out_paint(o, gold_paint_of_verdict(src->verdict), gold_verdict_name(src->verdict));
    } else {
        gold_out_paint(o, GOLD_PAINT_GOOD, "ok");
    }
    plain(o, "\n");
    if (src->error && src->hint) {
        plain(o, "  hint: ");
        gold_out_paint(o, GOLD_PAINT_NONE, src->hint);
        plain(o, "\n");
    }
}

int
gold_report_text(struct gold_str *s, const struct gold_document *doc,
                 const struct gold_report_options *opts, struct gold_error **err)
{
    struct gold_out o = {
        .s = s, .color = opts && opts->color, .verbose = opts && opts->verbose};
    bool all = o.verbose || doc->dry_run;
    head(&o, doc);
    for (size_t i = 0; i < doc->n_sources && !s->failed; i++) {
        const struct gold_source_result *src = &doc->sources[i];
        source_line(&o, src);
        facts(&o, src);
        findings(&o, src);
        if (operations(&o, src, all, err) < 0)
            return -1;
        edits(&o, src, all);
        gold_text_measurements(&o, src);
        if (gold_text_clones(&o, src, err) < 0)
            return -1;
    }
    return 0;
}
