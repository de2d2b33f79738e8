/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Look-ups in a libxml2 tree. Read-only. */
#include "formats/xml_tree.h"

#include <string.h>

#include "core/str.h"

bool
gold_xml_is(const xmlNode *node, const char *name)
{
    return node && node->type == XML_ELEMENT_NODE && !node->ns &&
           gold_streq((const char *)node->name, name);
}

static xmlNode *
from(xmlNode *node, const char *name)
{
    while (node && !(name ? gold_xml_is(node, name) : node->type == XML_ELEMENT_NODE))
        node = node->next;
    return node;
}

xmlNode *
gold_xml_child(const xmlNode *parent, const char *name)
{
    return parent ? from(parent->children, name) : NULL;
}

xmlNode *
gold_xml_next(const xmlNode *node, const char *name)
{
    return node ? from(node->next, name) : NULL;
}

xmlNode *
gold_xml_path(const xmlNode *parent, const char *path)
{
    const xmlNode *node = parent;
    xmlNode *found = NULL;

    while (node && *path) {
        size_t n = strcspn(path, "/");
        for (found = gold_xml_child(node, NULL); found; found = gold_xml_next(found, NULL)) {
            if (!found->ns && strlen((const char *)found->name) == n &&
                strncmp((const char *)found->name, path, n) == 0)
                break;
        }
        node = found;
        path += n + (path[n] == '/');
    }
    return node ? found : NULL;
}

const char *
gold_xml_attr(const xmlNode *node, const char *name)
{
    if (!node || node->type != XML_ELEMENT_NODE)
        return NULL;
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        if (a->ns || !gold_streq((const char *)a->name, name))
            continue;
        /* One text node at most: entities cannot be declared in what we accept. */
        return a->children && a->children->content ? (const char *)a->children->content : "";
    }
    return NULL;
}

int
gold_xml_text(const xmlNode *node, char **ret, struct gold_error **err)
{
    if (!node)
        return 0;
    xmlChar *text = xmlNodeGetContent(node);
    if (!text)
        return gold_error_set_nomem(err);
    *ret = gold_strdup((const char *)text, err);
    xmlFree(text);
    return *ret ? 0 : -1;
}
