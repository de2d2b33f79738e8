/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The journalled commit: for formats whose path cannot be swapped for an overlay (raw, vmdk,
 * vdi, vhdx), and for several images that must change together. The overlays themselves are the
 * redo log; a small record, .NAME.journal beside the first image, says which overlay belongs
 * into which image. Once the record is on disk the commit will be completed, by this run or by
 * the next one that opens any of the images; to be found from the others, each of those has a
 * .NAME.journal that only points to the record. A pointer without its record means nothing.
 *
 * Committing an overlay again from the start is harmless, so no progress is recorded.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "qemu/image_internal.h"
#include "qemu/lock.h"
#include "qemu/qemu_img.h"
#include "qemu/workset_internal.h"

#define VERSION    1
#define RECORD_MAX (256 * 1024)
#define ID_BYTES   16

static const char next_hint[] =
    "the next goldsmith command that opens it completes the commit; until then it must "
    "not be used (journal: '%s')";

struct entry {
    char *image, *overlay;
    uint64_t inode, virtual_size;
    enum gold_image_format format;
    int fd;
};

struct record {
    char *path; /* of the record itself */
    char *id;
    struct entry *entries;
    size_t n;
    uid_t owner;
};

static void
record_done(struct record *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->entries[i].image);
        free(r->entries[i].overlay);
        gold_close(&r->entries[i].fd);
    }
    free(r->entries);
    free(r->path);
    free(r->id);
}

/* Names beside the record are kept relative, so that a directory may be moved before the commit
 * is completed. */
static const char *
relative_to(const char *record, const char *path)
{
    const char *name = gold_path_basename(path);
    size_t dir = (size_t)(name - path);

    return strncmp(record, path, dir) == 0 && !strchr(record + dir, '/') ? name : path;
}

/* Temp file, fsync, rename: the name appears with all of its bytes or not at all. */
static int
write_document(const char *image, const char *path, const char *text, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *temp = gold_work_name(image, ".tmp", err);
    GOLD_CLEANUP_FD int fd = -1;

    if (!temp)
        return -1;
    fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", temp);
        return -1;
    }
    if (gold_write_all(fd, text, strlen(text)) < 0 || fsync(fd) < 0) {
        gold_error_set_errno(err, errno, "cannot write '%s'", path);
    } else if (rename(temp, path) < 0) {
        gold_error_set_errno(err, errno, "cannot create '%s'", path);
    } else {
        return gold_fsync_parent(path, err);
    }
    (void)unlink(temp);
    return -1;
}

static int
dump(json_t *document, char **ret, struct gold_error **err)
{
    *ret = document ? json_dumps(document, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
    json_decref(document);
    return *ret ? 0 : gold_error_set_nomem(err);
}

static int
write_pointer(const struct record *r, const char *image, const char *path,
              struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;

    if (dump(json_pack("{s:i, s:s, s:s}", "goldsmith-journal", VERSION, "id", r->id, "record",
                       relative_to(path, r->path)),
             &text, err) < 0)
        return -1;
    return write_document(image, path, text, err);
}

static int
write_record(const struct record *r, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    json_t *images = json_array();

    for (size_t i = 0; i < r->n; i++) {
        const struct entry *e = &r->entries[i];
        if (json_array_append_new(images, json_pack("{s:s, s:s, s:s, s:I, s:I}", "image",
                                                    relative_to(r->path, e->image), "overlay",
                                                    relative_to(r->path, e->overlay), "format",
                                                    gold_image_format_name(e->format), "inode",
                                                    (json_int_t)e->inode, "virtual-size",
                                                    (json_int_t)e->virtual_size)) < 0) {
            json_decref(images);
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "'%s': the name cannot be put into a journal", e->image);
            gold_error_hint(err, "rename it so that the name is valid UTF-8");
            return -1;
        }
    }
    if (dump(json_pack("{s:i, s:s, s:o}", "goldsmith-journal", VERSION, "id", r->id, "images",
                       images),
             &text, err) < 0)
        return -1;
    return write_document(r->entries[0].image, r->path, text, err);
}

/* After the record is there: everything into the images, and synced. */
static int
redo(struct gold_context *ctx, const struct record *r, bool again, struct gold_error **err)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct entry *e = &r->entries[i];
        if (gold_overlay_commit(e->overlay, e->image, err) < 0)
            return -1;
        /* The interrupted attempt may have left clusters that nothing refers to. */
        if (again && e->format == GOLD_IMAGE_QCOW2)
            gold_repair(ctx, e->image, GOLD_IMAGE_QCOW2, "leaks");
        if (gold_fsync_path(e->image, err) < 0)
            return -1;
        gold_stop_point(i == 0 ? "journal.first" : "journal.further");
    }
    gold_stop_point("journal.written");
    return 0;
}

/* The record goes first: whatever else is left then means nothing. */
static int
clean(const struct record *r, struct gold_error **err)
{
    if (unlink(r->path) < 0 && errno != ENOENT) {
        gold_error_set_errno(err, errno, "cannot remove '%s'", r->path);
        return -1;
    }
    if (gold_fsync_parent(r->path, err) < 0)
        return -1;
    gold_stop_point("journal.closed");
    for (size_t i = 0; i < r->n; i++) {
        (void)unlink(r->entries[i].overlay);
        if (i == 0)
            continue;
        GOLD_CLEANUP_FREE char *pointer =
            gold_beside(r->entries[i].image, GOLD_JOURNAL_SUFFIX, err);
        if (!pointer)
            return -1;
        (void)unlink(pointer);
    }
    return 0;
}

static int
random_id(char **ret, struct gold_error **err)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[ID_BYTES];
    char text[2 * ID_BYTES + 1] = {0};

    if (getentropy(bytes, sizeof(bytes)) < 0) {
        gold_error_set_errno(err, errno, "cannot get random bytes");
        return -1;
    }
    for (size_t i = 0; i < ID_BYTES; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    *ret = gold_strdup(text, err);
    return *ret ? 0 : -1;
}

static int
record_of_workset(const struct gold_workset *ws, struct record *r, struct gold_error **err)
{
    r->entries = calloc(ws->n, sizeof(*r->entries));
    if (!r->entries)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < ws->n; i++) {
        const struct gold_workset_disk *disk = &ws->disks[i];
        struct entry *e = &r->entries[i];
        e->fd = -1;
        r->n = i + 1;
        e->image = gold_strdup(disk->path, err);
        e->overlay = e->image ? gold_strdup(disk->overlay, err) : NULL;
        if (!e->overlay)
            return -1;
        e->inode = disk->st.st_ino;
        e->virtual_size = disk->facts.virtual_size;
        e->format = disk->facts.format;
    }
    r->path = gold_beside(r->entries[0].image, GOLD_JOURNAL_SUFFIX, err);
    return r->path ? random_id(&r->id, err) : -1;
}

/* Pointers first, then the record; undone when the record cannot be written. */
static int
write_all_documents(const struct record *r, struct gold_error **err)
{
    int result = 0;

    for (size_t i = 1; i < r->n && result == 0; i++) {
        GOLD_CLEANUP_FREE char *pointer =
            gold_beside(r->entries[i].image, GOLD_JOURNAL_SUFFIX, err);
        result = pointer ? write_pointer(r, r->entries[i].image, pointer, err) : -1;
    }
    if (result == 0) {
        gold_stop_point("journal.pointers");
        result = write_record(r, err);
    }
    if (result == 0)
        return 0;
    /* The error that is reported is the first one. */
    if (clean(r, NULL) < 0)
        return -1;
    return -1;
}

/* Under a name that the guard has never heard, so that nothing but the journal can say what
 * becomes of it. */
static int
move_from_guard(struct gold_workset *ws, struct gold_workset_disk *disk,
                struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name = gold_work_name(disk->path, ".qcow2", err);

    if (!name)
        return -1;
    if (rename(disk->overlay, name) < 0) {
        gold_error_set_errno(err, errno, "cannot rename '%s' to '%s'", disk->overlay, name);
        return -1;
    }
    gold_workset_unguard(ws, disk);
    free(disk->overlay);
    disk->overlay = gold_steal_ptr(&name);
    if (fsync(disk->overlay_fd) < 0) {
        gold_error_set_errno(err, errno, "cannot sync '%s'", disk->overlay);
        return -1;
    }
    return gold_fsync_parent(disk->overlay, err);
}

int
gold_commit_by_journal(struct gold_workset *ws, struct gold_error **err)
{
    GOLD_CLEANUP(record_done) struct record r = {0};

    gold_progress(ws->ctx, "commit", -1, "%s", ws->disks[0].path);
    gold_stop_point("journal.begin");
    for (size_t i = 0; i < ws->n; i++)
        if (move_from_guard(ws, &ws->disks[i], err) < 0)
            return -1;
    if (gold_workset_check_unchanged(ws, err) < 0 || record_of_workset(ws, &r, err) < 0)
        return -1;
    if (write_all_documents(&r, err) < 0)
        return -1;
    gold_stop_point("journal.ready");
    for (size_t i = 0; i < ws->n; i++) {
        /* From here on they belong to the record, not to the workset. */
        free(gold_steal_ptr(&ws->disks[i].overlay));
        gold_lock_release_to_qemu(ws->disks[i].fd);
    }
    if (redo(ws->ctx, &r, false, err) < 0 || clean(&r, err) < 0) {
        gold_error_hint(err, next_hint, r.path);
        return -1;
    }
    gold_stop_point("journal.done");
    return 0;
}

/* --- recovery --- */

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
        version != VERSION) {
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
parse_entry(const char *record, json_t *item, struct entry *e, struct gold_error **err)
{
    const char *image, *overlay, *format;
    json_int_t inode, size;

    e->fd = -1;
    if (json_unpack(item, "{s:s, s:s, s:s, s:I, s:I}", "image", &image, "overlay", &overlay,
                    "format", &format, "inode", &inode, "virtual-size", &size) < 0)
        return damaged(record, "an image in it is not described", err);
    e->format = gold_image_format_parse(format);
    if (e->format == GOLD_IMAGE_UNKNOWN)
        return damaged(record, "an image format in it", err);
    e->inode = (uint64_t)inode;
    e->virtual_size = (uint64_t)size;
    if (absolute(record, image, &e->image, err) < 0)
        return -1;
    return absolute(record, overlay, &e->overlay, err);
}

static int
parse_record(json_t *document, struct record *r, struct gold_error **err)
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
load(const char *journal, struct record *r, bool *ret_found, struct gold_error **err)
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
not_the_image(const struct record *r, const struct entry *e, const char *what,
              struct gold_error **err)
{
    gold_error_set(err, GOLD_ERROR_CHANGED,
                   "the interrupted commit of '%s' cannot be completed: %s", e->image, what);
    gold_error_hint(err,
                    "the journal is '%s'; if the image was restored from elsewhere, remove it",
                    r->path);
    return -1;
}

/* Is everything as the record says, and may this user be led to write it? */
static int
check_entry(const struct record *r, struct entry *e, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *backing = gold_format(err, "./%s", gold_path_basename(e->image));
    struct stat st, overlay_st;
    bool pair = false;

    if (!backing)
        return -1;
    e->fd = open(e->image, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (e->fd < 0 || fstat(e->fd, &st) < 0) {
        gold_error_set_errno(err, errno,
                             "cannot complete the interrupted commit of '%s': cannot open it",
                             e->image);
        gold_error_hint(err, "the journal is '%s'", r->path);
        return -1;
    }
    if (!S_ISREG(st.st_mode) || st.st_ino != e->inode)
        return not_the_image(r, e, "it is not the same file any more", err);
    if (e->format == GOLD_IMAGE_RAW && (uint64_t)st.st_size != e->virtual_size)
        return not_the_image(r, e, "its size is another one", err);
    if (lstat(e->overlay, &overlay_st) < 0)
        return not_the_image(r, e, "its overlay is gone", err);
    /* A record that another user planted must not make us write files that are not his. */
    if (r->owner != geteuid() && (r->owner != st.st_uid || !S_ISREG(overlay_st.st_mode)))
        return not_the_image(r, e, "the journal belongs to another user", err);
    if (gold_overlay_has_backing(e->overlay, backing, &pair, err) < 0)
        return -1;
    if (!pair)
        return not_the_image(r, e, "the overlay does not belong to it", err);
    return gold_lock_take_over(e->fd, e->image, GOLD_RECOVER_WAIT_MS, err);
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
    GOLD_CLEANUP(record_done) struct record r = {0}, again = {0};
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
        if (check_entry(&r, &r.entries[i], err) < 0)
            return -1;
    /* Whoever held the locks may have completed it. */
    if (load(r.path, &again, &found, err) < 0)
        return -1;
    if (!found || !gold_streq(again.id, r.id))
        return 0;
    gold_info(ctx, "completing the interrupted commit of '%s'", image);
    for (size_t i = 0; i < r.n; i++)
        /* A VHDX whose writer was killed must have its log replayed before anything else can
         * open it. */
        if (r.entries[i].format == GOLD_IMAGE_VHDX)
            gold_repair(ctx, r.entries[i].image, GOLD_IMAGE_VHDX, "all");
    if (redo(ctx, &r, true, err) < 0 || clean(&r, err) < 0) {
        gold_error_hint(err, next_hint, r.path);
        return -1;
    }
    return 0;
}
