/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A steady stream of equal direct requests, counted as they complete. A run begins and ends
 * with a completion, so that no part of a request is counted, and each run follows the one
 * before without a pause: a throttle that has been idle lets a bucketful through at once, and
 * only the ramp may hold that.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

#define GRACE_SECONDS 60    /* without an end of the runs the disk is taken for dead */
#define BUCKET        0.1   /* seconds' worth that a throttle lets through at once */
#define DISTURBED     0.005 /* of a run: stalls for longer spoil it */
#define DRAIN_SECONDS \
    10 /* for requests that are in flight at the end: they would disturb what comes next */

struct stream {
    struct gold_agent_load load;
    struct gold_agent_disk disk;
    struct gold_agent_sample *samples;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    unsigned users; /* threads, and the caller: the last one frees */
    unsigned run;   /* samples that are complete */
    unsigned clean; /* of these, without stalls */
    bool stop;
    int failure; /* errno of a request */
    bool measuring;
    uint64_t ops, begin_ops, next_chunk;
    double started, begin, next, last, behind, stalled;
};

struct worker {
    struct stream *s;
    unsigned index;
    unsigned char *buffer;
    uint64_t random;
};

static uint64_t
next_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1DULL;
}

static void
let_go(struct stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    bool last = --s->users == 0;
    (void)pthread_mutex_unlock(&s->lock);
    if (!last)
        return;
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    (void)close(s->disk.fd);
    free(s->samples);
    free(s);
}

/* Where the next request goes. In sequence: the next chunk, whoever asks. Scattered: each
   worker at random in a part of the disk of its own, never next to its last request, for
   neighbours may be merged below us. */
static uint64_t
next_offset(struct worker *w, uint64_t *last)
{
    struct stream *s = w->s;
    uint64_t chunks = s->disk.size / s->load.size;
    if (!s->load.scattered) {
        (void)pthread_mutex_lock(&s->lock);
        uint64_t chunk = s->next_chunk++ % chunks;
        (void)pthread_mutex_unlock(&s->lock);
        return chunk * s->load.size;
    }
    uint64_t part = chunks / s->load.depth, chunk;
    do
        chunk = (uint64_t)w->index * part + next_random(&w->random) % (part - 1);
    while (chunk + 1 == *last || chunk == *last || chunk == *last + 1);
    *last = chunk;
    return chunk * s->load.size;
}

/* Keeps the books that the throttle keeps: time lost by gaps that are longer than usual is made
   up for by shorter ones, as long as it is not more than a bucketful. What is beyond that is
   lost for good. */
static void
note_gap(struct stream *s, double now)
{
    uint64_t ops = s->ops - s->begin_ops;
    if (ops <= 4) /* no idea yet of what is usual */
        return;
    double usual = (s->last - s->begin) / (double)(ops - 1);
    s->behind += now - s->last - usual;
    if (s->behind < 0)
        s->behind = 0;
    if (s->behind > BUCKET + usual) {
        s->stalled += s->behind - BUCKET - usual;
        s->behind = BUCKET + usual;
    }
}

static void
end_run(struct stream *s, double now)
{
    uint64_t ops = s->ops - s->begin_ops;
    s->samples[s->run++] =
        (struct gold_agent_sample){ops * s->load.size, ops, now - s->begin, s->stalled};
    if (s->stalled <= DISTURBED * s->load.seconds)
        s->clean++;
    if (s->clean == s->load.runs || s->run == 2 * s->load.runs) {
        s->stop = true;
        (void)pthread_cond_broadcast(&s->changed);
    }
}

/* Counts one completion; under the lock. */
static void
count(struct stream *s)
{
    double now = gold_agent_now();
    s->ops++;
    if (s->measuring)
        note_gap(s, now);
    s->last = now;
    if (!s->measuring && now - s->started < s->load.ramp)
        return;
    if (s->measuring && now < s->next)
        return;
    if (s->measuring)
        end_run(s, now);
    s->measuring = true;
    s->stalled = 0;
    s->begin = now;
    s->begin_ops = s->ops;
    s->next = now + s->load.seconds;
}

static void *
work(void *opaque)
{
    struct worker *w = opaque;
    struct stream *s = w->s;
    uint64_t last = UINT64_MAX / 2;
    bool stop = false;
    while (!stop) {
        uint64_t at = next_offset(w, &last);
        /* Other bytes each time, or storage could tell that nothing changes. */
        for (size_t i = 0; s->load.writes && i < s->load.size; i += 4096)
            memcpy(w->buffer + i, &(uint64_t){next_random(&w->random)}, 8);
        ssize_t n = s->load.writes ? pwrite(s->disk.fd, w->buffer, s->load.size, (off_t)at)
                                   : pread(s->disk.fd, w->buffer, s->load.size, (off_t)at);
        int failure = n < 0 ? errno : (uint64_t)n != s->load.size ? EIO : 0;
        (void)pthread_mutex_lock(&s->lock);
        if (failure && failure != EINTR) {
            s->failure = failure;
            s->stop = true;
            (void)pthread_cond_broadcast(&s->changed);
        } else if (!failure && !s->stop) {
            count(s);
        }
        stop = s->stop;
        (void)pthread_mutex_unlock(&s->lock);
    }
    free(w->buffer);
    free(w);
    let_go(s);
    return NULL;
}

static bool
start_worker(struct stream *s, unsigned index)
{
    struct worker *w = calloc(1, sizeof(*w));
    pthread_t thread;
    if (!w)
        return false;
    *w = (struct worker){.s = s,
                         .index = index,
                         .random = 0x9E3779B97F4A7C15ULL * (index + 1) ^ (uint64_t)time(NULL)};
    if (posix_memalign((void **)&w->buffer, 65536, s->load.size) != 0) {
        free(w);
        return false;
    }
    for (size_t i = 0; i + 8 <= s->load.size; i += 8)
        memcpy(w->buffer + i, &(uint64_t){next_random(&w->random)}, 8);
    (void)pthread_mutex_lock(&s->lock);
    s->users++;
    (void)pthread_mutex_unlock(&s->lock);
    if (pthread_create(&thread, NULL, work, w) == 0) {
        /* Detached: a request may never come back, and then nobody can wait for its thread. */
        (void)pthread_detach(thread);
        return true;
    }
    (void)pthread_mutex_lock(&s->lock);
    s->users--;
    (void)pthread_mutex_unlock(&s->lock);
    free(w->buffer);
    free(w);
    return false;
}

static struct stream *
new_stream(const struct gold_agent_load *load)
{
    struct stream *s = calloc(1, sizeof(*s));
    pthread_condattr_t clock;
    if (!s)
        return NULL;
    s->load = *load;
    s->disk = *load->disk;
    /* Of its own: a thread that is left behind must not see the number reused. */
    s->disk.fd = dup(load->disk->fd);
    s->samples = calloc(2 * (size_t)load->runs, sizeof(*s->samples));
    s->users = 1;
    if (s->disk.fd < 0 || !s->samples) {
        if (s->disk.fd >= 0)
            (void)close(s->disk.fd);
        free(s->samples);
        free(s);
        return NULL;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    return s;
}

/* Waits for a change, a second at most; called with the lock held. False when the second is
 * over. */
static bool
wait_a_second(struct stream *s)
{
    double wake = gold_agent_now() + 1;
    struct timespec t = {.tv_sec = (time_t)wake,
                         .tv_nsec = (long)((wake - (double)(time_t)wake) * 1e9)};
    return pthread_cond_timedwait(&s->changed, &s->lock, &t) != ETIMEDOUT;
}

/* Waits for the end; called with the lock held. */
static void
await_end(struct stream *s, void (*tick)(void *, double), void *opaque)
{
    double until =
        s->started + s->load.ramp + 2.0 * s->load.runs * s->load.seconds + GRACE_SECONDS;
    while (!s->stop) {
        if (gold_agent_now() >= until) {
            s->failure = ETIMEDOUT;
            s->stop = true;
        } else if (!wait_a_second(s) && tick) {
            /* The channel may be slow: never with the lock held. */
            (void)pthread_mutex_unlock(&s->lock);
            tick(opaque, gold_agent_now() - s->started);
            (void)pthread_mutex_lock(&s->lock);
        }
    }
    until = gold_agent_now() + DRAIN_SECONDS;
    while (s->users > 1 && gold_agent_now() < until)
        (void)wait_a_second(s);
}

bool
gold_agent_load_run(const struct gold_agent_load *load, struct gold_agent_sample *ret,
                    unsigned *ret_n, void (*tick)(void *, double), void *opaque, char *why,
                    size_t why_cap)
{
    const struct gold_agent_disk *disk = load->disk;
    if (load->size % disk->block != 0 || disk->size / load->size / load->depth < 64) {
        (void)snprintf(
            why, why_cap,
            "the disk has %llu bytes in blocks of %u: requests of %llu do not suit it",
            (unsigned long long)disk->size, disk->block, (unsigned long long)load->size);
        return false;
    }
    struct stream *s = new_stream(load);
    if (!s) {
        (void)snprintf(why, why_cap, "out of memory");
        return false;
    }
    s->started = gold_agent_now();
    unsigned workers = 0;
    while (workers < load->depth && start_worker(s, workers))
        workers++;
    (void)pthread_mutex_lock(&s->lock);
    if (workers < load->depth) {
        s->failure = ENOMEM;
        s->stop = true;
    }
    await_end(s, tick, opaque);
    bool done = s->run >= load->runs && s->failure == 0;
    *ret_n = s->run;
    if (done)
        memcpy(ret, s->samples, s->run * sizeof(*ret));
    else
        (void)snprintf(why, why_cap, "%s: %s", load->writes ? "writing" : "reading",
                       strerror(s->failure));
    (void)pthread_mutex_unlock(&s->lock);
    let_go(s);
    return done;
}
