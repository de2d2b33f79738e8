/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only place that turns text into numbers and floating point numbers into text. Whatever
 * locale the program has set, the decimal point is a point and digits are ASCII.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/checked.h"
#include "core/number.h"

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits from *p on; false on overflow. */
static bool
take_digits(const char **p, uint64_t *ret)
{
    uint64_t v = 0;

    for (; is_digit(**p); (*p)++) {
        if (!gold_mul_u64(v, 10, &v) || !gold_add_u64(v, (uint64_t)(**p - '0'), &v))
            return false;
    }
    *ret = v;
    return true;
}

int
gold_parse_u64(const char *text, uint64_t *ret, struct gold_error **err)
{
    const char *p = text;
    uint64_t v;

    if (!text[0] || text[strspn(text, "0123456789")] != '\0') {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s': not a whole number", text);
        return -1;
    }
    if (!take_digits(&p, &v)) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s': larger than 64 bits can hold", text);
        return -1;
    }
    *ret = v;
    return 0;
}

int
gold_parse_u64_max(const char *text, uint64_t max, uint64_t *ret, struct gold_error **err)
{
    uint64_t v;

    if (gold_parse_u64(text, &v, err) < 0)
        return -1;
    if (v > max) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s': larger than %llu", text,
                       (unsigned long long)max);
        return -1;
    }
    *ret = v;
    return 0;
}

static const struct unit {
    const char *name;
    uint64_t bytes;
} units[] = {
    {"", 1},
    {"B", 1},
    {"KiB", 1ULL << 10},
    {"MiB", 1ULL << 20},
    {"GiB", 1ULL << 30},
    {"TiB", 1ULL << 40},
    {"kB", 1000ULL},
    {"KB", 1000ULL},
    {"MB", 1000000ULL},
    {"GB", 1000000000ULL},
    {"TB", 1000000000000ULL},
};

static const struct unit *
find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    }
    return NULL;
}

/* digits/10^n_digits of a unit as bytes; false when these are not whole. */
static bool
fraction_of_unit(const char *digits, size_t n_digits, uint64_t unit, uint64_t *ret)
{
    unsigned __int128 v = 0, scale = 1;

    while (n_digits > 0 && digits[n_digits - 1] == '0')
        n_digits--;
    /* 10^18 * 2^40 fits into 128 bits; nobody writes a longer one by hand. */
    if (n_digits > 18)
        return false;
    for (size_t i = 0; i < n_digits; i++) {
        v = v * 10 + (unsigned)(digits[i] - '0');
        scale *= 10;
    }
    v *= unit;
    if (v % scale != 0)
        return false;
    *ret = (uint64_t)(v / scale);
    return true;
}

static int
unknown_unit(const char *text, const char *name, struct gold_error **err)
{
    if (name[0] && strchr("KMGTkmgt", name[0]) && !name[1]) {
        char c = name[0] >= 'a' ? (char)(name[0] - 'a' + 'A') : name[0];

        gold_error_set(err, GOLD_ERROR_USAGE, "'%s': the unit '%s' is ambiguous", text, name);
        gold_error_hint(err, "write %ciB for powers of 1024 or %cB for powers of 1000", c, c);
    } else {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s': not a size", text);
        gold_error_hint(err, "digits and one of B, KiB, MiB, GiB, TiB, kB, MB, GB, TB");
    }
    return -1;
}

int
gold_parse_size(const char *text, uint64_t *ret, struct gold_error **err)
{
    const char *p = text, *fraction = NULL;
    const struct unit *unit;
    uint64_t whole, part = 0, bytes;
    size_t n_fraction = 0;
    bool fits;

    fits = take_digits(&p, &whole);
    p += strspn(p, "0123456789");
    if (p == text)
        return unknown_unit(text, "", err);
    if (*p == '.') {
        fraction = p + 1;
        n_fraction = strspn(fraction, "0123456789");
        if (n_fraction == 0)
            return unknown_unit(text, "", err);
        p = fraction + n_fraction;
    }
    unit = find_unit(p);
    if (!unit)
        return unknown_unit(text, p, err);
    if (fraction && !fraction_of_unit(fraction, n_fraction, unit->bytes, &part)) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s': not a whole number of bytes", text);
        return -1;
    }
    if (!fits || !gold_mul_u64(whole, unit->bytes, &bytes) ||
        !gold_add_u64(bytes, part, &bytes)) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s': larger than 64 bits can hold", text);
        return -1;
    }
    *ret = bytes;
    return 0;
}

/* strtod() would take blanks, a plus sign, hexadecimal, "inf" and "nan". */
static bool
is_decimal(const char *p)
{
    size_t n;

    p += *p == '-';
    n = strspn(p, "0123456789");
    if (n == 0)
        return false;
    p += n;
    if (*p == '.') {
        n = strspn(++p, "0123456789");
        if (n == 0)
            return false;
        p += n;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        n = strspn(p, "0123456789");
        if (n == 0)
            return false;
        p += n;
    }
    return *p == '\0';
}

int
gold_parse_double(const char *text, double *ret, struct gold_error **err)
{
    locale_t c;
    double v;

    if (!is_decimal(text)) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s': not a number", text);
        return -1;
    }
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return gold_error_set_nomem(err);
    v = strtod_l(text, NULL, c);
    freelocale(c);
    if (!isfinite(v)) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s': too large", text);
        return -1;
    }
    *ret = v;
    return 0;
}

void
gold_append_double(struct gold_str *s, double v, unsigned decimals)
{
    locale_t c, before;
    size_t start = s->len;

    if (s->failed)
        return;
    c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) {
        s->failed = true;
        return;
    }
    before = uselocale(c);
    gold_str_printf(s, "%.*f", (int)(decimals > 60 ? 60 : decimals), v);
    uselocale(before);
    freelocale(c);
    /* "-0.00" means that it was rounded away, not that it is negative. */
    if (!s->failed && s->data[start] == '-' &&
        strspn(s->data + start + 1, "0.") == s->len - start - 1) {
        memmove(s->data + start, s->data + start + 1, s->len - start);
        s->len--;
    }
}

void
gold_append_size(struct gold_str *s, uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    uint64_t unit = 1, whole, tenths;

    while (i < 4 && bytes / unit >= 1024) {
        unit *= 1024;
        i++;
    }
    whole = bytes / unit;
    if (bytes % unit == 0) {
        gold_str_printf(s, "%llu %s", (unsigned long long)whole, names[i]);
        return;
    }
    tenths = (bytes % unit * 10 + unit / 2) / unit;
    if (tenths == 10) {
        tenths = 0;
        whole++;
    }
    if (whole == 1024 && i < 4) {
        whole = 1;
        i++;
    }
    gold_str_printf(s, "%llu.%llu %s", (unsigned long long)whole, (unsigned long long)tenths,
                    names[i]);
}
