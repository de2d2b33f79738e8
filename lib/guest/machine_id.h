/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The states of a machine-id file, as systemd and the D-Bus libraries tell them apart. */
#ifndef GOLD_GUEST_MACHINE_ID_H
#define GOLD_GUEST_MACHINE_ID_H

#include <stdbool.h>
#include <stddef.h>

enum gold_machine_id_state {
    GOLD_MACHINE_ID_STATE_MISSING,
    GOLD_MACHINE_ID_STATE_EMPTY,         /* zero bytes: not a first boot, a new id is made */
    GOLD_MACHINE_ID_STATE_UNINITIALIZED, /* the word: a first boot from systemd 247 on */
    GOLD_MACHINE_ID_STATE_SET,           /* 32 hexadecimal digits, not all zero */
    GOLD_MACHINE_ID_STATE_MALFORMED /* anything else: systemd makes a new id, other readers fail
                                       or use it */
};

/* text NULL: MISSING. *ret_why (may be NULL) says what is wrong when MALFORMED. */
enum gold_machine_id_state gold_machine_id_parse(const char *text, size_t len,
                                                 const char **ret_why);
/* Is s[0..32) hexadecimal? */
bool gold_machine_id_is_hex(const char *s, size_t len);
/* First digits of an id for messages: "4c1f…" into ret[16]; the whole is a secret of the
 * guest's. */
void gold_machine_id_shorten(const char *text, size_t len, char ret[16]);

#endif
