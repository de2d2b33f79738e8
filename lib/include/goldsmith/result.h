/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results: plain data that the layers fill and the report renders. A document is what one command
 * produced; it holds one entry per source, in the order of the arguments. Everything in it is owned
 * by the document; strings are UTF-8 that may come from a guest, so they are escaped on output.
 * Numbers are SI base units.
 */
#ifndef GOLDSMITH_RESULT_H
#define GOLDSMITH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <goldsmith/error.h>

enum gold_severity { GOLD_INFO, GOLD_WARNING, GOLD_ERROR };
enum gold_fix { GOLD_FIX_NONE, GOLD_FIX_MANUAL, GOLD_FIX_SAFE };
enum gold_verdict {
    GOLD_VERDICT_NONE, /* the command judges nothing */
    GOLD_VERDICT_PASS,
    GOLD_VERDICT_FAIL,
    GOLD_VERDICT_INCONCLUSIVE,
    GOLD_VERDICT_SKIPPED,
    GOLD_VERDICT_ERROR
};
enum gold_step_status { GOLD_STEP_UNCHANGED, GOLD_STEP_CHANGED, GOLD_STEP_SKIPPED, GOLD_STEP_FAILED };

/* What a check, or an operation's verify, reports. */
struct gold_finding {
    char *id; /* kebab-case, stable for ever: "machine-id-set" */
    enum gold_severity severity;
    char *message;  /* one line */
    char *file;     /* path (in the guest, or of the definition); may be NULL */
    unsigned line;  /* 0: none */
    char *evidence; /* may be NULL */
    enum gold_fix fix;
    bool waived;
    char *waive_reason; /* may be NULL */
};

/* One thing that an operation changed. */
struct gold_effect {
    char *operation;
    char *path;
    char *action; /* "removed", "truncated", "edited", "created", "linked" */
    char *detail; /* may be NULL; never the secret itself */
};

/* What became of one operation. */
struct gold_step {
    char *operation;
    enum gold_step_status status;
    char *reason; /* for skipped and failed; may be NULL otherwise */
};

struct gold_edit {
    char *file;
    char *diff; /* unified diff */
};

struct gold_metric {
    char *name; /* "read_iops" */
    char *unit; /* "1/s", "B/s", "s" */
    bool has_expected;
    double expected;
    double tolerance; /* relative: 0.03 is 3 % */
    double *samples;
    size_t n_samples;
    double median;
    enum gold_verdict verdict; /* NONE: recorded, not judged */
    char *note;                /* may be NULL */
};

/* What one payload measured. */
struct gold_measurement {
    char *payload;
    char *disk;  /* target in the definition; may be NULL */
    char *clone; /* which clone it ran on; may be NULL */
    char *accelerator;
    enum gold_verdict verdict;
    char *reason; /* may be NULL */
    struct gold_metric *metrics;
    size_t n_metrics;
};

/* A named value; several entries of one name make a list. */
struct gold_fact {
    char *name;
    char *value;
};

struct gold_facts {
    struct gold_fact *items;
    size_t n;
};

struct gold_clone_result {
    char *name;                 /* "clone-1" */
    char *state;                /* where its boot ended: "bye", "panic", ... */
    struct gold_facts identity; /* "machine-id", "ssh-host-key", "dhcp-client-id", "hostname", "mac", ... */
};

struct gold_source_result {
    char *source;
    char *kind;    /* "image", "definition", "package", "domain"; NULL when unknown */
    char *error;   /* NULL: status ok */
    char *hint;    /* advice that goes with error; may be NULL */
    int error_code; /* enum gold_code, 0 when ok */
    enum gold_verdict verdict;
    struct gold_facts facts; /* inspect */
    struct gold_finding *findings;
    size_t n_findings;
    struct gold_effect *effects;
    size_t n_effects;
    struct gold_step *steps;
    size_t n_steps;
    struct gold_edit *edits;
    size_t n_edits;
    struct gold_measurement *measurements;
    size_t n_measurements;
    struct gold_clone_result *clones;
    size_t n_clones;
};

struct gold_document {
    char *version; /* of goldsmith */
    char *command;
    char *started; /* UTC, ISO 8601; may be NULL */
    bool dry_run;
    enum gold_severity fail_on; /* findings at or above this make the exit status 3 */
    struct gold_source_result *sources;
    size_t n_sources;
};

/* Accepts NULL. */
GOLD_API void gold_document_free(struct gold_document *doc);
/* The exit status that product documentation promises for this document (0, 1, 2, 3, 4, 5, 130). */
GOLD_API int gold_document_exit_status(const struct gold_document *doc);
/* The worst verdict over the sources; NONE when nothing was judged. */
GOLD_API enum gold_verdict gold_document_verdict(const struct gold_document *doc);

#endif
