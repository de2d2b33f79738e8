/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Comparison with what was recorded of a template's identity. A record may be the value itself
 * or the SHA-256 of it, since seal keeps no secrets; which of the two is for the record to
 * know, so every form is tried. It judges nothing.
 */
#include <string.h>

#include "core/hash.h"
#include "validate/payloads/payloads.h"

static int
sha256_hex(const char *text, size_t len, char ret[GOLD_HASH_HEX_MAX], struct gold_error **err)
{
    return gold_hash_bytes(GOLD_HASH_SHA256, text, len, ret, err);
}

/* The digest behind "SHA256:<base64>" as hex, "" when it is none. */
static void
fingerprint_hex(const char *value, char ret[65])
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *p = strstr(value, "SHA256:");
    unsigned bits = 0, pending = 0;
    size_t n = 0;
    ret[0] = '\0';
    for (p = p ? p + strlen("SHA256:") : ""; *p && n < 32; p++) {
        const char *at = strchr(alphabet, *p);
        if (!at)
            return;
        bits = bits << 6 | (unsigned)(at - alphabet);
        pending += 6;
        if (pending >= 8) {
            pending -= 8;
            (void)snprintf(ret + 2 * n, 3, "%02x", bits >> pending & 0xff);
            n++;
        }
    }
    if (n != 32)
        ret[0] = '\0';
}

int
gold_recorded_same(const char *recorded, const char *value, bool *ret, struct gold_error **err)
{
    char hex[GOLD_HASH_HEX_MAX], print[65];
    const char *short_form =
        strstr(value, "SHA256:"); /* without the type of the key before it */
    *ret = strcmp(recorded, value) == 0 || (short_form && strcmp(recorded, short_form) == 0);
    fingerprint_hex(value, print);
    *ret |= print[0] && strcmp(recorded, print) == 0;
    if (*ret)
        return 0;
    /* A record may be the hash of the file, newline and all, or of the value alone. */
    GOLD_CLEANUP_FREE char *line = gold_format(err, "%s\n", value);
    if (!line || sha256_hex(line, strlen(line), hex, err) < 0)
        return -1;
    *ret = strcmp(recorded, hex) == 0;
    if (sha256_hex(value, strlen(value), hex, err) < 0)
        return -1;
    *ret |= strcmp(recorded, hex) == 0;
    if (short_form) {
        if (sha256_hex(short_form, strlen(short_form), hex, err) < 0)
            return -1;
        *ret |= strcmp(recorded, hex) == 0;
    }
    return 0;
}
