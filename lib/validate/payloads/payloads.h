/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The payloads' entries, for the table in validate/payload.c, and what several of them need. */
#ifndef GOLD_VALIDATE_PAYLOADS_H
#define GOLD_VALIDATE_PAYLOADS_H

#include "validate/payload.h"

extern const struct gold_payload gold_payload_clone_identity;
extern const struct gold_payload gold_payload_iotune_limits;

/* The value of a parameter, NULL when it is not given. */
const char *gold_payload_parameter(const struct gold_payload_request *request, const char *key);
/* USAGE when a parameter is not among `keys` or is given twice. */
GOLD_MUST_CHECK int gold_payload_check_keys(const struct gold_payload_request *request,
                                            const char *const *keys, struct gold_error **err);
/* A parameter as a whole number from low to high; *ret stays when it is not given. USAGE
 * otherwise. */
GOLD_MUST_CHECK int gold_payload_whole(const struct gold_payload_request *request,
                                       const char *key, unsigned low, unsigned high,
                                       unsigned *ret, struct gold_error **err);
/* A parameter as a part of one, above 0 and at most `most`: "0.03", "3%" or "3 %". */
GOLD_MUST_CHECK int gold_payload_ratio(const struct gold_payload_request *request,
                                       const char *key, double most, double *ret,
                                       struct gold_error **err);
/* A string member of a message that a guest sent, or NULL. */
const char *gold_message_string(const json_t *message, const char *key);
/* Is it a message of that type? */
bool gold_message_is(const json_t *message, const char *type);
/* What the agent said when it could not run the payload, escaped and cut to a readable length;
 *NULL when it did not say. ret: free(). */
GOLD_MUST_CHECK int gold_answers_error(const struct gold_boot_answers *answers,
                                       const char *payload, char **ret,
                                       struct gold_error **err);

/* Does a value that the template's record holds (raw, or the SHA-256 of it) mean the same as a
   clone's? For ssh host keys
   ("TYPE SHA256:…") the fingerprint alone and the digest behind it count too. */
GOLD_MUST_CHECK int gold_recorded_same(const char *recorded, const char *value, bool *ret,
                                       struct gold_error **err);

#endif
