/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choosing the accelerator: wishes, the calibration boot itself, and its cache. */
#include "unit.h"

#include "qemu/accel.h"
#include "qemu/accel_internal.h"
#include "scratch.h"

static unsigned infos;

static void
count_info(void *opaque, enum gold_log_level level, const char *message)
{
    (void)opaque;
    if (level == GOLD_LOG_INFO && strstr(message, "emulation"))
        infos++;
}

static void
names(void **state)
{
    (void)state;
    assert_string_equal(gold_accel_name(GOLD_ACCEL_KVM), "kvm");
    assert_string_equal(gold_accel_name(GOLD_ACCEL_TCG), "tcg");
}

static void
binary(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    char *path = NULL;
    assert_int_equal(gold_qemu_binary(&path, &err), 0);
    no_error(err);
    assert_int_equal(access(path, X_OK), 0);
    free(path);
}

static void
wish_for_tcg(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    enum gold_accel accel = GOLD_ACCEL_AUTO;
    infos = 0;
    gold_context_set_accel(ctx, GOLD_ACCEL_TCG);
    gold_context_set_log(ctx, count_info, NULL, GOLD_LOG_DEBUG);
    assert_int_equal(gold_accel_decide(ctx, &accel, &err), 0);
    assert_int_equal(accel, GOLD_ACCEL_TCG);
    assert_int_equal(infos, 0); /* as wished: nothing to tell */
    gold_context_free(ctx);
}

/* The sector runs to its end where a machine works, and does not where it does not. */
static void
calibration(void **state)
{
    (void)state;
    struct gold_context *ctx = new_context();
    struct gold_error *err = NULL;
    char *qemu = NULL;
    bool works = false;
    if (!gold_calibration_sector()) {
        print_message("no boot sector for this architecture\n");
        gold_context_free(ctx);
        skip();
    }
    assert_int_equal(gold_qemu_binary(&qemu, &err), 0);
    assert_int_equal(gold_calibrate(ctx, qemu, "tcg", &works, &err), 0);
    no_error(err);
    assert_true(works);
    assert_int_equal(gold_calibrate(ctx, qemu, "no-such-accelerator", &works, &err), 0);
    assert_false(works);
    assert_int_equal(gold_calibrate(ctx, "/bin/true", "tcg", &works, &err), 0);
    assert_false(works);
    write_bytes("hang", "#!/bin/sh\nexec sleep 60\n", 24);
    must_sh("chmod +x hang");
    assert_int_equal(gold_calibrate(ctx, at("hang"), "tcg", &works, &err), 0);
    assert_false(works);
    free(qemu);
    gold_context_free(ctx);
}

static void
decided_once_per_boot(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    enum gold_accel first = GOLD_ACCEL_AUTO, second = GOLD_ACCEL_AUTO;
    infos = 0;
    struct gold_context *ctx = new_context();
    gold_context_set_log(ctx, count_info, NULL, GOLD_LOG_DEBUG);
    assert_int_equal(gold_accel_decide(ctx, &first, &err), 0);
    no_error(err);
    assert_true(first == GOLD_ACCEL_KVM || first == GOLD_ACCEL_TCG);
    assert_int_equal(gold_accel_decide(ctx, &second, &err), 0);
    assert_int_equal(second, first);
    assert_int_equal(infos, first == GOLD_ACCEL_TCG); /* one line, not two */
    gold_context_free(ctx);
    if (access(at("cache/accel/decision"), R_OK) < 0) {
        print_message("/dev/kvm cannot be opened: nothing is cached\n");
        return;
    }
    /* What the cache says is believed... */
    must_sh("sed -i 's/^tcg$/kvm/' cache/accel/decision && grep -qx kvm cache/accel/decision");
    ctx = new_context();
    gold_context_set_accel(ctx, GOLD_ACCEL_KVM);
    assert_int_equal(gold_accel_decide(ctx, &second, &err), 0);
    assert_int_equal(second, GOLD_ACCEL_KVM);
    gold_context_free(ctx);
    must_sh("sed -i 's/^kvm$/tcg/' cache/accel/decision");
    ctx = new_context();
    gold_context_set_accel(ctx, GOLD_ACCEL_KVM);
    assert_int_equal(gold_accel_decide(ctx, &second, &err), -1);
    expect_hint(err, "emulation");
    expect_error(&err, GOLD_ERROR_HYPERVISOR, "KVM cannot be used");
    gold_context_free(ctx);
    /* ... but not one of another boot, nor a torn one. */
    must_sh("sed -i '1s/./X/; s/^tcg$/kvm/' cache/accel/decision");
    ctx = new_context();
    assert_int_equal(gold_accel_decide(ctx, &second, &err), 0);
    assert_int_equal(second, first);
    gold_context_free(ctx);
    must_sh("! grep -q ^X cache/accel/decision");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(binary),
        cmocka_unit_test_setup_teardown(wish_for_tcg, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(calibration, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(decided_once_per_boot, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
