/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What tells one machine from another, as it stands in the image. */
#ifndef GOLD_GUEST_IDENTITY_H
#define GOLD_GUEST_IDENTITY_H

#include "guest/scene.h"

/* Raw values: "machine-id" and "dbus-machine-id" (32 hex digits; not when empty, uninitialized
   or malformed), "ssh-host-key" (one for each public host key, "SHA256:..." as ssh-keygen -l
   prints it), "hostname". */
GOLD_MUST_CHECK int gold_guest_identity(struct gold_scene *sc, struct gold_facts *ret,
                                        struct gold_error **err);
/* The same, but the SHA-256 in hex of each value, and no hostname: it is not secret and is no
 * identity that seal resets. */
GOLD_MUST_CHECK int gold_guest_identity_hashed(struct gold_scene *sc, struct gold_facts *ret,
                                               struct gold_error **err);
/* "SHA256:..." of a line of a public key file; *ret NULL when it is not one. */
GOLD_MUST_CHECK int gold_ssh_fingerprint(const char *text, size_t len, char **ret,
                                         struct gold_error **err);

#endif
