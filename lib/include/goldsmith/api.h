/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes that the public headers use. */
#ifndef GOLDSMITH_API_H
#define GOLDSMITH_API_H

#define GOLD_API               __attribute__((visibility("default")))
#define GOLD_MUST_CHECK        __attribute__((warn_unused_result))
#define GOLD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#endif
