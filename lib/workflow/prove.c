/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workflow/prove.h"

#include "core/limits.h"
#include "guest/work.h"

struct starter_job {
    struct gold_context *ctx;
    size_t n;
    const char *root;
};

static int
inject_starter(void *opaque, const char *const *overlays, struct gold_facts *ret_identity,
               struct gold_error **err)
{
    const struct starter_job *job = opaque;
    GOLD_CLEANUP_FREE struct gold_session_disk *disks =
        calloc(job->n ? job->n : 1, sizeof(*disks));
    enum gold_init init = GOLD_INIT_UNKNOWN;

    if (!disks)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < job->n; i++)
        disks[i] = (struct gold_session_disk){.path = overlays[i], .format = "qcow2"};
    return gold_guest_inject_starter(job->ctx, disks, job->n, job->root, &init, ret_identity,
                                     err);
}

static bool
chosen(const char *payload, const char *const *only)
{
    if (!only || !only[0])
        return true;
    for (size_t i = 0; only[i]; i++)
        if (gold_streq(only[i], payload))
            return true;
    return false;
}

GOLD_VEC(request_list, struct gold_payload_request);

static void
request_list_done(struct request_list *v)
{
    for (size_t i = 0; i < v->n; i++)
        free((void *)v->items[i].parameters);
    request_list_clear(v);
}

static int
add_request(struct request_list *v, const char *payload,
            const struct gold_template_payload *from, struct gold_error **err)
{
    GOLD_CLEANUP_FREE struct gold_payload_parameter *parameters = NULL;
    size_t n = from ? from->n_parameters : 0;

    if (n > 0 && !(parameters = calloc(n, sizeof(*parameters))))
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < n; i++)
        parameters[i] =
            (struct gold_payload_parameter){from->parameters[i].key, from->parameters[i].value};
    if (request_list_append(v, (struct gold_payload_request){payload, parameters, n}, err) < 0)
        return -1;
    parameters = NULL;
    return 0;
}

/* What the template file asks for, or by default all payloads, in the table's order. */
static int
collect_requests(const struct gold_proof *proof, struct request_list *v,
                 struct gold_error **err)
{
    const struct gold_template *t = proof->tmpl;

    for (size_t i = 0; proof->only && proof->only[i]; i++)
        if (!gold_payload_find(proof->only[i])) {
            gold_error_set(err, GOLD_ERROR_USAGE, "there is no payload '%s'", proof->only[i]);
            gold_error_hint(err, "goldsmith list payloads");
            return -1;
        }
    if (t && t->n_payloads) {
        for (size_t i = 0; i < t->n_payloads; i++) {
            const struct gold_template_payload *p = &t->payloads[i];
            if (!gold_payload_find(p->payload)) {
                gold_error_set(err, GOLD_ERROR_FORMAT, "%s:%u: there is no payload '%s'",
                               t->path, p->line, p->payload);
                gold_error_hint(err, "goldsmith list payloads");
                return -1;
            }
            if (chosen(p->payload, proof->only) && add_request(v, p->payload, p, err) < 0)
                return -1;
        }
        return 0;
    }
    for (size_t i = 0; gold_payloads[i]; i++)
        if (chosen(gold_payloads[i]->about.name, proof->only) &&
            add_request(v, gold_payloads[i]->about.name, NULL, err) < 0)
            return -1;
    return 0;
}

/* The clones stand on the overlays; the images below them are watched too. */
static void
collect_disks(const struct gold_proof *proof, struct gold_validate_disk *disks)
{
    for (size_t i = 0; i < proof->target->n_images; i++)
        disks[i] = (struct gold_validate_disk){
            .target = proof->definition ? proof->target->disks[i]->target : NULL,
            .path = gold_workset_overlay(proof->ws, i),
            .format = GOLD_IMAGE_QCOW2,
            .image = gold_workset_image(proof->ws, i),
        };
}

/* What the template file says of limits is what is expected, whatever the definition says; its
   strings stay the definition's and the limits' own. */
static struct gold_disk *
expected_disks(const struct gold_definition *def, const struct gold_wanted_limits *limits,
               struct gold_error **err)
{
    struct gold_disk *disks = calloc(def->n_disks ? def->n_disks : 1, sizeof(*disks));

    if (!disks) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    for (size_t i = 0; i < def->n_disks; i++) {
        disks[i] = def->disks[i];
        disks[i].iotune = limits->items[i];
    }
    return disks;
}

int
gold_prove(struct gold_context *ctx, const struct gold_proof *proof,
           struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP(request_list_done) struct request_list requests = {0};
    GOLD_CLEANUP_WANTED_LIMITS struct gold_wanted_limits limits = {0};
    size_t n = proof->target->n_images;
    GOLD_CLEANUP_FREE struct gold_validate_disk *disks = calloc(n ? n : 1, sizeof(*disks));
    unsigned clones = proof->clones;

    if (!disks)
        return gold_error_set_nomem(err);
    if (n == 0) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' brings no image that could be booted",
                       proof->target->source);
        return -1;
    }
    if (clones == 0)
        clones = proof->tmpl && proof->tmpl->clones ? proof->tmpl->clones : 2;
    if (clones > GOLD_LIMIT_CLONES) {
        gold_error_set(err, GOLD_ERROR_USAGE, "%u clones are more than the %d that are allowed",
                       clones, GOLD_LIMIT_CLONES);
        return -1;
    }
    GOLD_CLEANUP_FREE struct gold_disk *expected = NULL;
    if (collect_requests(proof, &requests, err) < 0)
        return -1;
    if (proof->definition) {
        if (gold_wanted_limits(proof->tmpl, proof->definition, &limits, err) < 0 ||
            !(expected = expected_disks(proof->definition, &limits, err)))
            return -1;
    }
    collect_disks(proof, disks);
    struct starter_job starter = {.ctx = ctx, .n = n, .root = proof->root};
    struct gold_validate_plan plan = {
        .source = proof->target->source,
        .definition = proof->definition,
        .expected = expected,
        .disks = disks,
        .n_disks = n,
        .clones = clones,
        .payloads = requests.items,
        .n_payloads = requests.n,
        .template_identity = proof->identity,
        .inject_starter = inject_starter,
        .opaque = &starter,
        .uri = proof->uri,
        .keep = proof->keep,
    };
    return gold_validate_run(ctx, &plan, src, err);
}
