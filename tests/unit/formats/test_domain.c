/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading libvirt domains: the model of good files, and one clear error for each bad one. */
#include "unit.h"

#include <fcntl.h>

#include "core/limits.h"

#include "corpus.h"
#include "domain_fixture.h"

static void
test_model(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = read_sample("debian.xml");
    (void)state;
    assert_string_equal(def->name, "debian-12");
    assert_string_equal(def->uuid, "6f1c1b52-8f6b-4e0e-9b6a-3b6f6f1c2d3e");
    assert_string_equal(def->domain_type, "kvm");
    assert_string_equal(def->arch, "x86_64");
    assert_string_equal(def->machine, "q35");
    assert_null(def->firmware);
    assert_true(def->memory == 2048 * GOLD_MIB);
    assert_int_equal(def->vcpus, 2);
    assert_int_equal(def->text_len, strlen(def->text));

    assert_int_equal(def->n_disks, 3);
    const struct gold_disk *d = &def->disks[0];
    assert_string_equal(d->target, "vda");
    assert_string_equal(d->bus, "virtio");
    assert_string_equal(d->device, "disk");
    assert_string_equal(d->type, "file");
    assert_string_equal(d->source, "/var/lib/libvirt/images/debian-12.qcow2");
    assert_string_equal(d->format, "qcow2");
    assert_string_equal(d->cache, "none");
    assert_int_equal(d->boot_order, 1);
    assert_int_equal(d->line, 25);
    assert_false(d->readonly);
    assert_true(gold_iotune_empty(&d->iotune));
    d = &def->disks[1];
    assert_int_equal(d->iotune.value[GOLD_READ_IOPS_SEC], 200);
    assert_int_equal(d->iotune.value[GOLD_WRITE_IOPS_SEC], 180);
    assert_string_equal(d->serial, "data-1");
    assert_null(d->cache);
    d = &def->disks[2];
    assert_string_equal(d->device, "cdrom");
    assert_null(d->source);
    assert_true(d->readonly);

    assert_int_equal(def->n_nics, 3);
    assert_string_equal(def->nics[0].mac, "52:54:00:aa:bb:cc");
    assert_string_equal(def->nics[0].model, "virtio");
    assert_string_equal(def->nics[0].source, "default");
    assert_string_equal(def->nics[1].type, "bridge");
    assert_string_equal(def->nics[1].source, "br0");
    assert_null(def->nics[2].mac);
    assert_null(def->nics[2].source);
}

static void
test_defaults(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_text("<domain/>");
    GOLD_CLEANUP_DEFINITION struct gold_definition *odd =
        parse_text("<domain><name> n\n</name><memory>1024</memory><vcpu>99999999999</vcpu>"
                   "<os firmware='efi'/><devices><disk><target dev='hda'/><shareable/><boot "
                   "order='x'/></disk></devices></domain>");
    GOLD_CLEANUP_DEFINITION struct gold_definition *flash =
        parse_text("<domain><memory unit='parsec'>1</memory><os><loader "
                   "type='pflash'>/f</loader></os></domain>");
    (void)state;
    assert_null(def->name);
    assert_null(def->uuid);
    assert_true(def->memory == 0);
    assert_int_equal(def->n_disks, 0);
    assert_string_equal(odd->name, "n");
    assert_true(odd->memory == GOLD_MIB); /* KiB */
    assert_int_equal(odd->vcpus, 0);
    assert_string_equal(odd->firmware, "efi");
    assert_string_equal(odd->disks[0].type, "file");
    assert_string_equal(odd->disks[0].device, "disk");
    assert_int_equal(odd->disks[0].boot_order, 0);
    assert_true(odd->disks[0].shareable);
    assert_true(flash->memory == 0);
    assert_string_equal(flash->firmware, "efi");
}

static void
test_encodings(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *bom = read_sample("bom-crlf.xml");
    GOLD_CLEANUP_DEFINITION struct gold_definition *latin1 = read_sample("latin1-one-line.xml");
    (void)state;
    assert_string_equal(bom->name, "w\xC3\xBCrfel");
    assert_string_equal(latin1->name, "w\xC3\xBCrfel");
    assert_string_equal(latin1->disks[0].source, "/images/\xC3\xBC.img");
    assert_int_equal(bom->disks[0].line, 6);
}

static void
expect_failure(const char *path, enum gold_code code, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    assert_null(gold_domain_read(path, &err));
    assert_non_null(err);
    if (!strstr(gold_error_message(err), message))
        fail_msg("'%s' is not in '%s'", message, gold_error_message(err));
    assert_int_equal(gold_error_code(err), code);
}

static void
test_should_fail(void **state)
{
    static const struct {
        const char *name;
        enum gold_code code;
        const char *message;
    } cases[] = {
        {"should-fail-doctype.xml", GOLD_ERROR_FORMAT,
         "should-fail-doctype.xml:1: a document type"},
        {"should-fail-unclosed.xml", GOLD_ERROR_FORMAT, "should-fail-unclosed.xml:4: "},
        {"should-fail-network.xml", GOLD_ERROR_FORMAT,
         "should-fail-network.xml:1: the root element is <network>, not <domain>"},
        {"should-fail-domstatus.xml", GOLD_ERROR_FORMAT,
         "should-fail-domstatus.xml:2: the root element is <domstatus>, not <domain>"},
        {"should-fail-namespace.xml", GOLD_ERROR_FORMAT,
         "the root element is <domain> in a namespace"},
        {"should-fail-utf8.xml", GOLD_ERROR_FORMAT,
         "should-fail-utf8.xml:2: Input is not proper UTF-8"},
        {"should-fail-utf16.xml", GOLD_ERROR_UNSUPPORTED,
         "should-fail-utf16.xml' is encoded in UTF-16"},
        {"should-fail-empty.xml", GOLD_ERROR_FORMAT, "should-fail-empty.xml' is empty"},
        {"should-fail-script.xml", GOLD_ERROR_FORMAT,
         "should-fail-script.xml:1: this is not XML"},
        {"no-such-file.xml", GOLD_ERROR_IO, "no-such-file.xml"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        GOLD_CLEANUP_FREE char *path = gold_format(NULL, SAMPLES "%s", cases[i].name);
        expect_failure(path, cases[i].code, cases[i].message);
    }
}

/* 100 MB that nobody reads. */
static void
test_too_large(void **state)
{
    char path[] = "/tmp/goldsmith-domain-XXXXXX";
    GOLD_CLEANUP_FD int fd = mkostemp(path, O_CLOEXEC);
    (void)state;

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "<domain>", 8, 0), 8);
    assert_int_equal(ftruncate(fd, 100 * 1000 * 1000), 0);
    expect_failure(path, GOLD_ERROR_FORMAT, path);
    assert_int_equal(unlink(path), 0);
}

static void
test_too_many_disks(void **state)
{
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    (void)state;

    gold_str_append(&s, "<domain><devices>");
    for (int i = 0; i <= GOLD_LIMIT_DISKS; i++)
        gold_str_append(&s, "\n<disk/>");
    gold_str_append(&s, "</devices></domain>");
    assert_null(gold_domain_parse("t.xml", s.data, s.len, &err));
    assert_string_equal(gold_error_message(err), "t.xml:66: more than 64 disks");
}

static void
test_probe(void **state)
{
    (void)state;
    assert_true(gold_domain_probe("<domain/>", 9));
    assert_true(gold_domain_probe(" \n\t<", 4));
    assert_true(gold_domain_probe("\xEF\xBB\xBF<", 4));
    assert_true(gold_domain_probe("\xFF\xFE<\0", 4));
    assert_true(gold_domain_probe("\0<", 2));
    assert_false(gold_domain_probe("", 0));
    assert_false(gold_domain_probe("  ", 2));
    assert_false(gold_domain_probe("QFI\xFB", 4));
    assert_false(gold_domain_probe("\0\0\0\0", 4));
}

/* Every domain of the corpus is read; whatever is not one is refused by the name of its root.
 */
static void
read_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse(path, text, len, &err);
    size_t *domains = opaque;

    if (def)
        (*domains)++;
    else if (!strstr(gold_error_message(err), "the root element is <") &&
             !strstr(gold_error_message(err), "more than 64 disks"))
        fail_msg("%s", gold_error_message(err));
}

static void
test_corpus(void **state)
{
    size_t domains = 0, files;
    (void)state;
    files = corpus_each(read_one, &domains);
    print_message("%zu domains in %zu files\n", domains, files);
    assert_true(domains > files * 9 / 10);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),     cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_encodings), cmocka_unit_test(test_should_fail),
        cmocka_unit_test(test_too_large), cmocka_unit_test(test_too_many_disks),
        cmocka_unit_test(test_probe),     cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
