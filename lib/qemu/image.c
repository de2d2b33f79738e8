/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening an image for its facts, the rules on formats and backing files, and whether it may be
 * written or is used. */
#include "qemu/image.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "qemu/image_internal.h"
#include "qemu/lock.h"

#define TAIL_BYTES 1536u
/* Of a neighbour only the backing name matters, and that follows the header at once. */
#define NEIGHBOUR_HEAD_BYTES (64 * 1024)
#define NEIGHBOURS_MAX       512

int
gold_image_facts_from_fd(int fd, const char *path, uint64_t file_size, size_t head_max,
                         enum gold_image_format wanted, struct gold_image_facts *ret,
                         struct gold_error **err)
{
    unsigned char tail[TAIL_BYTES];
    size_t head_len = file_size < head_max ? (size_t)file_size : head_max;
    size_t tail_len = file_size < TAIL_BYTES ? (size_t)file_size : TAIL_BYTES;
    GOLD_CLEANUP_FREE unsigned char *head = malloc(head_len ? head_len : 1);

    if (!head)
        return gold_error_set_nomem(err);
    if (gold_pread_full(fd, head, head_len, 0) != (ssize_t)head_len ||
        gold_pread_full(fd, tail, tail_len, file_size - tail_len) != (ssize_t)tail_len) {
        gold_error_set_errno(err, errno ? errno : EIO, "cannot read '%s'", path);
        return -1;
    }
    if (gold_image_read_header(head, head_len, tail, tail_len, file_size, wanted, ret, err) <
        0) {
        gold_error_prefix(err, "'%s'", path);
        return -1;
    }
    return 0;
}

int
gold_image_resolve_backing(const char *image, const char *name, char **ret,
                           struct gold_error **err)
{
    const char *colon, *slash;

    if (gold_str_has_prefix(name, "file:"))
        name += 5;
    else if ((colon = strchr(name, ':')) && (!(slash = strchr(name, '/')) || colon < slash)) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' has a backing file that is not a file: '%s'", image, name);
        return -1;
    }
    if (name[0] == '/') {
        *ret = gold_strdup(name, err);
    } else {
        GOLD_CLEANUP_FREE char *dir = gold_path_dirname(image, err);
        *ret = dir ? gold_path_join(dir, name, err) : NULL;
    }
    return *ret ? 0 : -1;
}

/* What is refused in the image itself and in everything that it stands on. */
static int
refuse_unsafe(const char *path, const struct gold_image_facts *facts, struct gold_error **err)
{
    if (facts->truncated) {
        gold_error_set(err, GOLD_ERROR_FORMAT,
                       "'%s' is cut off: its tables point beyond its end at byte %" PRIu64,
                       path, facts->file_size);
        gold_error_hint(err, "copy or download it again");
    } else if (facts->data_file) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' keeps its data in another file ('%s')", path, facts->data_file);
    } else if (facts->extents_elsewhere) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' keeps its data in other files (VMDK %s)", path, facts->subformat);
        gold_error_hint(err, "make one file of it with qemu-img convert");
    } else if (facts->encrypted) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is encrypted by QEMU", path);
    } else if (facts->format == GOLD_IMAGE_VHDX && facts->dirty) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' was not closed cleanly, its log is not empty", path);
        gold_error_hint(err, "qemu-img check -r all replays the log");
    } else {
        return 0;
    }
    return -1;
}

/* Opens, reads and judges one file of a chain; *ret_st is its identity. */
static int
open_one(const char *path, enum gold_image_format wanted, struct gold_image_facts *ret,
         struct stat *ret_st, struct gold_error **err)
{
    GOLD_CLEANUP_IMAGE_FACTS struct gold_image_facts facts = {0};
    GOLD_CLEANUP_FD int fd = gold_open_regular(path, ret_st, err);

    if (fd < 0)
        return -1;
    if (ret_st->st_size == 0) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is empty", path);
        return -1;
    }
    uint64_t size = (uint64_t)ret_st->st_size;
    if (gold_image_facts_from_fd(fd, path, size, GOLD_HEADER_BYTES, wanted, &facts, err) < 0)
        return -1;
    if (facts.format == GOLD_IMAGE_QCOW2 && !facts.truncated && !facts.data_file &&
        gold_qcow2_is_truncated(fd, path, size, &facts.truncated, err) < 0)
        return -1;
    if (refuse_unsafe(path, &facts, err) < 0)
        return -1;
    *ret = facts;
    memset(&facts, 0, sizeof(facts));
    return 0;
}

static int
parse_format(const char *name, enum gold_image_format *ret, struct gold_error **err)
{
    *ret = gold_image_format_parse(name);
    if (!name || *ret != GOLD_IMAGE_UNKNOWN)
        return 0;
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "image format '%s' is not known", name);
    gold_error_hint(err, "known are raw, qcow2, vmdk, vdi and vhdx");
    return -1;
}

/* Everything below the image must be there, be of the recorded format, and come to an end. */
static int
check_chain(const char *image, const struct gold_image_facts *facts, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *path = gold_strdup(image, err);
    GOLD_CLEANUP_FREE char *name = gold_strdup(facts->backing_file, err);
    GOLD_CLEANUP_FREE char *format = gold_strdup(facts->backing_format, err);

    if (!path || !name || (facts->backing_format && !format))
        return -1;
    for (unsigned depth = 0; name; depth++) {
        GOLD_CLEANUP_IMAGE_FACTS struct gold_image_facts next = {0};
        GOLD_CLEANUP_FREE char *backing = NULL;
        enum gold_image_format wanted;
        struct stat st;
        if (depth == GOLD_LIMIT_BACKING_CHAIN) {
            gold_error_set(err, GOLD_ERROR_FORMAT,
                           "'%s': the chain of backing files does not end", image);
            return -1;
        }
        if (gold_image_resolve_backing(path, name, &backing, err) < 0 ||
            parse_format(format, &wanted, err) < 0 ||
            open_one(backing, wanted, &next, &st, err) < 0) {
            gold_error_prefix(err, "'%s': backing file", image);
            return -1;
        }
        free(path);
        path = gold_steal_ptr(&backing);
        free(name);
        name = gold_steal_ptr(&next.backing_file);
        free(format);
        format = gold_steal_ptr(&next.backing_format);
    }
    return 0;
}

int
gold_image_open_facts(const char *path, const struct gold_image_rules *rules,
                      struct gold_image_facts *ret, struct gold_error **err)
{
    GOLD_CLEANUP_IMAGE_FACTS struct gold_image_facts facts = {0};
    GOLD_CLEANUP_FREE char *real = NULL;
    enum gold_image_format wanted;
    struct stat st;

    if (parse_format(rules ? rules->format : NULL, &wanted, err) < 0) {
        gold_error_prefix(err, "'%s'", path);
        return -1;
    }
    if (open_one(path, wanted, &facts, &st, err) < 0)
        return -1;
    if (facts.backing_file) {
        if (!rules || !rules->allow_backing) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' stands on another file ('%s')",
                           path, facts.backing_file);
            gold_error_hint(err, "if that file is to be trusted, say --allow-backing");
            return -1;
        }
        real = realpath(path, NULL);
        if (!real) {
            gold_error_set_errno(err, errno, "cannot resolve '%s'", path);
            return -1;
        }
        if (check_chain(real, &facts, err) < 0)
            return -1;
    }
    *ret = facts;
    memset(&facts, 0, sizeof(facts));
    return 0;
}

static int
check_file_writable(const char *path, struct gold_error **err)
{
    struct stat st;

    if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 || stat(path, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot write '%s'", path);
    } else if (!(st.st_mode & 0222)) {
        /* root could; but whoever took all write permissions away meant it. */
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is write-protected (mode %04o)", path,
                       (unsigned)(st.st_mode & 07777));
    } else {
        return 0;
    }
    gold_error_hint(err, "make it writable, or write to a new file with -o");
    return -1;
}

int
gold_image_check_writable(const char *path, const struct gold_image_facts *facts,
                          struct gold_error **err)
{
    static const char elsewhere[] = "write to a new file with -o";

    if (facts->format == GOLD_IMAGE_VMDK && !gold_streq(facts->subformat, "monolithicSparse")) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' cannot be changed in place: it is a VMDK of kind '%s'", path,
                       facts->subformat ? facts->subformat : "unknown");
        gold_error_hint(err, "%s", elsewhere);
        return -1;
    }
    if (facts->internal_snapshots) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' holds %u internal snapshots, which would keep what is removed",
                       path, facts->internal_snapshots);
        gold_error_hint(err, "delete them with qemu-img snapshot -d, or %s", elsewhere);
        return -1;
    }
    if (facts->corrupt || facts->dirty) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "'%s' is marked as %s", path,
                       facts->corrupt ? "corrupt" : "not closed cleanly");
        gold_error_hint(err, "repair it with qemu-img check -r all");
        return -1;
    }
    return check_file_writable(path, err);
}

int
gold_image_check_unused(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = gold_open_regular(path, NULL, err);

    return fd < 0 ? -1 : gold_lock_probe(fd, path, GOLD_LOCK_WRITE, err);
}

/* Does the file at dir/name stand on the file st? Unreadable neighbours and ones that are no
 * images do not. */
static int
stands_on(const char *dir, const char *name, const struct stat *st, bool *ret,
          struct gold_error **err)
{
    GOLD_CLEANUP_IMAGE_FACTS struct gold_image_facts facts = {0};
    GOLD_CLEANUP_FREE char *path = gold_path_join(dir, name, err), *backing = NULL;
    struct stat other, found;

    *ret = false;
    if (!path)
        return -1;
    GOLD_CLEANUP_FD int fd = gold_open_regular(path, &other, NULL);
    if (fd < 0 || (other.st_dev == st->st_dev && other.st_ino == st->st_ino))
        return 0;
    if (gold_image_facts_from_fd(fd, path, (uint64_t)other.st_size, NEIGHBOUR_HEAD_BYTES,
                                 GOLD_IMAGE_UNKNOWN, &facts, NULL) < 0 ||
        !facts.backing_file ||
        gold_image_resolve_backing(path, facts.backing_file, &backing, NULL) < 0)
        return 0;
    *ret =
        stat(backing, &found) == 0 && found.st_dev == st->st_dev && found.st_ino == st->st_ino;
    return 0;
}

int
gold_image_check_not_backing(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *real = realpath(path, NULL);
    struct stat st;

    if (!real || stat(real, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot open '%s'", path);
        return -1;
    }
    GOLD_CLEANUP_FREE char *dir = gold_path_dirname(real, err);
    if (!dir)
        return -1;
    GOLD_CLEANUP_DIR DIR *d = opendir(dir);
    if (!d)
        return 0; /* not to be listed: nothing can be said about the neighbours */
    const struct dirent *e;
    for (unsigned seen = 0; seen < NEIGHBOURS_MAX && (e = readdir(d));) {
        bool found;
        if (e->d_type != DT_REG && e->d_type != DT_UNKNOWN)
            continue;
        seen++;
        if (stands_on(dir, e->d_name, &st, &found, err) < 0)
            return -1;
        if (found) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "'%s' is the backing file of '%s' in the same directory", path,
                           e->d_name);
            gold_error_hint(err,
                            "writing it would damage that image; write to a new file with -o");
            return -1;
        }
    }
    return 0;
}
