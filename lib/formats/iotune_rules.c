/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which limits may stand together, and what they mean: the rules of libvirt (at define) and of
 * QEMU's throttle code (at start), so that nothing is written that only fails when the VM is
 * started. The leaky bucket, in short: A is the limit, M the burst limit, L its length. Without
 * L, M is not a rate but an amount that passes at once. With L > 1 the rate is M until L*M has
 * piled up over A, which takes L*M/(M-A) seconds.
 */
#include "formats/iotune.h"

#include "core/number.h"

#define BASES  6 /* the six values that can have a burst: key, key + MAX, key + LENGTH */
#define MAX    GOLD_TOTAL_BYTES_SEC_MAX
#define LENGTH GOLD_TOTAL_BYTES_SEC_MAX_LENGTH

/* Below these QEMU's own documentation and practice see guests hang. */
#define SMALL_BYTES 2000000
#define SMALL_IOPS  50
#define LONG_BURST  3600

static bool
is_bytes(unsigned base)
{
    return base <= GOLD_WRITE_BYTES_SEC;
}

static bool
has_iops(const struct gold_iotune *t)
{
    return t->value[GOLD_TOTAL_IOPS_SEC] || t->value[GOLD_READ_IOPS_SEC] ||
           t->value[GOLD_WRITE_IOPS_SEC];
}

static bool
has_values(const struct gold_iotune *t)
{
    for (unsigned i = 0; i < GOLD_IOTUNE_NUMBERS; i++) {
        if (t->value[i] > 0)
            return true;
    }
    return false;
}

static int refuse(struct gold_error **err, const char *hint, const char *fmt, ...)
    GOLD_PRINTF(3, 4);

static int
refuse(struct gold_error **err, const char *hint, const char *fmt, ...)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    va_list args;

    va_start(args, fmt);
    gold_str_vprintf(&s, fmt, args);
    va_end(args);
    if (s.failed)
        return gold_error_set_nomem(err);
    gold_error_set(err, GOLD_ERROR_USAGE, "%s", gold_str_text(&s));
    if (hint)
        gold_error_hint(err, "%s", hint);
    return -1;
}

/* total with read or write of one kind. */
static int
check_total(const struct gold_iotune *t, unsigned total, struct gold_error **err)
{
    for (unsigned i = total + 1; i <= total + 2; i++) {
        if (t->value[total] && t->value[i])
            return refuse(err, "use the total, or read and write apart; 0 clears a value",
                          "'%s' and '%s' cannot be set at the same time",
                          gold_iotune_name(total), gold_iotune_name(i));
    }
    return 0;
}

static int
check_burst(const struct gold_iotune *t, unsigned base, struct gold_error **err)
{
    uint64_t a = t->value[base], m = t->value[base + MAX], l = t->value[base + LENGTH];
    const char *base_name = gold_iotune_name(base), *max_name = gold_iotune_name(base + MAX);

    if (m && !a)
        return refuse(err, NULL, "'%s' needs '%s'", max_name, base_name);
    if (m && m < a)
        return refuse(err, NULL, "'%s' (%llu) is lower than '%s' (%llu)", max_name,
                      (unsigned long long)m, base_name, (unsigned long long)a);
    if (l && !m)
        return refuse(err, NULL, "'%s' needs '%s'", gold_iotune_name(base + LENGTH), max_name);
    if (m && l > GOLD_IOTUNE_VALUE_MAX / m)
        return refuse(err, NULL, "'%s' times '%s' is more than 1000000000000000",
                      gold_iotune_name(base + LENGTH), max_name);
    return 0;
}

int
gold_iotune_check(const struct gold_iotune *t, struct gold_error **err)
{
    static const unsigned totals[] = {GOLD_TOTAL_BYTES_SEC, GOLD_TOTAL_IOPS_SEC,
                                      GOLD_TOTAL_BYTES_SEC_MAX, GOLD_TOTAL_IOPS_SEC_MAX};

    for (unsigned i = 0; i < GOLD_IOTUNE_NUMBERS; i++) {
        if (t->value[i] > GOLD_IOTUNE_VALUE_MAX)
            return refuse(err, NULL, "'%s' is more than 1000000000000000", gold_iotune_name(i));
    }
    for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
        if (check_total(t, totals[i], err) < 0)
            return -1;
    }
    for (unsigned base = 0; base < BASES; base++) {
        if (check_burst(t, base, err) < 0)
            return -1;
    }
    if (t->value[GOLD_SIZE_IOPS_SEC] && !has_iops(t))
        return refuse(
            err, NULL,
            "'size_iops_sec' needs a limit of operations, for example 'total_iops_sec'");
    if (t->group_name && !has_values(t))
        return refuse(err, NULL, "'group_name' needs limits beside it");
    return 0;
}

bool
gold_iotune_small(const struct gold_iotune *t, unsigned base)
{
    uint64_t v = base < BASES ? t->value[base] : 0;
    return v > 0 && v < (is_bytes(base) ? SMALL_BYTES : SMALL_IOPS);
}

bool
gold_iotune_bucket(const struct gold_iotune *t, unsigned base)
{
    return base < BASES && t->value[base + MAX] > 0 && t->value[base + LENGTH] <= 1;
}

bool
gold_iotune_long_burst(const struct gold_iotune *t, unsigned base)
{
    return base < BASES && t->value[base + LENGTH] > LONG_BURST;
}

bool
gold_iotune_unsized(const struct gold_iotune *t)
{
    return has_iops(t) && !t->value[GOLD_SIZE_IOPS_SEC] && !t->value[GOLD_TOTAL_BYTES_SEC] &&
           !t->value[GOLD_READ_BYTES_SEC] && !t->value[GOLD_WRITE_BYTES_SEC];
}

/* ---- in words ---- */

static void
append_amount(struct gold_str *s, unsigned base, uint64_t v)
{
    if (!is_bytes(base)) {
        gold_str_printf(s, "%llu operations", (unsigned long long)v);
        return;
    }
    gold_append_size(s, v);
    if (v >= 1024)
        gold_str_printf(s, " (%llu B)", (unsigned long long)v);
}

static void
append_seconds(struct gold_str *s, double v)
{
    gold_append_double(s, v, v < 10 ? 2 : 1);
    gold_str_append(s, " s");
}

static void
explain_burst(const struct gold_iotune *t, unsigned base, struct gold_str *s)
{
    uint64_t a = t->value[base], m = t->value[base + MAX], l = t->value[base + LENGTH];

    if (gold_iotune_bucket(t, base)) {
        gold_str_printf(s, "%s: ", gold_iotune_name(base + MAX));
        append_amount(s, base, m);
        gold_str_append(s,
                        " pass at once, without any rate limit; then the limit above holds\n");
        gold_str_printf(s, "warning: without %s the burst is an amount, not a rate\n",
                        gold_iotune_name(base + LENGTH));
        return;
    }
    gold_str_printf(s, "%s: up to ", gold_iotune_name(base + MAX));
    append_amount(s, base, m);
    if (m == a) {
        gold_str_append(s, " per second: the same as the limit, so there is no burst\n");
        return;
    }
    double burst = (double)l * (double)m / (double)(m - a);
    gold_str_append(s, " per second for ");
    append_seconds(s, burst);
    gold_str_printf(s, " (not %llu s: length * max / (max - limit)); a full burst again after ",
                    (unsigned long long)l);
    append_seconds(s, (double)l * (double)m / (double)a);
    gold_str_append(s, " idle\n");
    if (gold_iotune_long_burst(t, base))
        gold_str_printf(s, "warning: %s is longer than an hour\n",
                        gold_iotune_name(base + LENGTH));
}

static void
explain_base(const struct gold_iotune *t, unsigned base, struct gold_str *s)
{
    uint64_t a = t->value[base];

    if (!a)
        return;
    gold_str_printf(s, "%s: ", gold_iotune_name(base));
    append_amount(s, base, a);
    gold_str_append(s, " per second");
    if (!t->value[base + MAX]) {
        /* QEMU's default bucket holds a tenth of a second. */
        gold_str_append(s, "; the first ");
        append_amount(s, base, a / 10);
        gold_str_append(s, " pass at once, so measure for 10 s or more");
    }
    gold_str_append(s, "\n");
    if (gold_iotune_small(t, base))
        gold_str_printf(s, "warning: %s: below %s a guest may hang\n", gold_iotune_name(base),
                        is_bytes(base) ? "2 MB/s" : "50 operations per second");
    if (t->value[base + MAX])
        explain_burst(t, base, s);
}

int
gold_iotune_explain(const struct gold_iotune *t, struct gold_str *ret, struct gold_error **err)
{
    if (gold_iotune_check(t, err) < 0)
        return -1;
    if (!has_values(t))
        gold_str_append(ret, "no limits\n");
    for (unsigned base = 0; base < BASES; base++)
        explain_base(t, base, ret);
    if (t->value[GOLD_SIZE_IOPS_SEC])
        gold_str_printf(
            ret,
            "size_iops_sec: a request of more than %llu bytes counts as several operations\n",
            (unsigned long long)t->value[GOLD_SIZE_IOPS_SEC]);
    if (gold_iotune_unsized(t))
        gold_str_append(ret, "warning: without size_iops_sec or a limit of bytes, one large "
                             "request counts as one "
                             "operation\n");
    if (t->group_name)
        gold_str_printf(ret, "group_name: all disks of group '%s' share these limits\n",
                        t->group_name);
    return gold_str_finish(ret, "the explanation", err);
}
