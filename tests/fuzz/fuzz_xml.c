/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a domain definition: what is accepted must tile, survive an edit with its undo,
 * be checkable, and make a clone that reads back. abort() tells the driver.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#include "core/result.h"
#include "formats/domain.h"
#include "formats/xml.h"

#define REQUIRE(condition) \
    do {                   \
        if (!(condition))  \
            abort();       \
    } while (0)

static void
scan(const char *text, size_t len)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = gold_xml_parse("fuzz.xml", text, len, &err);
    size_t at = 0;

    REQUIRE((x == NULL) == (err != NULL));
    for (size_t i = 0; x && i < x->n_spans; i++) {
        REQUIRE(x->spans[i].offset == at);
        at += x->spans[i].len;
    }
    REQUIRE(!x || at == len);
}

static void
edit(const struct gold_definition *def)
{
    GOLD_CLEANUP_PATCH struct gold_patch p = {0}, inverse = {0};
    GOLD_CLEANUP_STR struct gold_str diff = GOLD_STR_INIT;
    GOLD_CLEANUP_FREE char *new = NULL;
    GOLD_CLEANUP_FREE char *back = NULL;
    struct gold_source_result src = {0};
    const struct gold_iotune t = {.value[GOLD_READ_IOPS_SEC] = 200,
                                  .value[GOLD_TOTAL_BYTES_SEC] = 10485760};
    size_t len, back_len;

    REQUIRE(gold_domain_check(def, &src, NULL) == 0);
    REQUIRE(gold_domain_reset_identity(def, &p, &src, NULL) == 0);
    gold_source_result_done(&src);
    for (size_t i = 0; i < def->n_disks; i++) {
        size_t n = p.n;
        if (gold_domain_set_iotune(def, &def->disks[i], &t, &p, NULL) < 0)
            REQUIRE(p.n == n);
    }
    REQUIRE(gold_patch_apply(&p, def->text, def->text_len, &new, &len, NULL) == 0);
    GOLD_CLEANUP_DEFINITION struct gold_definition *after =
        gold_domain_parse("after.xml", new, len, NULL);
    REQUIRE(after && after->n_disks == def->n_disks && after->n_nics == def->n_nics);
    REQUIRE(gold_patch_diff(&p, def->text, def->text_len, "a", "b", &diff, NULL) == 0);
    REQUIRE(gold_patch_inverse(&p, def->text, def->text_len, &inverse, NULL) == 0);
    REQUIRE(gold_patch_apply(&inverse, new, len, &back, &back_len, NULL) == 0);
    REQUIRE(back_len == def->text_len && memcmp(back, def->text, back_len) == 0);
}

static void
clone(const struct gold_definition *def)
{
    const struct gold_clone_disk disk = {
        .path = "/x", .format = "raw", .extra = true, .bus = "scsi"};
    const struct gold_clone_spec spec = {.name = "c",
                                         .uuid = "11111111-2222-4333-8444-555555555555",
                                         .mac = "52:54:00:01:02:03",
                                         .accel = "tcg",
                                         .disks = &disk,
                                         .n_disks = 1};
    GOLD_CLEANUP_FREE char *xml = NULL;

    if (gold_domain_clone_xml(def, &spec, &xml, NULL) < 0)
        return;
    GOLD_CLEANUP_DEFINITION struct gold_definition *c =
        gold_domain_parse("clone.xml", xml, strlen(xml), NULL);
    REQUIRE(c && c->n_disks == 1 && gold_streq(c->name, "c"));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;

    scan(text, size);
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse("fuzz.xml", text, size, NULL);
    if (def) {
        edit(def);
        clone(def);
    }
    return 0;
}
