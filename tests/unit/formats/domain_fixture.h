/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of libvirt domains share. */
#ifndef GOLD_TESTS_FORMATS_DOMAIN_FIXTURE_H
#define GOLD_TESTS_FORMATS_DOMAIN_FIXTURE_H

#include <stdio.h>

#include "core/result.h"
#include "formats/domain.h"

#define SAMPLES GOLD_TEST_DATA "/domain/"

static inline struct gold_definition *
read_sample(const char *name)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *path = gold_format(NULL, SAMPLES "%s", name);
    struct gold_definition *def = gold_domain_read(path, &err);

    if (!def)
        fail_msg("%s", gold_error_message(err));
    return def;
}

static inline struct gold_definition *
parse_text(const char *text)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_definition *def = gold_domain_parse("t.xml", text, strlen(text), &err);

    if (!def)
        fail_msg("%s", gold_error_message(err));
    return def;
}

/* A domain around one or more disks. */
static inline struct gold_definition *
parse_devices(const char *devices)
{
    GOLD_CLEANUP_FREE char *text =
        gold_format(NULL,
                    "<domain type='kvm'>\n  <name>x</name>\n  <os><type>hvm</type></os>\n  "
                    "<devices>\n%s  </devices>\n</domain>\n",
                    devices);

    return parse_text(text);
}

/* The definition after the edit. */
static inline struct gold_definition *
patched(const struct gold_definition *def, const struct gold_patch *p)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;

    assert_int_equal(gold_patch_apply(p, def->text, def->text_len, &text, &len, &err), 0);
    struct gold_definition *after = gold_domain_parse(def->path, text, len, &err);
    if (!after)
        fail_msg("%s", gold_error_message(err));
    return after;
}

/* "read_iops_sec=5 ..." */
static inline struct gold_iotune
limits(const char *spec)
{
    struct gold_iotune t = {0};
    char copy[512], *save = NULL;

    (void)snprintf(copy, sizeof(copy), "%s", spec);
    for (char *item = strtok_r(copy, " ", &save); item; item = strtok_r(NULL, " ", &save)) {
        GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
        char *eq = strchr(item, '=');
        assert_non_null(eq);
        *eq = '\0';
        if (gold_iotune_set(&t, item, eq + 1, &err) < 0)
            fail_msg("%s", gold_error_message(err));
    }
    return t;
}

#endif
