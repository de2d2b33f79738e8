/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The journalled commit: for formats whose path cannot be swapped for an overlay (raw, vmdk,
 * vdi, vhdx), and for several images that must change together. The overlays themselves are the
 * redo log; a small record, .NAME.journal beside the first image, says which overlay belongs
 * into which image. Once the record is on disk the commit will be completed, by this run or by
 * the next one that opens any of the images; to be found from the others, each of those has a
 * .NAME.journal that only points to the record. A pointer without its record means nothing.
 *
 * VMDK, VDI and VHDX do not survive a killed writer well enough for that; of such an image a
 * copy is made and completed first (replacement.c), and the journal only renames it.
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
#include "qemu/journal_internal.h"

#define ID_BYTES 16

static const char next_hint[] =
    "the next goldsmith command that opens it completes the commit; until then it must "
    "not be used (journal: '%s')";

void
gold_journal_record_done(struct gold_journal_record *r)
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

void
gold_journal_hint(const struct gold_journal_record *r, struct gold_error **err)
{
    gold_error_hint(err, next_hint, r->path);
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
write_pointer(const struct gold_journal_record *r, const char *image, const char *path,
              struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;

    if (dump(json_pack("{s:i, s:s, s:s}", "goldsmith-journal", GOLD_JOURNAL_VERSION, "id",
                       r->id, "record", relative_to(path, r->path)),
             &text, err) < 0)
        return -1;
    return write_document(image, path, text, err);
}

static int
write_record(const struct gold_journal_record *r, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    json_t *images = json_array();

    for (size_t i = 0; i < r->n; i++) {
        const struct gold_journal_entry *e = &r->entries[i];
        json_t *item = json_pack(
            "{s:s, s:s, s:s, s:I, s:I, s:I}", "image", relative_to(r->path, e->image),
            "overlay", relative_to(r->path, e->overlay), "format",
            gold_image_format_name(e->format), "inode", (json_int_t)e->inode, "new-inode",
            (json_int_t)e->new_inode, "virtual-size", (json_int_t)e->virtual_size);
        if (json_array_append_new(images, item) < 0) {
            json_decref(images);
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "'%s': the name cannot be put into a journal", e->image);
            gold_error_hint(err, "rename it so that the name is valid UTF-8");
            return -1;
        }
    }
    if (dump(json_pack("{s:i, s:s, s:o}", "goldsmith-journal", GOLD_JOURNAL_VERSION, "id",
                       r->id, "images", images),
             &text, err) < 0)
        return -1;
    return write_document(r->entries[0].image, r->path, text, err);
}

/* The image may have been replaced before the interruption. */
static int
put_in_place(const struct gold_journal_entry *e, struct gold_error **err)
{
    struct stat st;

    if (lstat(e->overlay, &st) < 0 && errno == ENOENT)
        return 0;
    if (rename(e->overlay, e->image) < 0) {
        gold_error_set_errno(err, errno, "cannot rename '%s' to '%s'", e->overlay, e->image);
        return -1;
    }
    return gold_fsync_parent(e->image, err);
}

static int
redo_one(struct gold_context *ctx, const struct gold_journal_entry *e, bool again,
         struct gold_error **err)
{
    if (e->new_inode)
        return put_in_place(e, err);
    if (gold_overlay_commit(e->overlay, e->image, err) < 0)
        return -1;
    /* The interrupted attempt may have left clusters that nothing refers to. */
    if (again && e->format == GOLD_IMAGE_QCOW2)
        gold_repair(ctx, e->image, GOLD_IMAGE_QCOW2, "leaks");
    return gold_fsync_path(e->image, err);
}

int
gold_journal_redo(struct gold_context *ctx, const struct gold_journal_record *r, bool again,
                  struct gold_error **err)
{
    for (size_t i = 0; i < r->n; i++) {
        if (redo_one(ctx, &r->entries[i], again, err) < 0)
            return -1;
        gold_stop_point(i == 0 ? "journal.first" : "journal.further");
    }
    gold_stop_point("journal.written");
    return 0;
}

/* The record goes first: whatever else is left then means nothing. */
int
gold_journal_clean(const struct gold_journal_record *r, struct gold_error **err)
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
record_of_workset(const struct gold_workset *ws, struct gold_journal_record *r,
                  struct gold_error **err)
{
    r->entries = calloc(ws->n, sizeof(*r->entries));
    if (!r->entries)
        return gold_error_set_nomem(err);
    for (size_t i = 0; i < ws->n; i++) {
        const struct gold_workset_disk *disk = &ws->disks[i];
        struct gold_journal_entry *e = &r->entries[i];
        e->fd = -1;
        r->n = i + 1;
        e->image = gold_strdup(disk->path, err);
        e->overlay = e->image ? gold_strdup(disk->overlay, err) : NULL;
        if (!e->overlay)
            return -1;
        e->inode = disk->st.st_ino;
        e->new_inode = disk->new_inode;
        e->virtual_size = disk->facts.virtual_size;
        e->format = disk->facts.format;
    }
    r->path = gold_beside(r->entries[0].image, GOLD_JOURNAL_SUFFIX, err);
    return r->path ? random_id(&r->id, err) : -1;
}

/* Pointers first, then the record; undone when the record cannot be written. */
static int
write_all_documents(const struct gold_journal_record *r, struct gold_error **err)
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
    if (gold_journal_clean(r, NULL) < 0)
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
    GOLD_CLEANUP(gold_journal_record_done) struct gold_journal_record r = {0};

    gold_progress(ws->ctx, "commit", -1, "%s", ws->disks[0].path);
    gold_stop_point("journal.begin");
    for (size_t i = 0; i < ws->n; i++)
        if (gold_needs_replacement(ws->disks[i].facts.format) &&
            gold_make_replacement(ws, &ws->disks[i], err) < 0)
            return -1;
    gold_stop_point("journal.replaced");
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
    if (gold_journal_redo(ws->ctx, &r, false, err) < 0 || gold_journal_clean(&r, err) < 0) {
        gold_journal_hint(&r, err);
        return -1;
    }
    gold_stop_point("journal.done");
    return 0;
}
