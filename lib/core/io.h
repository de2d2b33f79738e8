/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading and writing that finish: short counts and EINTR are handled here and nowhere else. */
#ifndef GOLD_CORE_IO_H
#define GOLD_CORE_IO_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "core/cleanup.h"
#include "core/context.h"
#include "core/hash.h"
#include "core/str.h"

/* 0 or -1 with errno set; no error object, so that callers can word it. */
GOLD_MUST_CHECK int gold_write_all(int fd, const void *bytes, size_t len);
GOLD_MUST_CHECK int gold_pwrite_all(int fd, const void *bytes, size_t len, uint64_t offset);
/* How many bytes were there, up to len; -1 with errno. */
GOLD_MUST_CHECK ssize_t gold_read_full(int fd, void *buf, size_t len);
GOLD_MUST_CHECK ssize_t gold_pread_full(int fd, void *buf, size_t len, uint64_t offset);

/* Opens a regular file for reading (a symlink is followed; a directory, device, fifo or socket is refused by
   name; O_NONBLOCK while opening so that a fifo cannot hang us). fd or -1. ret_st may be NULL. */
GOLD_MUST_CHECK int gold_open_regular(const char *path, struct stat *ret_st, struct gold_error **err);
/* The whole file, at most limit bytes (FORMAT error beyond), NUL-terminated. *ret_data: free(). */
GOLD_MUST_CHECK int gold_read_file(const char *path, size_t limit, char **ret_data, size_t *ret_len,
                                   struct gold_error **err);
/* The same from an open descriptor. `name` for messages. */
GOLD_MUST_CHECK int gold_read_fd(int fd, const char *name, size_t limit, char **ret_data, size_t *ret_len,
                                 struct gold_error **err);
/* Copies len bytes from offset 0 of src to dst, keeping holes: reflink, else copy_file_range over the data
   segments, else read/write with zero detection. dst must be empty. tap may be NULL; with a tap the bytes are
   read through us. Honours cancellation, reports progress as `phase`. Messages do not name the files: prefix. */
GOLD_MUST_CHECK int gold_copy_sparse(struct gold_context *ctx, const char *phase, int src, int dst, uint64_t len,
                                     struct gold_hash *tap, struct gold_error **err);
struct gold_extent {
    uint64_t start, end; /* empty when only a hole is left */
    bool sought;         /* false: the file cannot tell holes, so this "data" may be zeroes */
};
/* The next run of data at or behind pos, before end. Moves the file offset. 0, or -1 with errno. */
GOLD_MUST_CHECK int gold_next_data(int fd, uint64_t pos, uint64_t end, struct gold_extent *ret);
/* fsync of the directory that holds path. */
GOLD_MUST_CHECK int gold_fsync_parent(const char *path, struct gold_error **err);
/* Removes a directory tree, not crossing file systems, not following symlinks. Absent is success. */
GOLD_MUST_CHECK int gold_remove_tree(const char *path, struct gold_error **err);
/* The directory part as in dirname(1); join puts one slash between and does not look at name. The base name is
   what follows the last slash, so it is empty for "a/". */
GOLD_MUST_CHECK char *gold_path_dirname(const char *path, struct gold_error **err);
const char *gold_path_basename(const char *path); /* borrowed */
GOLD_MUST_CHECK char *gold_path_join(const char *dir, const char *name, struct gold_error **err);

#endif
