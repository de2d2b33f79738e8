/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The unified diff of a patch set. The ranges say where something changes, so nothing is
 * searched for: a range is widened to whole lines, equal lines at its ends are taken off, and
 * what is left is printed with its context. Lines end at LF; a CR before it belongs to the
 * line.
 */
#include <string.h>

#include "core/vec.h"
#include "formats/patch.h"

#define CONTEXT 3

/* Bytes [old_s, old_e) became [new_s, new_e): whole lines in both texts. */
struct change {
    size_t old_s, old_e, new_s, new_e;
};

/* How many lines stand before an offset, in both texts. */
struct place {
    size_t old_at, old_lines, new_at, new_lines;
};

GOLD_VEC(changes, struct change);
#define CLEANUP_CHANGES GOLD_CLEANUP(changes_clear)

static size_t
line_start(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* The offset behind the line that holds `at`. */
static size_t
line_end(const char *text, size_t len, size_t at)
{
    const char *nl = at < len ? memchr(text + at, '\n', len - at) : NULL;
    return nl ? (size_t)(nl - text) + 1 : len;
}

static size_t
count_lines(const char *text, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t at = from; at < to; at = line_end(text, to, at))
        n++;
    return n;
}

/* Takes lines off that are the same at the start and at the end of both sides. */
static void
trim(struct change *c, const char *old, const char *new)
{
    while (c->old_s < c->old_e && c->new_s < c->new_e) {
        size_t a = line_end(old, c->old_e, c->old_s) - c->old_s;
        size_t b = line_end(new, c->new_e, c->new_s) - c->new_s;
        if (a != b || memcmp(old + c->old_s, new + c->new_s, a) != 0)
            break;
        c->old_s += a;
        c->new_s += b;
    }
    while (c->old_s < c->old_e && c->new_s < c->new_e) {
        size_t a = line_start(old, c->old_e - 1);
        size_t b = line_start(new, c->new_e - 1);
        if (c->old_e - a != c->new_e - b || memcmp(old + a, new + b, c->old_e - a) != 0)
            break;
        c->old_e = a;
        c->new_e = b;
    }
}

static bool
at_line(const char *text, size_t len, size_t from, size_t at)
{
    return at == from || at == len || text[at - 1] == '\n';
}

/* Bytes taken out and put in so far. */
struct delta {
    size_t out, in;
};

/* Takes ranges from *i on into one change, until it ends at a line's end in both texts. */
static struct change
widen(const struct gold_patch *p, size_t *i, const char *old, size_t old_len, const char *new,
      size_t new_len, struct delta *delta)
{
    struct change c = {.old_s = line_start(old, p->items[*i].offset)};

    c.new_s = c.old_s - delta->out + delta->in;
    c.old_e = c.old_s;
    c.new_e = c.new_s;
    for (;;) {
        while (*i < p->n && p->items[*i].offset <= c.old_e) {
            const struct gold_patch_range *r = &p->items[(*i)++];
            if (r->offset + r->old_len > c.old_e)
                c.old_e = r->offset + r->old_len;
            delta->out += r->old_len;
            delta->in += r->new_len;
        }
        c.new_e = c.old_e - delta->out + delta->in;
        if (c.old_e > c.old_s || c.new_e > c.new_s) {
            if (at_line(old, old_len, c.old_s, c.old_e) &&
                at_line(new, new_len, c.new_s, c.new_e))
                return c;
        }
        c.old_e = line_end(old, old_len, c.old_e);
    }
}

static int
collect(const struct gold_patch *p, const char *old, size_t old_len, const char *new,
        size_t new_len, struct changes *ret, struct gold_error **err)
{
    struct delta delta = {0};

    for (size_t i = 0; i < p->n;) {
        struct change c = widen(p, &i, old, old_len, new, new_len, &delta);
        trim(&c, old, new);
        if ((c.old_s < c.old_e || c.new_s < c.new_e) && changes_append(ret, c, err) < 0)
            return -1;
    }
    return 0;
}

static void
print_lines(struct gold_str *out, char mark, const char *text, size_t from, size_t to)
{
    while (from < to) {
        size_t end = line_end(text, to, from);
        gold_str_append_char(out, mark);
        gold_str_append_len(out, text + from, end - from);
        if (text[end - 1] != '\n')
            gold_str_append(out, "\n\\ No newline at end of file\n");
        from = end;
    }
}

static void
print_span(struct gold_str *out, char mark, size_t lines_before, size_t n)
{
    /* An empty side names the line before it, as diff(1) does. */
    size_t first = n > 0 ? lines_before + 1 : lines_before;

    if (n == 1)
        gold_str_printf(out, "%c%zu", mark, first);
    else
        gold_str_printf(out, "%c%zu,%zu", mark, first, n);
}

static void
print_name(struct gold_str *out, const char *mark, const char *name)
{
    gold_str_append(out, mark);
    gold_str_append_terminal(out, name);
    /* patch(1) takes a name with a blank whole when a tab ends it. */
    gold_str_append(out, strchr(name, ' ') ? "\t\n" : "\n");
}

/* One hunk over changes [first, last]. `place` moves along, so that lines are counted once. */
static void
print_hunk(struct gold_str *out, const struct change *first, const struct change *last,
           const char *old, size_t old_len, const char *new, struct place *place)
{
    size_t from = first->old_s, to = last->old_e;

    for (int i = 0; i < CONTEXT && from > 0; i++)
        from = line_start(old, from - 1);
    for (int i = 0; i < CONTEXT && to < old_len; i++)
        to = line_end(old, old_len, to);
    size_t new_from = first->new_s - (first->old_s - from),
           new_to = last->new_e + (to - last->old_e);

    place->old_lines += count_lines(old, place->old_at, from);
    place->new_lines += count_lines(new, place->new_at, new_from);
    place->old_at = from;
    place->new_at = new_from;
    gold_str_append(out, "@@ ");
    print_span(out, '-', place->old_lines, count_lines(old, from, to));
    gold_str_append_char(out, ' ');
    print_span(out, '+', place->new_lines, count_lines(new, new_from, new_to));
    gold_str_append(out, " @@\n");

    for (const struct change *c = first; c <= last; c++) {
        print_lines(out, ' ', old, from, c->old_s);
        print_lines(out, '-', old, c->old_s, c->old_e);
        print_lines(out, '+', new, c->new_s, c->new_e);
        from = c->old_e;
    }
    print_lines(out, ' ', old, from, to);
}

/* Do the contexts of two changes meet? */
static bool
near(const struct change *a, const struct change *b, const char *old)
{
    size_t at = a->old_e;

    for (int i = 0; i < 2 * CONTEXT && at < b->old_s; i++)
        at = line_end(old, b->old_s, at);
    return at >= b->old_s;
}

int
gold_patch_diff(const struct gold_patch *p, const char *old, size_t old_len,
                const char *old_name, const char *new_name, struct gold_str *ret,
                struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *new = NULL;
    CLEANUP_CHANGES struct changes changes = {0};
    struct place place = {0};
    size_t new_len;

    if (gold_patch_apply(p, old, old_len, &new, &new_len, err) < 0)
        return -1;
    if (collect(p, old, old_len, new, new_len, &changes, err) < 0)
        return -1;
    for (size_t i = 0; i < changes.n;) {
        size_t last = i;
        while (last + 1 < changes.n &&
               near(&changes.items[last], &changes.items[last + 1], old))
            last++;
        if (i == 0) {
            print_name(ret, "--- ", old_name);
            print_name(ret, "+++ ", new_name);
        }
        print_hunk(ret, &changes.items[i], &changes.items[last], old, old_len, new, &place);
        i = last + 1;
    }
    return gold_str_finish(ret, "the diff", err);
}
