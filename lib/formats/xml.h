/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * XML as two views that must agree: libxml2's tree for truth (namespaces, entities,
 * well-formedness), and a scanner of our own over the raw bytes for places. They are walked in
 * lockstep: same nodes, same names, or the document is refused for editing. Spans of the
 * scanner tile the file: every byte belongs to exactly one.
 */
#ifndef GOLD_FORMATS_XML_H
#define GOLD_FORMATS_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "core/cleanup.h"
#include "core/vec.h"

enum gold_xml_span_kind {
    GOLD_XML_BOM,
    GOLD_XML_DECLARATION,
    GOLD_XML_TEXT,
    GOLD_XML_START_TAG,
    GOLD_XML_END_TAG,
    GOLD_XML_EMPTY_TAG,
    GOLD_XML_COMMENT,
    GOLD_XML_CDATA,
    GOLD_XML_PI,
    GOLD_XML_DOCTYPE
};

struct gold_xml_attribute {
    size_t name, name_len;   /* offset in the file */
    size_t value, value_len; /* between the quotes */
    char quote;
};

struct gold_xml_span {
    enum gold_xml_span_kind kind;
    size_t offset, len;
    size_t name, name_len; /* tags */
    size_t match;          /* start tag: index of its end tag, and back; empty tag: itself */
    size_t first_attribute, n_attributes;
    unsigned line; /* from 1 */
};

struct gold_xml {
    const char *text; /* borrowed */
    size_t len;
    struct gold_xml_span *spans;
    size_t n_spans, cap_spans;
    struct gold_xml_attribute *attributes;
    size_t n_attributes, cap_attributes;
    xmlDocPtr doc; /* owned; node->_private of an element is (void *)(uintptr_t)(index of its
                      tag span + 1) */
};

/* Parses and scans. `name` for messages. */
struct gold_xml *gold_xml_parse(const char *name, const char *text, size_t len,
                                struct gold_error **err);
void gold_xml_free(struct gold_xml *x);
GOLD_DEFINE_CLEANUP(struct gold_xml *, gold_xml_free);
#define GOLD_CLEANUP_XML GOLD_CLEANUP(gold_xml_free_p)
/* The tag span of an element. */
const struct gold_xml_span *gold_xml_span_of(const struct gold_xml *x, const xmlNode *element);

#endif
