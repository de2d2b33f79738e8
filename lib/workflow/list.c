/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables of all rooms behind one door. */
#include <goldsmith/list.h>

#include "core/str.h"
#include "formats/domain.h"
#include "guest/check.h"
#include "guest/operation.h"
#include "validate/payload.h"

/* Formats of definitions that can be edited. */
static const struct gold_about formats[] = {
    {"domain", "libvirt domain XML",
     "The definition of a virtual machine as `virsh dumpxml` writes it.",
     "Files in UTF-16 or UTF-32, and files with a document type, are refused."},
};

static bool
one(const struct gold_about *about, bool enabled, const char *const *ids,
    struct gold_listing *ret)
{
    *ret = (struct gold_listing){about, enabled, ids};
    return true;
}

bool
gold_list(enum gold_list_kind kind, size_t i, struct gold_listing *ret)
{
    switch (kind) {
    case GOLD_LIST_OPERATIONS:
        for (size_t k = 0; gold_operations[k]; k++)
            if (k == i)
                return one(&gold_operations[k]->about, gold_operations[k]->enabled_by_default,
                           gold_operations[k]->finding_ids, ret);
        return false;
    case GOLD_LIST_CHECKS:
        /* That of definitions first, then those that look into images. */
        if (i == 0) {
            *ret = gold_domain_check_listing;
            return true;
        }
        for (size_t k = 0; gold_checks[k]; k++)
            if (k + 1 == i)
                return one(&gold_checks[k]->about, true, gold_checks[k]->finding_ids, ret);
        return false;
    case GOLD_LIST_PAYLOADS:
        for (size_t k = 0; gold_payloads[k]; k++)
            if (k == i)
                return one(&gold_payloads[k]->about, true, NULL, ret);
        return false;
    case GOLD_LIST_FORMATS:
        return i < sizeof(formats) / sizeof(formats[0]) && one(&formats[i], true, NULL, ret);
    default:
        return false;
    }
}

static const char *
kind_name(enum gold_list_kind kind)
{
    static const char *const names[] = {"operation", "check", "payload", "format"};
    return names[kind];
}

static bool
reports(const struct gold_listing *l, const char *id)
{
    for (size_t i = 0; l->finding_ids && l->finding_ids[i]; i++)
        if (gold_streq(l->finding_ids[i], id))
            return true;
    return false;
}

static void
describe(struct gold_str *s, enum gold_list_kind kind, const struct gold_listing *l)
{
    gold_str_printf(s, "%s (%s): %s\n\n%s\n", l->about->name, kind_name(kind),
                    l->about->heading, l->about->description);
    if (l->about->notes)
        gold_str_printf(s, "\n%s\n", l->about->notes);
    if (kind == GOLD_LIST_OPERATIONS)
        gold_str_printf(s, "\nRuns by default: %s\n", l->enabled_by_default ? "yes" : "no");
    for (size_t i = 0; l->finding_ids && l->finding_ids[i]; i++)
        gold_str_printf(s, "%s%s%s", i ? ", " : "\nMay report: ", l->finding_ids[i],
                        l->finding_ids[i + 1] ? "" : "\n");
}

int
gold_explain(const char *id, char **ret_text, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    struct gold_listing l;

    for (enum gold_list_kind kind = GOLD_LIST_OPERATIONS; kind <= GOLD_LIST_FORMATS; kind++)
        for (size_t i = 0; gold_list(kind, i, &l); i++) {
            bool named = gold_streq(l.about->name, id);
            if (!named && !reports(&l, id))
                continue;
            if (s.len)
                gold_str_append(&s, "\n");
            if (!named)
                gold_str_printf(&s, "Finding %s is reported by:\n\n", id);
            describe(&s, kind, &l);
        }
    if (!s.len && !s.failed) {
        gold_error_set(err, GOLD_ERROR_USAGE, "there is nothing called '%s'", id);
        gold_error_hint(err,
                        "goldsmith list operations|checks|payloads|formats shows the names");
        return -1;
    }
    char *text = gold_str_steal(&s, NULL, err);
    if (!text)
        return -1;
    *ret_text = text;
    return 0;
}

const char *
gold_version(void)
{
    return GOLDSMITH_VERSION;
}
