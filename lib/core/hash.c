/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests over libcrypto. Its only failures here are lack of memory and a configuration without
 * the algorithm.
 */
#include <openssl/evp.h>
#include <string.h>

#include "core/hash.h"
#include "core/io.h"

#define BUFFER ((size_t)256 * 1024)

struct gold_hash {
    EVP_MD_CTX *ctx;
};

static const EVP_MD *
algorithm(enum gold_hash_alg alg)
{
    switch (alg) {
    case GOLD_HASH_SHA1:
        return EVP_sha1();
    case GOLD_HASH_SHA256:
        return EVP_sha256();
    case GOLD_HASH_SHA512:
        return EVP_sha512();
    }
    return NULL;
}

static int
refused(struct gold_error **err)
{
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "libcrypto refused to compute a digest");
    return -1;
}

struct gold_hash *
gold_hash_new(enum gold_hash_alg alg, struct gold_error **err)
{
    GOLD_CLEANUP_HASH struct gold_hash *h = calloc(1, sizeof(*h));
    const EVP_MD *md = algorithm(alg);

    if (!h || !(h->ctx = EVP_MD_CTX_new())) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    if (!md || EVP_DigestInit_ex(h->ctx, md, NULL) != 1) {
        (void)refused(err);
        return NULL;
    }
    return gold_steal_ptr(&h);
}

int
gold_hash_update(struct gold_hash *h, const void *bytes, size_t len, struct gold_error **err)
{
    return EVP_DigestUpdate(h->ctx, bytes, len) == 1 ? 0 : refused(err);
}

int
gold_hash_finish(struct gold_hash *h, char *ret_hex, struct gold_error **err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char md[EVP_MAX_MD_SIZE];
    unsigned n = 0;

    if (EVP_DigestFinal_ex(h->ctx, md, &n) != 1 || 2 * n >= GOLD_HASH_HEX_MAX)
        return refused(err);
    for (unsigned i = 0; i < n; i++) {
        ret_hex[2 * (size_t)i] = digits[md[i] >> 4];
        ret_hex[2 * (size_t)i + 1] = digits[md[i] & 15];
    }
    ret_hex[2 * (size_t)n] = '\0';
    return 0;
}

void
gold_hash_free(struct gold_hash *h)
{
    if (!h)
        return;
    EVP_MD_CTX_free(h->ctx);
    free(h);
}

int
gold_hash_bytes(enum gold_hash_alg alg, const void *bytes, size_t len, char *ret_hex,
                struct gold_error **err)
{
    GOLD_CLEANUP_HASH struct gold_hash *h = gold_hash_new(alg, err);

    if (!h || gold_hash_update(h, bytes, len, err) < 0)
        return -1;
    return gold_hash_finish(h, ret_hex, err);
}

struct reader {
    struct gold_context *ctx;
    struct gold_hash *hash;
    int fd;
    const char *name;
    uint64_t size;
    char *buffer;
};

/* Feeds [pos, end): from the file, or zeroes. */
static int
feed(const struct reader *r, uint64_t pos, uint64_t end, bool hole, struct gold_error **err)
{
    if (hole)
        memset(r->buffer, 0, BUFFER);
    while (pos < end) {
        size_t want = end - pos < BUFFER ? (size_t)(end - pos) : BUFFER;

        if (gold_check_cancelled(r->ctx, err) < 0)
            return -1;
        if (!hole) {
            ssize_t n = gold_pread_full(r->fd, r->buffer, want, pos);

            if (n < 0) {
                gold_error_set_errno(err, errno, "cannot read '%s'", r->name);
                return -1;
            }
            if ((size_t)n < want) {
                gold_error_set(err, GOLD_ERROR_CHANGED, "'%s' became shorter while it was read",
                               r->name);
                return -1;
            }
        }
        if (gold_hash_update(r->hash, r->buffer, want, err) < 0)
            return -1;
        pos += want;
        gold_progress(r->ctx, "hash", (double)pos / (double)r->size, "%s", r->name);
    }
    return 0;
}

static int
find_size(int fd, const struct stat *st, uint64_t *ret)
{
    off_t size = st->st_size;

    if (S_ISBLK(st->st_mode))
        size = lseek(fd, 0, SEEK_END);
    else if (!S_ISREG(st->st_mode))
        return -1;
    if (size < 0)
        return -1;
    *ret = (uint64_t)size;
    return 0;
}

int
gold_hash_fd(struct gold_context *ctx, enum gold_hash_alg alg, int fd, const char *name,
             char *ret_hex, struct gold_error **err)
{
    GOLD_CLEANUP_HASH struct gold_hash *h = gold_hash_new(alg, err);
    GOLD_CLEANUP_FREE char *buffer = malloc(BUFFER);
    struct reader r = {.ctx = ctx, .hash = h, .fd = fd, .name = name, .buffer = buffer};
    uint64_t pos = 0;
    struct stat st;

    if (!h)
        return -1;
    if (!buffer)
        return gold_error_set_nomem(err);
    if (fstat(fd, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot examine '%s'", name);
        return -1;
    }
    if (find_size(fd, &st, &r.size) < 0) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is not a file with a size", name);
        return -1;
    }
    while (pos < r.size) {
        struct gold_extent data;

        if (gold_next_data(fd, pos, r.size, &data) < 0) {
            gold_error_set_errno(err, errno, "cannot read '%s'", name);
            return -1;
        }
        if (feed(&r, pos, data.start, true, err) < 0 ||
            feed(&r, data.start, data.end, false, err) < 0)
            return -1;
        pos = data.end;
    }
    return gold_hash_finish(h, ret_hex, err);
}
