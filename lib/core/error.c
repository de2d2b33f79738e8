/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The error object. One allocation failure must not hide another, so running out of memory
 * while an error is built or prefixed still leaves a usable error behind. Nothing is printed
 * here.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

struct gold_error {
    enum gold_code code;
    int errnum;
    char *message;
    char *hint;
};

static char nomem_message[] = "out of memory";
/* Never written to: every function that changes an error asks is_nomem() first. */
static const struct gold_error nomem = {GOLD_ERROR_NOMEM, 0, nomem_message, NULL};

static bool
is_nomem(const struct gold_error *err)
{
    return err == &nomem;
}

enum gold_code
gold_error_code(const struct gold_error *err)
{
    return err->code;
}

const char *
gold_error_message(const struct gold_error *err)
{
    return err->message;
}

const char *
gold_error_hint_text(const struct gold_error *err)
{
    return err->hint;
}

int
gold_error_errno(const struct gold_error *err)
{
    return err->errnum;
}

void
gold_error_free(struct gold_error *err)
{
    if (!err || is_nomem(err))
        return;
    free(err->message);
    free(err->hint);
    free(err);
}

int
gold_error_set_nomem(struct gold_error **err)
{
    if (err) {
        assert(!*err);
        *err = (struct gold_error *)&nomem;
    }
    return -1;
}

static void
set_message(struct gold_error **err, enum gold_code code, int errnum, char *message)
{
    struct gold_error *e;

    if (!message) {
        (void)gold_error_set_nomem(err);
        return;
    }
    e = calloc(1, sizeof(*e));
    if (!e) {
        free(message);
        (void)gold_error_set_nomem(err);
        return;
    }
    e->code = code;
    e->errnum = errnum;
    e->message = message;
    *err = e;
}

/* vasprintf() whose failure is NULL. One line, whatever names and values from input hold. */
static char *
format(const char *fmt, va_list args)
{
    char *text = NULL;

    if (vasprintf(&text, fmt, args) < 0)
        return NULL;
    for (char *p = text; (p = strpbrk(p, "\n\r")); p++)
        *p = ' ';
    return text;
}

void
gold_error_set(struct gold_error **err, enum gold_code code, const char *fmt, ...)
{
    va_list args;
    char *message;

    if (!err)
        return;
    assert(!*err);
    va_start(args, fmt);
    message = format(fmt, args);
    va_end(args);
    set_message(err, code, 0, message);
}

void
gold_error_set_errno(struct gold_error **err, int errnum, const char *fmt, ...)
{
    va_list args;
    char *text, *message = NULL;
    const char *why;

    if (!err)
        return;
    assert(!*err);
    /* Not strerror(): it may translate. */
    why = strerrordesc_np(errnum);
    va_start(args, fmt);
    text = format(fmt, args);
    va_end(args);
    if (!text || asprintf(&message, "%s: %s", text, why ? why : "unknown error") < 0)
        message = NULL;
    free(text);
    set_message(err, GOLD_ERROR_IO, errnum, message);
}

void
gold_error_prefix(struct gold_error **err, const char *fmt, ...)
{
    va_list args;
    char *text, *message = NULL;

    if (!err || !*err || is_nomem(*err))
        return;
    va_start(args, fmt);
    text = format(fmt, args);
    va_end(args);
    if (!text || asprintf(&message, "%s: %s", text, (*err)->message) < 0) {
        /* The message without its prefix says more than "out of memory" would. */
        free(text);
        return;
    }
    free(text);
    free((*err)->message);
    (*err)->message = message;
}

void
gold_error_hint(struct gold_error **err, const char *fmt, ...)
{
    va_list args;
    char *text;

    if (!err || !*err || is_nomem(*err))
        return;
    va_start(args, fmt);
    text = format(fmt, args);
    va_end(args);
    if (!text)
        return;
    free((*err)->hint);
    (*err)->hint = text;
}

void
gold_error_recode(struct gold_error **err, enum gold_code from, enum gold_code to)
{
    if (err && *err && !is_nomem(*err) && (*err)->code == from)
        (*err)->code = to;
}

void
gold_error_move(struct gold_error **to, struct gold_error **from)
{
    if (to) {
        assert(!*to);
        *to = *from;
    } else {
        gold_error_free(*from);
    }
    *from = NULL;
}

void
gold_error_clear(struct gold_error **err)
{
    if (err) {
        gold_error_free(*err);
        *err = NULL;
    }
}
