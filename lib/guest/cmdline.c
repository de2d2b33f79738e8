/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where kernel parameters stand in boot configuration files. Knows the outer shape of each kind
 * of file, no more. */
#include <string.h>
#include <strings.h>

#include "guest/cmdline.h"

/* Splits a region at blanks and line ends; a double quote keeps blanks together as it does for
   the kernel, unless it is what encloses the region. */
static int
split(const char *text, struct gold_span region, char outer_quote, struct gold_spans *ret,
      struct gold_error **err)
{
    size_t pos = region.offset, end = region.offset + region.len;
    unsigned line = region.line;
    while (pos < end) {
        char c = text[pos];
        if (gold_is_blank(c) || c == '\n' || c == '\r' ||
            (c == '\\' && pos + 1 < end && text[pos + 1] == '\n')) {
            line += c == '\n';
            pos++;
            continue;
        }
        size_t start = pos;
        bool quoted = false;
        while (pos < end && text[pos] != '\n' && text[pos] != '\r' &&
               (quoted || !gold_is_blank(text[pos]))) {
            if (text[pos] == '"' && outer_quote != '"')
                quoted = !quoted;
            pos++;
        }
        struct gold_span word = {.offset = start, .len = pos - start, .line = line};
        if (gold_spans_append(ret, word, err) < 0)
            return -1;
    }
    return 0;
}

/* From a value as a shell reads it: what is between its quotes, which may span lines. */
static struct gold_span
shell_value(const char *text, size_t len, struct gold_span rest, char *ret_quote)
{
    *ret_quote = 0;
    if (rest.len == 0 || (text[rest.offset] != '"' && text[rest.offset] != '\''))
        return rest;
    char quote = text[rest.offset];
    size_t pos = rest.offset + 1;
    while (pos < len && text[pos] != quote)
        pos += quote == '"' && text[pos] == '\\' && pos + 1 < len ? 2 : 1;
    if (pos > len)
        pos = len;
    *ret_quote = quote;
    return (struct gold_span){
        .offset = rest.offset + 1, .len = pos - rest.offset - 1, .line = rest.line};
}

/* Moves the walk behind a value that went over several lines. */
static void
skip_to(const char *text, size_t end, struct gold_lines *walk)
{
    while (walk->pos < end) {
        const char *nl = memchr(text + walk->pos, '\n', end - walk->pos);
        if (!nl)
            return;
        walk->pos = (size_t)(nl - text) + 1;
        walk->line++;
    }
}

static bool
starts_with(const char *text, const struct gold_span *span, const char *prefix)
{
    size_t n = strlen(prefix);
    return span->len >= n && memcmp(text + span->offset, prefix, n) == 0;
}

static struct gold_span
behind(struct gold_span span, size_t n)
{
    span.offset += n;
    span.len -= n;
    return span;
}

static int
shell_line(const char *text, size_t len, struct gold_span line, struct gold_lines *walk,
           struct gold_spans *ret, struct gold_error **err)
{
    static const char *const lists[] = {
        "GRUB_CMDLINE_", "EXTLINUX_PARAMETERS=", "EXTLINUX_ROOT=", "default_kernel_opts="};
    static const char *const single[] = {
        "root=", "RESUME="}; /* the assignment itself is the parameter */
    line = gold_span_trim(text, line);
    if (starts_with(text, &line, "export "))
        line = gold_span_trim(text, behind(line, strlen("export ")));
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
        if (starts_with(text, &line, single[i]))
            return gold_spans_append(ret, line, err);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!starts_with(text, &line, lists[i]))
            continue;
        const char *eq = memchr(text + line.offset, '=', line.len);
        if (!eq)
            return 0;
        char quote;
        struct gold_span value =
            shell_value(text, len, behind(line, (size_t)(eq - text) + 1 - line.offset), &quote);
        skip_to(text, value.offset + value.len, walk);
        return split(text, value, quote, ret, err);
    }
    return 0;
}

static int
grub_line(const char *text, size_t len, struct gold_span line, struct gold_lines *walk,
          struct gold_spans *ret, struct gold_error **err)
{
    static const char *const loaders[] = {"linux",  "linux16", "linuxefi",
                                          "kernel", "module",  "module2"};
    struct gold_span word;
    line = gold_span_trim(text, line);
    if (starts_with(text, &line, "# kopt=")) /* update-grub of GRUB legacy reads this comment */
        return split(text, behind(line, strlen("# kopt=")), 0, ret, err);
    if (!gold_span_word(text, &line, &word))
        return 0;
    for (size_t i = 0; i < sizeof(loaders) / sizeof(loaders[0]); i++)
        if (gold_span_is(text, &word, loaders[i]))
            return split(text, line, 0, ret, err);
    if (!gold_span_is(text, &word, "set"))
        return 0;
    line = gold_span_trim(text, line);
    const char *eq = memchr(text + line.offset, '=', line.len);
    if (!eq || !(starts_with(text, &line, "kernelopts=") ||
                 starts_with(text, &line, "default_kernelopts=")))
        return 0;
    char quote;
    struct gold_span value =
        shell_value(text, len, behind(line, (size_t)(eq - text) + 1 - line.offset), &quote);
    skip_to(text, value.offset + value.len, walk);
    return split(text, value, quote, ret, err);
}

static int
one_line(enum gold_cmdline_kind kind, const char *text, size_t len, struct gold_span line,
         struct gold_lines *walk, struct gold_spans *ret, struct gold_error **err)
{
    struct gold_span rest = line, word;
    switch (kind) {
    case GOLD_CMDLINE_SHELL:
        return shell_line(text, len, line, walk, ret, err);
    case GOLD_CMDLINE_GRUB:
        return grub_line(text, len, line, walk, ret, err);
    case GOLD_CMDLINE_GRUBENV:
        if (starts_with(text, &line, "kernelopts="))
            return split(text, behind(line, strlen("kernelopts=")), 0, ret, err);
        return 0;
    case GOLD_CMDLINE_PLAIN:
        rest = gold_span_trim(text, line);
        if (rest.len > 0 && text[rest.offset] == '#')
            return 0;
        return split(text, rest, 0, ret, err);
    case GOLD_CMDLINE_BLS:
        if (gold_span_word(text, &rest, &word) && gold_span_is(text, &word, "options"))
            return split(text, rest, 0, ret, err);
        return 0;
    case GOLD_CMDLINE_EXTLINUX:
        if (gold_span_word(text, &rest, &word) && word.len == strlen("append") &&
            strncasecmp(text + word.offset, "append", word.len) == 0)
            return split(text, rest, 0, ret, err);
        return 0;
    }
    return 0;
}

int
gold_cmdline_params(enum gold_cmdline_kind kind, const char *text, size_t len,
                    struct gold_spans *ret, struct gold_error **err)
{
    struct gold_lines walk = {0};
    struct gold_span line;
    while (gold_lines_next(text, len, &walk, &line))
        if (one_line(kind, text, len, line, &walk, ret, err) < 0)
            return -1;
    return 0;
}

static char
same(char c)
{
    return c == '-' ? '_' : c;
}

bool
gold_cmdline_value(const char *text, const struct gold_span *param, const char *key,
                   struct gold_span *ret)
{
    const char *p = text + param->offset, *end = p + param->len;
    bool whole = p < end && (*p == '"' || *p == '\'');
    char quote = whole ? *p : 0;
    if (whole)
        p++;
    for (; *key; key++, p++)
        if (p == end || same(*p) != same(*key))
            return false;
    if (p < end && *p == '=') {
        p++;
        if (!quote && p < end && (*p == '"' || *p == '\''))
            quote = *p++;
    } else if (p < end && !(quote && *p == quote)) {
        return false;
    }
    const char *stop = quote ? memchr(p, quote, (size_t)(end - p)) : NULL;
    if (!stop)
        stop = end;
    *ret = (struct gold_span){
        .offset = (size_t)(p - text), .len = (size_t)(stop - p), .line = param->line};
    return true;
}

int
gold_grubenv_fit(char **text, size_t *len, size_t size, struct gold_error **err)
{
    size_t used = *len;
    while (used > 0 && (*text)[used - 1] == '#')
        used--;
    if (used > size) {
        gold_error_set(err, GOLD_ERROR_FORMAT,
                       "GRUB environment block has no room for %zu bytes more", used - size);
        return -1;
    }
    char *fit = malloc(size + 1);
    if (!fit)
        return gold_error_set_nomem(err);
    memcpy(fit, *text, used);
    memset(fit + used, '#', size - used);
    fit[size] = '\0';
    free(*text);
    *text = fit;
    *len = size;
    return 0;
}
