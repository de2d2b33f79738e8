/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strings that grow, and the JSON that the channel speaks. Only writing: the agent reads no
 * JSON. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

void
gold_agent_text_done(struct gold_agent_text *t)
{
    free(t->data);
    *t = (struct gold_agent_text){0};
}

static bool
make_room(struct gold_agent_text *t, size_t more)
{
    if (t->failed || more > GOLD_AGENT_TEXT_MAX || t->len + more > GOLD_AGENT_TEXT_MAX) {
        t->failed = true;
        return false;
    }
    if (t->len + more + 1 <= t->cap)
        return true;
    size_t cap = t->cap ? t->cap : 256;
    while (cap < t->len + more + 1)
        cap *= 2;
    char *bigger = realloc(t->data, cap);
    if (!bigger) {
        t->failed = true;
        return false;
    }
    t->data = bigger;
    t->cap = cap;
    return true;
}

void
gold_agent_text_add(struct gold_agent_text *t, const void *bytes, size_t len)
{
    if (!make_room(t, len))
        return;
    memcpy(t->data + t->len, bytes, len);
    t->len += len;
    t->data[t->len] = '\0';
}

void
gold_agent_text_printf(struct gold_agent_text *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0 || !make_room(t, (size_t)len)) {
        t->failed = true;
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf(t->data + t->len, (size_t)len + 1, fmt, args);
    va_end(args);
    t->len += (size_t)len;
}

/* Length of the well-formed UTF-8 sequence at p, 0 when there is none. */
static size_t
utf8_length(const unsigned char *p)
{
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
               : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
               : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) /* the terminating NUL ends here too */
            return 0;
    }
    if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f)))
        return 0;
    if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)))
        return 0;
    return n;
}

void
gold_agent_text_json(struct gold_agent_text *t, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    gold_agent_text_add(t, "\"", 1);
    while (*p) {
        size_t n = utf8_length(p);
        if (n == 0)
            gold_agent_text_add(t, "\\ufffd", 6);
        else if (*p == '"' || *p == '\\')
            gold_agent_text_printf(t, "\\%c", *p);
        else if (*p < 0x20 || *p == 0x7f)
            gold_agent_text_printf(t, "\\u%04x", *p);
        else
            gold_agent_text_add(t, p, n);
        p += n ? n : 1;
    }
    gold_agent_text_add(t, "\"", 1);
}
