/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings, operations with their effects, edits and facts of one source, as HTML. */
#include "report/html.h"

#include <string.h>

#define OPEN_UP_TO 8 /* longer lists of effects start closed */

void
gold_html_text(struct gold_str *s, const char *text)
{
    GOLD_CLEANUP_STR struct gold_str shown = GOLD_STR_INIT;
    gold_str_append_terminal(&shown, text);
    gold_report_taint(s, &shown);
    gold_str_append_xml(s, gold_str_text(&shown));
}

void
gold_html_element(struct gold_str *s, const char *tag, const char *class, const char *text)
{
    if (class)
        gold_str_printf(s, "<%s class=\"%s\">", tag, class);
    else
        gold_str_printf(s, "<%s>", tag);
    gold_html_text(s, text);
    gold_str_printf(s, "</%s>", tag);
}

const char *
gold_html_verdict_class(enum gold_verdict v)
{
    switch (v) {
    case GOLD_VERDICT_PASS:
        return "good";
    case GOLD_VERDICT_FAIL:
    case GOLD_VERDICT_ERROR:
        return "bad";
    case GOLD_VERDICT_INCONCLUSIVE:
        return "warn";
    default:
        return "none";
    }
}

const char *
gold_html_verdict_sign(enum gold_verdict v)
{
    switch (v) {
    case GOLD_VERDICT_PASS:
        return "✓";
    case GOLD_VERDICT_FAIL:
        return "✗";
    case GOLD_VERDICT_ERROR:
        return "!";
    case GOLD_VERDICT_INCONCLUSIVE:
        return "?";
    default:
        return "–";
    }
}

void
gold_html_verdict(struct gold_str *s, enum gold_verdict v)
{
    const char *name = gold_verdict_name(v);
    gold_str_printf(s, "<span class=\"chip %s\">%s %s</span>", gold_html_verdict_class(v),
                    gold_html_verdict_sign(v), name ? name : "not judged");
}

static void
finding(struct gold_str *s, const struct gold_finding *f)
{
    static const char *const classes[] = {"mark", "warn", "bad"}, *const signs[] = {"i", "!",
                                                                                    "✗"};
    if (f->waived)
        gold_str_append(s, "<tr><td><span class=\"chip none\">– waived</span></td><td>");
    else
        gold_str_printf(s, "<tr><td><span class=\"chip %s\">%s %s</span></td><td>",
                        classes[f->severity], signs[f->severity],
                        gold_severity_name(f->severity));
    gold_html_element(s, "p", NULL, f->message);
    if (f->evidence)
        gold_html_element(s, "p", "soft small", f->evidence);
    if (f->waive_reason) {
        gold_str_append(s, "<p class=\"soft small\">Waived because: ");
        gold_html_text(s, f->waive_reason);
        gold_str_append(s, "</p>");
    }
    gold_str_append(s, "</td><td>");
    if (f->file) {
        gold_str_append(s, "<code>");
        gold_html_text(s, f->file);
        if (f->line)
            gold_str_printf(s, ":%u", f->line);
        gold_str_append(s, "</code>");
    }
    gold_str_append(s, "</td><td>");
    gold_html_element(s, "code", NULL, f->id);
    gold_str_printf(s, "</td><td>%s</td></tr>\n", gold_fix_name(f->fix));
}

void
gold_html_findings(struct gold_str *s, const struct gold_source_result *src)
{
    gold_str_append(s, "<h3>Findings</h3>\n");
    if (src->n_findings == 0) {
        gold_str_append(s, "<p class=\"soft\">None.</p>\n");
        return;
    }
    gold_str_append(s, "<div class=\"card "
                       "plain\"><table><thead><tr><th>Severity</th><th>What</th><th>Where</th>"
                       "<th>Id</th><th>Fix</th></tr></thead><tbody>\n");
    for (int severity = GOLD_ERROR; severity >= GOLD_INFO; severity--)
        for (size_t i = 0; i < src->n_findings; i++)
            if (!src->findings[i].waived && (int)src->findings[i].severity == severity)
                finding(s, &src->findings[i]);
    for (size_t i = 0; i < src->n_findings; i++)
        if (src->findings[i].waived)
            finding(s, &src->findings[i]);
    gold_str_append(s, "</tbody></table></div>\n");
}

static void
effects(struct gold_str *s, const struct gold_source_result *src,
        struct gold_effect_group *group)
{
    gold_str_printf(
        s, "<details%s><summary class=\"soft small\">%zu %s</summary><ul class=\"plain\">\n",
        group->n <= OPEN_UP_TO ? " open" : "", group->n, group->n == 1 ? "change" : "changes");
    for (size_t i = 0; i < group->n; i++) {
        const struct gold_effect *e = &src->effects[group->indexes[i]];
        gold_str_append(s, "<li>");
        gold_html_element(s, "span", "soft", e->action);
        gold_str_append_char(s, ' ');
        gold_html_element(s, "code", NULL, e->path);
        if (e->detail) {
            gold_str_append_char(s, ' ');
            gold_html_element(s, "span", "soft small", e->detail);
        }
        gold_str_append(s, "</li>\n");
    }
    gold_str_append(s, "</ul></details>");
    group->shown = true;
}

static void
step(struct gold_str *s, const struct gold_source_result *src, const struct gold_step *st,
     struct gold_effect_group *group)
{
    static const char *const classes[] = {
        [GOLD_STEP_UNCHANGED] = "none",
        [GOLD_STEP_CHANGED] = "good",
        [GOLD_STEP_SKIPPED] = "none",
        [GOLD_STEP_FAILED] = "bad",
    };
    gold_str_append(s, "<tr><th scope=\"row\">");
    gold_html_text(s, st->operation);
    gold_str_printf(s, "</th><td><span class=\"chip %s\">%s</span></td><td>",
                    classes[st->status], gold_step_status_name(st->status));
    if (st->reason)
        gold_html_element(s, "p", "soft", st->reason);
    if (group && !group->shown)
        effects(s, src, group);
    gold_str_append(s, "</td></tr>\n");
}

int
gold_html_operations(struct gold_str *s, const struct gold_source_result *src,
                     struct gold_error **err)
{
    GOLD_CLEANUP_EFFECT_GROUPS struct gold_effect_groups groups = {0};
    if (src->n_steps == 0 && src->n_effects == 0)
        return 0;
    if (gold_effect_groups_make(src, &groups, err) < 0)
        return -1;
    gold_str_append(s, "<h3>Operations and what they changed</h3>\n<div class=\"card "
                       "plain\"><table><tbody>\n");
    for (size_t i = 0; i < src->n_steps; i++)
        step(s, src, &src->steps[i], gold_effect_groups_find(&groups, src->steps[i].operation));
    for (size_t i = 0; i < groups.n; i++) {
        if (groups.items[i].shown)
            continue;
        gold_str_append(s, "<tr><th scope=\"row\">");
        gold_html_text(s, groups.items[i].operation);
        gold_str_append(s, "</th><td></td><td>");
        effects(s, src, &groups.items[i]);
        gold_str_append(s, "</td></tr>\n");
    }
    gold_str_append(s, "</tbody></table></div>\n");
    return 0;
}

/* The first two lines name the files. */
static const char *
diff_class(const char *line, size_t i)
{
    if (i < 2 && (gold_str_has_prefix(line, "---") || gold_str_has_prefix(line, "+++")))
        return " class=\"hunk\"";
    switch (*line) {
    case '+':
        return " class=\"add\"";
    case '-':
        return " class=\"del\"";
    case '@':
        return " class=\"hunk\"";
    default:
        return "";
    }
}

static void
diff(struct gold_str *s, const char *text)
{
    GOLD_CLEANUP_STR struct gold_str part = GOLD_STR_INIT;
    for (size_t k = 0; *text; k++) {
        size_t n = strcspn(text, "\n");
        gold_str_printf(s, "<span%s>", diff_class(text, k));
        for (size_t i = 0, len; i < n; i += len + 1) {
            len = strcspn(text + i, "\t\n");
            gold_str_clear(&part);
            gold_str_append_len(&part, text + i, len);
            gold_report_taint(s, &part);
            gold_html_text(s, gold_str_text(&part));
            if (i + len < n)
                gold_str_append_char(s, '\t');
        }
        gold_str_append(s, n ? "</span>" : " </span>");
        text += n + (text[n] == '\n');
    }
}

void
gold_html_edits(struct gold_str *s, const struct gold_source_result *src)
{
    for (size_t i = 0; i < src->n_edits; i++) {
        gold_str_append(s, "<h3>Edit of <code>");
        gold_html_text(s, src->edits[i].file);
        gold_str_append(s, "</code></h3>\n<div class=\"card\"><pre>");
        diff(s, src->edits[i].diff);
        gold_str_append(s, "</pre></div>\n");
    }
}

void
gold_html_facts(struct gold_str *s, const struct gold_source_result *src)
{
    if (src->facts.n == 0)
        return;
    gold_str_append(s, "<h3>Facts</h3>\n<div class=\"card plain\"><table><tbody>\n");
    for (size_t i = 0; i < src->facts.n; i++) {
        gold_str_append(s, "<tr><th scope=\"row\">");
        gold_html_text(s, src->facts.items[i].name);
        gold_str_append(s, "</th>");
        gold_html_element(s, "td", "value", src->facts.items[i].value);
        gold_str_append(s, "</tr>\n");
    }
    gold_str_append(s, "</tbody></table></div>\n");
}
