/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The template file: YAML into structs. Ids, sizes and numbers of payloads are kept as text, as
 * written. */
#ifndef GOLD_TEMPLATE_TEMPLATE_H
#define GOLD_TEMPLATE_TEMPLATE_H

#include <goldsmith/workflow.h>

#include "core/cleanup.h"
#include "core/vec.h"

struct gold_template_pair {
    char *key, *value;
    unsigned line, column; /* from 1 */
};

struct gold_template_iotune {
    char *disk;                          /* selector: "boot", "all", target */
    struct gold_template_pair *settings; /* key as written with hyphens */
    size_t n_settings;
    unsigned line;
};

struct gold_template_waiver {
    char *id, *reason, *until; /* until: YYYY-MM-DD or NULL */
    unsigned line;
};

struct gold_template_payload {
    char *payload;
    struct gold_template_pair *parameters;
    size_t n_parameters;
    unsigned line;
};

struct gold_template {
    char *path;
    char *name, *description;
    char *operations; /* joined with commas; NULL: default */
    enum gold_machine_id machine_id;
    bool reset_identity;
    struct gold_template_iotune *iotune;
    size_t n_iotune;
    bool has_fail_on;
    enum gold_severity fail_on;
    struct gold_template_waiver *waivers;
    size_t n_waivers;
    unsigned clones; /* 0: default */
    struct gold_template_payload *payloads;
    size_t n_payloads;
};

/* FORMAT "FILE:LINE:COLUMN: …" for unknown keys, wrong types, bad values, duplicates, aliases,
   a second document. Known keys whose feature this version does not have are errors too, and
   say so. */
struct gold_template *gold_template_read(const char *path, struct gold_error **err);
struct gold_template *gold_template_parse(const char *name, const char *text, size_t len,
                                          struct gold_error **err);
void gold_template_free(struct gold_template *t);
GOLD_DEFINE_CLEANUP(struct gold_template *, gold_template_free);
#define GOLD_CLEANUP_TEMPLATE GOLD_CLEANUP(gold_template_free_p)

#endif
