/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the content of a machine-id file. Does not decide what a template should have:
 * operations/machine_id.c does. */
#include <string.h>

#include "guest/machine_id.h"

#define ID_LEN 32

static bool
is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool
gold_machine_id_is_hex(const char *s, size_t len)
{
    if (len != ID_LEN)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_hex(s[i]))
            return false;
    return true;
}

static const char *
what_is_wrong(const char *text, size_t len)
{
    size_t digits = 0, dashes = 0;
    if (memchr(text, '\r', len))
        return "it has a carriage return";
    for (size_t i = 0; i < len; i++) {
        digits += is_hex(text[i]);
        dashes += text[i] == '-';
    }
    if (len == 1 && text[0] == '\n')
        return "it holds only a line end";
    if (digits == ID_LEN && dashes == 4)
        return "it is a UUID with dashes";
    if (gold_machine_id_is_hex(text, len))
        return "it is all zero";
    return "it is not 32 hexadecimal digits";
}

enum gold_machine_id_state
gold_machine_id_parse(const char *text, size_t len, const char **ret_why)
{
    static const char word[] = "uninitialized";
    static const char zero[] = "00000000000000000000000000000000";
    if (!text)
        return GOLD_MACHINE_ID_STATE_MISSING;
    if (len == 0)
        return GOLD_MACHINE_ID_STATE_EMPTY;
    size_t n = text[len - 1] == '\n' ? len - 1 : len;
    if (n == sizeof(word) - 1 && memcmp(text, word, n) == 0)
        return GOLD_MACHINE_ID_STATE_UNINITIALIZED;
    if (gold_machine_id_is_hex(text, n) && memcmp(text, zero, ID_LEN) != 0)
        return GOLD_MACHINE_ID_STATE_SET;
    if (ret_why)
        *ret_why = what_is_wrong(text, n == 0 ? len : n);
    return GOLD_MACHINE_ID_STATE_MALFORMED;
}

void
gold_machine_id_shorten(const char *text, size_t len, char ret[16])
{
    size_t n = 0;
    while (n < 4 && n < len && is_hex(text[n])) {
        ret[n] = text[n];
        n++;
    }
    memcpy(ret + n, "…", sizeof("…"));
}
