/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading /proc. The name of a program stands in its stat line in parentheses and may itself
 * hold blanks and parentheses, so the fields are counted from the last one.
 */
#include <string.h>

#include "core/io.h"
#include "core/number.h"
#include "core/procfs.h"

#define STATE_AFTER_NAME 1
#define START_AFTER_NAME 20 /* field 22 of the line; the name is field 2 */

int
gold_proc_start_time(pid_t pid, uint64_t *ret)
{
    GOLD_CLEANUP_FREE char *path = gold_format(NULL, "/proc/%d/stat", (int)pid);
    GOLD_CLEANUP_FREE char *line = NULL;
    char *field, *save = NULL;

    if (!path || gold_read_file(path, 8192, &line, NULL, NULL) < 0)
        return -1;
    field = strrchr(line, ')');
    if (!field)
        return -1;
    field = strtok_r(field + 1, " \n", &save);
    for (int i = 1; field && i <= START_AFTER_NAME; i++) {
        if (i == STATE_AFTER_NAME && (field[0] == 'Z' || field[0] == 'X'))
            return -1;
        if (i == START_AFTER_NAME)
            return gold_parse_u64(field, ret, NULL);
        field = strtok_r(NULL, " \n", &save);
    }
    return -1;
}
