/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of gold_domain_clone_xml(): what its files share. */
#ifndef GOLD_FORMATS_DOMAIN_CLONE_H
#define GOLD_FORMATS_DOMAIN_CLONE_H

#include "core/vec.h"
#include "formats/domain_tree.h"

/* The tree that becomes the clone's. `nomem` is sticky and looked at once, at the end. */
struct gold_clone {
    const struct gold_definition *def;
    const struct gold_clone_spec *spec;
    xmlNode *root, *devices;
    bool tcg;
    bool nomem;
};

/* Tree building that cannot fail half-way: NULL parents are accepted, and nomem is set. */
xmlNode *gold_clone_add(struct gold_clone *c, xmlNode *parent, const char *name,
                        const char *text);
void gold_clone_set(struct gold_clone *c, xmlNode *node, const char *name, const char *value);
void gold_clone_unset(xmlNode *node, const char *name);
/* Removes children of these names (NULL-terminated). */
void gold_clone_drop(xmlNode *parent, const char *const *names);
/* Removes all child nodes but elements of these names. */
void gold_clone_keep(xmlNode *parent, const char *const *names);
void gold_clone_remove(xmlNode *node);
/* A number as libvirt writes it in addresses: 0x1f or 31; absent is 0, -1: not one. */
int gold_clone_number(const char *text);

/* <devices>: disks, controllers, console, channel. */
GOLD_MUST_CHECK int gold_clone_devices(struct gold_clone *c, struct gold_error **err);
/* The NIC on its isolated network, with capture. */
GOLD_MUST_CHECK int gold_clone_network(struct gold_clone *c, struct gold_error **err);

#endif
