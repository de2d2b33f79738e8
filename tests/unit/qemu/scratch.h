/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of this room share: a scratch directory, images made by qemu-img, comparing
 * and listing. */
#ifndef GOLD_TESTS_QEMU_SCRATCH_H
#define GOLD_TESTS_QEMU_SCRATCH_H

#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/context.h"
#include "core/error.h"

static char scratch[64]; /* of the test that runs */

/* Runs a shell command; true when it exits with 0. */
static inline bool __attribute__((format(printf, 1, 2))) sh(const char *fmt, ...)
{
    char *cmd = NULL, *full = NULL;
    va_list args;
    va_start(args, fmt);
    assert_true(vasprintf(&cmd, fmt, args) > 0);
    va_end(args);
    assert_true(asprintf(&full, "cd '%s' && { %s; } >/dev/null 2>sh.err", scratch, cmd) > 0);
    int status = system(full);
    free(full);
    free(cmd);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Did the last command that sh() ran print this on stderr? */
static inline bool
said(const char *text)
{
    char buf[4096] = {0}, path[128];
    snprintf(path, sizeof(path), "%s/sh.err", scratch);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(read(fd, buf, sizeof(buf) - 1) >= 0);
    close(fd);
    return strstr(buf, text) != NULL;
}

#define must_sh(...) assert_true(sh(__VA_ARGS__))

static inline int
scratch_setup(void **state)
{
    (void)state;
    snprintf(scratch, sizeof(scratch), "/tmp/goldsmith-qemu-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int
scratch_teardown(void **state)
{
    (void)state;
    char cmd[128];
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", scratch);
    return system(cmd);
}

/* A path in the scratch directory; valid until 16 more were asked for. */
static inline const char *
at(const char *name)
{
    static char paths[16][512];
    static unsigned next;
    char *p = paths[next++ % 16];
    snprintf(p, sizeof(paths[0]), "%s/%s", scratch, name);
    return p;
}

static inline struct gold_context *
new_context(void)
{
    struct gold_context *ctx = gold_context_new();
    assert_non_null(ctx);
    assert_int_equal(gold_context_set_libexec_dir(ctx, GOLD_TEST_LIBEXEC), 0);
    assert_int_equal(gold_context_set_tmp_dir(ctx, "/tmp"), 0);
    assert_int_equal(gold_context_set_cache_dir(ctx, at("cache")), 0);
    return ctx;
}

static inline void
write_bytes(const char *name, const void *bytes, size_t len)
{
    int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
}

/* The error is there, has this code, and its message holds `text`. Frees it. */
static inline void
expect_error(struct gold_error **err, enum gold_code code, const char *text)
{
    assert_non_null(*err);
    if (gold_error_code(*err) != code || !strstr(gold_error_message(*err), text))
        print_error("unexpected: %s\n", gold_error_message(*err));
    assert_int_equal(gold_error_code(*err), code);
    assert_non_null(strstr(gold_error_message(*err), text));
    gold_error_clear(err);
}

static inline void
expect_hint(const struct gold_error *err, const char *text)
{
    assert_non_null(err);
    assert_non_null(gold_error_hint_text(err));
    assert_non_null(strstr(gold_error_hint_text(err), text));
}

static inline void
no_error(struct gold_error *err)
{
    if (err)
        print_error("unexpected: %s\n", gold_error_message(err));
    assert_null(err);
}

/* How many entries of the scratch directory are named like the image's helpers (".NAME..."). */
static inline unsigned
count_beside(const char *sub, const char *name)
{
    char prefix[128];
    unsigned n = 0;
    snprintf(prefix, sizeof(prefix), ".%s", name);
    DIR *d = opendir(*sub ? at(sub) : scratch);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
            n++;
    closedir(d);
    return n;
}

#endif
