/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One boot; see boot.h. */
#include "validate/boot.h"

#include <stddef.h>
#include <string.h>

#include "validate/console.h"

#define SECOND    INT64_C(1000)
#define TCG_SCALE 8

/* Named explanations of how a boot can end; the first is the only good one. */
static const struct {
    const char *name, *text;
} ends[] = {
    {"bye", "the guest booted, ran the payloads and said bye"},
    {"silent", "nothing came from the machine, not even from its firmware"},
    {"no-bootable-device", "the firmware found nothing to boot from"},
    {"bootloader", "the boot loader did not find what to load"},
    {"no-root", "the kernel could not mount its root file system"},
    {"panic", "the kernel panicked"},
    {"initramfs", "the initramfs did not find the root file system and stopped in its shell"},
    {"emergency", "the init system stopped in emergency or rescue mode"},
    {"hung-firmware", "nothing moves since the firmware started (a kernel that does not use "
                      "the serial console looks "
                      "the same)"},
    {"hung-kernel", "nothing moves since the kernel started"},
    {"agent-silent", "the guest booted, but the agent never spoke"},
    {"timeout-firmware", "neither a kernel nor the agent showed up in time"},
    {"timeout-kernel", "the kernel did not come to the init system in time"},
    {"timeout-agent", "the agent spoke, but not about the default target in time"},
    {"timeout-payload", "the payloads did not end in time"},
    {"exited", "the machine ended before the agent said bye"},
    {"flood", "the guest sent more than any honest guest does"},
};

#define N_ENDS (sizeof(ends) / sizeof(ends[0]))

const char *
gold_boot_end_name(unsigned i)
{
    return i < N_ENDS ? ends[i].name : NULL;
}

const char *
gold_boot_explain(const char *end)
{
    for (size_t i = 0; i < N_ENDS; i++) {
        if (strcmp(ends[i].name, end) == 0)
            return ends[i].text;
    }
    return end;
}

const char *
gold_boot_state_name(enum gold_boot_state state)
{
    static const char *const names[GOLD_BOOT_N] = {"created", "firmware", "kernel", "init",
                                                   "agent",   "payload",  "bye"};

    return names[state];
}

void
gold_boot_rules_make(bool tcg, unsigned wait_s, unsigned payload_s, struct gold_boot_rules *ret)
{
    int64_t k = tcg ? TCG_SCALE : 1;
    /* A kernel without a serial console is never seen, nor is a quiet one's init: the limit of
       a state covers those that may pass unseen. */
    const int64_t firmware = 20, kernel = 60, init = 60;

    *ret = (struct gold_boot_rules){
        .limit_ms =
            {
                [GOLD_BOOT_CREATED] = 10 * SECOND * k,
                [GOLD_BOOT_FIRMWARE] = (firmware + kernel + init) * SECOND * k,
                [GOLD_BOOT_KERNEL] = (kernel + init) * SECOND * k,
                [GOLD_BOOT_INIT] = init * SECOND * k,
                [GOLD_BOOT_AGENT] = (int64_t)wait_s * SECOND + 15 * SECOND * k,
                [GOLD_BOOT_PAYLOAD] = (int64_t)payload_s * SECOND + 30 * SECOND * k,
                [GOLD_BOOT_BYE] = 30 * SECOND * k,
            },
        .login_ms = (tcg ? 40 : 10) * SECOND,
        .emergency_ms = 5 * SECOND * k,
        /* Not a matter of speed: init systems wait 90 s for a device without a word. */
        .idle_ms = 100 * SECOND,
    };
}

void
gold_boot_start(struct gold_boot *b, const struct gold_boot_rules *rules, int64_t now)
{
    *b = (struct gold_boot){
        .rules = *rules,
        .started = now,
        .active = now,
        .deadline = now + rules->limit_ms[GOLD_BOOT_CREATED],
    };
}

static void
enter(struct gold_boot *b, enum gold_boot_state state, int64_t now)
{
    if (state <= b->state)
        return;
    b->state = state;
    b->deadline = now + b->rules.limit_ms[state];
}

static void
fail_after(struct gold_boot *b, const char *failure, int64_t grace, int64_t now)
{
    if (b->failure && b->failure_at <= now + grace)
        return;
    b->failure = failure;
    b->failure_at = now + grace;
}

void
gold_boot_console(struct gold_boot *b, unsigned marks, int64_t now)
{
    b->active = now;
    enter(b, GOLD_BOOT_FIRMWARE, now);
    if (marks & (1U << GOLD_MARK_KERNEL))
        enter(b, GOLD_BOOT_KERNEL, now);
    if (marks & (1U << GOLD_MARK_INIT))
        enter(b, GOLD_BOOT_INIT, now);
    if (marks & (1U << GOLD_MARK_LOGIN)) {
        enter(b, GOLD_BOOT_INIT, now);
        if (!b->login && b->state == GOLD_BOOT_INIT && now + b->rules.login_ms < b->deadline)
            b->deadline = now + b->rules.login_ms;
        b->login = true;
    }

    if (b->state == GOLD_BOOT_BYE)
        return; /* what a guest says while it goes down is not about its boot */
    /* Best name first; a little time each for the rest of the text to come. */
    if (marks & (1U << GOLD_MARK_NO_BOOTABLE))
        fail_after(b, "no-bootable-device", 1 * SECOND, now);
    if (marks & (1U << GOLD_MARK_BOOTLOADER))
        fail_after(b, "bootloader", 2 * SECOND, now);
    if (marks & (1U << GOLD_MARK_NO_ROOT))
        fail_after(b, "no-root", 2 * SECOND, now);
    if (marks & (1U << GOLD_MARK_PANIC))
        fail_after(b, "panic", 2 * SECOND, now);
    if (marks & (1U << GOLD_MARK_INITRAMFS))
        fail_after(b, "initramfs", 3 * SECOND, now);
    if (marks & (1U << GOLD_MARK_EMERGENCY)) {
        b->emergency = true;
        if (b->state < GOLD_BOOT_AGENT)
            fail_after(b, "emergency", b->rules.emergency_ms, now);
    }
}

void
gold_boot_agent(struct gold_boot *b, bool hello, bool emergency, bool reached, bool bye,
                int64_t now)
{
    b->active = now;
    if (hello)
        enter(b, GOLD_BOOT_AGENT, now);
    if (emergency)
        b->emergency = true;
    if (reached && !b->reached) {
        b->reached = true;
        b->reached_at = now;
        enter(b, GOLD_BOOT_PAYLOAD, now);
    }
    if (bye)
        enter(b, GOLD_BOOT_BYE, now);
    /* An agent that speaks can say more about an emergency than we can. */
    if (hello && b->failure && strcmp(b->failure, "emergency") == 0)
        b->failure = NULL;
}

void
gold_boot_active(struct gold_boot *b, int64_t now)
{
    b->active = now;
}

void
gold_boot_stop(struct gold_boot *b, const char *end)
{
    if (!b->end)
        b->end = end;
}

static const char *
name_of_bye(const struct gold_boot *b)
{
    return b->emergency ? "emergency" : "bye";
}

void
gold_boot_gone(struct gold_boot *b)
{
    if (b->state == GOLD_BOOT_BYE)
        gold_boot_stop(b, name_of_bye(b));
    else
        gold_boot_stop(b, b->failure ? b->failure : "exited");
}

static const char *
name_of_timeout(const struct gold_boot *b)
{
    switch (b->state) {
    case GOLD_BOOT_CREATED:
        return "silent";
    case GOLD_BOOT_FIRMWARE:
        return "timeout-firmware";
    case GOLD_BOOT_KERNEL:
        return "timeout-kernel";
    case GOLD_BOOT_INIT:
        return b->emergency ? "emergency" : "agent-silent";
    case GOLD_BOOT_AGENT:
        return b->emergency ? "emergency" : "timeout-agent";
    case GOLD_BOOT_BYE:
        return name_of_bye(
            b); /* it said everything; that it does not go down is not for us to judge */
    default:
        return "timeout-payload";
    }
}

static const char *
name_of_idle(const struct gold_boot *b)
{
    switch (b->state) {
    case GOLD_BOOT_CREATED:
        return "silent";
    case GOLD_BOOT_FIRMWARE:
        return "hung-firmware";
    case GOLD_BOOT_KERNEL:
        return "hung-kernel";
    default:
        return "agent-silent";
    }
}

void
gold_boot_tick(struct gold_boot *b, int64_t now)
{
    if (b->end)
        return;
    if (b->failure && now >= b->failure_at)
        gold_boot_stop(b, b->failure);
    else if (now >= b->deadline)
        gold_boot_stop(b, b->failure ? b->failure : name_of_timeout(b));
    else if (b->state < GOLD_BOOT_AGENT && now >= b->active + b->rules.idle_ms)
        gold_boot_stop(b, b->failure ? b->failure : name_of_idle(b));
}

int64_t
gold_boot_next(const struct gold_boot *b)
{
    int64_t next = b->deadline;

    if (b->failure && b->failure_at < next)
        next = b->failure_at;
    if (b->state < GOLD_BOOT_AGENT) {
        int64_t idle = b->active + b->rules.idle_ms / (b->pressed ? 1 : 2);

        if (idle < next)
            next = idle;
    }
    return next;
}

bool
gold_boot_wants_key(struct gold_boot *b, int64_t now)
{
    if (b->end || b->pressed || b->state >= GOLD_BOOT_AGENT ||
        now < b->active + b->rules.idle_ms / 2)
        return false;
    b->pressed = true;
    return true;
}
