/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host's end of the channel: raw bytes of an untrusted guest in, messages that are
 * well-formed, ours and new out. What they claim is judged elsewhere.
 *
 * A line is looked over before the parser sees it: depth and number of values are counted by a
 * scan that allocates nothing, because a parser's memory grows with both (a line of "[[[[" or
 * of "0,0,0," costs tens of times its text).
 */
#include "validate/protocol.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "core/limits.h"
#include "core/str.h"

#define MAX_DEPTH        8
#define MAX_LINE_VALUES  20000
#define MAX_TOTAL_VALUES 200000
#define MAX_MESSAGES     2000
#define MAX_SEQ          1000000000

void
gold_protocol_start(struct gold_protocol *p, const char *nonce)
{
    memset(p, 0, sizeof(*p));
    (void)snprintf(p->nonce, sizeof(p->nonce), "%s", nonce);
    p->next_seq = 1;
    p->percent = -1;
}

void
gold_protocol_done(struct gold_protocol *p)
{
    for (size_t i = 0; i < p->messages.n; i++)
        json_decref(p->messages.items[i]);
    gold_messages_clear(&p->messages);
    free(p->line);
    p->line = NULL;
    p->line_len = p->line_cap = 0;
}

/* Is the text shallow and small enough to be parsed? Strings are skipped; whether it is JSON is
 * the parser's question. */
static bool
looks_harmless(const char *text, size_t len, size_t *ret_values)
{
    size_t depth = 0, values = 1;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
            continue;
        }
        if (c == '"')
            in_string = true;
        else if (c == ',' || c == ':')
            values++;
        else if (c == '{' || c == '[') {
            values++;
            if (++depth > MAX_DEPTH)
                return false;
        } else if ((c == '}' || c == ']') && depth > 0)
            depth--;
    }
    *ret_values = values;
    return values <= MAX_LINE_VALUES;
}

static bool
known_type(const char *type)
{
    static const char *const types[] = {"hello",    "reached", "progress", "limits",
                                        "identity", "error",   "bye"};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (strcmp(types[i], type) == 0)
            return true;
    }
    return false;
}

/* The type of a message of ours, or NULL. A sequence number may leap (a line can be lost),
 * never return. */
static const char *
accept(struct gold_protocol *p, const json_t *message)
{
    const char *nonce = json_string_value(json_object_get(message, "nonce"));
    const char *type = json_string_value(json_object_get(message, "type"));
    const json_t *seq = json_object_get(message, "seq");
    if (!nonce || strcmp(nonce, p->nonce) != 0 || !type || !known_type(type) ||
        !json_is_integer(seq))
        return NULL;
    json_int_t number = json_integer_value(seq);
    if (number < (json_int_t)p->next_seq || number > MAX_SEQ || p->bye)
        return NULL;
    p->next_seq = (unsigned)number + 1;
    return type;
}

static void
note_progress(struct gold_protocol *p, const json_t *message)
{
    json_int_t percent = json_integer_value(json_object_get(message, "percent"));
    p->percent = percent < 0 ? 0 : percent > 100 ? 100 : (int)percent;
}

GOLD_DEFINE_CLEANUP(json_t *, json_decref);

static int
take_line(struct gold_protocol *p, const char *line, size_t len, struct gold_error **err)
{
    size_t values = 0;
    if (len > 0 && line[len - 1] == '\r') /* a port in a cooked mode */
        len--;
    if (len == 0)
        return 0;
    if (!looks_harmless(line, len, &values)) {
        p->dropped++;
        return 0;
    }
    GOLD_CLEANUP(json_decref_p)
    json_t *message = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const char *type = message ? accept(p, message) : NULL;
    if (!type) {
        p->dropped++;
        return 0;
    }
    if (strcmp(type, "progress") == 0) {
        note_progress(p, message);
        return 0;
    }
    p->hello |= strcmp(type, "hello") == 0;
    p->reached |= strcmp(type, "reached") == 0;
    p->bye |= strcmp(type, "bye") == 0;
    if (p->messages.n >= MAX_MESSAGES || values > MAX_TOTAL_VALUES - p->values) {
        p->dropped++;
        return 0;
    }
    if (gold_messages_append(&p->messages, message, err) < 0)
        return -1;
    p->values += values;
    message = NULL;
    return 0;
}

/* Keeps a part of a line whose end has not come. */
static int
keep(struct gold_protocol *p, const char *bytes, size_t len, struct gold_error **err)
{
    if (p->line_too_long)
        return 0;
    if (len > GOLD_LIMIT_CHANNEL_LINE - p->line_len) {
        p->line_too_long = true;
        p->line_len = 0;
        return 0;
    }
    size_t wanted = p->line_len + len;
    if (wanted > p->line_cap) {
        size_t cap = p->line_cap ? p->line_cap : 4096;
        while (cap < wanted)
            cap *= 2;
        char *bigger = realloc(p->line, cap);
        if (!bigger)
            return gold_error_set_nomem(err);
        p->line = bigger;
        p->line_cap = cap;
    }
    memcpy(p->line + p->line_len, bytes, len);
    p->line_len = wanted;
    return 0;
}

static int
end_line(struct gold_protocol *p, struct gold_error **err)
{
    size_t len = p->line_len;
    p->line_len = 0;
    if (p->line_too_long) {
        p->line_too_long = false;
        p->dropped++;
        return 0;
    }
    return len == 0 ? 0 : take_line(p, p->line, len, err);
}

int
gold_protocol_feed(struct gold_protocol *p, const char *bytes, size_t len,
                   struct gold_error **err)
{
    if (len > GOLD_LIMIT_CHANNEL_TOTAL - p->total) {
        p->total = GOLD_LIMIT_CHANNEL_TOTAL;
        gold_error_set(err, GOLD_ERROR_FORMAT, "the guest sent more than %llu bytes over '%s'",
                       GOLD_LIMIT_CHANNEL_TOTAL, GOLD_CHANNEL_NAME);
        return -1;
    }
    p->total += len;
    while (len > 0) {
        const char *newline = memchr(bytes, '\n', len);
        size_t part = newline ? (size_t)(newline - bytes) : len;
        if (part > 0 && keep(p, bytes, part, err) < 0)
            return -1;
        if (!newline)
            return 0;
        if (end_line(p, err) < 0)
            return -1;
        bytes += part + 1;
        len -= part + 1;
    }
    return 0;
}

int
gold_nonce(char ret[33], struct gold_error **err)
{
    unsigned char bytes[16];
    ssize_t n;
    do
        n = getrandom(bytes, sizeof(bytes), 0);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof(bytes)) {
        gold_error_set_errno(err, n < 0 ? errno : EIO, "cannot get random bytes for a nonce");
        return -1;
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        ret[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        ret[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    ret[32] = '\0';
    return 0;
}
