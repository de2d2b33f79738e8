/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What payloads share: reading their parameters, and reading messages that a guest sent. */
#include <string.h>

#include "core/number.h"
#include "validate/payloads/payloads.h"

#define READABLE 300 /* bytes of a guest's text in a reason */

const char *
gold_payload_parameter(const struct gold_payload_request *request, const char *key)
{
    for (size_t i = 0; i < request->n_parameters; i++) {
        if (gold_streq(request->parameters[i].key, key))
            return request->parameters[i].value;
    }
    return NULL;
}

int
gold_payload_check_keys(const struct gold_payload_request *request, const char *const *keys,
                        struct gold_error **err)
{
    for (size_t i = 0; i < request->n_parameters; i++) {
        const char *key = request->parameters[i].key;
        size_t k = 0;
        while (keys[k] && !gold_streq(keys[k], key))
            k++;
        if (!keys[k]) {
            gold_error_set(err, GOLD_ERROR_USAGE, "payload '%s' has no parameter '%s'",
                           request->payload, key);
            return -1;
        }
        for (size_t j = 0; j < i; j++) {
            if (gold_streq(request->parameters[j].key, key)) {
                gold_error_set(err, GOLD_ERROR_USAGE,
                               "payload '%s': parameter '%s' is given twice", request->payload,
                               key);
                return -1;
            }
        }
    }
    return 0;
}

const char *
gold_message_string(const json_t *message, const char *key)
{
    return json_string_value(json_object_get(message, key));
}

bool
gold_message_is(const json_t *message, const char *type)
{
    return gold_streq(gold_message_string(message, "type"), type);
}

int
gold_answers_error(const struct gold_boot_answers *answers, const char *payload, char **ret,
                   struct gold_error **err)
{
    *ret = NULL;
    for (size_t i = 0; i < answers->n_messages; i++) {
        const json_t *message = answers->messages[i];
        if (!gold_message_is(message, "error") ||
            !gold_streq(gold_message_string(message, "payload"), payload))
            continue;
        const char *text = gold_message_string(message, "message");
        GOLD_CLEANUP_FREE char *cut =
            gold_strndup(text ? text : "no reason given", READABLE, err);
        GOLD_CLEANUP_STR struct gold_str escaped = GOLD_STR_INIT;
        if (!cut)
            return -1;
        gold_str_append_terminal(&escaped, cut);
        *ret = gold_str_steal(&escaped, NULL, err);
        return *ret ? 0 : -1;
    }
    return 0;
}

int
gold_payload_whole(const struct gold_payload_request *request, const char *key, unsigned low,
                   unsigned high, unsigned *ret, struct gold_error **err)
{
    const char *text = gold_payload_parameter(request, key);
    uint64_t value = 0;
    if (!text)
        return 0;
    if (gold_parse_u64(text, &value, err) < 0) {
        gold_error_prefix(err, "payload '%s': parameter '%s'", request->payload, key);
        return -1;
    }
    if (value < low || value > high) {
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "payload '%s': parameter '%s' is %s, not between %u and %u",
                       request->payload, key, text, low, high);
        return -1;
    }
    *ret = (unsigned)value;
    return 0;
}

int
gold_payload_ratio(const struct gold_payload_request *request, const char *key, double most,
                   double *ret, struct gold_error **err)
{
    const char *text = gold_payload_parameter(request, key);
    if (!text)
        return 0;
    bool percent = gold_str_has_suffix(text, "%");
    size_t len = strlen(text) - (percent ? 1 : 0);
    while (percent && len > 0 && text[len - 1] == ' ')
        len--;
    GOLD_CLEANUP_FREE char *number = gold_strndup(text, len, err);
    double value = 0;
    if (!number)
        return -1;
    if (gold_parse_double(number, &value, err) < 0) {
        gold_error_prefix(err, "payload '%s': parameter '%s'", request->payload, key);
        return -1;
    }
    if (percent)
        value /= 100;
    if (!(value > 0 && value <= most)) {
        gold_error_set(err, GOLD_ERROR_USAGE,
                       "payload '%s': parameter '%s' is '%s', not above 0 and at most %.0f%%",
                       request->payload, key, text, most * 100);
        return -1;
    }
    *ret = value;
    return 0;
}
