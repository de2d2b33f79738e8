/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds values again in a text that jansson has accepted. A step into an object is found by
 * position, because jansson keeps the order of members and duplicates were refused; so escapes
 * in keys do not matter. Only used for messages.
 */
#include "report/locate.h"

#include <string.h>

void
gold_json_path_append(struct gold_str *s, const struct gold_json_path *path)
{
    if (!path)
        return;
    gold_json_path_append(s, path->parent);
    if (path->key)
        gold_str_printf(s, "%s%.60s", path->parent ? "." : "", path->key);
    else
        gold_str_printf(s, "[%zu]", path->index);
}

/* Which member or element it is, or -1. */
static long
position(const struct gold_json_path *step)
{
    long i = 0;
    const char *key;
    json_t *value;
    if (!step->key)
        return (long)step->index;
    json_object_foreach((json_t *)step->container, key, value)
    {
        if (strcmp(key, step->key) == 0)
            return i;
        i++;
    }
    return -1;
}

struct scan {
    const char *p, *end;
};

static void
skip_blanks(struct scan *s)
{
    while (s->p < s->end && strchr(" \t\r\n", *s->p) && *s->p)
        s->p++;
}

static void
skip_string(struct scan *s)
{
    for (s->p++; s->p < s->end && *s->p != '"'; s->p++)
        if (*s->p == '\\')
            s->p++;
    s->p++;
}

/* One value, whatever it holds. */
static void
skip_value(struct scan *s)
{
    size_t depth = 0;
    do {
        skip_blanks(s);
        if (s->p >= s->end)
            return;
        if (*s->p == '"') {
            skip_string(s);
        } else if (*s->p == '{' || *s->p == '[') {
            depth++;
            s->p++;
        } else if (*s->p == '}' || *s->p == ']') {
            depth--;
            s->p++;
        } else if (*s->p == ',' || *s->p == ':') {
            s->p++;
        } else {
            s->p++;
            while (s->p < s->end && !strchr(" \t\r\n,:]}\"[{", *s->p))
                s->p++;
        }
    } while (depth > 0);
}

/* From the start of a container to the start of its n-th value. */
static bool
enter(struct scan *s, bool object, long n)
{
    s->p++;
    for (long i = 0; s->p < s->end; i++) {
        skip_blanks(s);
        if (object) {
            skip_string(s);
            skip_blanks(s);
            s->p++; /* the colon */
            skip_blanks(s);
        }
        if (i == n)
            return s->p < s->end;
        skip_value(s);
        skip_blanks(s);
        s->p++; /* the comma */
    }
    return false;
}

static bool
walk(struct scan *s, const struct gold_json_path *path)
{
    if (!path) {
        skip_blanks(s);
        return s->p < s->end;
    }
    long n = position(path);
    return n >= 0 && walk(s, path->parent) && enter(s, path->key != NULL, n);
}

bool
gold_json_locate(const char *text, size_t len, const struct gold_json_path *path,
                 unsigned *ret_line, unsigned *ret_column)
{
    struct scan s = {.p = text, .end = text + len};
    unsigned line = 1, column = 1;
    if (!walk(&s, path))
        return false;
    for (const char *p = text; p < s.p; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*p & 0xC0) != 0x80) {
            column++;
        }
    }
    *ret_line = line;
    *ret_column = column;
    return true;
}

size_t
gold_json_count(const char *text, size_t len)
{
    size_t n = 1;
    bool string = false;
    for (size_t i = 0; i < len; i++) {
        if (string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            string = !string;
        else if (!string && (text[i] == ',' || text[i] == '[' || text[i] == '{'))
            n++;
    }
    return n;
}
