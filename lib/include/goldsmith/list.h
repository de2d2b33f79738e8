/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables, for `list`, `explain`, completion and the man pages. */
#ifndef GOLDSMITH_LIST_H
#define GOLDSMITH_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <goldsmith/error.h>

/* What every table entry starts with. */
struct gold_about {
    const char *name;        /* a-z 0-9 -, unique in its table; the file is named after it, with _ for - */
    const char *heading;     /* one line, no final period */
    const char *description; /* a paragraph or more, no final newline */
    const char *notes;       /* limits and warnings; may be NULL */
};

enum gold_list_kind { GOLD_LIST_OPERATIONS, GOLD_LIST_CHECKS, GOLD_LIST_PAYLOADS, GOLD_LIST_FORMATS };

struct gold_listing {
    const struct gold_about *about;
    bool enabled_by_default;              /* operations */
    const char *const *finding_ids;       /* operations and checks: NULL-terminated; else NULL */
};

/* The i-th entry of a table in its order; false past the end. The pointers live as long as the library. */
GOLD_API bool gold_list(enum gold_list_kind kind, size_t i, struct gold_listing *ret);
/* Text that explains an operation, check, payload, format or finding id. *ret_text: free(). */
GOLD_API GOLD_MUST_CHECK int gold_explain(const char *id, char **ret_text, struct gold_error **err);
GOLD_API const char *gold_version(void);

#endif
