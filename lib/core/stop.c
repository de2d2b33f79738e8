/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Named points where a kill test can end the process. Empty in a release: nothing there reads
 * the environment.
 */
#include "core/context.h"

#ifdef GOLDSMITH_TEST_HOOKS
#    include <stdlib.h>
#    include <string.h>
#    include <unistd.h>

void
gold_stop_point(const char *name)
{
    const char *wanted = getenv("GOLDSMITH_STOP_AT");

    if (wanted && strcmp(wanted, name) == 0)
        (void)kill(getpid(), SIGKILL);
}
#endif
