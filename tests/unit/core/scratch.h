/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of its own for each test of a file, and the few things that tests do with files.
 */
#ifndef GOLD_TESTS_SCRATCH_H
#define GOLD_TESTS_SCRATCH_H

#include "unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/context.h"
#include "core/io.h"

/* setup and teardown: *state is the path of the directory. */
static inline int
scratch_setup(void **state)
{
    char *dir = strdup("/tmp/w-core-XXXXXX");

    if (!dir || !mkdtemp(dir))
        return -1;
    *state = dir;
    return 0;
}

static inline int
scratch_teardown(void **state)
{
    int result = gold_remove_tree(*state, NULL);

    free(*state);
    return result;
}

#define scratch_test(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

static inline char *
in_scratch(void **state, const char *name)
{
    char *path = gold_path_join(*state, name, NULL);

    assert_non_null(path);
    return path;
}

static inline void
put_file(const char *path, const void *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(gold_write_all(fd, bytes, len), 0);
    assert_int_equal(close(fd), 0);
}

static inline void
assert_file(const char *path, const void *bytes, size_t len)
{
    char *data = NULL;
    size_t got = 0;

    assert_int_equal(gold_read_file(path, 1 << 24, &data, &got, NULL), 0);
    assert_int_equal(got, len);
    assert_memory_equal(data, bytes, len);
    free(data);
}

static inline size_t
count_entries(const char *dir)
{
    DIR *d = opendir(dir);
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n - 2;
}

/* The error is of this code and mentions text; it is freed. */
static inline void
assert_error(struct gold_error **err, enum gold_code code, const char *text)
{
    assert_non_null(*err);
    if (!strstr(gold_error_message(*err), text))
        fail_msg("message \"%s\" does not mention \"%s\"", gold_error_message(*err), text);
    assert_int_equal(gold_error_code(*err), code);
    assert_null(strchr(gold_error_message(*err), '\n'));
    gold_error_clear(err);
}

#define RUN_TESTS(tests) cmocka_run_group_tests_name(__FILE__, tests, NULL, NULL)

#endif
