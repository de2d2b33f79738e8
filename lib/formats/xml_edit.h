/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splices: each adds to a patch set what makes one small change to an XML file, in the file's
 * own style (indentation, line ends, quotes). Nothing else in the file is touched. Values are
 * UTF-8; what the file's encoding cannot be trusted to hold is written as a character
 * reference.
 */
#ifndef GOLD_FORMATS_XML_EDIT_H
#define GOLD_FORMATS_XML_EDIT_H

#include "core/str.h"
#include "formats/patch.h"
#include "formats/xml.h"

/* Gives an attribute a value; adds it behind the others when it is not there. Nothing when it
 * has that value. */
GOLD_MUST_CHECK int gold_xml_set_attribute(const struct gold_xml *x, const xmlNode *element,
                                           const char *name, const char *value,
                                           struct gold_patch *p, struct gold_error **err);
/* Gives an attribute another name. USAGE when it is not there. */
GOLD_MUST_CHECK int gold_xml_rename_attribute(const struct gold_xml *x, const xmlNode *element,
                                              const char *name, const char *new_name,
                                              struct gold_patch *p, struct gold_error **err);
/* Takes all attributes off. */
GOLD_MUST_CHECK int gold_xml_drop_attributes(const struct gold_xml *x, const xmlNode *element,
                                             struct gold_patch *p, struct gold_error **err);
/* Makes `text` the text of an element; comments in it stay, child elements go. */
GOLD_MUST_CHECK int gold_xml_set_text(const struct gold_xml *x, const xmlNode *element,
                                      const char *text, struct gold_patch *p,
                                      struct gold_error **err);
/* Removes an element, with its line when it stands alone on it. */
GOLD_MUST_CHECK int gold_xml_delete(const struct gold_xml *x, const xmlNode *element,
                                    struct gold_patch *p, struct gold_error **err);

/* How a new element is set: on lines of its own, or in the row. */
struct gold_xml_style {
    char *indent; /* of the new element; NULL: in the row, no line breaks */
    char *unit;   /* one step further in */
    const char *eol;
    char quote;
};

void gold_xml_style_done(struct gold_xml_style *style);
#define GOLD_CLEANUP_XML_STYLE GOLD_CLEANUP(gold_xml_style_done)
/* The style of a new child of `parent`. */
GOLD_MUST_CHECK int gold_xml_child_style(const struct gold_xml *x, const xmlNode *parent,
                                         struct gold_xml_style *ret, struct gold_error **err);
/* Puts `source` (the element's own bytes, further lines already indented, no line end at its
   end) behind the sibling `after`, else before the sibling `before`, else as the last child of
   `parent`. */
GOLD_MUST_CHECK int gold_xml_insert(const struct gold_xml *x, const xmlNode *parent,
                                    const xmlNode *after, const xmlNode *before,
                                    const char *source, struct gold_patch *p,
                                    struct gold_error **err);
/* Appends text to `s`, escaped for this file. */
void gold_xml_append_escaped(const struct gold_xml *x, struct gold_str *s, const char *text);

#endif
