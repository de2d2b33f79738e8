/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model's own functions: release and look-up. How a model is read is the business of each
 * format. */
#include "formats/definition.h"

#include <string.h>

#include "core/io.h"

static void
free_disk(struct gold_disk *d)
{
    free(d->target);
    free(d->bus);
    free(d->device);
    free(d->type);
    free(d->source);
    free(d->format);
    free(d->cache);
    free(d->serial);
    gold_iotune_done(&d->iotune);
}

static void
free_nic(struct gold_nic *n)
{
    free(n->mac);
    free(n->model);
    free(n->type);
    free(n->source);
}

void
gold_definition_free(struct gold_definition *def)
{
    if (!def)
        return;
    for (size_t i = 0; i < def->n_disks; i++)
        free_disk(&def->disks[i]);
    for (size_t i = 0; i < def->n_nics; i++)
        free_nic(&def->nics[i]);
    free(def->disks);
    free(def->nics);
    free(def->path);
    free(def->text);
    free(def->name);
    free(def->uuid);
    free(def->domain_type);
    free(def->arch);
    free(def->machine);
    free(def->firmware);
    free(def);
}

static bool
matches(const struct gold_disk *d, const char *selector, int how)
{
    if (how == 0)
        return gold_streq(d->target, selector);
    if (!d->source)
        return false;
    return gold_streq(how == 1 ? d->source : gold_path_basename(d->source), selector);
}

static void
no_such_disk(const struct gold_definition *def, const char *selector, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str list = GOLD_STR_INIT;

    for (size_t i = 0; i < def->n_disks; i++) {
        if (def->disks[i].target)
            gold_str_printf(&list, "%s%s", list.len > 0 ? ", " : "", def->disks[i].target);
    }
    gold_error_set(err, GOLD_ERROR_USAGE, "'%s' has no disk '%s'", def->path, selector);
    if (list.len > 0 && !list.failed)
        gold_error_hint(err, "its disks are %s", gold_str_text(&list));
}

const struct gold_disk *
gold_definition_find_disk(const struct gold_definition *def, const char *selector,
                          struct gold_error **err)
{
    for (int how = 0; how < 3; how++) {
        const struct gold_disk *found = NULL;
        for (size_t i = 0; i < def->n_disks; i++) {
            if (!matches(&def->disks[i], selector, how))
                continue;
            if (found) {
                gold_error_set(err, GOLD_ERROR_USAGE, "'%s' has several disks '%s'", def->path,
                               selector);
                gold_error_hint(err, "name the disk by its target, for example vda");
                return NULL;
            }
            found = &def->disks[i];
        }
        if (found)
            return found;
    }
    no_such_disk(def, selector, err);
    return NULL;
}

static bool
is_removable(const struct gold_disk *d)
{
    return gold_streq(d->device, "cdrom") || gold_streq(d->device, "floppy");
}

const struct gold_disk *
gold_definition_boot_disk(const struct gold_definition *def)
{
    const struct gold_disk *best = NULL;

    for (size_t i = 0; i < def->n_disks; i++) {
        const struct gold_disk *d = &def->disks[i];
        if (is_removable(d))
            continue;
        if (!best ||
            (d->boot_order > 0 && (best->boot_order == 0 || d->boot_order < best->boot_order)))
            best = d;
    }
    return best;
}
