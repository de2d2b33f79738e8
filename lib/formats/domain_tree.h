/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the libvirt domain format share: an opened document, and its disks as
 * elements. */
#ifndef GOLD_FORMATS_DOMAIN_TREE_H
#define GOLD_FORMATS_DOMAIN_TREE_H

#include "formats/domain.h"
#include "formats/xml.h"
#include "formats/xml_tree.h"

/* Parses and insists on <domain>. The text must outlive the result. */
struct gold_xml *gold_domain_open(const char *name, const char *text, size_t len,
                                  struct gold_error **err);
/* <domain>, and <devices> in it (NULL: there is none). */
xmlNode *gold_domain_root(const struct gold_xml *x);
xmlNode *gold_domain_devices(const struct gold_xml *x);
/* The n-th <disk>; NULL past the end. */
xmlNode *gold_domain_disk_element(const struct gold_xml *x, size_t n);
/* Which of def's disks is it? USAGE when it is none of them. */
GOLD_MUST_CHECK int gold_domain_disk_index(const struct gold_definition *def,
                                           const struct gold_disk *disk, size_t *ret,
                                           struct gold_error **err);
/* Reads the limits of a disk like libvirt: the first element of a name counts, text that is no
 * number is none. */
GOLD_MUST_CHECK int gold_domain_read_iotune(const xmlNode *disk, struct gold_iotune *ret,
                                            struct gold_error **err);
/* A limit as libvirt reads it; -1: libvirt would refuse the definition. */
GOLD_MUST_CHECK int gold_domain_parse_limit(const char *text, uint64_t *ret,
                                            struct gold_error **err);
/* The key of a child of <iotune>; -1: libvirt does not know it. */
int gold_domain_iotune_key(const xmlNode *child);
/* Why QEMU does not throttle this disk, as half a sentence; NULL: it does. */
const char *gold_domain_unthrottled(const xmlNode *disk);

#endif
