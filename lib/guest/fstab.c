/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Readers for the few line-based files that inspection needs. They are lenient, as the programs
 * in the guest are, and bounded, as those are not. They do not decide what a line means.
 */
#include "guest/fstab.h"

#include <string.h>

#include "core/str.h"

#define LINES_MOST 4096
#define VALUE_MOST 256

void
gold_fstab_done(struct gold_fstab *t)
{
    for (size_t i = 0; i < t->n; i++)
        for (size_t f = 0; f < 4; f++)
            free(t->lines[i].field[f]);
    free(t->lines);
    *t = (struct gold_fstab){0};
}

static bool
is_octal(const char *p, size_t left)
{
    return left >= 4 && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
           p[3] >= '0' && p[3] <= '7';
}

/* The next field of [*p, end) without its escapes; an empty one at the end. */
static char *
take_field(const char **p, const char *end, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    while (*p < end && (**p == ' ' || **p == '\t'))
        (*p)++;
    while (*p < end && **p != ' ' && **p != '\t') {
        char c = **p;
        size_t step = 1;
        if (c == '\\' && is_octal(*p, (size_t)(end - *p))) {
            c = (char)((*p)[1] - '0') * 64 + ((*p)[2] - '0') * 8 + ((*p)[3] - '0');
            step = 4;
        }
        if (c != '\0')
            gold_str_append_char(&s, c);
        *p += step;
    }
    return gold_str_steal(&s, NULL, err);
}

static int
parse_line(const char *p, const char *end, unsigned number, struct gold_fstab *t,
           struct gold_error **err)
{
    if (end > p && end[-1] == '\r')
        end--;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    if (p == end || *p == '#')
        return 0;
    struct gold_fstab_line *line = gold_array_add(&t->lines, &t->n, sizeof *line, err);
    if (!line)
        return -1;
    line->line = number;
    for (size_t f = 0; f < 4; f++) {
        line->field[f] = take_field(&p, end, err);
        if (!line->field[f])
            return -1;
    }
    if (line->field[1][0] == '\0') {
        for (size_t f = 0; f < 4; f++)
            free(line->field[f]);
        t->n--;
    }
    return 0;
}

int
gold_fstab_parse(const char *text, size_t len, struct gold_fstab *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FSTAB struct gold_fstab t = {0};
    const char *end = text + len;
    unsigned number = 0;
    for (const char *p = text; p < end && number < LINES_MOST;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol)
            eol = end;
        if (parse_line(p, eol, ++number, &t, err) < 0)
            return -1;
        p = eol + 1;
    }
    *ret = t;
    t = (struct gold_fstab){0};
    return 0;
}

bool
gold_fstab_has_option(const char *options, const char *option, const char **ret_value)
{
    size_t len = strlen(option);
    bool prefix = len > 0 && option[len - 1] == '=';
    for (const char *p = options; *p;) {
        size_t n = strcspn(p, ",");
        if (n >= len && strncmp(p, option, len) == 0 && (prefix || n == len)) {
            if (ret_value)
                *ret_value = p + len;
            return true;
        }
        p += n;
        if (*p == ',')
            p++;
    }
    return false;
}

/* Undoes the shell's quoting of [p, end) as far as os-release(5) allows it. */
static void
unquote(const char *p, const char *end, struct gold_str *ret)
{
    char quote = '\0';
    for (; p < end && ret->len < VALUE_MOST; p++) {
        if (quote == '\0' && (*p == '"' || *p == '\''))
            quote = *p;
        else if (quote != '\0' && *p == quote)
            quote = '\0';
        else if (quote == '\0' && (*p == ' ' || *p == '\t'))
            return;
        else if (*p == '\\' && quote != '\'' && p + 1 < end)
            gold_str_append_char(ret, *++p);
        else
            gold_str_append_char(ret, *p);
    }
}

static void
make_printable(struct gold_str *s)
{
    bool valid = s->len == 0 || gold_utf8_valid(s->data, s->len);
    for (size_t i = 0; i < s->len; i++) {
        unsigned char c = (unsigned char)s->data[i];
        if (c < ' ' || c == 0x7F || (!valid && c >= 0x80))
            s->data[i] = '?';
    }
}

int
gold_shell_value(const char *text, size_t len, const char *key, char **ret,
                 struct gold_error **err)
{
    size_t key_len = strlen(key);
    const char *end = text + len, *from = NULL, *to = NULL;
    for (const char *p = text; p < end;) {
        const char *eol = memchr(p, '\n', (size_t)(end - p));
        if (!eol)
            eol = end;
        while (p < eol && (*p == ' ' || *p == '\t'))
            p++;
        if ((size_t)(eol - p) > key_len && memcmp(p, key, key_len) == 0 && p[key_len] == '=') {
            from = p + key_len + 1;
            to = eol > from && eol[-1] == '\r' ? eol - 1 : eol;
        }
        p = eol + 1;
    }
    if (!from) {
        *ret = NULL;
        return 0;
    }
    GOLD_CLEANUP_STR struct gold_str value = GOLD_STR_INIT;
    unquote(from, to, &value);
    make_printable(&value);
    char *stolen = gold_str_steal(&value, NULL, err);
    if (!stolen)
        return -1;
    *ret = stolen;
    return 0;
}
