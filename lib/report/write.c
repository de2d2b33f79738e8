/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Renders in one of the formats, to memory or to a file that is replaced as a whole. */
#include "core/limits.h"
#include "core/replace.h"
#include "report/render.h"

static int
render(struct gold_str *s, const struct gold_document *doc, enum gold_report_format format,
       const struct gold_report_options *opts, struct gold_error **err)
{
    switch (format) {
    case GOLD_REPORT_JSON:
        return gold_report_json(s, doc, err);
    case GOLD_REPORT_TEXT:
        return gold_report_text(s, doc, opts, err);
    case GOLD_REPORT_HTML:
        return gold_report_html(s, doc, err);
    }
    gold_error_set(err, GOLD_ERROR_USAGE, "no such report format");
    return -1;
}

int
gold_report_render_within(const struct gold_document *doc, enum gold_report_format format,
                          const struct gold_report_options *opts, size_t limit, char **ret_text,
                          size_t *ret_len, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = {.limit = limit};
    size_t len = 0;
    if (render(&s, doc, format, opts, err) < 0 || gold_str_finish(&s, "report", err) < 0)
        return -1;
    char *text = gold_str_steal(&s, &len, err);
    if (!text)
        return -1;
    *ret_text = text;
    if (ret_len)
        *ret_len = len;
    return 0;
}

int
gold_report_render(const struct gold_document *doc, enum gold_report_format format,
                   const struct gold_report_options *opts, char **ret_text, size_t *ret_len,
                   struct gold_error **err)
{
    return gold_report_render_within(doc, format, opts, GOLD_REPORT_LIMIT, ret_text, ret_len,
                                     err);
}

int
gold_report_write(const struct gold_document *doc, enum gold_report_format format,
                  const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_report_render(doc, format, NULL, &text, &len, err) < 0 ||
        gold_replace_file(path, text, len, 0, 0644, err) < 0) {
        gold_error_prefix(err, "cannot write report '%s'", path);
        return -1;
    }
    return 0;
}
