/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One validation under way: what run.c fills, verdict.c judges and keep.c puts aside. Private
 * to these files. */
#ifndef GOLD_VALIDATE_RUN_H
#define GOLD_VALIDATE_RUN_H

#include "core/hash.h"
#include "hypervisor/connection.h"
#include "validate/clones.h"
#include "validate/drive.h"

/* What is left of one boot. */
struct gold_boot_record {
    size_t clone; /* index */
    unsigned boot;
    const char *end; /* name of the state where it ended */
    double target_s; /* seconds until the default target, negative: not reached */
    double load;     /* of the host while payloads ran */
    char *tail;      /* last lines of the console */
    char *notes;     /* lines that tell of trouble; may be "" */
    char *client_id; /* DHCP, or NULL */
    struct gold_messages messages;
};
GOLD_VEC(gold_boot_records, struct gold_boot_record);

/* What the template's file was before. */
struct gold_print {
    char sha256[GOLD_HASH_HEX_MAX];
};

struct gold_run {
    struct gold_context *ctx;
    const struct gold_validate_plan *plan;
    struct gold_source_result *src;
    const char *accel;
    bool tcg;
    bool as_root; /* QEMU, because its user cannot read the template */
    bool second_boot;
    unsigned wait_s;
    struct gold_hypervisor *h;
    struct gold_clone_place place;
    char *dir;                 /* of place */
    struct gold_print *prints; /* two for each of the plan's disks */
    struct gold_strv starters;
    struct gold_facts identity;
    struct gold_clone *clones;
    size_t n_clones;
    struct gold_scratches scratch; /* of the first clone */
    struct gold_referee *referees;
    size_t n_referees;
    struct gold_boot_records records; /* in the order in which boots ended */
};

/* verdict.c: measurements, clones and verdict of src from the records. */
GOLD_MUST_CHECK int gold_run_judge(struct gold_run *run, struct gold_error **err);
/* The record of that boot of that clone, or NULL. */
const struct gold_boot_record *gold_run_record(const struct gold_run *run, size_t clone,
                                               unsigned boot);

/* A measurement that failed for being slow only, on a host that was far too busy, is
 * inconclusive. */
GOLD_MUST_CHECK int gold_excuse_slow_host(struct gold_measurement *m, double load,
                                          long processors, struct gold_error **err);

/* keep.c: writes the console log of a boot into the clone's directory. */
GOLD_MUST_CHECK int gold_run_write_log(const struct gold_clone *clone, unsigned boot,
                                       const struct gold_console *console,
                                       struct gold_error **err);
/* Moves the run's files out of the run directory, to stay; run->dir is then the new place. */
GOLD_MUST_CHECK int gold_run_keep(struct gold_run *run, struct gold_error **err);

#endif
