/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc says about a process; shared by the library and the guard program. */
#ifndef GOLD_CORE_PROCFS_H
#define GOLD_CORE_PROCFS_H

#include <stdint.h>
#include <sys/types.h>

#include "core/error.h"

/* When it started, in clock ticks since boot: with the pid, this names a process for good. -1 when there is
   no such process or only its zombie. */
GOLD_MUST_CHECK int gold_proc_start_time(pid_t pid, uint64_t *ret);

#endif
