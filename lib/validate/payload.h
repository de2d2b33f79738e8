/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Payloads: a table. A payload says what it asks of the agent (lines of the plan on the payload disk), which extra disks it
 * needs, and judges the JSON that comes back.
 */
#ifndef GOLD_VALIDATE_PAYLOAD_H
#define GOLD_VALIDATE_PAYLOAD_H

#include <goldsmith/list.h>
#include <jansson.h>

#include "core/result.h"
#include "core/str.h"
#include "formats/definition.h"

/* One `key: value` of a payload in the template file; text as written. */
struct gold_payload_parameter {
    const char *key, *value;
};

struct gold_payload_request {
    const char *payload;
    const struct gold_payload_parameter *parameters;
    size_t n_parameters;
};

/* What one clone answered, message by message (parsed JSON objects), for one boot. */
struct gold_boot_answers {
    const char *clone;  /* "clone-1" */
    unsigned boot;      /* 1, 2 */
    json_t *const *messages;
    size_t n_messages;
    const char *mac;
    const char *dhcp_client_id; /* hex from the capture, or NULL */
};

struct gold_payload {
    struct gold_about about;
    const char *const *keys; /* parameters it takes; NULL-terminated */
    bool every_clone;        /* or only the first */
    bool second_boot;        /* wants the clone booted a second time */
    /* USAGE for bad parameters; called before anything starts. */
    int (*check)(const struct gold_payload_request *request, struct gold_error **err);
    /* Appends plan lines for the agent. disk: the definition's disk that this instance judges, or NULL; disk_index: its
       place in the definition, from which its scratch disk has its serial. */
    int (*plan)(const struct gold_payload_request *request, const struct gold_disk *disk, size_t disk_index,
                struct gold_str *ret, struct gold_error **err);
    /* Which disks of the definition need an instance with a scratch disk: NULL when it needs none. */
    bool (*wants_disk)(const struct gold_disk *disk);
    /* Adds one measurement (or more) to src. */
    int (*judge)(const struct gold_payload_request *request, const struct gold_disk *disk, const char *accelerator,
                 const struct gold_facts *template_identity, const struct gold_boot_answers *answers, size_t n_answers,
                 struct gold_source_result *src, struct gold_error **err);
};

extern const struct gold_payload *const gold_payloads[];
const struct gold_payload *gold_payload_find(const char *name);

#endif
