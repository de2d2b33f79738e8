/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Watching a guest's console; see console.h. */
#include "validate/console.h"

#include <string.h>

#include "core/limits.h"
#include "core/vec.h"

#define TAIL      (16 * 1024)
#define LINE_MAX_ 1024 /* of a line: patterns are at its start or are prompts */
#define NOTES_MAX 20

enum { ESCAPE_NONE, ESCAPE_START, ESCAPE_CSI, ESCAPE_OSC };

/* At most 64. The first entry that fits a line hides the later ones of the same text; MARK_N
 * hides only. */
static const struct {
    const char *text;
    enum gold_console_mark mark;
} patterns[] = {
    {"Welcome to GRUB", GOLD_MARK_N},
    {"No bootable device", GOLD_MARK_NO_BOOTABLE},
    {"FATAL: No bootable medium", GOLD_MARK_NO_BOOTABLE},
    {"No bootable option or device was found", GOLD_MARK_NO_BOOTABLE},
    {"UEFI Interactive Shell", GOLD_MARK_NO_BOOTABLE},
    {"grub rescue>", GOLD_MARK_BOOTLOADER},
    {"Minimal BASH-like line editing", GOLD_MARK_BOOTLOADER},
    {"Could not find kernel image", GOLD_MARK_BOOTLOADER},
    {"No DEFAULT or UI configuration directive found", GOLD_MARK_BOOTLOADER},
    {"Missing operating system", GOLD_MARK_BOOTLOADER},
    {"Operating system load error", GOLD_MARK_BOOTLOADER},
    {"Error loading operating system", GOLD_MARK_BOOTLOADER},
    {"Failed to load ldlinux.c32", GOLD_MARK_BOOTLOADER},
    {"VFS: Unable to mount root fs", GOLD_MARK_NO_ROOT},
    {"VFS: Cannot open root device", GOLD_MARK_NO_ROOT},
    {"Kernel panic - not syncing", GOLD_MARK_PANIC},
    {"(initramfs)", GOLD_MARK_INITRAMFS},
    {"Gave up waiting for root", GOLD_MARK_INITRAMFS},
    {"Dropping to a shell!", GOLD_MARK_INITRAMFS},
    {"dracut-initqueue timeout", GOLD_MARK_NOTE},
    {"dracut Warning: Could not boot", GOLD_MARK_INITRAMFS},
    {"dracut: Refusing to continue", GOLD_MARK_INITRAMFS},
    {"dracut:/#", GOLD_MARK_INITRAMFS},
    {"initramfs emergency recovery shell launched", GOLD_MARK_INITRAMFS},
    {"You are in emergency mode", GOLD_MARK_EMERGENCY},
    {"You are in rescue mode", GOLD_MARK_EMERGENCY},
    {"Entering emergency mode", GOLD_MARK_EMERGENCY},
    {"Press Enter for emergency shell", GOLD_MARK_EMERGENCY},
    {"Give root password for maintenance", GOLD_MARK_EMERGENCY},
    {"Cannot open access to console, the root account is locked", GOLD_MARK_EMERGENCY},
    {"Reached target emergency.target", GOLD_MARK_EMERGENCY},
    {"Reached target Emergency Mode", GOLD_MARK_EMERGENCY},
    {"Reached target rescue.target", GOLD_MARK_EMERGENCY},
    {"Reached target Rescue Mode", GOLD_MARK_EMERGENCY},
    {"soft lockup - CPU#", GOLD_MARK_NOTE},
    {"Oops: ", GOLD_MARK_NOTE},
    {"kernel BUG at", GOLD_MARK_NOTE},
    {"Out of memory: Kill", GOLD_MARK_NOTE},
    {"I/O error, dev ", GOLD_MARK_NOTE},
    {"Found ordering cycle", GOLD_MARK_NOTE},
    {"Timed out waiting for device", GOLD_MARK_NOTE},
    {"] Failed to start", GOLD_MARK_NOTE},
    {"[FAILED]", GOLD_MARK_NOTE},
    {"systemd[1]: ", GOLD_MARK_INIT},
    {"Run /init as init process", GOLD_MARK_INIT},
    {"Run /sbin/init as init process", GOLD_MARK_INIT},
    {"OpenRC ", GOLD_MARK_INIT},
    {"INIT: version", GOLD_MARK_INIT},
    {"Welcome to ", GOLD_MARK_INIT},
    {" login: ", GOLD_MARK_LOGIN},
    {"Linux version ", GOLD_MARK_KERNEL},
    {"[    0.000000]", GOLD_MARK_KERNEL},
    {"Decompressing Linux", GOLD_MARK_KERNEL},
};

#define N_PATTERNS (sizeof(patterns) / sizeof(patterns[0]))
_Static_assert(N_PATTERNS <= 64, "one bit for each pattern");

void
gold_console_start(struct gold_console *c)
{
    *c = (struct gold_console){.kept = {.limit = GOLD_LIMIT_CONSOLE}};
}

void
gold_console_done(struct gold_console *c)
{
    gold_str_done(&c->kept);
    gold_str_done(&c->tail);
    gold_str_done(&c->line);
    gold_str_done(&c->notes);
    for (unsigned i = 0; i < GOLD_MARK_N; i++)
        free(c->evidence[i]);
    *c = (struct gold_console){.total = 0};
}

static int
mark(struct gold_console *c, enum gold_console_mark m, unsigned *marks, struct gold_error **err)
{
    *marks |= 1U << m;
    if (!c->evidence[m]) {
        c->evidence[m] = gold_strdup(gold_str_text(&c->line), err);
        if (!c->evidence[m])
            return -1;
    }
    return 0;
}

/* Looks at the line so far: prompts have no end of line. */
static int
look(struct gold_console *c, unsigned *marks, struct gold_error **err)
{
    const char *line = gold_str_text(&c->line);

    for (size_t i = 0; i < N_PATTERNS; i++) {
        if ((c->seen & (1ULL << i)) || !strstr(line, patterns[i].text))
            continue;
        c->seen |= 1ULL << i;
        if (patterns[i].mark == GOLD_MARK_N) {
            c->seen = UINT64_MAX;
            return 0;
        }
        if (mark(c, patterns[i].mark, marks, err) < 0)
            return -1;
    }
    return 0;
}

static void
end_line(struct gold_console *c, unsigned marks)
{
    if ((marks & (1U << GOLD_MARK_NOTE)) && c->n_notes < NOTES_MAX) {
        gold_str_append(&c->notes, gold_str_text(&c->line));
        gold_str_append_char(&c->notes, '\n');
        c->n_notes++;
    }
    gold_str_append_len(&c->tail, c->line.data ? c->line.data : "", c->line.len);
    gold_str_append_char(&c->tail, '\n');
    if (c->tail.len > 2 * TAIL && !c->tail.failed) {
        memmove(c->tail.data, c->tail.data + c->tail.len - TAIL, TAIL + 1);
        c->tail.len = TAIL;
    }
    gold_str_clear(&c->line);
    c->seen = 0;
}

/* Adds a character to the line, without escape sequences and control characters. True at an end
 * of line. */
static bool
put(struct gold_console *c, unsigned char ch)
{
    switch (c->escape) {
    case ESCAPE_START:
        c->escape = ch == '[' ? ESCAPE_CSI : ch == ']' ? ESCAPE_OSC : ESCAPE_NONE;
        return false;
    case ESCAPE_CSI:
        if (ch >= 0x40 && ch <= 0x7e)
            c->escape = ESCAPE_NONE;
        /* Firmware moves the cursor instead of ending lines. */
        return (ch == 'H' || ch == 'f' || ch == 'J') && c->line.len > 0;
    case ESCAPE_OSC:
        if (ch == '\a' || ch == '\n' || ch == 0x1b)
            c->escape = ch == 0x1b ? ESCAPE_START : ESCAPE_NONE;
        return false;
    default:
        break;
    }
    if (ch == 0x1b)
        c->escape = ESCAPE_START;
    else if (ch == '\n' || ch == '\r')
        return c->line.len > 0;
    else if (ch == '\t')
        gold_str_append_char(&c->line, ' ');
    else if (ch >= ' ' && ch != 0x7f)
        gold_str_append_char(&c->line, (char)ch);
    return c->line.len >= LINE_MAX_;
}

int
gold_console_feed(struct gold_console *c, const char *bytes, size_t len, unsigned *ret_marks,
                  struct gold_error **err)
{
    unsigned all = 0;
    size_t room = c->kept.len < GOLD_LIMIT_CONSOLE ? GOLD_LIMIT_CONSOLE - c->kept.len : 0;

    gold_str_append_len(&c->kept, bytes, len < room ? len : room);
    c->total += len;
    for (size_t i = 0; i < len; i++) {
        unsigned marks = 0;

        if (!put(c, (unsigned char)bytes[i]))
            continue;
        if (look(c, &marks, err) < 0)
            return -1;
        end_line(c, marks);
        all |= marks;
    }
    /* What stands there now without an end is a prompt, or is looked at again when it goes on.
       Notes wait for their end. */
    if (c->line.len > 0) {
        uint64_t seen = c->seen;
        unsigned marks = 0;

        if (look(c, &marks, err) < 0)
            return -1;
        if (marks & (1U << GOLD_MARK_NOTE))
            c->seen = seen;
        all |= marks & ~(1U << GOLD_MARK_NOTE);
    }
    if (c->kept.failed || c->tail.failed || c->line.failed || c->notes.failed)
        return gold_error_set_nomem(err);
    *ret_marks = all;
    return 0;
}

/* Guests may say anything: what goes into a report is UTF-8. */
static int
as_utf8(struct gold_str *s, char **ret, struct gold_error **err)
{
    char *text;

    if (s->data && !gold_utf8_valid(s->data, s->len)) {
        for (size_t i = 0; i < s->len; i++) {
            if ((unsigned char)s->data[i] >= 0x80)
                s->data[i] = '?';
        }
    }
    text = gold_str_steal(s, NULL, err);
    if (!text)
        return -1;
    *ret = text;
    return 0;
}

int
gold_console_tail(const struct gold_console *c, unsigned lines, char **ret,
                  struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    const char *tail = gold_str_text(&c->tail);
    size_t at = c->tail.len;
    unsigned n = c->line.len > 0 ? 1 : 0;

    while (at > 0 && n < lines) {
        at--; /* the end of the line before */
        while (at > 0 && tail[at - 1] != '\n')
            at--;
        n++;
    }
    gold_str_append_len(&s, tail + at, c->tail.len - at);
    if (c->line.len > 0)
        gold_str_append_len(&s, c->line.data, c->line.len);
    while (s.len > 0 && !s.failed && (s.data[s.len - 1] == '\n' || s.data[s.len - 1] == ' '))
        s.data[--s.len] = '\0';
    return as_utf8(&s, ret, err);
}

int
gold_console_notes(const struct gold_console *c, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    gold_str_append_len(&s, gold_str_text(&c->notes), c->notes.len);
    return as_utf8(&s, ret, err);
}

int
gold_console_log(const struct gold_console *c, struct gold_str *ret, struct gold_error **err)
{
    gold_str_append_len(ret, c->kept.data ? c->kept.data : "", c->kept.len);
    if (c->total > c->kept.len) {
        gold_str_printf(ret, "\n[%llu bytes not kept; the end:]\n",
                        (unsigned long long)(c->total - c->kept.len));
        gold_str_append_len(ret, gold_str_text(&c->tail), c->tail.len);
        gold_str_append_len(ret, gold_str_text(&c->line), c->line.len);
    }
    return gold_str_finish(ret, "console log", err);
}
