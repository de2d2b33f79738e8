/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * goldsmith-agent: the program on the payload disk that runs inside a guest. Linked statically,
 * it needs nothing of the guest but its kernel: no libc, no users, no names, no shared code
 * with the library but a header of macros.
 *
 * It measures and tells; it judges nothing. Everything in it ends in bounded time, because a
 * guest that hangs tells nothing.
 */
#ifndef GOLD_VALIDATE_AGENT_H
#define GOLD_VALIDATE_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate/names.h"

#define GOLD_AGENT_VERSION 1

/* text.c: a growable string with a sticky failure, and JSON. */
struct gold_agent_text {
    char *data; /* NUL-terminated once something was added */
    size_t len, cap;
    bool failed; /* out of memory, or over GOLD_AGENT_TEXT_MAX; later additions do nothing */
};
#define GOLD_AGENT_TEXT_MAX ((size_t)512 * 1024) /* below what the host takes as one line */

void gold_agent_text_done(struct gold_agent_text *t);
void gold_agent_text_add(struct gold_agent_text *t, const void *bytes, size_t len);
void gold_agent_text_printf(struct gold_agent_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A JSON string with its quotes. What is not UTF-8 becomes U+FFFD, control characters \uXXXX.
 */
void gold_agent_text_json(struct gold_agent_text *t, const char *text);

/* digest.c */
void gold_agent_sha256(const void *bytes, size_t len, unsigned char ret[32]);
void gold_agent_hex(const unsigned char *bytes, size_t len,
                    char *ret); /* ret holds 2 * len + 1 */
/* Without padding, as ssh prints fingerprints; ret holds (4 * len + 2) / 3 + 1. */
void gold_agent_base64(const unsigned char *bytes, size_t len, char *ret);
/* Decodes up to the first character that is none, at most cap bytes; how many, or -1 when there
 * are more. */
int gold_agent_unbase64(const char *text, unsigned char *ret, size_t cap);

/* util.c */
double gold_agent_now(void); /* seconds of CLOCK_MONOTONIC */
void gold_agent_sleep(double seconds);
/* At most cap - 1 bytes, NUL-terminated; how many, or -1. Special files of /proc and /sys
 * included. */
int gold_agent_read_file(const char *path, char *ret, size_t cap);
/* The first line without blanks around it; false when there is no file or nothing in it. */
bool gold_agent_read_line(const char *path, char *ret, size_t cap);
/* Runs a program found in the usual directories, for at most `seconds`; its output, cut to cap
   - 1 bytes, in ret (NULL: not wanted). Its exit status, or -1 when it could not be run, was
   killed, or took too long (then it is killed). */
int gold_agent_run(const char *const *argv, double seconds, char *ret, size_t cap);
/* Says something on stderr, which a starter sends to the console. */
void gold_agent_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A whole decimal number not above max. */
bool gold_agent_number(const char *text, uint64_t max, uint64_t *ret);

/* channel.c */
struct gold_agent_channel {
    int fd; /* -1: nobody listens */
    char nonce[33];
    unsigned seq; /* of the last message */
};
/* Opens the port (or `path`, for tests), waiting for it at most `seconds`. False when there is
 * none: messages then go nowhere. */
bool gold_agent_channel_open(struct gold_agent_channel *c, const char *path, double seconds);
/* Sends one message; members: ",\"key\":value" pairs, or "". */
void gold_agent_send(struct gold_agent_channel *c, const char *type,
                     const struct gold_agent_text *members);
void gold_agent_send_error(struct gold_agent_channel *c, const char *payload, const char *fmt,
                           ...) __attribute__((format(printf, 3, 4)));
void gold_agent_send_progress(struct gold_agent_channel *c, const char *payload,
                              unsigned percent);

/* plan.c */
#define GOLD_AGENT_METRICS 4
#define GOLD_AGENT_STEPS   64
struct gold_agent_metric {
    bool wanted;
    uint64_t size; /* bytes a request */
    unsigned depth, ramp;
};
enum gold_agent_metric_kind {
    GOLD_AGENT_READ_BYTES,
    GOLD_AGENT_WRITE_BYTES,
    GOLD_AGENT_READ_IOPS,
    GOLD_AGENT_WRITE_IOPS
};
extern const char *const gold_agent_metric_names[GOLD_AGENT_METRICS];

struct gold_agent_limits {
    const char *name, *serial, *control; /* into the plan's text */
    unsigned runs, seconds;
    struct gold_agent_metric metrics[GOLD_AGENT_METRICS];
};
enum gold_agent_step_kind {
    GOLD_AGENT_STEP_LIMITS,
    GOLD_AGENT_STEP_IDENTITY,
    GOLD_AGENT_STEP_UNKNOWN
};
struct gold_agent_step {
    enum gold_agent_step_kind kind;
    const char *word; /* the line's first, into the plan's text */
    struct gold_agent_limits limits;
};
struct gold_agent_plan {
    char nonce[33];
    unsigned wait; /* seconds for the default target */
    struct gold_agent_step steps[GOLD_AGENT_STEPS];
    size_t n_steps;
};
/* Cuts `text` up in place. False, with the reason in *ret_why, when it is no plan. A line that
   is not understood becomes an UNKNOWN step, so that the host hears of it. */
bool gold_agent_plan_parse(char *text, struct gold_agent_plan *ret, const char **ret_why);

/* What one run of the agent works with. */
struct gold_agent {
    struct gold_agent_channel channel;
    const char *root;    /* prefix of the files that identity reads; "" in a guest */
    const char *run_dir; /* lock and marks */
    const char *disks;   /* tests: a folder with files named by serial; NULL in a guest */
    double started;
};

/* target.c */
const char *gold_agent_target_now(void); /* "early" or "emergency" */
/* Waits for the mark of `agent reached`, at most `wait` seconds, and tells how the boot went.
 */
void gold_agent_await_target(struct gold_agent *agent, unsigned wait);

/* identity.c */
void gold_agent_identity(struct gold_agent *agent);

/* limits.c */
void gold_agent_measure_limits(struct gold_agent *agent,
                               const struct gold_agent_limits *limits);

/* disk.c */
struct gold_agent_disk {
    int fd;
    uint64_t size;
    unsigned block; /* bytes of a logical block */
};
/* Finds a disk by its serial, waiting for it at most `seconds`. Only disks that goldsmith made
   are opened: the serial must begin as theirs do. False with a reason in why. */
bool gold_agent_disk_open(const struct gold_agent *agent, const char *serial, double seconds,
                          struct gold_agent_disk *ret, char *why, size_t why_cap);

/* load.c */
struct gold_agent_load {
    const struct gold_agent_disk *disk;
    uint64_t size; /* bytes a request */
    unsigned depth, ramp, runs, seconds;
    bool writes, scattered;
};
struct gold_agent_sample {
    uint64_t bytes, ops;
    double seconds;
    double stalled; /* of these, what a throttle could not make up for: see load.c */
};
#define GOLD_AGENT_RUNS_MOST 200
/* Keeps `depth` requests in flight through the ramp and the runs; goes on for up to twice as
   many runs until `runs` of them were not disturbed by stalls. *ret (GOLD_AGENT_RUNS_MOST) and
   *ret_n: all of them. tick is called about once a second with the time that has passed. False
   with a reason in why when the disk fails or stops answering. */
bool gold_agent_load_run(const struct gold_agent_load *load, struct gold_agent_sample *ret,
                         unsigned *ret_n, void (*tick)(void *, double), void *opaque, char *why,
                         size_t why_cap);

#endif
