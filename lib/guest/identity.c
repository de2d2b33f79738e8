/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the identity that an image would give to its clones, for comparison with theirs. Judges
 * nothing: that is for the operations' verify and for the validation.
 */
#include "guest/identity.h"

#include <ctype.h>
#include <string.h>

#include "core/hash.h"
#include "core/str.h"

#define KEYS_MOST    64
#define KEY_MOST     16384 /* bytes of one public key */
#define HOSTNAME_MAX 253

static int
base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes [p, p+len) into ret; false when it is not base64. */
static bool
base64_decode(const char *p, size_t len, struct gold_str *ret)
{
    unsigned bits = 0, n = 0;
    size_t digits = 0;
    while (len > 0 && p[len - 1] == '=')
        len--;
    for (; digits < len; digits++) {
        int d = base64_digit(p[digits]);
        if (d < 0)
            return false;
        bits = (bits << 6 | (unsigned)d) & 0xFFFFFF;
        n += 6;
        if (n >= 8) {
            n -= 8;
            gold_str_append_char(ret, (char)(bits >> n & 0xFF));
        }
    }
    return digits % 4 != 1;
}

static void
base64_encode(const unsigned char *p, size_t len, struct gold_str *ret)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0, n = 0;
    for (size_t i = 0; i < len; i++) {
        bits = (bits << 8 | p[i]) & 0xFFFFFF;
        for (n += 8; n >= 6;) {
            n -= 6;
            gold_str_append_char(ret, digits[bits >> n & 63]);
        }
    }
    if (n > 0)
        gold_str_append_char(ret, digits[bits << (6 - n) & 63]);
}

/* One hexadecimal digit of a digest that we made ourselves. */
static unsigned
hex_digit(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* A key's blob begins with its type again: four bytes of length, then the name. */
static bool
is_key_of_type(const struct gold_str *blob, const char *type, size_t len)
{
    return len > 0 && len < 256 && blob->len > 4 + len &&
           memcmp(blob->data, "\0\0\0", 3) == 0 && (unsigned char)blob->data[3] == len &&
           memcmp(blob->data + 4, type, len) == 0;
}

int
gold_ssh_fingerprint(const char *text, size_t len, char **ret, struct gold_error **err)
{
    const char *end = text + len, *eol = len ? memchr(text, '\n', len) : NULL;
    if (eol)
        end = eol;
    *ret = NULL;
    const char *key = text < end ? memchr(text, ' ', (size_t)(end - text)) : NULL;
    if (!key || end - key > KEY_MOST)
        return 0;
    const char *key_end = ++key;
    while (key_end < end && *key_end != ' ' && *key_end != '\t' && *key_end != '\r')
        key_end++;
    GOLD_CLEANUP_STR struct gold_str blob = GOLD_STR_INIT;
    if (!base64_decode(key, (size_t)(key_end - key), &blob))
        return 0;
    if (gold_str_finish(&blob, "public key", err) < 0)
        return -1;
    if (!is_key_of_type(&blob, text, (size_t)(key - 1 - text)))
        return 0;
    char hex[GOLD_HASH_HEX_MAX];
    if (gold_hash_bytes(GOLD_HASH_SHA256, blob.data, blob.len, hex, err) < 0)
        return -1;
    unsigned char digest[32];
    for (size_t i = 0; i < sizeof digest; i++)
        digest[i] = (unsigned char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    GOLD_CLEANUP_STR struct gold_str text_out = GOLD_STR_INIT;
    gold_str_append(&text_out, "SHA256:");
    base64_encode(digest, sizeof digest, &text_out);
    *ret = gold_str_steal(&text_out, NULL, err);
    return *ret ? 0 : -1;
}

static int
add_machine_id(struct gold_scene *sc, const char *path, const char *name,
               struct gold_facts *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, path, &text, &len, err) < 0)
        return -1;
    if (!text || len < 32 || len > 33 || (len == 33 && text[32] != '\n'))
        return 0;
    text[32] = '\0';
    for (size_t i = 0; i < 32; i++)
        if (!isxdigit((unsigned char)text[i]))
            return 0;
    return gold_facts_add(ret, name, text, err);
}

static int
add_host_keys(struct gold_scene *sc, struct gold_facts *ret, struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv keys = {0};
    if (gold_scene_glob(sc, "/etc/ssh/ssh_host_*_key.pub", &keys, err) < 0)
        return -1;
    for (size_t i = 0; i < keys.n && i < KEYS_MOST; i++) {
        GOLD_CLEANUP_FREE char *text = NULL, *fingerprint = NULL;
        size_t len = 0;
        if (gold_scene_read(sc, keys.items[i], &text, &len, err) < 0)
            return -1;
        if (!text || gold_ssh_fingerprint(text, len, &fingerprint, err) < 0) {
            if (text)
                return -1;
            continue;
        }
        if (fingerprint && gold_facts_add(ret, "ssh-host-key", fingerprint, err) < 0)
            return -1;
    }
    return 0;
}

static int
add_hostname(struct gold_scene *sc, struct gold_facts *ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, "/etc/hostname", &text, &len, err) < 0)
        return -1;
    for (char *p = text; p && *p;) {
        size_t n = strcspn(p, "\n");
        char *next = p[n] ? p + n + 1 : p + n;
        p[n] = '\0';
        p += strspn(p, " \t\r");
        p[strcspn(p, " \t\r")] = '\0';
        if (*p != '\0' && *p != '#')
            return strlen(p) <= HOSTNAME_MAX && gold_utf8_valid(p, strlen(p))
                       ? gold_facts_add(ret, "hostname", p, err)
                       : 0;
        p = next;
    }
    return 0;
}

static int
add_identity(struct gold_scene *sc, struct gold_facts *ret, struct gold_error **err)
{
    if (add_machine_id(sc, "/etc/machine-id", "machine-id", ret, err) < 0 ||
        add_machine_id(sc, "/var/lib/dbus/machine-id", "dbus-machine-id", ret, err) < 0)
        return -1;
    return add_host_keys(sc, ret, err);
}

int
gold_guest_identity(struct gold_scene *sc, struct gold_facts *ret, struct gold_error **err)
{
    if (add_identity(sc, ret, err) < 0)
        return -1;
    return add_hostname(sc, ret, err);
}

static int
hash_facts(const struct gold_facts *raw, struct gold_facts *ret, struct gold_error **err)
{
    for (size_t i = 0; i < raw->n; i++) {
        char hex[GOLD_HASH_HEX_MAX];
        if (gold_hash_bytes(GOLD_HASH_SHA256, raw->items[i].value, strlen(raw->items[i].value),
                            hex, err) < 0 ||
            gold_facts_add(ret, raw->items[i].name, hex, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_guest_identity_hashed(struct gold_scene *sc, struct gold_facts *ret,
                           struct gold_error **err)
{
    struct gold_facts raw = {0};
    int r = add_identity(sc, &raw, err);
    if (r == 0)
        r = hash_facts(&raw, ret, err);
    gold_facts_done(&raw);
    return r;
}
