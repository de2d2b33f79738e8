/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loop over running machines; see drive.h. */
#include "validate/drive.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "core/limits.h"

#define CHUNK      (64 * 1024)
#define TICK       1000 /* ms between looks at processor time, files and counters */
#define BUSY_SHARE 0.2  /* of a processor: more is a sign of life */
#define SPARE      (256 * GOLD_MIB)
#define MAX_DRIVES 8

int64_t
gold_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
gold_drive_start(struct gold_drive *d, const char *name, struct gold_machine *machine,
                 const char *nonce, const struct gold_boot_rules *rules)
{
    *d = (struct gold_drive){
        .name = name, .machine = machine, .console_open = true, .channel_open = true};
    gold_console_start(&d->console);
    gold_protocol_start(&d->protocol, nonce);
    gold_boot_start(&d->boot, rules, gold_now_ms());
}

void
gold_drive_done(struct gold_drive *d)
{
    gold_machine_free(d->machine);
    d->machine = NULL;
    gold_console_done(&d->console);
    gold_protocol_done(&d->protocol);
}

/* How many bytes came; 0: the other end has gone; -1: nothing now. */
static ssize_t
receive(int fd, char *buf)
{
    for (;;) {
        ssize_t n = recv(fd, buf, CHUNK, MSG_DONTWAIT);

        if (n >= 0)
            return n;
        if (errno == EINTR)
            continue;
        return errno == EAGAIN ? -1 : 0;
    }
}

static int
read_console(struct gold_drive *d, char *buf, int64_t now, struct gold_error **err)
{
    ssize_t n = receive(gold_machine_console(d->machine), buf);
    unsigned marks;

    if (n == 0)
        d->console_open = false;
    if (n <= 0)
        return 0;
    if (gold_console_feed(&d->console, buf, (size_t)n, &marks, err) < 0)
        return -1;
    gold_boot_console(&d->boot, marks, now);
    return 0;
}

/* The agent's hello tells whether it was started from the emergency target. */
static bool
hello_from_emergency(const struct gold_protocol *p)
{
    for (size_t i = 0; i < p->messages.n; i++) {
        const json_t *m = p->messages.items[i];

        if (gold_streq(json_string_value(json_object_get(m, "type")), "hello"))
            return gold_streq(json_string_value(json_object_get(m, "target")), "emergency");
    }
    return false;
}

static int
read_channel(struct gold_drive *d, char *buf, int64_t now, struct gold_error **err)
{
    ssize_t n = receive(gold_machine_channel(d->machine), buf);
    struct gold_error *feed_err = NULL;
    const struct gold_protocol *p = &d->protocol;

    if (n == 0)
        d->channel_open = false;
    if (n <= 0)
        return 0;
    if (gold_protocol_feed(&d->protocol, buf, (size_t)n, &feed_err) < 0) {
        if (gold_error_code(feed_err) != GOLD_ERROR_FORMAT) {
            gold_error_move(err, &feed_err);
            return -1;
        }
        gold_error_clear(&feed_err);
        gold_boot_stop(&d->boot, "flood");
        return 0;
    }
    gold_boot_agent(&d->boot, p->hello, p->hello && hello_from_emergency(p), p->reached, p->bye,
                    now);
    return 0;
}

static void
report_progress(struct gold_context *ctx, const struct gold_drive *d)
{
    GOLD_CLEANUP_FREE char *phase = gold_format(NULL, "boot %s", d->name);
    bool measuring = d->boot.state == GOLD_BOOT_PAYLOAD && d->protocol.percent >= 0;

    if (phase)
        gold_progress(ctx, phase, measuring ? d->protocol.percent / 100.0 : -1, "%s",
                      gold_boot_state_name(d->boot.state));
}

/* What is looked at once a second. */
static void
look(struct gold_context *ctx, struct gold_drive *d, int64_t now)
{
    double cpu = gold_machine_cpu_seconds(d->machine);
    struct stat st;

    if (cpu >= 0 && cpu - d->cpu > BUSY_SHARE * TICK / 1000)
        gold_boot_active(&d->boot, now);
    d->cpu = cpu >= 0 ? cpu : d->cpu;
    if (d->pcap && stat(d->pcap, &st) == 0 && st.st_size > 0 &&
        (uint64_t)st.st_size > GOLD_LIMIT_PCAP)
        gold_boot_stop(&d->boot, "flood");
    if (d->boot.state == GOLD_BOOT_PAYLOAD) {
        double load;

        if (getloadavg(&load, 1) == 1 && load > d->load)
            d->load = load;
        for (size_t i = 0; i < d->n_referees; i++)
            gold_referee_look(ctx, &d->referees[i], d->machine, now);
    }
    report_progress(ctx, d);
}

static int
check_space(const char *dir, struct gold_error **err)
{
    struct statvfs v;

    if (statvfs(dir, &v) < 0 || (uint64_t)v.f_bavail * v.f_frsize >= SPARE)
        return 0;
    gold_error_set(err, GOLD_ERROR_IO, "the file system of '%s' is nearly full", dir);
    gold_error_hint(
        err,
        "clones need space for what they write; name another directory for temporary files");
    return -1;
}

/* Reads what there is until both have ended or nothing comes. */
static int
serve(struct gold_drive *d, short console, short channel, char *buf, struct gold_error **err)
{
    int64_t now = gold_now_ms();

    if (console && d->console_open && read_console(d, buf, now, err) < 0)
        return -1;
    if (channel && d->channel_open && read_channel(d, buf, now, err) < 0)
        return -1;
    if (!d->console_open && !d->channel_open)
        gold_boot_gone(&d->boot);
    gold_boot_tick(&d->boot, now);
    if (gold_boot_wants_key(&d->boot, now))
        (void)!send(gold_machine_console(d->machine), "\r", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    return 0;
}

/* It has ended: off with the machine. */
static int
finish(struct gold_context *ctx, struct gold_drive *d, struct gold_error **err)
{
    d->ended = gold_now_ms();
    gold_debug(ctx, "%s: boot ended as '%s' after %.1f s", d->name, d->boot.end,
               (double)(d->ended - d->boot.started) / 1000);
    return gold_machine_stop(d->machine, err);
}

static int
wait_for_some(struct gold_context *ctx, struct gold_drive *const *drives, size_t n,
              struct pollfd *fds, struct gold_error **err)
{
    int64_t now = gold_now_ms(), next = now + TICK;

    fds[0] = (struct pollfd){.fd = ctx->cancel_fd, .events = POLLIN};
    for (size_t i = 0; i < n; i++) {
        const struct gold_drive *d = drives[i];
        bool on = !d->boot.end;
        int64_t due = on ? gold_boot_next(&d->boot) : next;

        fds[1 + 2 * i] =
            (struct pollfd){.fd = on && d->console_open ? gold_machine_console(d->machine) : -1,
                            .events = POLLIN};
        fds[2 + 2 * i] =
            (struct pollfd){.fd = on && d->channel_open ? gold_machine_channel(d->machine) : -1,
                            .events = POLLIN};
        next = due < next ? due : next;
    }
    if (poll(fds, 1 + 2 * n, next > now ? (int)(next - now) : 0) < 0 && errno != EINTR) {
        gold_error_set_errno(err, errno, "cannot wait for the machines");
        return -1;
    }
    return gold_check_cancelled(ctx, err);
}

static int
loop(struct gold_context *ctx, struct gold_drive *const *drives, size_t n, const char *dir,
     char *buf, struct gold_error **err)
{
    struct pollfd fds[1 + 2 * MAX_DRIVES];
    int64_t looked = gold_now_ms();
    size_t running = n;

    while (running > 0) {
        bool due;

        if (wait_for_some(ctx, drives, n, fds, err) < 0)
            return -1;
        due = gold_now_ms() >= looked + TICK;
        if (due) {
            looked = gold_now_ms();
            if (check_space(dir, err) < 0)
                return -1;
        }
        for (size_t i = 0; i < n; i++) {
            struct gold_drive *d = drives[i];

            if (d->boot.end)
                continue;
            if (serve(d, fds[1 + 2 * i].revents, fds[2 + 2 * i].revents, buf, err) < 0)
                return -1;
            if (due && !d->boot.end)
                look(ctx, d, looked);
            if (d->boot.end) {
                running--;
                if (finish(ctx, d, err) < 0)
                    return -1;
            }
        }
    }
    return 0;
}

int
gold_drive_all(struct gold_context *ctx, struct gold_drive *const *drives, size_t n,
               const char *dir, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *buf = malloc(CHUNK);

    if (!buf)
        return gold_error_set_nomem(err);
    if (n > MAX_DRIVES) {
        gold_error_set(err, GOLD_ERROR_USAGE, "more than %d machines at once", MAX_DRIVES);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        drives[i]->boot.started = gold_now_ms();
        if (gold_machine_resume(drives[i]->machine, err) < 0)
            return -1;
        report_progress(ctx, drives[i]);
    }
    return loop(ctx, drives, n, dir, buf, err);
}
