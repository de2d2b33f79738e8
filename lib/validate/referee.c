/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QEMU's counters as a referee; see referee.h. */
#include "validate/referee.h"

#include <string.h>

#include "core/str.h"

#define SLOTS (GOLD_REFEREE_WINDOW + 1)

void
gold_referee_done(struct gold_referee *r)
{
    free(r->serial);
    free(r->device);
    *r = (struct gold_referee){.n = 0};
}

/* Requests that passed the throttle: merged ones went through as parts of others. */
static uint64_t
passed(uint64_t operations, uint64_t merged)
{
    return operations > merged ? operations - merged : 0;
}

static void
raise_peak(double *peak, uint64_t before, uint64_t after, double seconds)
{
    double rate = after > before ? (double)(after - before) / seconds : 0;

    if (rate > *peak)
        *peak = rate;
}

void
gold_referee_add(struct gold_referee *r, const struct gold_block_counters *counters,
                 int64_t now)
{
    if (r->n > 0 && now <= r->window[(r->n - 1) % SLOTS].at)
        return;
    r->window[r->n % SLOTS] = (struct gold_referee_sample){.at = now, .counters = *counters};
    r->n++;
    r->last = *counters;
    if (r->n >= SLOTS) {
        const struct gold_referee_sample *old = &r->window[r->n % SLOTS];
        const struct gold_block_counters *a = &old->counters, *b = counters;
        double seconds = (double)(now - old->at) / 1000;

        raise_peak(&r->peak_read_ops, passed(a->read_operations, a->read_merged),
                   passed(b->read_operations, b->read_merged), seconds);
        raise_peak(&r->peak_write_ops, passed(a->write_operations, a->write_merged),
                   passed(b->write_operations, b->write_merged), seconds);
        raise_peak(&r->peak_read_bytes, a->read_bytes, b->read_bytes, seconds);
        raise_peak(&r->peak_write_bytes, a->write_bytes, b->write_bytes, seconds);
    }
}

void
gold_referee_look(struct gold_context *ctx, struct gold_referee *r, struct gold_machine *m,
                  int64_t now)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_block_counters counters;

    if (r->given_up)
        return;
    if ((r->device || gold_monitor_find_disk(m, r->serial, &r->device, &err) == 0) &&
        gold_monitor_block_counters(m, r->device, &counters, &err) == 0) {
        gold_referee_add(r, &counters, now);
        return;
    }
    gold_debug(ctx, "no counters for disk '%s': %s", r->serial, gold_error_message(err));
    r->given_up = true;
}

static int
add_metric(struct gold_measurement *m, const char *name, const char *unit, double value,
           struct gold_error **err)
{
    struct gold_metric *metric = gold_measurement_add_metric(m, name, unit, err);

    return metric ? gold_metric_add_sample(metric, value, err) : -1;
}

static int
report_to(const struct gold_referee *r, struct gold_measurement *m, struct gold_error **err)
{
    if (add_metric(m, "host_read_operations", "1",
                   (double)passed(r->last.read_operations, r->last.read_merged), err) < 0 ||
        add_metric(m, "host_write_operations", "1",
                   (double)passed(r->last.write_operations, r->last.write_merged), err) < 0)
        return -1;
    if (r->n < SLOTS)
        return 0;
    if (add_metric(m, "host_peak_read_iops", "1/s", r->peak_read_ops, err) < 0 ||
        add_metric(m, "host_peak_write_iops", "1/s", r->peak_write_ops, err) < 0 ||
        add_metric(m, "host_peak_read_bytes", "B/s", r->peak_read_bytes, err) < 0 ||
        add_metric(m, "host_peak_write_bytes", "B/s", r->peak_write_bytes, err) < 0)
        return -1;
    return 0;
}

int
gold_referee_report(const struct gold_referee *r, struct gold_source_result *src,
                    struct gold_error **err)
{
    if (r->n == 0)
        return 0;
    for (size_t i = 0; i < src->n_measurements; i++) {
        struct gold_measurement *m = &src->measurements[i];

        if (r->target && gold_streq(m->disk, r->target) && report_to(r, m, err) < 0)
            return -1;
    }
    return 0;
}
