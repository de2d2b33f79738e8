/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks the well-formed XML files of the shared corpus; tests that need it skip loudly when it
 * is not there. */
#ifndef GOLD_TESTS_FORMATS_CORPUS_H
#define GOLD_TESTS_FORMATS_CORPUS_H

#include <stdio.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"

#define CORPUS GOLD_TEST_SHARED "/corpus/domain"

typedef void (*corpus_fn)(const char *path, const char *text, size_t len, void *opaque);

/* How many files were visited; skips the test when there is no corpus. */
static size_t
corpus_each(corpus_fn fn, void *opaque)
{
    GOLD_CLEANUP_FREE char *index = NULL;
    size_t index_len, n = 0;

    if (gold_read_file(CORPUS "/INDEX.tsv", GOLD_LIMIT_DEFINITION, &index, &index_len, NULL) <
        0) {
        print_message("SKIPPED: no corpus at " CORPUS "\n");
        skip();
    }
    char *save = NULL;
    for (char *line = strtok_r(index, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *field = line;
        for (int i = 0; i < 6 && field; i++)
            field = strchr(field, '\t') ? strchr(field, '\t') + 1 : NULL;
        if (!field || strncmp(field, "yes\t", 4) != 0)
            continue;
        GOLD_CLEANUP_FREE char *path =
            gold_format(NULL, CORPUS "/%.*s", (int)strcspn(line, "\t"), line);
        GOLD_CLEANUP_FREE char *text = NULL;
        size_t len;
        struct gold_error *err = NULL;
        assert_non_null(path);
        assert_int_equal(gold_read_file(path, GOLD_LIMIT_DEFINITION, &text, &len, &err), 0);
        fn(path, text, len, opaque);
        n++;
    }
    assert_true(n > 0);
    return n;
}

#endif
