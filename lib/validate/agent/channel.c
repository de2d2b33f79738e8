/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The guest's end of the channel: the virtio-serial port is found by the name that the kernel
 * reports, since the link /dev/virtio-ports/NAME is udev's, which an early or emergency boot
 * may not have. The host drains the port; should it stop, we stop talking after a while rather
 * than hang.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#define PORTS        "/sys/class/virtio-ports"
#define SEND_SECONDS 60 /* for one message */

static int
open_port(void)
{
    DIR *dir = opendir(PORTS);
    struct dirent *entry;
    int fd = -1;
    while (dir && fd < 0 && (entry = readdir(dir))) {
        char path[600], name[128];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), PORTS "/%s/name", entry->d_name);
        if (!gold_agent_read_line(path, name, sizeof(name)) ||
            strcmp(name, GOLD_CHANNEL_NAME) != 0)
            continue;
        (void)snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
        fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
    if (dir)
        (void)closedir(dir);
    return fd;
}

bool
gold_agent_channel_open(struct gold_agent_channel *c, const char *path, double seconds)
{
    static const char *const load[] = {"modprobe", "virtio_console", NULL};
    double until = gold_agent_now() + seconds;
    if (path) {
        c->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        return c->fd >= 0;
    }
    c->fd = open_port();
    if (c->fd < 0 && access(PORTS, F_OK) < 0)
        (void)gold_agent_run(load, seconds / 4, NULL, 0);
    while (c->fd < 0 && gold_agent_now() < until) {
        c->fd = open_port();
        if (c->fd < 0)
            gold_agent_sleep(0.2);
    }
    return c->fd >= 0;
}

/* All of it, or nobody listens any more. */
static bool
write_all(int fd, const char *bytes, size_t len)
{
    double until = gold_agent_now() + SEND_SECONDS;
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE)
            return false;
        if (gold_agent_now() >= until)
            return false;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        /* Without a listener poll() returns at once with POLLHUP: the listener may still come.
         */
        if (poll(&p, 1, 500) > 0 && !(p.revents & POLLOUT))
            gold_agent_sleep(0.1);
    }
    return true;
}

void
gold_agent_send(struct gold_agent_channel *c, const char *type,
                const struct gold_agent_text *members)
{
    struct gold_agent_text line = {0};
    if (c->fd < 0)
        return;
    gold_agent_text_printf(&line, "{\"nonce\":\"%s\",\"seq\":%u,\"type\":\"%s\"", c->nonce,
                           ++c->seq, type);
    if (members && members->failed)
        line.failed = true;
    else if (members && members->len > 0)
        gold_agent_text_add(&line, members->data, members->len);
    gold_agent_text_add(&line, "}\n", 2);
    if (line.failed) {
        gold_agent_say("a message of type %s did not fit into memory", type);
    } else if (!write_all(c->fd, line.data, line.len)) {
        gold_agent_say("nobody listens on %s any more", GOLD_CHANNEL_NAME);
        (void)close(c->fd);
        c->fd = -1;
    }
    gold_agent_text_done(&line);
}

void
gold_agent_send_error(struct gold_agent_channel *c, const char *payload, const char *fmt, ...)
{
    struct gold_agent_text members = {0};
    char message[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    gold_agent_say("%s: %s", payload, message);
    gold_agent_text_printf(&members, ",\"payload\":");
    gold_agent_text_json(&members, payload);
    gold_agent_text_printf(&members, ",\"message\":");
    gold_agent_text_json(&members, message);
    gold_agent_send(c, "error", &members);
    gold_agent_text_done(&members);
}

void
gold_agent_send_progress(struct gold_agent_channel *c, const char *payload, unsigned percent)
{
    struct gold_agent_text members = {0};
    gold_agent_text_printf(&members, ",\"payload\":\"%s\",\"percent\":%u", payload,
                           percent > 100 ? 100 : percent);
    gold_agent_send(c, "progress", &members);
    gold_agent_text_done(&members);
}
