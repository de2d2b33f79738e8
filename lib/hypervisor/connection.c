/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connections and the event loop's thread; see connection.h. */
#include "hypervisor/connection.h"

#include <dlfcn.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/io.h"
#include "core/str.h"
#include "hypervisor/embedded.h"

/* libvirt's own state is the process's, so ours has to be too. */
static struct {
    pthread_mutex_t lock;
    bool prepared;
    char *root; /* of the embedded driver: one for the life of the process */
    unsigned users;
    pthread_t loop;
    atomic_bool stop;
    int timer;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER, .timer = -1};

struct gold_hypervisor {
    struct gold_context *ctx;
    virConnectPtr conn;
    char *root; /* NULL: not embedded */
    struct gold_qemu_user user;
    bool looping, saved;
};

void
gold_error_set_libvirt(struct gold_error **err, const char *fmt, ...)
{
    const virError *last = virGetLastError();
    GOLD_CLEANUP_STR struct gold_str text = GOLD_STR_INIT;
    const char *why = last && last->message ? last->message : "unknown error";
    va_list args;

    va_start(args, fmt);
    gold_str_vprintf(&text, fmt, args);
    va_end(args);
    gold_str_append(&text, ": ");
    /* QEMU's own words come with line ends and time stamps. */
    for (; *why; why++)
        gold_str_append_char(&text, (unsigned char)*why < ' ' ? ' ' : *why);
    while (text.len > 0 && !text.failed && text.data[text.len - 1] == ' ')
        text.data[--text.len] = '\0';
    gold_error_set(err, GOLD_ERROR_HYPERVISOR, "%s", gold_str_text(&text));
}

static void
ignore_error(void *opaque, virErrorPtr error)
{
    (void)opaque;
    (void)error;
}

static void
wake(int timer, void *opaque)
{
    (void)timer;
    (void)opaque;
}

/* libguestfs has initialised libvirt before main(), and with it where it logs, so the variable
   alone comes too late. Reading it again has no public name; without that one libvirt's
   warnings go to stderr, which is only ugly. */
static void
read_log_settings_again(void)
{
    void (*again)(void);

    *(void **)&again = dlsym(RTLD_DEFAULT, "virLogSetFromEnv");
    if (again)
        again();
}

static int
prepare_locked(struct gold_error **err)
{
    if (process.prepared)
        return 0;
    if (setenv("LIBVIRT_LOG_OUTPUTS", "4:file:/dev/null", 0) < 0)
        return gold_error_set_nomem(err);
    if (virInitialize() < 0) {
        gold_error_set_libvirt(err, "cannot initialise libvirt");
        return -1;
    }
    read_log_settings_again();
    virSetErrorFunc(NULL, ignore_error);
    if (virEventRegisterDefaultImpl() < 0) {
        gold_error_set_libvirt(err, "cannot set up libvirt's event loop");
        return -1;
    }
    /* So that the loop's thread looks at its stop flag. */
    process.timer = virEventAddTimeout(1000, wake, NULL, NULL);
    if (process.timer < 0) {
        gold_error_set_libvirt(err, "cannot set up libvirt's event loop");
        return -1;
    }
    process.prepared = true;
    return 0;
}

static void *
run_loop(void *opaque)
{
    (void)opaque;
    while (!atomic_load(&process.stop)) {
        if (virEventRunDefaultImpl() < 0)
            break;
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static int
start_loop_locked(struct gold_error **err)
{
    sigset_t all, old;
    int rc;

    if (process.users++ > 0)
        return 0;
    atomic_store(&process.stop, false);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    rc = pthread_create(&process.loop, NULL, run_loop, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc != 0) {
        process.users--;
        gold_error_set_errno(err, rc, "cannot start the thread of libvirt's event loop");
        return -1;
    }
    return 0;
}

static void
stop_loop(void)
{
    pthread_mutex_lock(&process.lock);
    if (--process.users == 0) {
        atomic_store(&process.stop, true);
        virEventUpdateTimeout(process.timer, 0);
        pthread_join(process.loop, NULL);
        virEventUpdateTimeout(process.timer, 1000);
    }
    pthread_mutex_unlock(&process.lock);
}

/* Decides on the root and makes it. */
static int
prepare_root_locked(struct gold_hypervisor *h, struct gold_error **err)
{
    bool again = process.root != NULL;

    if (!again) {
        const char *run_dir;

        if (gold_context_run_dir(h->ctx, &run_dir, err) < 0)
            return -1;
        process.root = gold_path_join(run_dir, "h", err);
        if (!process.root)
            return -1;
    }
    h->root = gold_strdup(process.root, err);
    return h->root ? gold_embedded_prepare(h->ctx, h->root, &h->user, again, err) : -1;
}

static int
prepare(struct gold_hypervisor *h, bool embedded, struct gold_error **err)
{
    int ret = -1;

    pthread_mutex_lock(&process.lock);
    if (prepare_locked(err) == 0 && (!embedded || prepare_root_locked(h, err) == 0) &&
        start_loop_locked(err) == 0) {
        h->looping = true;
        ret = 0;
    }
    pthread_mutex_unlock(&process.lock);
    return ret;
}

struct gold_hypervisor *
gold_hypervisor_open(struct gold_context *ctx, const char *uri, struct gold_error **err)
{
    GOLD_CLEANUP_HYPERVISOR struct gold_hypervisor *h = calloc(1, sizeof(*h));
    GOLD_CLEANUP_FREE char *own_uri = NULL;

    if (!h) {
        gold_error_set_nomem(err);
        return NULL;
    }
    h->ctx = ctx;
    if (gold_qemu_user_find(&h->user, err) < 0 || prepare(h, !uri, err) < 0)
        return NULL;
    if (!uri) {
        own_uri = gold_format(err, "qemu:///embed?root=%s", h->root);
        if (!own_uri)
            return NULL;
        uri = own_uri;
    } else if (strstr(uri, "/session")) {
        h->user.other = false;
    }
    gold_debug(ctx, "connecting to '%s'", uri);
    h->conn = virConnectOpen(uri);
    if (!h->conn) {
        gold_error_set_libvirt(err, "cannot connect to the hypervisor '%s'", uri);
        return NULL;
    }
    return gold_steal_ptr(&h);
}

void
gold_hypervisor_free(struct gold_hypervisor *h)
{
    if (!h)
        return;
    if (h->conn)
        (void)virConnectClose(h->conn);
    if (h->looping)
        stop_loop();
    free(h->root);
    free(h);
}

virConnectPtr
gold_hypervisor_connect_ptr(struct gold_hypervisor *h)
{
    return h->conn;
}

const char *
gold_hypervisor_root(const struct gold_hypervisor *h)
{
    return h->root;
}

bool
gold_hypervisor_user(const struct gold_hypervisor *h, uid_t *ret_uid, gid_t *ret_gid)
{
    *ret_uid = h->user.uid;
    *ret_gid = h->user.gid;
    return h->user.other;
}

void
gold_hypervisor_started(struct gold_hypervisor *h)
{
    if (!h->root || h->saved)
        return;
    h->saved = true;
    gold_embedded_save_capabilities(h->ctx, h->root);
}
