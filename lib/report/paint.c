/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colours and columns. Colour never carries meaning alone: the word is always there. */
#include "report/paint.h"

#include <string.h>

static const char *
code(enum gold_paint paint)
{
    switch (paint) {
    case GOLD_PAINT_BOLD:
        return "\033[1m";
    case GOLD_PAINT_DIM:
        return "\033[2m";
    case GOLD_PAINT_GOOD:
        return "\033[32m";
    case GOLD_PAINT_BAD:
        return "\033[1;31m";
    case GOLD_PAINT_WARN:
        return "\033[33m";
    case GOLD_PAINT_MARK:
        return "\033[36m";
    default:
        return "";
    }
}

void
gold_out_paint(const struct gold_out *o, enum gold_paint paint, const char *text)
{
    bool colored = o->color && paint != GOLD_PAINT_NONE;
    if (colored)
        gold_str_append(o->s, code(paint));
    gold_str_append_terminal(o->s, text);
    if (colored)
        gold_str_append(o->s, "\033[0m");
}

void
gold_out_blanks(const struct gold_out *o, size_t n)
{
    while (n-- > 0)
        gold_str_append_char(o->s, ' ');
}

size_t
gold_out_width(const struct gold_out *o, const char *text)
{
    GOLD_CLEANUP_STR struct gold_str shown = GOLD_STR_INIT;
    size_t n = 0;
    gold_str_append_terminal(&shown, text);
    gold_report_taint(o->s, &shown);
    for (size_t i = 0; i < shown.len; i++)
        n += ((unsigned char)shown.data[i] & 0xC0) != 0x80;
    return n;
}

void
gold_out_pad(const struct gold_out *o, enum gold_paint paint, const char *text, size_t width)
{
    size_t n = gold_out_width(o, text);
    gold_out_paint(o, paint, text);
    if (n < width)
        gold_out_blanks(o, width - n);
}

enum gold_paint
gold_paint_of_verdict(enum gold_verdict v)
{
    switch (v) {
    case GOLD_VERDICT_PASS:
        return GOLD_PAINT_GOOD;
    case GOLD_VERDICT_FAIL:
    case GOLD_VERDICT_ERROR:
        return GOLD_PAINT_BAD;
    case GOLD_VERDICT_INCONCLUSIVE:
        return GOLD_PAINT_WARN;
    default:
        return GOLD_PAINT_NONE;
    }
}

enum gold_paint
gold_paint_of_severity(enum gold_severity v)
{
    return v == GOLD_ERROR     ? GOLD_PAINT_BAD
           : v == GOLD_WARNING ? GOLD_PAINT_WARN
                               : GOLD_PAINT_MARK;
}
