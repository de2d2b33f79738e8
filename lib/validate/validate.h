/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Native boot: N throw-away clones of the template through its own boot path, the agent on a read-only payload disk, JSON
 * lines over a named virtio-serial port, and verdicts. It is handed how to inject the starter; it never looks into images.
 */
#ifndef GOLD_VALIDATE_VALIDATE_H
#define GOLD_VALIDATE_VALIDATE_H

#include <goldsmith/workflow.h>

#include "core/result.h"
#include "formats/definition.h"
#include "qemu/headers.h"
#include "validate/payload.h"

struct gold_validate_disk {
    const char *target; /* in the definition; NULL for the only disk of a bare image */
    const char *path;   /* what the clones stand on: never written */
    enum gold_image_format format;
    const char *image; /* the image file behind `path`, which must not change either; NULL: none */
};

struct gold_validate_plan {
    const char *source;                       /* for messages */
    const struct gold_definition *definition; /* NULL: the plain default definition */
    /* As the definition's disks, with the limits that are expected of them, which a template file may state; NULL: what
       the definition says is what is expected. The clones get what the definition says in any case. */
    const struct gold_disk *expected;
    const struct gold_validate_disk *disks;
    size_t n_disks;
    unsigned clones; /* at least 1 */
    const struct gold_payload_request *payloads;
    size_t n_payloads;
    const struct gold_facts *template_identity; /* SHA-256 of what seal recorded; NULL: use what inject_starter reads */
    /* Writes the starter into these overlays (same order as disks) and reads the template's identity (raw values). */
    int (*inject_starter)(void *opaque, const char *const *overlays, struct gold_facts *ret_identity, struct gold_error **err);
    void *opaque;
    const char *uri; /* NULL: embedded */
    enum gold_keep keep;
};

/* Fills src: measurements, clones, verdict. -1 only for what is no verdict about the template (harness, cancelled).
   GOLD_ERROR_CHANGED when a disk's bytes changed meanwhile. */
GOLD_MUST_CHECK int gold_validate_run(struct gold_context *ctx, const struct gold_validate_plan *plan, struct gold_source_result *src,
                                      struct gold_error **err);

#endif
