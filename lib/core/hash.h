/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests over libcrypto. */
#ifndef GOLD_CORE_HASH_H
#define GOLD_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "core/cleanup.h"
#include "core/context.h"

enum gold_hash_alg { GOLD_HASH_SHA1, GOLD_HASH_SHA256, GOLD_HASH_SHA512 };
#define GOLD_HASH_HEX_MAX 129 /* hex digits of SHA-512 and the NUL */

struct gold_hash;
struct gold_hash *gold_hash_new(enum gold_hash_alg alg, struct gold_error **err);
GOLD_MUST_CHECK int gold_hash_update(struct gold_hash *h, const void *bytes, size_t len, struct gold_error **err);
/* Lower-case hex into ret_hex[GOLD_HASH_HEX_MAX]. */
GOLD_MUST_CHECK int gold_hash_finish(struct gold_hash *h, char *ret_hex, struct gold_error **err);
void gold_hash_free(struct gold_hash *h);
GOLD_DEFINE_CLEANUP(struct gold_hash *, gold_hash_free);
#define GOLD_CLEANUP_HASH GOLD_CLEANUP(gold_hash_free_p)

GOLD_MUST_CHECK int gold_hash_bytes(enum gold_hash_alg alg, const void *bytes, size_t len, char *ret_hex,
                                    struct gold_error **err);
/* The whole file, holes skipped over quickly but counted as zeroes. Reports progress, honours cancellation. */
GOLD_MUST_CHECK int gold_hash_fd(struct gold_context *ctx, enum gold_hash_alg alg, int fd, const char *name,
                                 char *ret_hex, struct gold_error **err);

#endif
