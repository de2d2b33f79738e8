/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state machine of one boot: how far it has come, how long it may take from there, and the
 * name of the state where it ended. It has no clock and no descriptors: it is told what
 * happened and when.
 */
#ifndef GOLD_VALIDATE_BOOT_H
#define GOLD_VALIDATE_BOOT_H

#include <stdbool.h>
#include <stdint.h>

enum gold_boot_state {
    GOLD_BOOT_CREATED,  /* nothing said yet */
    GOLD_BOOT_FIRMWARE, /* first byte on the console */
    GOLD_BOOT_KERNEL,
    GOLD_BOOT_INIT,
    GOLD_BOOT_AGENT,   /* hello; waits for the default target */
    GOLD_BOOT_PAYLOAD, /* reached */
    GOLD_BOOT_BYE,     /* powers off */
    GOLD_BOOT_N
};

struct gold_boot_rules {
    int64_t limit_ms[GOLD_BOOT_N]; /* longest stay in each state */
    int64_t login_ms;              /* after a login prompt, for the agent to speak */
    int64_t emergency_ms;          /* after a failed boot showed on the console, likewise */
    int64_t idle_ms;               /* without a sign of life, before the agent has spoken */
};

/* tcg: everything that depends on speed takes eight times as long. wait_s: what the plan tells
   the agent; payload_s: what the payloads need at full speed. */
void gold_boot_rules_make(bool tcg, unsigned wait_s, unsigned payload_s,
                          struct gold_boot_rules *ret);

struct gold_boot {
    struct gold_boot_rules rules;
    enum gold_boot_state state;
    const char *end; /* NULL while it goes on; else its name, see gold_boot_explain() */
    int64_t started, deadline, active;
    int64_t reached_at;  /* 0: never */
    const char *failure; /* seen on the console; becomes the end at failure_at unless the agent
                            speaks */
    int64_t failure_at;
    bool emergency; /* the init system gave up */
    bool reached;   /* the default target */
    bool login;
    bool pressed; /* Return was sent */
};

void gold_boot_start(struct gold_boot *b, const struct gold_boot_rules *rules, int64_t now);
/* Bytes came; marks: of gold_console_feed(). */
void gold_boot_console(struct gold_boot *b, unsigned marks, int64_t now);
/* What the agent has said so far. emergency: its hello came from there. */
void gold_boot_agent(struct gold_boot *b, bool hello, bool emergency, bool reached, bool bye,
                     int64_t now);
/* Another sign of life (processor time, messages). */
void gold_boot_active(struct gold_boot *b, int64_t now);
/* QEMU has ended. */
void gold_boot_gone(struct gold_boot *b);
/* Ends it under a name of the caller's ("flood"). */
void gold_boot_stop(struct gold_boot *b, const char *end);
/* Looks at the deadlines; b->end tells. */
void gold_boot_tick(struct gold_boot *b, int64_t now);
/* When gold_boot_tick() has something to do at the latest. */
int64_t gold_boot_next(const struct gold_boot *b);
/* Once, when it has been idle for a while: an emergency shell may wait for a key before it says
 * so. */
bool gold_boot_wants_key(struct gold_boot *b, int64_t now);

const char *gold_boot_state_name(enum gold_boot_state state);
/* A sentence without final period for a name of an end; the name itself when it is not known.
 */
const char *gold_boot_explain(const char *end);
/* The i-th of all names, the good one first; NULL past the end. */
const char *gold_boot_end_name(unsigned i);

#endif
