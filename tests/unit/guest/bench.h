/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs the table of operations over phony guests, several in one session, and tells as text
 * what was found and changed, so that a test can compare all of it: what is not in the text did
 * not happen. Compares every file before and after.
 */
#ifndef GOLD_TESTS_GUEST_BENCH_H
#define GOLD_TESTS_GUEST_BENCH_H

#include "guest/operation.h"
#include "guest/phony.h"

/* One appliance for all images; the i-th is /dev/sd<'a'+i>. */
void bench_open(const char *const *images, size_t n);
void bench_close(void);
/* Mounts one guest read-write; all that follows is about it. */
void bench_enter(const char *root_device, enum gold_machine_id wish);
struct gold_scene *bench_scene(void);
void bench_leave(void);
/* Verifies with every operation: "id severity fix path:line" lines. */
char *bench_verify(void);
/* Runs every operation that applies, all or one by name: "operation action path" lines of this
 * call. */
char *bench_run(const char *only);
/* Takes a picture of every file; compares with it: whatever differs must be named by an effect
   of bench_run() since, and a file that was edited or truncated keeps inode, mode, owner and
   xattrs. */
void bench_remember(void);
void bench_compare(void);
/* Content of a guest's file, "(none)" when there is none. */
char *bench_cat(const char *path);
void bench_put(const char *path, const char *text);
/* Gives a file an SELinux label, which an edit must keep. */
void bench_set_label(const char *path, const char *label);

/* Seals twice and compares with what is expected at each step. NULL leaves a step's text
 * unchecked. */
struct bench_story {
    const char *device;
    enum gold_machine_id wish;
    const char *found, *changed, *left;
};
void bench_tell(const struct bench_story *story);

#define BENCH_TEXT(path, want)                  \
    do {                                        \
        char *bench_text_ = bench_cat(path);    \
        assert_string_equal(bench_text_, want); \
        free(bench_text_);                      \
    } while (0)
#define BENCH_HAS(path, part)                                           \
    do {                                                                \
        char *bench_text_ = bench_cat(path);                            \
        if (!strstr(bench_text_, part))                                 \
            fail_msg("'%s' has no '%s':\n%s", path, part, bench_text_); \
        free(bench_text_);                                              \
    } while (0)

#endif
