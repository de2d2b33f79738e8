/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console.h"

enum { FILE_LIMIT = 64 * 1024 * 1024, STEP = 64 * 1024 };

static int
read_stream(FILE *f, const char *name, char **ret, size_t *ret_len)
{
    char *data = NULL;
    size_t len = 0;
    for (;;) {
        char *more = len > FILE_LIMIT ? NULL : realloc(data, len + STEP + 1);
        if (!more) {
            console_error(len > FILE_LIMIT ? "'%s' is larger than 64 MiB"
                                           : "out of memory while reading '%s'",
                          name);
            free(data);
            return -1;
        }
        data = more;
        size_t n = fread(data + len, 1, STEP, f);
        len += n;
        if (n < STEP)
            break;
    }
    if (ferror(f)) {
        console_error("cannot read '%s': %s", name, strerror(errno));
        free(data);
        return -1;
    }
    data[len] = '\0';
    *ret = data;
    *ret_len = len;
    return 0;
}

int
file_read(const char *path, char **ret, size_t *ret_len)
{
    if (strcmp(path, "-") == 0)
        return read_stream(stdin, "standard input", ret, ret_len);
    FILE *f = fopen(path, "re");
    if (!f) {
        console_error("cannot open '%s': %s", path, strerror(errno));
        return -1;
    }
    int r = read_stream(f, path, ret, ret_len);
    (void)fclose(f);
    return r;
}
