/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Throw-away machines; see machine.h. */
#include "hypervisor/machine.h"

#include <fcntl.h>
#include <libvirt/virterror.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/guard.h"
#include "core/io.h"
#include "core/number.h"
#include "core/str.h"

struct gold_machine {
    struct gold_context *ctx;
    struct gold_hypervisor *h;
    virDomainPtr dom;
    char *name;
    pid_t pid;
    int console, channel;
    bool stopped;
};

int
gold_machine_label_root(const char *xml, char **ret, struct gold_error **err)
{
    static const char label[] =
        "<seclabel type='static' model='dac' relabel='no'><label>+0:+0</label></seclabel>";
    const char *end = NULL;
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    char *text;

    for (const char *p = xml; (p = strstr(p, "</domain>")); p++)
        end = p;
    if (!end) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "no </domain> in the machine's XML");
        return -1;
    }
    gold_str_append_len(&s, xml, (size_t)(end - xml));
    gold_str_append(&s, label);
    gold_str_append(&s, end);
    text = gold_str_steal(&s, NULL, err);
    if (!text)
        return -1;
    *ret = text;
    return 0;
}

/* libvirt has put the listening socket there before it returns, so one attempt is enough. */
static int
connect_socket(const char *path, struct gold_error **err)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    GOLD_CLEANUP_FD int fd = -1;

    if (strlen(path) >= sizeof(addr.sun_path)) {
        gold_error_set(err, GOLD_ERROR_IO, "the path '%s' is too long for a socket", path);
        gold_error_hint(err, "name a shorter directory for temporary files");
        return -1;
    }
    memcpy(addr.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0) {
        gold_error_set_errno(err, errno, "cannot connect to QEMU's socket '%s'", path);
        return -1;
    }
    return gold_steal_fd(&fd);
}

/* The pid that libvirt noted; 0 when it cannot be read. */
static pid_t
find_pid(const struct gold_machine *m)
{
    const char *root = gold_hypervisor_root(m->h);
    GOLD_CLEANUP_FREE char *path = NULL, *text = NULL;
    size_t len;
    uint64_t pid;

    if (root)
        path = gold_format(NULL, "%s/run/qemu/%s.pid", root, m->name);
    else
        path = gold_format(NULL, "/run/libvirt/qemu/%s.pid", m->name);
    if (!path || gold_read_file(path, 64, &text, &len, NULL) < 0)
        return 0;
    text[strcspn(text, "\n")] = '\0';
    if (gold_parse_u64(text, &pid, NULL) < 0 || pid < 2 || pid > INT32_MAX)
        return 0;
    return (pid_t)pid;
}

static int
create_domain(struct gold_machine *m, const struct gold_machine_spec *spec,
              struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *labelled = NULL;
    const char *xml = spec->xml;
    bool embedded = gold_hypervisor_root(m->h) != NULL;
    uid_t uid;
    gid_t gid;

    if (embedded && spec->as_root && gold_hypervisor_user(m->h, &uid, &gid)) {
        if (gold_machine_label_root(xml, &labelled, err) < 0)
            return -1;
        xml = labelled;
    }
    m->dom = virDomainCreateXML(gold_hypervisor_connect_ptr(m->h), xml,
                                VIR_DOMAIN_START_PAUSED |
                                    (embedded ? 0 : VIR_DOMAIN_START_AUTODESTROY));
    if (!m->dom) {
        gold_error_set_libvirt(err, "cannot start the machine '%s'", spec->name);
        if (err && *err && strstr(gold_error_message(*err), "O_DIRECT"))
            gold_error_hint(
                err, "the definition's cache mode needs a file system that can do direct IO: "
                     "name another directory for temporary files");
        return -1;
    }
    return 0;
}

struct gold_machine *
gold_machine_start(struct gold_context *ctx, struct gold_hypervisor *h,
                   const struct gold_machine_spec *spec, struct gold_error **err)
{
    GOLD_CLEANUP_MACHINE struct gold_machine *m = calloc(1, sizeof(*m));

    if (!m) {
        gold_error_set_nomem(err);
        return NULL;
    }
    m->ctx = ctx;
    m->h = h;
    m->console = m->channel = -1;
    m->name = gold_strdup(spec->name, err);
    if (!m->name || create_domain(m, spec, err) < 0)
        return NULL;
    m->pid = find_pid(m);
    if (m->pid > 0 && gold_guard_add_process(ctx, m->pid, err) < 0)
        return NULL;
    gold_hypervisor_started(h);
    m->console = connect_socket(spec->console_path, err);
    if (m->console < 0)
        return NULL;
    m->channel = connect_socket(spec->channel_path, err);
    if (m->channel < 0)
        return NULL;
    return gold_steal_ptr(&m);
}

int
gold_machine_resume(struct gold_machine *m, struct gold_error **err)
{
    if (virDomainResume(m->dom) == 0)
        return 0;
    gold_error_set_libvirt(err, "cannot resume the machine '%s'", m->name);
    return -1;
}

int
gold_machine_stop(struct gold_machine *m, struct gold_error **err)
{
    if (m->stopped)
        return 0;
    if (m->dom && virDomainDestroy(m->dom) < 0) {
        const virError *last = virGetLastError();

        /* A transient domain is gone once it is off. */
        if (!last ||
            (last->code != VIR_ERR_NO_DOMAIN && last->code != VIR_ERR_OPERATION_INVALID)) {
            gold_error_set_libvirt(err, "cannot end the machine '%s'", m->name);
            return -1;
        }
    }
    if (m->pid > 0)
        gold_guard_drop_process(m->ctx, m->pid);
    m->stopped = true;
    return 0;
}

void
gold_machine_free(struct gold_machine *m)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    if (!m)
        return;
    if (gold_machine_stop(m, &err) < 0)
        gold_warning(m->ctx, "%s; the guard will end it, ignoring", gold_error_message(err));
    gold_close(&m->console);
    gold_close(&m->channel);
    if (m->dom)
        virDomainFree(m->dom);
    free(m->name);
    free(m);
}

int
gold_machine_console(const struct gold_machine *m)
{
    return m->console;
}

int
gold_machine_channel(const struct gold_machine *m)
{
    return m->channel;
}

pid_t
gold_machine_pid(const struct gold_machine *m)
{
    return m->pid;
}

double
gold_machine_cpu_seconds(const struct gold_machine *m)
{
    GOLD_CLEANUP_FREE char *path = NULL, *text = NULL;
    uint64_t ticks[2];
    size_t len;
    char *p, *save = NULL;

    if (m->pid <= 0)
        return -1;
    path = gold_format(NULL, "/proc/%ld/stat", (long)m->pid);
    if (!path || gold_read_file(path, 4096, &text, &len, NULL) < 0)
        return -1;
    /* Fields 14 and 15; the second, the program's name, may hold anything, so count from its
     * end. */
    p = strrchr(text, ')');
    if (!p)
        return -1;
    p = strtok_r(p + 1, " ", &save);
    for (unsigned field = 3; p && field < 14; field++)
        p = strtok_r(NULL, " ", &save);
    for (unsigned i = 0; i < 2; i++) {
        if (!p || gold_parse_u64(p, &ticks[i], NULL) < 0)
            return -1;
        p = strtok_r(NULL, " ", &save);
    }
    return (double)(ticks[0] + ticks[1]) / (double)sysconf(_SC_CLK_TCK);
}

const char *
gold_machine_name(const struct gold_machine *m)
{
    return m->name;
}

virDomainPtr
gold_machine_domain(struct gold_machine *m)
{
    return m->dom;
}
