/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTF-8, and text from a guest made harmless: for XML and HTML, and for a terminal. Nothing
 * here knows of locales: text is UTF-8 or it is wrong.
 */
#include <stdint.h>
#include <string.h>

#include "core/str.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* The length of the well-formed sequence at s, its code point in *ret_cp; 0 when there is none.
 */
static size_t
decode(const unsigned char *s, size_t len, uint32_t *ret_cp)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n;
    uint32_t cp;

    if (len == 0)
        return 0;
    if (s[0] < 0x80) {
        *ret_cp = s[0];
        return 1;
    }
    if (s[0] >= 0xC2 && s[0] <= 0xDF) {
        n = 2;
        cp = s[0] & 0x1FU;
    } else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        n = 3;
        cp = s[0] & 0x0FU;
    } else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        n = 4;
        cp = s[0] & 0x07U;
    } else {
        return 0;
    }
    if (len < n)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0U) != 0x80U)
            return 0;
        cp = cp << 6 | (s[i] & 0x3FU);
    }
    if (cp < least[n] || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
        return 0;
    *ret_cp = cp;
    return n;
}

bool
gold_utf8_valid(const char *s, size_t len)
{
    const unsigned char *p = (const unsigned char *)s;
    uint32_t cp;

    while (len > 0) {
        size_t n = decode(p, len, &cp);

        if (n == 0)
            return false;
        p += n;
        len -= n;
    }
    return true;
}

void
gold_str_append_utf8(struct gold_str *s, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t left = text ? strlen(text) : 0;
    uint32_t cp;

    while (left > 0) {
        size_t n = decode(p, left, &cp);

        if (n == 0)
            gold_str_append(s, REPLACEMENT);
        else
            gold_str_append_len(s, p, n);
        n = n ? n : 1;
        p += n;
        left -= n;
    }
}

static bool
is_control(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7F && cp <= 0x9F);
}

static const char *
xml_entity(uint32_t cp)
{
    switch (cp) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\r':
        return "&#13;"; /* a bare one would be read back as a line feed */
    case 0xFFFE:
    case 0xFFFF:
        return REPLACEMENT; /* no characters in XML 1.0 */
    default:
        return is_control(cp) && cp != '\t' && cp != '\n' ? REPLACEMENT : NULL;
    }
}

void
gold_str_append_xml(struct gold_str *s, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t left = text ? strlen(text) : 0;
    uint32_t cp;

    while (left > 0) {
        size_t n = decode(p, left, &cp);
        const char *instead = n ? xml_entity(cp) : REPLACEMENT;

        n = n ? n : 1;
        if (instead)
            gold_str_append(s, instead);
        else
            gold_str_append_len(s, p, n);
        p += n;
        left -= n;
    }
}

/* Changes the direction of text, or ends a line, without being a control character. */
static bool
misleads_terminal(uint32_t cp)
{
    return cp == 0x061C || cp == 0x200E || cp == 0x200F || (cp >= 0x2028 && cp <= 0x202E) ||
           (cp >= 0x2066 && cp <= 0x2069);
}

void
gold_str_append_terminal(struct gold_str *s, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t left = text ? strlen(text) : 0;
    uint32_t cp;

    while (left > 0) {
        size_t n = decode(p, left, &cp);

        if (n == 0 || (n == 1 && is_control(cp)))
            gold_str_printf(s, "\\x%02X", (unsigned)p[0]);
        else if (is_control(cp) || misleads_terminal(cp))
            gold_str_printf(s, "\\u{%04X}", (unsigned)cp);
        else
            gold_str_append_len(s, p, n);
        n = n ? n : 1;
        p += n;
        left -= n;
    }
}
