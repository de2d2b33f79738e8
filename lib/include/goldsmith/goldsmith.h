/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libgoldsmith: everything that is public. */
#ifndef GOLDSMITH_GOLDSMITH_H
#define GOLDSMITH_GOLDSMITH_H

#include <goldsmith/context.h>
#include <goldsmith/error.h>
#include <goldsmith/list.h>
#include <goldsmith/report.h>
#include <goldsmith/result.h>
#include <goldsmith/workflow.h>

#endif
