/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completing a journalled commit that was interrupted: the record is read with suspicion, the
 * images are locked and compared with it, and then journal.c does it all again.
 */
#include <fcntl.h>
#include <jansson.h>
#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "qemu/journal_internal.h"
#include "qemu/lock.h"

#define RECORD_MAX (256 * 1024)

static int
damaged(const char *path, const char *what, struct gold_error **err)
{
    gold_error_set(err, GOLD_ERROR_FORMAT, "'%s' is not a journal that can be completed: %s",
                   path, what);
    gold_error_hint(err,
                    "an interrupted commit left it; the image beside it may be half changed");
    return -1;
}

static int
read_document(const char *path, json_t **ret, uid_t *ret_owner, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    GOLD_CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    size_t len;

    if (fd < 0 || fstat(fd, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot open '%s'", path);
        return -1;
    }
    if (!S_ISREG(st.st_mode))
        return damaged(path, "not a regular file", err);
    if (gold_read_fd(fd, path, RECORD_MAX, &text, &len, err) < 0)
        return -1;
    json_t *document = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
    int version = 0;
    if (!document || json_unpack(document, "{s:i}", "goldsmith-journal", &version) < 0 ||
        version != GOLD_JOURNAL_VERSION) {
        json_decref(document);
        return damaged(path, document ? "of another version" : "not JSON", err);
    }
    *ret = document;
    *ret_owner = st.st_uid;
    return 0;
}

static int
absolute(const char *record, const char *name, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = NULL;

    if (name[0] == '/') {
        *ret = gold_strdup(name, err);
        return *ret ? 0 : -1;
    }
    if (!*name || strchr(name, '/'))
        return damaged(record, "a name in it", err);
    dir = gold_path_dirname(record, err);
    *ret = dir ? gold_path_join(dir, name, err) : NULL;
    return *ret ? 0 : -1;
}

static int
parse_entry(const char *record, json_t *item, struct gold_journal_entry *e,
            struct gold_error **err)
{
    const char *image, *overlay, *format;
    json_int_t inode, new_inode, size;

    e->fd = -1;
    if (json_unpack(item, "{s:s, s:s, s:s, s:I, s:I, s:I}", "image", &image, "overlay",
                    &overlay, "format", &format, "inode", &inode, "new-inode", &new_inode,
                    "virtual-size", &size) < 0)
        return damaged(record, "an image in it is not described", err);
    e->format = gold_image_format_parse(format);
    if (e->format == GOLD_IMAGE_UNKNOWN)
        return damaged(record, "an image format in it", err);
    e->inode = (uint64_t)inode;
    e->new_inode = (uint64_t)new_inode;
    e->virtual_size = (uint64_t)size;
    if (absolute(record, image, &e->image, err) < 0)
        return -1;
    return absolute(record, overlay, &e->overlay, err);
}

static int
parse_record(json_t *document, struct gold_journal_record *r, struct gold_error **err)
{
    json_t *images = json_object_get(document, "images");
    size_t n = json_array_size(images);

    if (n == 0 || n > GOLD_LIMIT_DISKS)
        return damaged(r->path, "it names no images", err);
    r->entries = calloc(n, sizeof(*r->entries));
    if (!r->entries)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < n; i++) {
        r->n = i + 1;
        if (parse_entry(r->path, json_array_get(images, i), &r->entries[i], err) < 0)
            return -1;
    }
    return 0;
}

/*
 * Loads the record that `journal` is or points to. *ret_found false: it is gone, or a pointer
 * whose record is gone or another one.
 */
static int
load(const char *journal, struct gold_journal_record *r, bool *ret_found,
     struct gold_error **err)
{
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
    json_t *document = NULL;
    const char *id, *target;
    int result;

    *ret_found = false;
    if (read_document(journal, &document, &r->owner, &failure) < 0) {
        if (gold_error_errno(failure) == ENOENT)
            return 0;
        gold_error_move(err, &failure);
        return -1;
    }
    result = json_unpack(document, "{s:s}", "id", &id) < 0
                 ? damaged(journal, "it has no id", err)
                 : 0;
    if (result == 0 && !r->id) {
        r->id = gold_strdup(id, err);
        result = r->id ? 0 : -1;
    } else if (result == 0 && !gold_streq(r->id, id)) {
        json_decref(document);
        return 0;
    }
    if (result == 0 && json_unpack(document, "{s:s}", "record", &target) == 0) {
        /* A pointer to a pointer would have a path already. */
        result = r->path ? damaged(journal, "a pointer to a pointer", err)
                         : absolute(journal, target, &r->path, err);
        json_decref(document);
        return result < 0 ? -1 : load(r->path, r, ret_found, err);
    }
    if (result == 0 && !r->path) {
        r->path = gold_strdup(journal, err);
        result = r->path ? 0 : -1;
    }
    if (result == 0)
        result = parse_record(document, r, err);
    json_decref(document);
    *ret_found = result == 0;
    return result;
}

static int
not_the_image(const struct gold_journal_record *r, const struct gold_journal_entry *e,
              const char *what, struct gold_error **err)
{
    gold_error_set(err, GOLD_ERROR_CHANGED,
                   "the interrupted commit of '%s' cannot be completed: %s", e->image, what);
    gold_error_hint(err,
                    "the journal is '%s'; if the image was restored from elsewhere, remove it",
                    r->path);
    return -1;
}

/* Before anything is compared: who holds the lock may be about to complete it. */
static int
lock_entry(const struct gold_journal_record *r, struct gold_journal_entry *e,
           struct gold_error **err)
{
    struct stat st;

    e->fd = open(e->image, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (e->fd < 0 || fstat(e->fd, &st) < 0) {
        gold_error_set_errno(err, errno,
                             "cannot complete the interrupted commit of '%s': cannot open it",
                             e->image);
        gold_error_hint(err, "the journal is '%s'", r->path);
        return -1;
    }
    if (!S_ISREG(st.st_mode))
        return not_the_image(r, e, "it is not a regular file", err);
    return gold_lock_take_over(e->fd, e->image, GOLD_RECOVER_WAIT_MS, err);
}

/* A record that another user planted must not make us write files that are not his. */
static int
check_owner(const struct gold_journal_record *r, const struct gold_journal_entry *e,
            const struct stat *image, struct gold_error **err)
{
    if (r->owner == geteuid() || r->owner == image->st_uid)
        return 0;
    return not_the_image(r, e, "the journal belongs to another user", err);
}

static int
check_replacement(const struct gold_journal_record *r, const struct gold_journal_entry *e,
                  const struct stat *image, struct gold_error **err)
{
    struct stat st;

    if (image->st_ino == e->new_inode)
        return 0; /* done before the interruption */
    if (image->st_ino != e->inode)
        return not_the_image(r, e, "it is not the same file any more", err);
    if (lstat(e->overlay, &st) < 0 || st.st_ino != e->new_inode || !S_ISREG(st.st_mode))
        return not_the_image(r, e, "the new file is gone", err);
    return 0;
}

/* Is everything as the record says? */
static int
check_entry(const struct gold_journal_record *r, const struct gold_journal_entry *e,
            struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *backing = gold_format(err, "./%s", gold_path_basename(e->image));
    struct stat st, overlay_st;
    bool pair = false;

    if (!backing)
        return -1;
    if (fstat(e->fd, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", e->image);
        return -1;
    }
    if (check_owner(r, e, &st, err) < 0)
        return -1;
    if (e->new_inode)
        return check_replacement(r, e, &st, err);
    if (st.st_ino != e->inode)
        return not_the_image(r, e, "it is not the same file any more", err);
    if (e->format == GOLD_IMAGE_RAW && (uint64_t)st.st_size != e->virtual_size)
        return not_the_image(r, e, "its size is another one", err);
    if (lstat(e->overlay, &overlay_st) < 0 || !S_ISREG(overlay_st.st_mode))
        return not_the_image(r, e, "its overlay is gone", err);
    if (gold_overlay_has_backing(e->overlay, backing, &pair, err) < 0)
        return -1;
    return pair ? 0 : not_the_image(r, e, "the overlay does not belong to it", err);
}

/* Only a pointer that nobody is about to complete: its image must be free. */
static int
remove_stale(const char *image, const char *journal, struct gold_error **err)
{
    GOLD_CLEANUP_FD int fd = open(image, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

    if (fd < 0) {
        gold_error_set_errno(err, errno,
                             "cannot open '%s' for writing, which has a stale journal '%s'",
                             image, journal);
        return -1;
    }
    if (gold_lock_take_over(fd, image, GOLD_RECOVER_WAIT_MS, err) < 0)
        return -1;
    if (unlink(journal) < 0 && errno != ENOENT) {
        gold_error_set_errno(err, errno, "cannot remove '%s'", journal);
        return -1;
    }
    return 0;
}

int
gold_recover_journal(struct gold_context *ctx, const char *image, const char *journal,
                     struct gold_error **err)
{
    GOLD_CLEANUP(gold_journal_record_done) struct gold_journal_record r = {0}, again = {0};
    bool found = false, listed = false;

    if (load(journal, &r, &found, err) < 0)
        return -1;
    for (size_t i = 0; i < r.n; i++)
        listed = listed || gold_streq(r.entries[i].image, image);
    if (!found)
        return remove_stale(image, journal, err);
    if (!listed)
        return damaged(journal, "it belongs to another image", err);
    for (size_t i = 0; i < r.n; i++)
        if (lock_entry(&r, &r.entries[i], err) < 0)
            return -1;
    if (load(r.path, &again, &found, err) < 0)
        return -1;
    if (!found || !gold_streq(again.id, r.id))
        return 0;
    for (size_t i = 0; i < r.n; i++)
        if (check_entry(&r, &r.entries[i], err) < 0)
            return -1;
    gold_info(ctx, "completing the interrupted commit of '%s'", image);
    if (gold_journal_redo(ctx, &r, true, err) < 0 || gold_journal_clean(&r, err) < 0) {
        gold_journal_hint(&r, err);
        return -1;
    }
    return 0;
}
