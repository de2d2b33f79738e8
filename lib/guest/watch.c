/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread that keeps a session interruptible; see watch.h. It does not decide what an error
 * means: the session asks it afterwards.
 */
#include "guest/watch.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/number.h"
#include "core/str.h"

#define CMDLINE_LIMIT (1 * GOLD_MIB)
/* Below this much free space QEMU's next allocation can fail, and then the guest hangs. */
#define SPACE_LEAST (1 * GOLD_MIB)

struct gold_watch {
    pthread_t thread;
    int stop_fd, cancel_fd;
    char *mark;
    struct gold_strv paths;
    atomic_size_t full; /* index into paths plus one; 0: none */
};

static bool
contains(const char *haystack, size_t len, const char *needle)
{
    return memmem(haystack, len, needle, strlen(needle)) != NULL;
}

static bool
is_child(const char *pid)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
    GOLD_CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char buf[512];
    ssize_t n = gold_read_full(fd, buf, sizeof buf - 1);
    if (n <= 0)
        return false;
    buf[n] = '\0';
    /* The name in parentheses may hold anything, so go by the last one: ") S 1234 ..." */
    const char *p = strrchr(buf, ')');
    if (!p || strlen(p) < 5)
        return false;
    p += 4;
    char expected[32];
    (void)snprintf(expected, sizeof expected, "%ld ", (long)getpid());
    return strncmp(p, expected, strlen(expected)) == 0;
}

static char *
read_cmdline(const char *pid, size_t *ret_len)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
    GOLD_CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *data = NULL;
    if (fd < 0 || gold_read_fd(fd, path, CMDLINE_LIMIT, &data, ret_len, NULL) < 0)
        return NULL;
    return data;
}

pid_t
gold_watch_find_qemu(const char *mark, char **ret_cmdline, size_t *ret_len)
{
    GOLD_CLEANUP_DIR DIR *proc = opendir("/proc");
    if (!proc)
        return 0;
    for (struct dirent *e; (e = readdir(proc));) {
        uint64_t pid;
        if (strlen(e->d_name) > 10 ||
            gold_parse_u64_max(e->d_name, INT32_MAX, &pid, NULL) < 0 || !is_child(e->d_name))
            continue;
        size_t len = 0;
        GOLD_CLEANUP_FREE char *cmdline = read_cmdline(e->d_name, &len);
        if (!cmdline || !contains(cmdline, len, mark) ||
            !contains(cmdline, len, "/guestfsd.sock"))
            continue;
        if (ret_cmdline) {
            *ret_cmdline = gold_steal_ptr(&cmdline);
            *ret_len = len;
        }
        return (pid_t)pid;
    }
    return 0;
}

static void
end_qemu(const char *mark)
{
    pid_t pid = gold_watch_find_qemu(mark, NULL, NULL);
    if (pid == 0)
        return;
    GOLD_CLEANUP_FD int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    /* Again, so that the descriptor is of the process that was found and not of one that got
     * its number. */
    if (fd >= 0 && gold_watch_find_qemu(mark, NULL, NULL) == pid)
        (void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
}

static size_t
find_full(const struct gold_watch *w)
{
    for (size_t i = 0; i < w->paths.n; i++) {
        struct statvfs st;
        if (statvfs(w->paths.items[i], &st) == 0 && st.f_blocks > 0 &&
            (uint64_t)st.f_bavail * st.f_frsize < SPACE_LEAST)
            return i + 1;
    }
    return 0;
}

static void *
watch_thread(void *opaque)
{
    struct gold_watch *w = opaque;
    bool end = false;
    for (;;) {
        /* Once the end is decided, QEMU may not have been started yet: keep looking until told
         * to stop. */
        struct pollfd fds[2] = {
            {.fd = w->stop_fd, .events = POLLIN},
            {.fd = end ? -1 : w->cancel_fd, .events = POLLIN},
        };
        int n = poll(fds, 2, end ? 100 : 250);
        if (n < 0 && errno != EINTR)
            return NULL;
        if (n > 0 && fds[0].revents)
            return NULL;
        if (n > 0 && fds[1].revents)
            end = true;
        if (!end) {
            size_t full = find_full(w);
            if (full) {
                atomic_store(&w->full, full);
                end = true;
            }
        }
        if (end)
            end_qemu(w->mark);
    }
}

static int
start_thread(struct gold_watch *w)
{
    /* Signals are the program's business; this thread is not to be picked for one. */
    sigset_t all, old;
    sigfillset(&all);
    int e = pthread_sigmask(SIG_SETMASK, &all, &old);
    if (e)
        return e;
    e = pthread_create(&w->thread, NULL, watch_thread, w);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return e;
}

static void
release(struct gold_watch *w)
{
    gold_close(&w->stop_fd);
    gold_strv_done(&w->paths);
    free(w->mark);
    free(w);
}
GOLD_DEFINE_CLEANUP(struct gold_watch *, release);

struct gold_watch *
gold_watch_start(struct gold_context *ctx, const char *mark, const struct gold_strv *paths,
                 struct gold_error **err)
{
    GOLD_CLEANUP(release_p) struct gold_watch *w = calloc(1, sizeof *w);
    if (!w) {
        gold_error_set_nomem(err);
        return NULL;
    }
    w->cancel_fd = ctx->cancel_fd;
    w->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->stop_fd < 0) {
        gold_error_set_errno(err, errno, "creating an event descriptor");
        return NULL;
    }
    w->mark = gold_strdup(mark, err);
    if (!w->mark)
        return NULL;
    for (size_t i = 0; i < paths->n; i++)
        if (gold_strv_add(&w->paths, paths->items[i], err) < 0)
            return NULL;
    int e = start_thread(w);
    if (e) {
        gold_error_set_errno(err, e, "starting a thread");
        return NULL;
    }
    return gold_steal_ptr(&w);
}

const char *
gold_watch_full(const struct gold_watch *w)
{
    size_t full = atomic_load(&w->full);
    return full ? w->paths.items[full - 1] : NULL;
}

void
gold_watch_free(struct gold_watch *w)
{
    if (!w)
        return;
    uint64_t one = 1;
    /* An event descriptor takes eight bytes; should it not, waiting would be for ever. */
    if (gold_write_all(w->stop_fd, &one, sizeof one) == 0)
        (void)pthread_join(w->thread, NULL);
    release(w);
}
