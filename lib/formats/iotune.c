/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The 20 limits as data: names, setting from text, copying, comparing. What may stand together
 * is iotune_rules.c. */
#include "formats/iotune.h"

#include <string.h>

#include "core/number.h"

static const char *const names[GOLD_IOTUNE_NUMBERS + 1] = {
    [GOLD_TOTAL_BYTES_SEC] = "total_bytes_sec",
    [GOLD_READ_BYTES_SEC] = "read_bytes_sec",
    [GOLD_WRITE_BYTES_SEC] = "write_bytes_sec",
    [GOLD_TOTAL_IOPS_SEC] = "total_iops_sec",
    [GOLD_READ_IOPS_SEC] = "read_iops_sec",
    [GOLD_WRITE_IOPS_SEC] = "write_iops_sec",
    [GOLD_TOTAL_BYTES_SEC_MAX] = "total_bytes_sec_max",
    [GOLD_READ_BYTES_SEC_MAX] = "read_bytes_sec_max",
    [GOLD_WRITE_BYTES_SEC_MAX] = "write_bytes_sec_max",
    [GOLD_TOTAL_IOPS_SEC_MAX] = "total_iops_sec_max",
    [GOLD_READ_IOPS_SEC_MAX] = "read_iops_sec_max",
    [GOLD_WRITE_IOPS_SEC_MAX] = "write_iops_sec_max",
    [GOLD_SIZE_IOPS_SEC] = "size_iops_sec",
    [GOLD_TOTAL_BYTES_SEC_MAX_LENGTH] = "total_bytes_sec_max_length",
    [GOLD_READ_BYTES_SEC_MAX_LENGTH] = "read_bytes_sec_max_length",
    [GOLD_WRITE_BYTES_SEC_MAX_LENGTH] = "write_bytes_sec_max_length",
    [GOLD_TOTAL_IOPS_SEC_MAX_LENGTH] = "total_iops_sec_max_length",
    [GOLD_READ_IOPS_SEC_MAX_LENGTH] = "read_iops_sec_max_length",
    [GOLD_WRITE_IOPS_SEC_MAX_LENGTH] = "write_iops_sec_max_length",
    [GOLD_IOTUNE_NUMBERS] = "group_name",
};

void
gold_iotune_done(struct gold_iotune *t)
{
    free(t->group_name);
    *t = (struct gold_iotune){0};
}

int
gold_iotune_copy(struct gold_iotune *dst, const struct gold_iotune *src,
                 struct gold_error **err)
{
    char *group = NULL;

    if (src->group_name && !(group = gold_strdup(src->group_name, err)))
        return -1;
    *dst = *src;
    dst->group_name = group;
    return 0;
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

bool
gold_iotune_empty(const struct gold_iotune *t)
{
    return !t->group_name && !has_values(t);
}

bool
gold_iotune_equal(const struct gold_iotune *a, const struct gold_iotune *b)
{
    return memcmp(a->value, b->value, sizeof(a->value)) == 0 &&
           gold_streq(a->group_name, b->group_name);
}

const char *
gold_iotune_name(unsigned key)
{
    return key <= GOLD_IOTUNE_NUMBERS ? names[key] : NULL;
}

static bool
same_key(const char *key, const char *name)
{
    while (*key && (*key == *name || (*key == '-' && *name == '_'))) {
        key++;
        name++;
    }
    return !*key && !*name;
}

int
gold_iotune_key(const char *name)
{
    for (unsigned i = 0; i <= GOLD_IOTUNE_NUMBERS; i++) {
        if (same_key(name, names[i]))
            return (int)i;
    }
    return -1;
}

static bool
counts_bytes(unsigned key)
{
    return key <= GOLD_WRITE_BYTES_SEC ||
           (key >= GOLD_TOTAL_BYTES_SEC_MAX && key <= GOLD_WRITE_BYTES_SEC_MAX) ||
           key == GOLD_SIZE_IOPS_SEC;
}

static int
set_group(struct gold_iotune *t, const char *value, struct gold_error **err)
{
    if (!*value)
        return gold_str_replace(&t->group_name, NULL, err);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c < 0x20 || *c == 0x7F) {
            gold_error_set(err, GOLD_ERROR_USAGE,
                           "group_name: a control character is not allowed");
            return -1;
        }
    }
    if (!gold_utf8_valid(value, strlen(value))) {
        gold_error_set(err, GOLD_ERROR_USAGE, "group_name: not valid UTF-8");
        return -1;
    }
    return gold_str_replace(&t->group_name, value, err);
}

/* A bad number is a bad request here, not damaged input. */
static int
parse_number(const char *value, bool bytes, uint64_t *ret, struct gold_error **err)
{
    GOLD_CLEANUP_ERROR struct gold_error *why = NULL;
    int r = bytes ? gold_parse_size(value, ret, &why) : gold_parse_u64(value, ret, &why);

    if (r == 0)
        return 0;
    if (gold_error_code(why) == GOLD_ERROR_NOMEM)
        return gold_error_set_nomem(err);
    gold_error_set(err, GOLD_ERROR_USAGE, "%s", gold_error_message(why));
    if (gold_error_hint_text(why))
        gold_error_hint(err, "%s", gold_error_hint_text(why));
    return -1;
}

int
gold_iotune_set(struct gold_iotune *t, const char *name, const char *value,
                struct gold_error **err)
{
    int key = gold_iotune_key(name);
    uint64_t number = 0;

    if (key < 0) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is not an IO limit", name);
        gold_error_hint(err, "the limits are total_bytes_sec, read_iops_sec and so on, as in "
                             "libvirt's <iotune>");
        return -1;
    }
    if (key == GOLD_IOTUNE_NUMBERS)
        return set_group(t, value, err);
    if (*value && parse_number(value, counts_bytes((unsigned)key), &number, err) < 0) {
        gold_error_prefix(err, "%s", names[key]);
        return -1;
    }
    if (number > GOLD_IOTUNE_VALUE_MAX) {
        gold_error_set(err, GOLD_ERROR_USAGE, "%s: '%s' is more than 1000000000000000",
                       names[key], value);
        return -1;
    }
    t->value[key] = number;
    return 0;
}
