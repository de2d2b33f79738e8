/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Overlays and copies: what they record, whom they let read, and that nothing is overwritten.
 */
#include "unit.h"

#include "qemu/image.h"
#include "scratch.h"

static void
create(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    struct stat st;
    must_sh("truncate -s 3M 'b:a se' && chmod 0640 'b:a se' && mkdir sub && umask 0");
    assert_int_equal(
        gold_overlay_create(ctx, at("o.qcow2"), at("b:a se"), GOLD_IMAGE_RAW, &err), 0);
    no_error(err);
    must_sh("qemu-img info -f qcow2 o.qcow2 > out && grep -q 'backing file: ./b:a se' out && "
            "grep -q 'backing file format: raw' out && grep -q 3145728 out && qemu-io -f qcow2 "
            "-c 'read 0 1M' o.qcow2");
    assert_int_equal(stat(at("o.qcow2"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    /* In another directory: by its whole name. */
    assert_int_equal(
        gold_overlay_create(ctx, at("sub/o.qcow2"), at("b:a se"), GOLD_IMAGE_RAW, &err), 0);
    must_sh("qemu-img info -f qcow2 sub/o.qcow2 | grep -q \"backing file: $PWD/b:a se\"");
    gold_context_free(ctx);
}

static void
create_refuses(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("truncate -s 3M base && echo precious > there && ln -s target link");
    assert_int_equal(gold_overlay_create(ctx, at("there"), at("base"), GOLD_IMAGE_RAW, &err),
                     -1);
    expect_error(&err, GOLD_ERROR_IO, "there");
    must_sh("grep -q precious there");
    assert_int_equal(gold_overlay_create(ctx, at("link"), at("base"), GOLD_IMAGE_RAW, &err),
                     -1);
    expect_error(&err, GOLD_ERROR_IO, "link");
    must_sh("test ! -e target");
    assert_int_equal(gold_overlay_create(ctx, at("o"), at("absent"), GOLD_IMAGE_RAW, &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "absent");
    must_sh("test ! -e o");
    assert_int_equal(gold_overlay_create(ctx, at("o"), at("base"), GOLD_IMAGE_QCOW2, &err), -1);
    expect_error(&err, GOLD_ERROR_IO, "not in qcow2 format");
    must_sh("test ! -e o");
    assert_int_equal(gold_overlay_create(ctx, "o", at("base"), GOLD_IMAGE_RAW, &err), -1);
    expect_error(&err, GOLD_ERROR_USAGE, "absolute");
    gold_cancel_request(ctx);
    assert_int_equal(gold_overlay_create(ctx, at("o"), at("base"), GOLD_IMAGE_RAW, &err), -1);
    expect_error(&err, GOLD_ERROR_CANCELLED, "interrupted");
    must_sh("test ! -e o");
    gold_context_free(ctx);
}

static void
busy_source(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 b.qcow2 1M && (qemu-io -f qcow2 -c 'sleep 60000' b.qcow2 "
            "& echo $! > pid); sleep 0.5");
    assert_int_equal(
        gold_image_convert(ctx, at("b.qcow2"), GOLD_IMAGE_QCOW2, at("o"), GOLD_IMAGE_RAW, &err),
        -1);
    expect_error(&err, GOLD_ERROR_BUSY, "in use");
    must_sh("test ! -e o");
    must_sh("kill $(cat pid)");
    gold_context_free(ctx);
}

static void
convert(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    static const enum gold_image_format formats[] = {
        GOLD_IMAGE_RAW, GOLD_IMAGE_QCOW2, GOLD_IMAGE_VMDK, GOLD_IMAGE_VDI, GOLD_IMAGE_VHDX};
    must_sh("truncate -s 8M base && qemu-io -f raw -c 'write -P 9 2M 1M' base && "
            "qemu-img create -f qcow2 -F raw -b base top && qemu-io -f qcow2 -c 'write -P 8 3M "
            "1M' top");
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        const char *name = gold_image_format_name(formats[i]);
        assert_int_equal(
            gold_image_convert(ctx, at("top"), GOLD_IMAGE_QCOW2, at(name), formats[i], &err),
            0);
        no_error(err);
        must_sh("qemu-img compare -f qcow2 -F %s top %s", name, name);
    }
    must_sh("test $(du -k raw | cut -f1) -lt 4000"); /* still sparse */
    assert_int_equal(
        gold_image_convert(ctx, at("top"), GOLD_IMAGE_QCOW2, at("raw"), GOLD_IMAGE_RAW, &err),
        -1);
    expect_error(&err, GOLD_ERROR_IO, "File exists");
    assert_int_equal(
        gold_image_convert(ctx, at("base"), GOLD_IMAGE_QCOW2, at("x"), GOLD_IMAGE_RAW, &err),
        -1);
    expect_error(&err, GOLD_ERROR_IO, "/x'");
    must_sh("test ! -e x");
    gold_context_free(ctx);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(create, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(create_refuses, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(busy_source, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(convert, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
