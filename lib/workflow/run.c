/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workflow/run.h"

#include <string.h>

#include "core/str.h"
#include "core/vec.h"

int
gold_run_sources(struct gold_context *ctx, const char *command, const char *const *sources,
                 size_t n, enum gold_severity fail_on, bool dry_run, gold_source_fn fn,
                 const void *opts, struct gold_document **ret_doc, struct gold_error **err)
{
    GOLD_CLEANUP_DOCUMENT struct gold_document *doc = gold_document_new(command, err);
    if (!doc)
        return -1;
    doc->fail_on = fail_on;
    doc->dry_run = dry_run;
    for (size_t i = 0; i < n; i++) {
        struct gold_source_result *src = gold_document_add_source(doc, sources[i], err);
        if (!src)
            return -1;
        struct gold_error *failure = NULL;
        ctx->progress_source = sources[i];
        if (gold_check_cancelled(ctx, &failure) < 0 ||
            fn(ctx, sources[i], opts, src, &failure) < 0)
            gold_source_fail(src, failure);
        ctx->progress_source = NULL;
    }
    *ret_doc = gold_steal_ptr(&doc);
    return 0;
}

static int
move_array(void *to_pp, size_t *to_n, void *from_pp, size_t *from_n, size_t size,
           struct gold_error **err)
{
    void **to = to_pp, **from = from_pp;
    for (size_t i = 0; i < *from_n; i++) {
        void *slot = gold_array_add(to, to_n, size, err);
        if (!slot) {
            /* What was moved belongs to `to` now: keep only the rest in `from`. */
            memmove(*from, (char *)*from + i * size, (*from_n - i) * size);
            *from_n -= i;
            return -1;
        }
        memcpy(slot, (char *)*from + i * size, size);
    }
    free(*from);
    *from = NULL;
    *from_n = 0;
    return 0;
}

#define MOVE(member)                                                           \
    move_array(&to->member, &to->n_##member, &from->member, &from->n_##member, \
               sizeof(*to->member), err)

int
gold_source_absorb(struct gold_source_result *to, struct gold_source_result *from,
                   struct gold_error **err)
{
    if (MOVE(findings) < 0 || MOVE(effects) < 0 || MOVE(steps) < 0 || MOVE(edits) < 0 ||
        MOVE(measurements) < 0 || MOVE(clones) < 0)
        return -1;
    return move_array(&to->facts.items, &to->facts.n, &from->facts.items, &from->facts.n,
                      sizeof(*to->facts.items), err);
}

int
gold_refuse_findings(const struct gold_source_result *src, const char *what,
                     struct gold_error **err)
{
    size_t n = gold_source_count_findings(src, GOLD_ERROR);
    if (n == 0)
        return 0;
    GOLD_CLEANUP_STR struct gold_str ids = GOLD_STR_INIT;
    size_t named = 0;
    for (size_t i = 0; i < src->n_findings && named < 4; i++) {
        const struct gold_finding *f = &src->findings[i];
        if (f->severity != GOLD_ERROR || f->waived)
            continue;
        gold_str_printf(&ids, "%s%s%s%s", named ? ", " : "", f->id, f->file ? " in " : "",
                        f->file ? f->file : "");
        named++;
    }
    gold_error_set(err, GOLD_ERROR_CHECK, "%s: %zu finding%s (%s%s)", what, n,
                   n == 1 ? "" : "s", gold_str_text(&ids), n > named ? ", ..." : "");
    return -1;
}
