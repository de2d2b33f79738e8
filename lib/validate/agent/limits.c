/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the metrics that a plan line asks for, each on the disk with limits and shortly on
 * the one without. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#define PAYLOAD         "limits"
#define DISK_SECONDS    20 /* for a disk to appear */
#define CONTROL_SECONDS 2

struct progress {
    struct gold_agent *agent;
    double before, total; /* seconds */
};

static void
tick(void *opaque, double passed)
{
    const struct progress *p = opaque;
    gold_agent_send_progress(&p->agent->channel, PAYLOAD,
                             (unsigned)((p->before + passed) * 100 / p->total));
}

static void
add_sample(struct gold_agent_text *t, const struct gold_agent_sample *s)
{
    gold_agent_text_printf(t, "{\"bytes\":%llu,\"ops\":%llu,\"seconds\":%.6f,\"stalled\":%.6f}",
                           (unsigned long long)s->bytes, (unsigned long long)s->ops, s->seconds,
                           s->stalled);
}

static void
tell(struct gold_agent *agent, const char *name, const char *metric,
     const struct gold_agent_sample *samples, unsigned n,
     const struct gold_agent_sample *control)
{
    struct gold_agent_text members = {0};
    gold_agent_text_printf(&members, ",\"name\":");
    gold_agent_text_json(&members, name);
    gold_agent_text_printf(&members, ",\"metric\":\"%s\",\"samples\":[", metric);
    for (unsigned i = 0; i < n; i++) {
        if (i > 0)
            gold_agent_text_printf(&members, ",");
        add_sample(&members, &samples[i]);
    }
    gold_agent_text_printf(&members, "],\"control\":");
    if (control)
        add_sample(&members, control);
    else
        gold_agent_text_printf(&members, "null");
    gold_agent_send(&agent->channel, PAYLOAD, &members);
    gold_agent_text_done(&members);
}

static double
planned(const struct gold_agent_limits *l, unsigned i)
{
    const struct gold_agent_metric *m = &l->metrics[i];
    return m->wanted ? m->ramp + (double)l->runs * l->seconds + CONTROL_SECONDS : 0;
}

static void
measure(struct gold_agent *agent, const struct gold_agent_limits *l, unsigned i,
        const struct gold_agent_disk *disk, const struct gold_agent_disk *control,
        struct progress *p)
{
    const struct gold_agent_metric *m = &l->metrics[i];
    struct gold_agent_sample samples[GOLD_AGENT_RUNS_MOST], without[GOLD_AGENT_RUNS_MOST];
    unsigned n = 0, n_without = 0;
    char why[200];
    struct gold_agent_load load = {
        .disk = disk,
        .size = m->size,
        .depth = m->depth,
        .ramp = m->ramp,
        .runs = l->runs,
        .seconds = l->seconds,
        .writes = i == GOLD_AGENT_WRITE_BYTES || i == GOLD_AGENT_WRITE_IOPS,
        .scattered = i == GOLD_AGENT_READ_IOPS || i == GOLD_AGENT_WRITE_IOPS,
    };
    if (!gold_agent_load_run(&load, samples, &n, tick, p, why, sizeof(why))) {
        gold_agent_send_error(&agent->channel, PAYLOAD, "%s of disk '%s': %s",
                              gold_agent_metric_names[i], l->name, why);
        return;
    }
    load.disk = control;
    load.ramp = 0;
    load.runs = 1;
    load.seconds = CONTROL_SECONDS;
    bool has_control = control->fd >= 0 && gold_agent_load_run(&load, without, &n_without, NULL,
                                                               NULL, why, sizeof(why));
    tell(agent, l->name, gold_agent_metric_names[i], samples, n,
         has_control ? &without[n_without - 1] : NULL);
}

void
gold_agent_measure_limits(struct gold_agent *agent, const struct gold_agent_limits *l)
{
    struct gold_agent_disk disk, control = {.fd = -1};
    struct progress p = {.agent = agent};
    char why[700];
    for (unsigned i = 0; i < GOLD_AGENT_METRICS; i++)
        p.total += planned(l, i);
    if (p.total <= 0)
        return;
    if (!gold_agent_disk_open(agent, l->serial, DISK_SECONDS, &disk, why, sizeof(why))) {
        gold_agent_send_error(&agent->channel, PAYLOAD, "disk '%s': %s", l->name, why);
        return;
    }
    if (l->control &&
        !gold_agent_disk_open(agent, l->control, DISK_SECONDS, &control, why, sizeof(why)))
        gold_agent_say("no control: %s", why);
    for (unsigned i = 0; i < GOLD_AGENT_METRICS; i++) {
        if (!l->metrics[i].wanted)
            continue;
        measure(agent, l, i, &disk, &control, &p);
        p.before += planned(l, i);
    }
    (void)close(disk.fd);
    if (control.fd >= 0)
        (void)close(control.fd);
}
