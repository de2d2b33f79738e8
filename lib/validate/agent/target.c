/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the boot came: waits for the mark that `agent reached` makes, and asks systemd, where
 * there is one, for its view. */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#define SETTLE_SECONDS \
    20 /* for jobs that are still under way when the default target is reached */
#define MAX_FAILED 32

/* Does a shell of emergency or rescue mode run? Looked for by its process, so that systemd need
 * not answer. */
static bool
in_emergency(void)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    bool found = false;
    while (dir && !found && (entry = readdir(dir))) {
        char path[300], name[64];
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        (void)snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
        /* The kernel cuts names to 15 bytes: systemd-sulogin-shell. */
        found = gold_agent_read_line(path, name, sizeof(name)) &&
                (strcmp(name, "sulogin") == 0 || strcmp(name, "systemd-sulogin") == 0);
    }
    if (dir)
        (void)closedir(dir);
    return found;
}

const char *
gold_agent_target_now(void)
{
    return in_emergency() ? "emergency" : "early";
}

static void
first_line(char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
}

/* Is somebody else's job still under way? Our own start job is one, for as long as we run. */
static bool
others_are_starting(void)
{
    static const char *const argv[] = {"systemctl",   "list-jobs",  "--plain",
                                       "--no-legend", "--no-pager", NULL};
    char jobs[8192];
    char *rest = jobs, *line;
    if (gold_agent_run(argv, 10, jobs, sizeof(jobs)) != 0)
        return false;
    while ((line = strsep(&rest, "\n"))) {
        if (strstr(line, " running") && !strstr(line, "goldsmith"))
            return true;
    }
    return false;
}

/* The units that failed, as a JSON array; how many. */
static unsigned
add_failed(struct gold_agent_text *members)
{
    static const char *const argv[] = {"systemctl",   "list-units", "--failed", "--plain",
                                       "--no-legend", "--no-pager", NULL};
    char units[16384];
    char *rest = units, *line;
    unsigned n = 0;
    if (gold_agent_run(argv, 15, units, sizeof(units)) != 0)
        units[0] = '\0';
    gold_agent_text_printf(members, ",\"failed\":[");
    while ((line = strsep(&rest, "\n"))) {
        line += strspn(line, " \t");
        line[strcspn(line, " \t")] = '\0';
        if (!*line || n == MAX_FAILED)
            continue;
        if (n++ > 0)
            gold_agent_text_printf(members, ",");
        gold_agent_text_json(members, line);
    }
    gold_agent_text_printf(members, "]");
    return n;
}

/* What `systemctl is-system-running` says once nothing but ourselves is still starting. ""
 * without systemd. */
static void
system_state(char *ret, size_t cap)
{
    static const char *const argv[] = {"systemctl", "is-system-running", NULL};
    double until = gold_agent_now() + SETTLE_SECONDS;
    ret[0] = '\0';
    if (access("/run/systemd/system", F_OK) < 0)
        return;
    for (;;) {
        (void)gold_agent_run(argv, 15, ret, cap);
        first_line(ret);
        bool starting = strcmp(ret, "starting") == 0 || strcmp(ret, "initializing") == 0;
        if (!starting || !others_are_starting() || gold_agent_now() >= until)
            return;
        gold_agent_sleep(1);
    }
}

static void
tell(struct gold_agent *agent, const char *outcome)
{
    struct gold_agent_text members = {0}, failed = {0};
    char state[64];
    unsigned n = add_failed(&failed);
    system_state(state, sizeof(state));
    /* We are a job ourselves while we run; without us it would be one of these two. */
    if (strcmp(state, "starting") == 0 && !others_are_starting())
        (void)snprintf(state, sizeof(state), "%s", n > 0 ? "degraded" : "running");
    gold_agent_text_printf(&members, ",\"state\":");
    gold_agent_text_json(&members, outcome ? outcome : state[0] ? state : "unknown");
    if (outcome && state[0]) {
        gold_agent_text_printf(&members, ",\"systemd\":");
        gold_agent_text_json(&members, state);
    }
    if (failed.failed)
        members.failed = true;
    else
        gold_agent_text_add(&members, failed.data, failed.len);
    gold_agent_send(&agent->channel, "reached", &members);
    gold_agent_text_done(&failed);
    gold_agent_text_done(&members);
}

void
gold_agent_await_target(struct gold_agent *agent, unsigned wait)
{
    char mark[300];
    (void)snprintf(mark, sizeof(mark), "%s/reached", agent->run_dir);
    for (unsigned i = 0;; i++) {
        if (access(mark, F_OK) == 0) {
            tell(agent, NULL);
            return;
        }
        if (i % 10 == 0 && in_emergency()) {
            tell(agent, "emergency");
            return;
        }
        if (gold_agent_now() - agent->started >= wait)
            break;
        gold_agent_sleep(0.2);
    }
    tell(agent, "timeout");
}
