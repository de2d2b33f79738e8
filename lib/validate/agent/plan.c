/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the plan on the payload disk; its form is described in validate/protocol.h. */
#include <string.h>

#include "agent.h"

#define MAX_RUNS    100
#define MAX_SECONDS 600
#define MAX_DEPTH   16
#define MAX_REQUEST (16u << 20)
#define MAX_WAIT    7200

const char *const gold_agent_metric_names[GOLD_AGENT_METRICS] = {
    [GOLD_AGENT_READ_BYTES] = "read_bytes",
    [GOLD_AGENT_WRITE_BYTES] = "write_bytes",
    [GOLD_AGENT_READ_IOPS] = "read_iops",
    [GOLD_AGENT_WRITE_IOPS] = "write_iops",
};

/* Cuts the next word off; NULL at the end. */
static char *
next(char **rest, const char *separators)
{
    char *word;
    do
        word = strsep(rest, separators);
    while (word && !*word);
    return word;
}

/* "262144,1,2" */
static bool
read_metric(char *value, struct gold_agent_metric *ret)
{
    uint64_t numbers[3];
    static const uint64_t max[3] = {MAX_REQUEST, MAX_DEPTH, MAX_SECONDS};
    for (size_t i = 0; i < 3; i++) {
        char *word = strsep(&value, ",");
        if (!word || !gold_agent_number(word, max[i], &numbers[i]))
            return false;
    }
    if (value || numbers[0] == 0 || numbers[0] % 512 != 0 || numbers[1] == 0)
        return false;
    *ret = (struct gold_agent_metric){true, numbers[0], (unsigned)numbers[1],
                                      (unsigned)numbers[2]};
    return true;
}

static bool
read_pair(const char *key, char *value, struct gold_agent_limits *ret)
{
    uint64_t number = 0;
    if (strcmp(key, "name") == 0)
        ret->name = value;
    else if (strcmp(key, "serial") == 0)
        ret->serial = value;
    else if (strcmp(key, "control") == 0)
        ret->control = value;
    else if (strcmp(key, "runs") == 0 && gold_agent_number(value, MAX_RUNS, &number) &&
             number > 0)
        ret->runs = (unsigned)number;
    else if (strcmp(key, "seconds") == 0 && gold_agent_number(value, MAX_SECONDS, &number) &&
             number > 0)
        ret->seconds = (unsigned)number;
    else {
        for (size_t i = 0; i < GOLD_AGENT_METRICS; i++) {
            if (strcmp(key, gold_agent_metric_names[i]) == 0)
                return read_metric(value, &ret->metrics[i]);
        }
        return false;
    }
    return true;
}

static bool
read_limits(char *rest, struct gold_agent_limits *ret)
{
    char *word;
    *ret = (struct gold_agent_limits){.runs = 3, .seconds = 10};
    while ((word = next(&rest, " "))) {
        char *value = strchr(word, '=');
        if (!value)
            return false;
        *value++ = '\0';
        if (!read_pair(word, value, ret))
            return false;
    }
    return ret->name && ret->serial;
}

static bool
read_step(char *line, struct gold_agent_plan *ret, const char **ret_why)
{
    char *rest = line, *word = next(&rest, " ");
    if (ret->n_steps == GOLD_AGENT_STEPS) {
        *ret_why = "the plan has too many lines";
        return false;
    }
    struct gold_agent_step *step = &ret->steps[ret->n_steps++];
    *step = (struct gold_agent_step){.kind = GOLD_AGENT_STEP_UNKNOWN, .word = word};
    if (strcmp(word, "identity") == 0)
        step->kind = GOLD_AGENT_STEP_IDENTITY;
    else if (strcmp(word, "limits") == 0 && read_limits(rest, &step->limits))
        step->kind = GOLD_AGENT_STEP_LIMITS;
    return true;
}

/* The three lines that every plan begins with. */
static bool
read_head(char **rest, struct gold_agent_plan *ret, const char **ret_why)
{
    uint64_t wait = 0;
    char *line = next(rest, "\n");
    *ret_why = "this is no goldsmith-plan 1";
    if (!line || strcmp(line, "goldsmith-plan 1") != 0)
        return false;
    line = next(rest, "\n");
    *ret_why = "the plan has no nonce of 32 hexadecimal digits";
    if (!line || strncmp(line, "nonce ", 6) != 0 || strlen(line + 6) != 32 ||
        strspn(line + 6, "0123456789abcdef") != 32)
        return false;
    memcpy(ret->nonce, line + 6, 33);
    line = next(rest, "\n");
    *ret_why = "the plan does not say how long to wait";
    if (!line || strncmp(line, "wait ", 5) != 0 ||
        !gold_agent_number(line + 5, MAX_WAIT, &wait))
        return false;
    ret->wait = (unsigned)wait;
    return true;
}

bool
gold_agent_plan_parse(char *text, struct gold_agent_plan *ret, const char **ret_why)
{
    char *rest = text, *line;
    memset(ret, 0, sizeof(*ret));
    if (!read_head(&rest, ret, ret_why))
        return false;
    while ((line = next(&rest, "\n"))) {
        if (strcmp(line, "end") == 0)
            return true;
        if (!read_step(line, ret, ret_why))
            return false;
    }
    *ret_why = "the plan is cut off: it has no end line";
    return false;
}
