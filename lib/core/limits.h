/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Caps on everything that comes from outside. Each is far above honest use. */
#ifndef GOLD_CORE_LIMITS_H
#define GOLD_CORE_LIMITS_H

#define GOLD_KIB (1024ULL)
#define GOLD_MIB (1024ULL * 1024)
#define GOLD_GIB (1024ULL * 1024 * 1024)

#define GOLD_LIMIT_STR             (64 * GOLD_MIB)  /* any growable string without a cap of its own */
#define GOLD_LIMIT_DEFINITION      (16 * GOLD_MIB)  /* a VM definition; the largest real one seen is 1 MB */
#define GOLD_LIMIT_XML_DEPTH       64               /* nesting of elements; real definitions stay below 12 */
#define GOLD_LIMIT_XML_NODES       1000000
#define GOLD_LIMIT_TEMPLATE_FILE   (1 * GOLD_MIB)   /* YAML */
#define GOLD_LIMIT_RESULT_FILE     (64 * GOLD_MIB)  /* JSON read back by report */
#define GOLD_LIMIT_GUEST_FILE      (8 * GOLD_MIB)   /* a configuration file read from a guest */
#define GOLD_LIMIT_GUEST_ENTRIES   100000           /* files listed in one guest directory tree */
#define GOLD_LIMIT_DISKS           64               /* of one VM */
#define GOLD_LIMIT_BACKING_CHAIN   64
#define GOLD_LIMIT_CHILD_OUTPUT    (16 * GOLD_MIB)  /* of a child process, each stream */
#define GOLD_LIMIT_CONSOLE         (4 * GOLD_MIB)   /* kept of a guest's console; the rest is counted */
#define GOLD_LIMIT_CHANNEL_LINE    (1 * GOLD_MIB)   /* one JSON line from the agent */
#define GOLD_LIMIT_CHANNEL_TOTAL   (64 * GOLD_MIB)  /* all lines of one boot */
#define GOLD_LIMIT_CLONES          64
#define GOLD_LIMIT_PCAP            (16 * GOLD_MIB)

#endif
