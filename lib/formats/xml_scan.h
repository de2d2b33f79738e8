/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scanner alone, for gold_xml_parse() and its tests. */
#ifndef GOLD_FORMATS_XML_SCAN_H
#define GOLD_FORMATS_XML_SCAN_H

#include "formats/xml.h"

/* Elements nest at most GOLD_LIMIT_XML_DEPTH deep, spans are at most GOLD_LIMIT_XML_NODES, and
   a tag has at most this many attributes: libxml2 compares each with each. */
#define GOLD_XML_ATTRIBUTES_MAX 1024

/* Fills spans and attributes of x from x->text. FORMAT (with file:line) when a tag does not
   close or does not match, UNSUPPORTED when a cap is exceeded. What it accepts need not be
   well-formed: that is libxml2's business. */
GOLD_MUST_CHECK int gold_xml_scan(struct gold_xml *x, const char *name,
                                  struct gold_error **err);

#endif
