/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One libguestfs appliance for the disks of one VM: how it is started, kept under the guard and
 * ended. What is done with the guest is not known here.
 */
#include "guest/session.h"

#include <string.h>
#include <sys/stat.h>

#include "core/guard.h"
#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "guest/watch.h"
#include "qemu/accel.h"
#include "qemu/image.h"

#define SOCKET_NAME "/guestfsd.sock"

struct gold_session {
    struct gold_context *ctx;
    guestfs_h *g;
    char *tmp_dir; /* ours below the run directory */
    pid_t qemu;    /* registered with the guard; 0: not yet */
    char *socket_dir;
    struct gold_watch *watch;
    bool launched;
    char *complaint;      /* QEMU's last own words on that console */
    struct gold_str line; /* of the appliance's console, until its end is there */
};

guestfs_h *
gold_session_handle(struct gold_session *s)
{
    return s->g;
}

struct gold_context *
gold_session_context(struct gold_session *s)
{
    return s->ctx;
}

void
gold_error_set_guestfs(struct gold_error **err, struct gold_session *s, const char *fmt, ...)
{
    if (gold_cancelled(s->ctx)) {
        gold_error_set(err, GOLD_ERROR_CANCELLED, "interrupted");
        return;
    }
    GOLD_CLEANUP_STR struct gold_str text = GOLD_STR_INIT;
    va_list args;
    va_start(args, fmt);
    gold_str_vprintf(&text, fmt, args);
    va_end(args);
    const char *full = s->watch ? gold_watch_full(s->watch) : NULL;
    if (full) {
        gold_error_set_errno(err, ENOSPC, "%s: '%s'", gold_str_text(&text), full);
        return;
    }
    const char *why = guestfs_last_error(s->g);
    /* libguestfs' texts may have several lines: the first one says what failed. */
    size_t len = why ? strcspn(why, "\n") : 0;
    while (len > 0 && (why[len - 1] == '.' || why[len - 1] == ' ' || why[len - 1] == ':'))
        len--;
    if (len == 0)
        gold_error_set(err, GOLD_ERROR_GUEST, "%s", gold_str_text(&text));
    else
        gold_error_set(err, GOLD_ERROR_GUEST, "%s: %.*s", gold_str_text(&text),
                       (int)(len > 1000 ? 1000 : len), why);
}

/* Puts QEMU and the directory of its sockets, which libguestfs makes outside of our run
 * directory, under the guard. */
static int
register_appliance(struct gold_session *s, struct gold_error **err)
{
    if (s->qemu)
        return 0;
    GOLD_CLEANUP_FREE char *cmdline = NULL;
    size_t len = 0;
    pid_t pid = gold_watch_find_qemu(s->tmp_dir, &cmdline, &len);
    if (pid == 0)
        return 0;
    if (gold_guard_add_process(s->ctx, pid, err) < 0)
        return -1;
    s->qemu = pid;
    char *end = memmem(cmdline, len, SOCKET_NAME, strlen(SOCKET_NAME));
    if (!end)
        return 0;
    *end = '\0';
    char *start = end;
    while (start > cmdline && start[-1] != '=' && start[-1] != '\0' && start[-1] != ',')
        start--;
    struct stat st;
    if (*start != '/' || !strstr(start, "/libguestfs") || lstat(start, &st) < 0 ||
        !S_ISDIR(st.st_mode) || st.st_uid != geteuid())
        return 0;
    s->socket_dir = gold_strdup(start, err);
    if (!s->socket_dir)
        return -1;
    return gold_guard_add_tree(s->ctx, s->socket_dir, err);
}

static void
take_line(struct gold_session *s)
{
    const char *text = gold_str_text(&s->line);
    if (s->line.len)
        gold_debug(s->ctx, "appliance: %s", text);
    if (gold_str_has_prefix(text, "qemu-system-"))
        (void)!gold_str_replace(&s->complaint, text, NULL);
    gold_str_clear(&s->line);
}

static void
read_console(struct gold_session *s, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n' || s->line.len >= 500)
            take_line(s);
        if ((unsigned char)text[i] >= ' ')
            gold_str_append_char(&s->line, text[i]);
    }
}

static void
on_event(guestfs_h *g, void *opaque, uint64_t event, int handle, int flags, const char *buf,
         size_t buf_len, const uint64_t *array, size_t array_len)
{
    (void)g;
    (void)handle;
    (void)flags;
    struct gold_session *s = opaque;
    if (event == GUESTFS_EVENT_PROGRESS) {
        if (!s->launched && array_len >= 4 && array[3] > 0 && array[2] <= array[3])
            gold_progress(s->ctx, "launch", (double)array[2] / (double)array[3], NULL);
        return;
    }
    read_console(s, buf, buf_len);
    /* The first bytes of its console are the first sign that QEMU runs: the earliest time to
     * register it. */
    if (event == GUESTFS_EVENT_APPLIANCE)
        (void)register_appliance(s, NULL);
}

static int
configure_directories(struct gold_session *s, struct gold_error **err)
{
    const char *run_dir;
    if (gold_context_run_dir(s->ctx, &run_dir, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *template = gold_path_join(run_dir, "guestfs-XXXXXX", err);
    if (!template)
        return -1;
    if (!mkdtemp(template)) {
        gold_error_set_errno(err, errno, "making the directory '%s'", template);
        return -1;
    }
    s->tmp_dir = gold_steal_ptr(&template);
    GOLD_CLEANUP_FREE char *cache = NULL;
    if (gold_context_cache_subdir(s->ctx, "guestfs", &cache, err) < 0)
        return -1;
    /* The kernel does not know this argument. It puts our directory into QEMU's command line,
       by which the watcher and the guard know whose QEMU it is. */
    GOLD_CLEANUP_FREE char *mark = gold_format(err, "goldsmith.session=%s", s->tmp_dir);
    if (!mark)
        return -1;
    if (guestfs_set_tmpdir(s->g, s->tmp_dir) < 0 || guestfs_set_cachedir(s->g, cache) < 0 ||
        guestfs_set_append(s->g, mark) < 0) {
        gold_error_set_guestfs(err, s, "setting the appliance's directories");
        return -1;
    }
    return 0;
}

static int
configure(struct gold_session *s, struct gold_error **err)
{
    enum gold_accel accel;
    if (gold_accel_decide(s->ctx, &accel, err) < 0)
        return -1;
    guestfs_set_error_handler(s->g, NULL, NULL);
    if (configure_directories(s, err) < 0)
        return -1;
    if (guestfs_set_backend(s->g, "direct") < 0 || guestfs_set_pgroup(s->g, 1) < 0 ||
        guestfs_set_network(s->g, 0) < 0 || guestfs_set_autosync(s->g, 1) < 0 ||
        guestfs_set_recovery_proc(s->g, 1) < 0 ||
        guestfs_set_identifier(s->g, "goldsmith") < 0 ||
        (accel == GOLD_ACCEL_TCG && guestfs_set_backend_setting(s->g, "force_tcg", "1") < 0) ||
        guestfs_set_event_callback(s->g, on_event,
                                   GUESTFS_EVENT_APPLIANCE | GUESTFS_EVENT_LIBRARY |
                                       GUESTFS_EVENT_WARNING | GUESTFS_EVENT_PROGRESS,
                                   0, s) < 0) {
        gold_error_set_guestfs(err, s, "configuring the appliance");
        return -1;
    }
    return 0;
}

/* *ret: an overlay in our directory over a disk that is only to be read. */
static int
make_overlay(struct gold_session *s, const struct gold_session_disk *disk, size_t i, char **ret,
             struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *base = realpath(disk->path, NULL);
    if (!base) {
        gold_error_set_errno(err, errno, "opening '%s'", disk->path);
        return -1;
    }
    enum gold_image_format format = gold_image_format_parse(disk->format);
    if (format == GOLD_IMAGE_UNKNOWN) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is no image format", disk->format);
        return -1;
    }
    GOLD_CLEANUP_FREE char *overlay = gold_format(err, "%s/disk-%zu.qcow2", s->tmp_dir, i);
    if (!overlay || gold_overlay_create(s->ctx, overlay, base, format, err) < 0)
        return -1;
    *ret = gold_steal_ptr(&overlay);
    return 0;
}

/*
 * libguestfs' own read-only disks are not used: it puts an overlay over them but lets QEMU
 * guess the format of what the overlay shows. A guest that writes the header of a qcow2 with a
 * backing file into its raw disk could name any file of the host. Ours says what it is.
 */
static int
add_disk(struct gold_session *s, const struct gold_session_disk *disk, size_t i,
         struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *overlay = NULL;
    if (disk->readonly && make_overlay(s, disk, i, &overlay, err) < 0)
        return -1;
    /* Writable disks are overlays that are thrown away or synced before they are committed: a
       host crash in between costs nothing, so flushes need not be waited for. */
    int r = guestfs_add_drive_opts(
        s->g, overlay ? overlay : disk->path, GUESTFS_ADD_DRIVE_OPTS_FORMAT,
        overlay ? "qcow2" : disk->format, GUESTFS_ADD_DRIVE_OPTS_CACHEMODE, "unsafe",
        GUESTFS_ADD_DRIVE_OPTS_DISCARD, "besteffort", -1);
    if (r < 0)
        gold_error_set_guestfs(err, s, "adding the disk '%s' to the appliance", disk->path);
    return r;
}

static int
start_watch(struct gold_session *s, const struct gold_session_disk *disks, size_t n,
            struct gold_error **err)
{
    GOLD_CLEANUP_STRV struct gold_strv paths = {0};
    if (gold_strv_add(&paths, s->tmp_dir, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!disks[i].readonly && gold_strv_add(&paths, disks[i].path, err) < 0)
            return -1;
    s->watch = gold_watch_start(s->ctx, s->tmp_dir, &paths, err);
    return s->watch ? 0 : -1;
}

static int
launch(struct gold_session *s, const struct gold_session_disk *disks, size_t n,
       struct gold_error **err)
{
    if (n == 0 || n > GOLD_LIMIT_DISKS) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "%zu disks cannot be opened at once (1 to %d can)", n, GOLD_LIMIT_DISKS);
        return -1;
    }
    if (gold_check_cancelled(s->ctx, err) < 0 || configure(s, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (add_disk(s, &disks[i], i, err) < 0)
            return -1;
    if (start_watch(s, disks, n, err) < 0)
        return -1;
    gold_progress(s->ctx, "launch", 0, NULL);
    if (guestfs_launch(s->g) < 0) {
        take_line(s);
        gold_error_set_guestfs(err, s, "starting the appliance");
        if (s->complaint && !gold_cancelled(s->ctx))
            gold_error_hint(err, "%s", s->complaint);
        return -1;
    }
    if (gold_check_cancelled(s->ctx, err) < 0 || register_appliance(s, err) < 0)
        return -1;
    s->launched = true;
    gold_progress(s->ctx, "launch", 1, NULL);
    return 0;
}

struct gold_session *
gold_session_open(struct gold_context *ctx, const struct gold_session_disk *disks, size_t n,
                  struct gold_error **err)
{
    GOLD_CLEANUP_SESSION struct gold_session *s = calloc(1, sizeof *s);
    if (!s) {
        gold_error_set_nomem(err);
        return NULL;
    }
    s->ctx = ctx;
    s->g = guestfs_create_flags(GUESTFS_CREATE_NO_ENVIRONMENT);
    if (!s->g) {
        gold_error_set_nomem(err);
        return NULL;
    }
    if (launch(s, disks, n, err) < 0)
        return NULL;
    return gold_steal_ptr(&s);
}

int
gold_session_close(struct gold_session *s, struct gold_error **err)
{
    GOLD_CLEANUP_SESSION struct gold_session *owned = s;
    if (guestfs_umount_all(s->g) < 0) {
        gold_error_set_guestfs(err, s, "unmounting the guest's file systems");
        return -1;
    }
    if (guestfs_sync(s->g) < 0 || guestfs_shutdown(s->g) < 0) {
        gold_error_set_guestfs(err, s, "writing the guest's changes back");
        return -1;
    }
    return 0;
}

void
gold_session_free(struct gold_session *s)
{
    if (!s)
        return;
    if (s->g) {
        (void)guestfs_set_autosync(s->g, 0);
        guestfs_close(s->g);
    }
    gold_watch_free(s->watch);
    if (s->qemu)
        gold_guard_drop_process(s->ctx, s->qemu);
    if (s->socket_dir)
        gold_guard_drop_path(s->ctx, s->socket_dir);
    if (s->tmp_dir) {
        GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
        if (gold_remove_tree(s->tmp_dir, &failure) < 0)
            gold_warning(s->ctx, "%s, ignoring", gold_error_message(failure));
    }
    gold_str_done(&s->line);
    free(s->complaint);
    free(s->socket_dir);
    free(s->tmp_dir);
    free(s);
}
