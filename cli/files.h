/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stddef.h>

/* The whole of a regular file of at most 64 MiB ("-": standard input), NUL-terminated, to be
 * freed. -1 after a message. */
int file_read(const char *path, char **ret, size_t *ret_len);

#endif
