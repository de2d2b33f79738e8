/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Releasing a template; also a half-filled one, as the binder leaves it when a file is refused.
 */
#include "template/template.h"

static void
free_pairs(struct gold_template_pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(pairs[i].key);
        free(pairs[i].value);
    }
    free(pairs);
}

void
gold_template_free(struct gold_template *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->n_iotune; i++) {
        free(t->iotune[i].disk);
        free_pairs(t->iotune[i].settings, t->iotune[i].n_settings);
    }
    for (size_t i = 0; i < t->n_waivers; i++) {
        free(t->waivers[i].id);
        free(t->waivers[i].reason);
        free(t->waivers[i].until);
    }
    for (size_t i = 0; i < t->n_payloads; i++) {
        free(t->payloads[i].payload);
        free_pairs(t->payloads[i].parameters, t->payloads[i].n_parameters);
    }
    free(t->iotune);
    free(t->waivers);
    free(t->payloads);
    free(t->path);
    free(t->name);
    free(t->description);
    free(t->operations);
    free(t);
}
