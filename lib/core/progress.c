/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress events and the user's wish to stop. Drawing bars is the program's business.
 */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "core/context.h"
#include "core/str.h"

void
gold_progress(struct gold_context *ctx, const char *phase, double fraction,
              const char *detail_fmt, ...)
{
    GOLD_CLEANUP_STR struct gold_str detail = GOLD_STR_INIT;
    struct gold_progress_event event;
    va_list args;

    if (!ctx || !ctx->progress)
        return;
    if (detail_fmt) {
        va_start(args, detail_fmt);
        gold_str_vprintf(&detail, detail_fmt, args);
        va_end(args);
    }
    event.source = ctx->progress_source;
    event.phase = phase;
    event.detail = detail_fmt && !detail.failed ? gold_str_text(&detail) : NULL;
    event.fraction = fraction > 1 ? 1 : fraction;
    ctx->progress(ctx->progress_opaque, &event);
}

bool
gold_cancelled(struct gold_context *ctx)
{
    return ctx && atomic_load(&ctx->cancelled);
}

int
gold_check_cancelled(struct gold_context *ctx, struct gold_error **err)
{
    if (!gold_cancelled(ctx))
        return 0;
    gold_error_set(err, GOLD_ERROR_CANCELLED, "interrupted");
    return -1;
}

/* Called from signal handlers: an atomic store and write(), nothing else. */
void
gold_cancel_request(struct gold_context *ctx)
{
    int saved = errno;
    uint64_t one = 1;

    atomic_store(&ctx->cancelled, true);
    /* Fails only when the counter is full, and then it is readable already. */
    if (write(ctx->cancel_fd, &one, sizeof(one)) < 0) {
        /* nothing to do */
    }
    errno = saved;
}
