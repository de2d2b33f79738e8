/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages on their way to the callback of the context. No levels beyond three, no files, no
 * time stamps: the program that owns the context decides what becomes of a message.
 */
#include "core/context.h"
#include "core/str.h"

static void GOLD_PRINTF(3, 0)
    emit(struct gold_context *ctx, enum gold_log_level level, const char *fmt, va_list args)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    if (!ctx || !ctx->log || level < ctx->log_least)
        return;
    gold_str_vprintf(&s, fmt, args);
    if (s.failed)
        return;
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '\n' || s.data[i] == '\r')
            s.data[i] = ' ';
    }
    ctx->log(ctx->log_opaque, level, gold_str_text(&s));
}

void
gold_debug(struct gold_context *ctx, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    emit(ctx, GOLD_LOG_DEBUG, fmt, args);
    va_end(args);
}

void
gold_info(struct gold_context *ctx, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    emit(ctx, GOLD_LOG_INFO, fmt, args);
    va_end(args);
}

void
gold_warning(struct gold_context *ctx, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    emit(ctx, GOLD_LOG_WARNING, fmt, args);
    va_end(args);
}
