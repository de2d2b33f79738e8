/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes what clones answered, for the tests of payloads. */
#ifndef GOLD_TESTS_VALIDATE_ANSWERS_H
#define GOLD_TESTS_VALIDATE_ANSWERS_H

#include <jansson.h>
#include <stdio.h>

#include "validate/payload.h"

#define ANSWERS_MOST  8
#define MESSAGES_MOST 8

struct answers {
    struct gold_boot_answers boots[ANSWERS_MOST];
    json_t *messages[ANSWERS_MOST][MESSAGES_MOST];
    size_t n;
};

static inline struct gold_boot_answers *
answers_boot(struct answers *a, const char *clone, unsigned boot, const char *mac,
             const char *client_id)
{
    assert_true(a->n < ANSWERS_MOST);
    struct gold_boot_answers *b = &a->boots[a->n];
    *b = (struct gold_boot_answers){
        .clone = clone, .boot = boot, .mac = mac, .dhcp_client_id = client_id};
    b->messages = a->messages[a->n++];
    return b;
}

/* To the last boot; takes the message. */
static inline void
answers_add(struct answers *a, json_t *message)
{
    assert_non_null(message);
    struct gold_boot_answers *b = &a->boots[a->n - 1];
    assert_true(b->n_messages < MESSAGES_MOST);
    a->messages[a->n - 1][b->n_messages++] = message;
}

static inline void
answers_add_text(struct answers *a, const char *json)
{
    answers_add(a, json_loads(json, 0, NULL));
}

static inline void
answers_done(struct answers *a)
{
    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < a->boots[i].n_messages; k++)
            json_decref(a->messages[i][k]);
    }
    *a = (struct answers){.n = 0};
}

static inline const struct gold_metric *
find_metric(const struct gold_measurement *m, const char *name)
{
    for (size_t i = 0; i < m->n_metrics; i++) {
        if (strcmp(m->metrics[i].name, name) == 0)
            return &m->metrics[i];
    }
    return NULL;
}

#endif
