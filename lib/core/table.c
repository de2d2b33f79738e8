/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lint for tables of const structs. It runs in unit tests, never in production.
 */
#include <stdbool.h>
#include <string.h>

#include "core/str.h"
#include "core/table.h"

static bool
name_is_good(const char *name)
{
    size_t n = strlen(name);

    return n > 0 && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0' &&
           name[0] != '-' && name[n - 1] != '-' && !strstr(name, "--");
}

static int
fault(struct gold_error **err, const char *name, const char *what)
{
    gold_error_set(err, GOLD_ERROR_FORMAT, "table entry '%s': %s", name, what);
    return -1;
}

static int
lint_one(const struct gold_about *about, struct gold_error **err)
{
    const char *name = about->name ? about->name : "";

    if (!name_is_good(name))
        return fault(err, name, "the name is not made of a-z, 0-9 and single hyphens inside");
    if (!about->heading || !about->heading[0])
        return fault(err, name, "no heading");
    if (strchr(about->heading, '\n'))
        return fault(err, name, "the heading has several lines");
    if (gold_str_has_suffix(about->heading, "."))
        return fault(err, name, "the heading ends in a period");
    if (!about->description || !about->description[0])
        return fault(err, name, "no description");
    if (gold_str_has_suffix(about->description, "\n"))
        return fault(err, name, "the description ends in a newline");
    return 0;
}

int
gold_about_lint(const struct gold_about *const *abouts, size_t n, struct gold_error **err)
{
    for (size_t i = 0; i < n; i++) {
        if (lint_one(abouts[i], err) < 0)
            return -1;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(abouts[i]->name, abouts[k]->name) == 0)
                return fault(err, abouts[i]->name, "the name is used twice");
        }
    }
    return 0;
}
