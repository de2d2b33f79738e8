/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening images by the rules: every bad input with its error, and that good ones pass. */
#include "unit.h"

#include "qemu/image.h"
#include "scratch.h"

static void
refused(const char *name, const char *format, bool allow, enum gold_code code, const char *text)
{
    struct gold_image_rules rules = {format, allow};
    struct gold_image_facts facts = {.virtual_size = 4711};
    struct gold_error *err = NULL;
    assert_int_equal(gold_image_open_facts(at(name), &rules, &facts, &err), -1);
    assert_non_null(strstr(gold_error_message(err), name)); /* the file is named */
    expect_error(&err, code, text);
    assert_int_equal(facts.virtual_size, 4711);
}

static struct gold_image_facts
accepted(const char *name, const char *format, bool allow)
{
    struct gold_image_rules rules = {format, allow};
    struct gold_image_facts facts = {0};
    struct gold_error *err = NULL;
    int r = gold_image_open_facts(at(name), &rules, &facts, &err);
    no_error(err);
    assert_int_equal(r, 0);
    return facts;
}

static void
accept_and_forget(const char *name, const char *format, bool allow)
{
    struct gold_image_facts facts = accepted(name, format, allow);
    gold_image_facts_done(&facts);
}

static void
not_an_image(void **state)
{
    (void)state;
    must_sh("mkdir dir && mkfifo fifo && : > empty && head -c 5000 /dev/urandom > noise && ln "
            "-s nowhere dangling");
    refused("dir", NULL, false, GOLD_ERROR_FORMAT, "dir");
    refused("fifo", NULL, false, GOLD_ERROR_FORMAT, "fifo");
    refused("absent", NULL, false, GOLD_ERROR_IO, "No such file");
    refused("dangling", NULL, false, GOLD_ERROR_IO, "No such file");
    refused("empty", NULL, false, GOLD_ERROR_FORMAT, "is empty");
    refused("noise", "qcow2", false, GOLD_ERROR_FORMAT, "not a qcow2 image");
    refused("noise", "qcow7", false, GOLD_ERROR_UNSUPPORTED, "'qcow7' is not known");
    accept_and_forget("noise", NULL, false);
    accept_and_forget("noise", "raw", false);
}

static void
truncated(void **state)
{
    (void)state;
    must_sh(
        "qemu-img create -f qcow2 whole.qcow2 64M && qemu-io -f qcow2 -c 'write -P 1 0 8M' "
        "whole.qcow2 && "
        "for n in 60 3000 100000 300000 4000000; do head -c $n whole.qcow2 > cut$n; done && "
        "qemu-img create -f qcow2 -o extended_l2=on,preallocation=metadata pre.qcow2 16M && "
        "qemu-img create -f qcow2 -o preallocation=metadata pre2.qcow2 16M && "
        "qemu-img convert -c -O qcow2 whole.qcow2 packed.qcow2 && qemu-img create -f qcow2 -o "
        "extended_l2=on e.qcow2 9M && "
        "qemu-io -f qcow2 -c 'write 0 4k' -c 'write -z 1M 4k' e.qcow2");
    accept_and_forget("whole.qcow2", NULL, false);
    accept_and_forget("pre.qcow2", NULL, false);
    accept_and_forget("pre2.qcow2", NULL, false);
    accept_and_forget("packed.qcow2", NULL, false);
    accept_and_forget("e.qcow2", NULL, false);
    refused("cut60", "qcow2", false, GOLD_ERROR_FORMAT, "cut off");
    refused("cut3000", "qcow2", false, GOLD_ERROR_FORMAT, "cut off");
    refused("cut100000", NULL, false, GOLD_ERROR_FORMAT, "cut off");
    refused("cut300000", NULL, false, GOLD_ERROR_FORMAT, "cut off");
    /* Everything but data is there: only the tables tell. */
    refused("cut4000000", NULL, false, GOLD_ERROR_FORMAT, "cut off");
}

static void
backing_files(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 a.qcow2 1M && qemu-img create -f qcow2 -F qcow2 -b "
            "a.qcow2 b.qcow2 && "
            "qemu-img create -f qcow2 -F qcow2 -b b.qcow2 c.qcow2 && mkdir sub && "
            "qemu-img create -f qcow2 -F raw -b ../r sub/d.qcow2 1M -u && truncate -s 1M r && "
            "ln -s sub/d.qcow2 link");
    refused("b.qcow2", NULL, false, GOLD_ERROR_UNSUPPORTED,
            "stands on another file ('a.qcow2')");
    struct gold_image_rules rules = {NULL, false};
    struct gold_image_facts facts = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_image_open_facts(at("b.qcow2"), &rules, &facts, &err), -1);
    expect_hint(err, "--allow-backing");
    gold_error_clear(&err);
    assert_int_equal(gold_image_open_facts(at("b.qcow2"), NULL, &facts, &err),
                     -1); /* no rules: the strict ones */
    gold_error_clear(&err);
    accept_and_forget("c.qcow2", "qcow2", true);
    accept_and_forget("sub/d.qcow2", NULL, true);
    accept_and_forget("link", NULL, true);
    must_sh("rm a.qcow2");
    refused("c.qcow2", NULL, true, GOLD_ERROR_IO, "a.qcow2");
    must_sh("mkdir a.qcow2");
    refused("c.qcow2", NULL, true, GOLD_ERROR_FORMAT, "a.qcow2");
    /* A circle, another format than recorded, a protocol, a format that is not known. */
    must_sh("rmdir a.qcow2 && qemu-img create -u -f qcow2 -F qcow2 -b c.qcow2 a.qcow2 1M");
    refused("c.qcow2", NULL, true, GOLD_ERROR_FORMAT, "does not end");
    must_sh("truncate -s 1M raw && qemu-img create -u -f qcow2 -F qcow2 -b raw e.qcow2 1M && "
            "qemu-img create -u -f qcow2 -F raw -b nbd:127.0.0.1:1 f.qcow2 1M && "
            "qemu-img create -u -f qcow2 -F vpc -b raw g.qcow2 1M && "
            "qemu-img create -u -f qcow2 -F raw -b 'json:{\"driver\":\"null-co\"}' h.qcow2 1M");
    refused("e.qcow2", NULL, true, GOLD_ERROR_FORMAT, "not a qcow2 image");
    refused("f.qcow2", NULL, true, GOLD_ERROR_UNSUPPORTED, "not a file");
    refused("g.qcow2", NULL, true, GOLD_ERROR_UNSUPPORTED, "'vpc'");
    refused("h.qcow2", NULL, true, GOLD_ERROR_UNSUPPORTED, "not a file");
}

/* A guest can write a header that names any file of the host; as raw it is only bytes. */
static void
raw_with_a_header_in_it(void **state)
{
    (void)state;
    must_sh("qemu-img create -u -f qcow2 -F raw -b /etc/passwd evil 1M");
    struct gold_image_facts facts = accepted("evil", "raw", false);
    assert_null(facts.backing_file);
    assert_int_equal(facts.format, GOLD_IMAGE_RAW);
    refused("evil", NULL, false, GOLD_ERROR_UNSUPPORTED, "/etc/passwd");
}

static void
data_elsewhere(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 -o data_file=d.raw d.qcow2 1M && "
            "qemu-img create -f vmdk -o subformat=monolithicFlat f.vmdk 1M && "
            "qemu-img create -f qcow2 l.qcow2 1M && "
            "printf '\\2' | dd of=l.qcow2 bs=1 seek=35 conv=notrunc");
    refused("d.qcow2", NULL, true, GOLD_ERROR_UNSUPPORTED, "d.raw");
    refused("f.vmdk", NULL, true, GOLD_ERROR_UNSUPPORTED, "monolithicFlat");
    refused("l.qcow2", NULL, true, GOLD_ERROR_UNSUPPORTED, "encrypted");
}

static void
not_writable(const char *name, enum gold_code code, const char *text, const char *hint)
{
    struct gold_image_facts facts = accepted(name, NULL, false);
    struct gold_error *err = NULL;
    assert_int_equal(gold_image_check_writable(at(name), &facts, &err), -1);
    expect_hint(err, hint);
    expect_error(&err, code, text);
    gold_image_facts_done(&facts);
}

static void
writable(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 q.qcow2 1M && qemu-img create -f vmdk s.vmdk 1M && "
            "qemu-img create -f vdi v.vdi 1M && "
            "qemu-img create -f vhdx x.vhdx 8M && truncate -s 1M r && "
            "qemu-img convert -O vmdk -o subformat=streamOptimized s.vmdk o.vmdk && cp q.qcow2 "
            "snap.qcow2 && "
            "qemu-img snapshot -c one snap.qcow2 && cp q.qcow2 dirty.qcow2 && cp q.qcow2 "
            "corrupt.qcow2 && "
            "printf '\\1' | dd of=dirty.qcow2 bs=1 seek=79 conv=notrunc && "
            "printf '\\2' | dd of=corrupt.qcow2 bs=1 seek=79 conv=notrunc && cp r ro && chmod "
            "0444 ro");
    static const char *const good[] = {"q.qcow2", "s.vmdk", "v.vdi", "x.vhdx", "r"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct gold_image_facts facts = accepted(good[i], NULL, false);
        struct gold_error *err = NULL;
        assert_int_equal(gold_image_check_writable(at(good[i]), &facts, &err), 0);
        no_error(err);
        gold_image_facts_done(&facts);
    }
    not_writable("o.vmdk", GOLD_ERROR_UNSUPPORTED, "streamOptimized", "-o");
    not_writable("snap.qcow2", GOLD_ERROR_UNSUPPORTED, "1 internal snapshot", "-o");
    not_writable("dirty.qcow2", GOLD_ERROR_UNSUPPORTED, "not closed cleanly", "qemu-img check");
    not_writable("corrupt.qcow2", GOLD_ERROR_UNSUPPORTED, "corrupt", "qemu-img check");
    not_writable("ro", geteuid() == 0 ? GOLD_ERROR_UNSUPPORTED : GOLD_ERROR_IO, "ro", "-o");
}

static void
in_use(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 q.qcow2 1M");
    assert_int_equal(gold_image_check_unused(at("q.qcow2"), &err), 0);
    no_error(err);
    must_sh("(qemu-io -f qcow2 -c 'sleep 60000' q.qcow2 & echo $! > pid); sleep 0.5");
    assert_int_equal(gold_image_check_unused(at("q.qcow2"), &err), -1);
    expect_hint(err, "VM");
    expect_error(&err, GOLD_ERROR_BUSY, "q.qcow2");
    must_sh("kill $(cat pid); sleep 0.3; (qemu-io -r -f qcow2 -c 'sleep 60000' q.qcow2 & echo "
            "$! > pid); sleep 0.5");
    assert_int_equal(gold_image_check_unused(at("q.qcow2"), &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "q.qcow2");
    must_sh("kill $(cat pid); sleep 0.3");
    assert_int_equal(gold_image_check_unused(at("q.qcow2"), &err), 0);
    assert_int_equal(gold_image_check_unused(at("absent"), &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "absent");
}

static void
backing_of_a_neighbour(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 a.qcow2 1M && truncate -s 1M b && mkdir sub && "
            "qemu-img create -f qcow2 -F qcow2 -b ../a.qcow2 sub/other.qcow2 && : > empty && "
            "mkfifo fifo");
    assert_int_equal(gold_image_check_not_backing(at("a.qcow2"), &err), 0);
    no_error(err);
    must_sh("qemu-img create -f qcow2 -F qcow2 -b \"$PWD/sub/../a.qcow2\" clone.qcow2");
    assert_int_equal(gold_image_check_not_backing(at("a.qcow2"), &err), -1);
    expect_hint(err, "-o");
    expect_error(&err, GOLD_ERROR_UNSUPPORTED, "'clone.qcow2'");
    assert_int_equal(gold_image_check_not_backing(at("clone.qcow2"), &err), 0);
    assert_int_equal(gold_image_check_not_backing(at("b"), &err), 0);
    assert_int_equal(gold_image_check_not_backing(at("absent"), &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "absent");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(not_an_image, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(truncated, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(backing_files, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(raw_with_a_header_in_it, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(data_elsewhere, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(writable, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(in_use, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(backing_of_a_neighbour, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
