/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is shown while a command still runs: single texts and progress events, made safe for
 * where they go. */
#include <goldsmith/report.h>

#include <jansson.h>

#include "core/str.h"

char *
gold_report_escape(const char *text)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    gold_str_append_terminal(&s, text);
    return gold_str_steal(&s, NULL, NULL);
}

/* Guest text may be no UTF-8; JSON must be. */
static json_t *
safe_string(const char *text)
{
    char *safe = text ? gold_report_escape(text) : NULL;
    json_t *json = safe ? json_string(safe) : json_null();
    free(safe);
    return json;
}

char *
gold_report_progress(const struct gold_progress_event *event)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o}", "source", safe_string(event->source), "phase",
                  safe_string(event->phase), "detail", safe_string(event->detail), "fraction",
                  event->fraction >= 0 ? json_real(event->fraction) : json_null());
    char *line = object ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return line;
}
