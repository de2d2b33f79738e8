/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking around in a libxml2 tree the way libvirt does: by plain names without a namespace.
 * Accepts NULL nodes, so that look-ups chain.
 */
#ifndef GOLD_FORMATS_XML_TREE_H
#define GOLD_FORMATS_XML_TREE_H

#include <stdbool.h>

#include <libxml/tree.h>

#include "core/error.h"

bool gold_xml_is(const xmlNode *node, const char *name);
/* The first child element of that name; NULL name: of any, in any namespace. */
xmlNode *gold_xml_child(const xmlNode *parent, const char *name);
/* The next sibling element of that name (NULL: of any). */
xmlNode *gold_xml_next(const xmlNode *node, const char *name);
/* gold_xml_child() along names that '/' separates. */
xmlNode *gold_xml_path(const xmlNode *parent, const char *path);
/* The value of an attribute, borrowed from the tree; NULL: there is none. */
const char *gold_xml_attr(const xmlNode *node, const char *name);
/* All text below the element; *ret stays NULL when node is NULL. *ret: free(). */
GOLD_MUST_CHECK int gold_xml_text(const xmlNode *node, char **ret, struct gold_error **err);

#endif
