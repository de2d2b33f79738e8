/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * `agent main` says hello, waits for the boot, runs the plan, says bye and powers the guest
 * off; `agent reached` leaves the mark that the default target is reached. A starter may run
 * both as often as it likes, from as many targets: the first `main` takes a lock, the others
 * leave.
 *
 * The machine is only powered off when the plan lies on a file system that is mounted
 * read-only, as a payload disk is: run by hand somewhere else, the agent leaves the machine
 * alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent.h"

#define CHANNEL_SECONDS 90
#define POWEROFF_SECONDS \
    180 /* for an orderly shutdown, which an emulated machine takes its time for */

struct options {
    const char *target;  /* "early", "emergency"; NULL: find out */
    const char *plan;    /* NULL: beside the program, or where starters mount it */
    const char *channel; /* NULL: the port */
    bool stay;
};

static char plan_text[65536];

static bool
find_plan(const char *given, char *ret, size_t cap)
{
    if (given) {
        (void)snprintf(ret, cap, "%s", given);
        return true;
    }
    ssize_t len = readlink("/proc/self/exe", ret, cap - sizeof(GOLD_AGENT_PLAN) - 1);
    if (len > 0) {
        ret[len] = '\0';
        char *slash = strrchr(ret, '/');
        if (slash) {
            memcpy(slash + 1, GOLD_AGENT_PLAN, sizeof(GOLD_AGENT_PLAN));
            if (access(ret, F_OK) == 0)
                return true;
        }
    }
    (void)snprintf(ret, cap, "%s", GOLD_AGENT_MOUNT "/" GOLD_AGENT_PLAN);
    return access(ret, F_OK) == 0;
}

static bool
make_mark(const char *dir, const char *name)
{
    char path[300];
    (void)mkdir(dir, 0755);
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

static void
say_hello(struct gold_agent *agent, const char *target)
{
    struct gold_agent_text members = {0};
    struct utsname name;
    gold_agent_text_printf(&members, ",\"agent\":%d,\"kernel\":", GOLD_AGENT_VERSION);
    gold_agent_text_json(&members, uname(&name) == 0 ? name.release : "unknown");
    gold_agent_text_printf(&members, ",\"target\":");
    gold_agent_text_json(&members, target ? target : gold_agent_target_now());
    gold_agent_send(&agent->channel, "hello", &members);
    gold_agent_text_done(&members);
}

static void
run_plan(struct gold_agent *agent, const struct gold_agent_plan *plan)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct gold_agent_step *step = &plan->steps[i];
        switch (step->kind) {
        case GOLD_AGENT_STEP_LIMITS:
            gold_agent_measure_limits(agent, &step->limits);
            break;
        case GOLD_AGENT_STEP_IDENTITY:
            gold_agent_identity(agent);
            break;
        case GOLD_AGENT_STEP_UNKNOWN:
            gold_agent_send_error(&agent->channel, step->word,
                                  "the agent does not understand this line of the plan");
            break;
        }
    }
}

static void
leave(int signal_number)
{
    (void)signal_number;
    _exit(0);
}

/* Returns when nothing helped. */
static void
power_off(void)
{
    static const char *const by_systemd[] = {"systemctl", "--no-block", "poweroff", NULL};
    static const char *const by_init[] = {"poweroff", NULL};
    static const char *const by_force[] = {"poweroff", "-f", NULL};
    bool systemd = access("/run/systemd/system", F_OK) == 0;
    /* Until now we did not let ourselves be stopped; from here on a stop is the shutdown that
     * we asked for. */
    (void)signal(SIGTERM, leave);
    if (gold_agent_run(systemd ? by_systemd : by_init, 60, NULL, 0) == 0)
        gold_agent_sleep(POWEROFF_SECONDS);
    sync();
    if (gold_agent_run(by_force, 30, NULL, 0) == 0)
        gold_agent_sleep(30);
    sync();
    (void)reboot(RB_POWER_OFF);
    gold_agent_say("cannot power off: %s", strerror(errno));
}

static int
run_main(struct gold_agent *agent, const struct options *o)
{
    static struct gold_agent_plan plan;
    char path[600];
    const char *why = "";
    struct statvfs fs;
    if (!find_plan(o->plan, path, sizeof(path))) {
        gold_agent_say("there is no plan");
        return 1;
    }
    if (gold_agent_read_file(path, plan_text, sizeof(plan_text)) < 0) {
        gold_agent_say("cannot read '%s': %s", path, strerror(errno));
        return 1;
    }
    if (!gold_agent_plan_parse(plan_text, &plan, &why)) {
        gold_agent_say("'%s': %s", path, why);
        return 1;
    }
    if (!make_mark(agent->run_dir, "lock")) {
        gold_agent_say("already running, or '%s' cannot be written: %s", agent->run_dir,
                       strerror(errno));
        return errno == EEXIST ? 0 : 1;
    }
    memcpy(agent->channel.nonce, plan.nonce, sizeof(plan.nonce));
    if (!gold_agent_channel_open(&agent->channel, o->channel, CHANNEL_SECONDS))
        gold_agent_say("there is no channel %s", GOLD_CHANNEL_NAME);
    say_hello(agent, o->target);
    gold_agent_await_target(agent, plan.wait);
    run_plan(agent, &plan);
    gold_agent_send(&agent->channel, "bye", NULL);
    if (o->stay)
        return 0;
    if (statvfs(path, &fs) < 0 || !(fs.f_flag & ST_RDONLY)) {
        gold_agent_say("'%s' is not on a payload disk: this machine stays on", path);
        return 0;
    }
    sync();
    power_off();
    return 1;
}

static int
usage(void)
{
    gold_agent_say("usage: agent main [early|emergency] [--plan FILE] [--channel FILE] "
                   "[--run-dir DIR] [--root DIR] "
                   "[--disks DIR] [--stay] | agent reached [--run-dir DIR]");
    return 2;
}

int
main(int argc, char **argv)
{
    struct gold_agent agent = {.channel = {.fd = -1},
                               .root = "",
                               .run_dir = GOLD_AGENT_RUN,
                               .started = gold_agent_now()};
    struct options o = {0};
    const struct {
        const char *name, **value;
    } takes[] = {{"--plan", &o.plan},
                 {"--channel", &o.channel},
                 {"--run-dir", &agent.run_dir},
                 {"--root", &agent.root},
                 {"--disks", &agent.disks}};
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    /* A boot that fails, or a target that is left, stops units; what we are here for is to tell
     * about it. */
    (void)signal(SIGTERM, SIG_IGN);
    for (int i = 2; i < argc; i++) {
        size_t k = 0;
        while (k < sizeof(takes) / sizeof(*takes) && strcmp(argv[i], takes[k].name) != 0)
            k++;
        if (k < sizeof(takes) / sizeof(*takes) && i + 1 < argc)
            *takes[k].value = argv[++i];
        else if (strcmp(argv[i], "--stay") == 0)
            o.stay = true;
        else if (!o.target &&
                 (strcmp(argv[i], "early") == 0 || strcmp(argv[i], "emergency") == 0))
            o.target = argv[i];
        else
            return usage();
    }
    if (argc >= 2 && strcmp(argv[1], "main") == 0)
        return run_main(&agent, &o);
    if (argc >= 2 && strcmp(argv[1], "reached") == 0)
        return make_mark(agent.run_dir, "reached") || errno == EEXIST ? 0 : 1;
    return usage();
}
