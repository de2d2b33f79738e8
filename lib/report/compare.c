/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lays the identities of clones side by side. Says only what is equal; whether that is bad is
 * the payload's verdict. */
#include <string.h>

#include "core/result.h"
#include "report/render.h"

const char *
gold_report_fact(const struct gold_facts *facts, const char *name, size_t i)
{
    for (size_t k = 0; k < facts->n; k++)
        if (gold_streq(facts->items[k].name, name) && i-- == 0)
            return facts->items[k].value;
    return NULL;
}

static size_t
count_values(const struct gold_facts *facts, const char *name)
{
    size_t n = 0;
    for (size_t k = 0; k < facts->n; k++)
        n += gold_streq(facts->items[k].name, name);
    return n;
}

static bool
holds(const struct gold_facts *facts, const char *name, const char *value)
{
    for (size_t k = 0; k < facts->n; k++)
        if (gold_streq(facts->items[k].name, name) && gold_streq(facts->items[k].value, value))
            return true;
    return false;
}

/* How many values of a are in b too. */
static size_t
count_shared(const struct gold_facts *a, const struct gold_facts *b, const char *name)
{
    size_t n = 0;
    for (size_t k = 0; k < a->n; k++)
        n += gold_streq(a->items[k].name, name) && holds(b, name, a->items[k].value);
    return n;
}

static enum gold_likeness
likeness(const struct gold_source_result *src, const char *name)
{
    bool all_equal = true, all_different = true;
    if (src->n_clones < 2)
        return GOLD_LIKENESS_SINGLE;
    /* Stops as soon as it is known to be mixed: a result file may hold many names. */
    for (size_t i = 0; i < src->n_clones && (all_equal || all_different); i++) {
        const struct gold_facts *a = &src->clones[i].identity;
        if (count_values(a, name) == 0)
            all_different = false;
        for (size_t j = 0; j < i && (all_equal || all_different); j++) {
            const struct gold_facts *b = &src->clones[j].identity;
            size_t shared = count_shared(a, b, name);
            if (shared != count_values(a, name) ||
                count_shared(b, a, name) != count_values(b, name))
                all_equal = false;
            if (shared > 0)
                all_different = false;
        }
    }
    return all_equal       ? GOLD_LIKENESS_EQUAL
           : all_different ? GOLD_LIKENESS_DIFFERENT
                           : GOLD_LIKENESS_MIXED;
}

static bool
must_differ(const char *name)
{
    static const char *const names[] = {
        "machine-id", "dbus-machine-id", "ssh-host-key",   "ssh-host-keys",
        "mac",        "nic-mac",         "dhcp-client-id", "uuid"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (gold_streq(name, names[i]))
            return true;
    return false;
}

int
gold_report_compare(const struct gold_source_result *src, struct gold_comparisons *ret,
                    struct gold_error **err)
{
    for (size_t i = 0; i < src->n_clones; i++) {
        const struct gold_facts *facts = &src->clones[i].identity;
        for (size_t k = 0; k < facts->n; k++) {
            struct gold_comparison c = {.name = facts->items[k].name};
            bool there = false;
            for (size_t j = 0; j < ret->n && !there; j++)
                there = gold_streq(ret->items[j].name, c.name);
            if (there)
                continue;
            for (size_t j = 0; j < src->n_clones; j++) {
                size_t n = count_values(&src->clones[j].identity, c.name);
                c.rows = n > c.rows ? n : c.rows;
            }
            c.likeness = likeness(src, c.name);
            c.must_differ = must_differ(c.name);
            if (gold_comparisons_append(ret, c, err) < 0)
                return -1;
        }
    }
    return 0;
}

const char *
gold_likeness_name(enum gold_likeness l)
{
    switch (l) {
    case GOLD_LIKENESS_DIFFERENT:
        return "different";
    case GOLD_LIKENESS_EQUAL:
        return "equal";
    case GOLD_LIKENESS_MIXED:
        return "mixed";
    default:
        return "single";
    }
}
