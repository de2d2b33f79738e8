/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See golden.h. */
#include "unit.h"

#include <stdio.h>

#include "core/io.h"
#include "core/replace.h"
#include "core/str.h"
#include "golden.h"

char *
golden_render(const struct gold_document *doc, enum gold_report_format format,
              const struct gold_report_options *opts)
{
    char *text = NULL;
    size_t len = 0;
    assert_int_equal(gold_report_render(doc, format, opts, &text, &len, NULL), 0);
    assert_int_equal(strlen(text), len);
    return text;
}

static unsigned
first_difference(const char *a, const char *b)
{
    unsigned line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

void
golden_compare(const struct gold_document *doc, enum gold_report_format format,
               const struct gold_report_options *opts, const char *name)
{
    GOLD_CLEANUP_FREE char *made = golden_render(doc, format, opts);
    GOLD_CLEANUP_FREE char *wanted = NULL;
    GOLD_CLEANUP_FREE char *path = gold_path_join(GOLD_TEST_DATA "/report", name, NULL);
    const char *regenerate = getenv("GOLDSMITH_REGENERATE");
    size_t made_len = strlen(made), wanted_len = 0;
    assert_non_null(path);
    if (gold_streq(regenerate, "1")) {
        assert_int_equal(gold_replace_file(path, made, made_len, 0, 0644, NULL), 0);
        printf("regenerated %s\n", name);
        return;
    }
    assert_int_equal(gold_read_file(path, 1 << 24, &wanted, &wanted_len, NULL), 0);
    if (made_len != wanted_len || memcmp(made, wanted, made_len) != 0)
        fail_msg("%s differs from line %u on (GOLDSMITH_REGENERATE=1 writes it anew)", name,
                 first_difference(made, wanted));
}
