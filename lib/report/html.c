/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The document as one page that needs nothing else: no script, no font, no picture, no link,
 * and a policy that forbids the browser to load any. The same document always gives the same
 * bytes.
 */
#include "report/html.h"

static void
tile(struct gold_str *s, size_t n, const char *one, const char *many)
{
    gold_str_printf(s, "<li><b>%zu</b><span>%s</span></li>\n", n, n == 1 ? one : many);
}

static void
tiles(struct gold_str *s, const struct gold_document *doc)
{
    struct gold_report_counts n = gold_report_count(doc);
    size_t changes = 0, clones = 0;
    for (size_t i = 0; i < doc->n_sources; i++) {
        changes += doc->sources[i].n_effects;
        clones += doc->sources[i].n_clones;
    }
    gold_str_append(s, "<ul class=\"tiles\">\n");
    tile(s, n.ok, "source ok", "sources ok");
    tile(s, n.failed, "source failed", "sources failed");
    tile(s, n.findings[GOLD_ERROR], "error", "errors");
    tile(s, n.findings[GOLD_WARNING], "warning", "warnings");
    tile(s, n.findings[GOLD_INFO], "info", "infos");
    if (n.waived)
        tile(s, n.waived, "finding waived", "findings waived");
    if (changes)
        tile(s, changes, "change", "changes");
    if (clones)
        tile(s, clones, "clone", "clones");
    gold_str_append(s, "</ul>\n");
}

static void
title(struct gold_str *s, const struct gold_document *doc)
{
    gold_str_append(s, gold_report_headline(doc).word);
    gold_str_append(s, ": goldsmith ");
    gold_html_text(s, doc->command);
    if (doc->n_sources == 1) {
        gold_str_append_char(s, ' ');
        gold_html_text(s, doc->sources[0].source);
    } else {
        gold_str_printf(s, ", %zu sources", doc->n_sources);
    }
}

static void
head(struct gold_str *s, const struct gold_document *doc)
{
    gold_str_append(
        s, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
           "style-src 'unsafe-inline'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    title(s, doc);
    gold_str_append(s, "</title>\n<style>\n");
    gold_str_append(s, gold_html_style);
    gold_str_append(s, "</style>\n</head>\n<body>\n");
}

static void
banner(struct gold_str *s, const struct gold_document *doc)
{
    struct gold_headline h = gold_report_headline(doc);
    gold_str_printf(s,
                    "<header class=\"%s\"><div>\n<h1>%s %s</h1>\n<p class=\"what\">goldsmith ",
                    gold_html_verdict_class(h.tone), gold_html_verdict_sign(h.tone), h.word);
    gold_html_text(s, doc->command);
    if (doc->n_sources == 1) {
        gold_str_append(s, " of ");
        gold_html_element(s, "b", NULL, doc->sources[0].source);
    }
    if (doc->dry_run)
        gold_str_append(s, " — dry run: nothing was changed");
    gold_str_append(s, "</p>\n<p class=\"meta\">");
    if (doc->started) {
        gold_html_text(s, doc->started);
        gold_str_append(s, " · ");
    }
    gold_str_append(s, "goldsmith ");
    gold_html_text(s, doc->version);
    gold_str_append(s, "</p>\n");
    tiles(s, doc);
    gold_str_append(s, "</div></header>\n");
}

static void
source_head(struct gold_str *s, const struct gold_source_result *src)
{
    gold_str_append(s, "<h2>");
    gold_html_text(s, src->source);
    if (src->kind) {
        gold_str_append(s, " <span class=\"soft small\">");
        gold_html_text(s, src->kind);
        gold_str_append(s, "</span>");
    }
    if (src->error)
        gold_str_append(s, " <span class=\"chip bad\">✗ failed</span>");
    else if (src->verdict != GOLD_VERDICT_NONE)
        gold_html_verdict(s, src->verdict);
    else
        gold_str_append(s, " <span class=\"chip none\">ok</span>");
    gold_str_append(s, "</h2>\n");
    if (!src->error)
        return;
    gold_str_append(s, "<div class=\"card\">");
    gold_html_element(s, "p", NULL, src->error);
    if (src->hint)
        gold_html_element(s, "p", "soft", src->hint);
    gold_str_append(s, "</div>\n");
}

int
gold_report_html(struct gold_str *s, const struct gold_document *doc, struct gold_error **err)
{
    head(s, doc);
    banner(s, doc);
    gold_str_append(s, "<main>\n");
    for (size_t i = 0; i < doc->n_sources && !s->failed; i++) {
        const struct gold_source_result *src = &doc->sources[i];
        gold_str_append(s, "<section>\n");
        source_head(s, src);
        gold_html_findings(s, src);
        gold_html_measurements(s, src, i);
        if (gold_html_clones(s, src, err) < 0 || gold_html_operations(s, src, err) < 0)
            return -1;
        gold_html_edits(s, src);
        gold_html_facts(s, src);
        gold_str_append(s, "</section>\n");
    }
    gold_str_append(s, "</main>\n<footer>Made by goldsmith ");
    gold_html_text(s, doc->version);
    gold_str_append(
        s,
        ". What the document says is shown as it stands; nothing is computed anew.</footer>\n"
        "</body>\n</html>\n");
    return 0;
}
