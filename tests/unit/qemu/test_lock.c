/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks: QEMU and we must see each other, in both directions. */
#include "unit.h"

#include "qemu/lock.h"
#include "scratch.h"

static int
open_image(int flags)
{
    int fd = open(at("q.qcow2"), flags | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void
hold_in_background(const char *options)
{
    must_sh("(qemu-io %s -f qcow2 -c 'sleep 60000' q.qcow2 & echo $! > pid); sleep 0.5",
            options);
}

static void
end_background(void)
{
    must_sh("kill $(cat pid); while kill -0 $(cat pid); do sleep 0.05; done");
}

static void
we_see_qemu(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 q.qcow2 1M");
    int fd = open_image(O_RDWR);
    assert_int_equal(gold_lock_probe(fd, "q.qcow2", GOLD_LOCK_WRITE, &err), 0);
    hold_in_background("");
    assert_int_equal(gold_lock_probe(fd, "q.qcow2", GOLD_LOCK_READ, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "running VM");
    assert_int_equal(gold_lock_probe(fd, "q.qcow2", GOLD_LOCK_WRITE, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "running VM");
    assert_int_equal(gold_lock_take_over(fd, "q.qcow2", 100, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "q.qcow2");
    end_background();
    /* Read by somebody, as a clone reads its template: fine to read, not to write. */
    hold_in_background("-r");
    assert_int_equal(gold_lock_probe(fd, "q.qcow2", GOLD_LOCK_READ, &err), 0);
    assert_int_equal(gold_lock_probe(fd, "q.qcow2", GOLD_LOCK_WRITE, &err), -1);
    expect_hint(err, "-o");
    expect_error(&err, GOLD_ERROR_BUSY, "backing file");
    end_background();
    assert_int_equal(gold_lock_probe(fd, "q.qcow2", GOLD_LOCK_WRITE, &err), 0);
    close(fd);
}

static void
qemu_sees_us(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 q.qcow2 1M && qemu-img create -f qcow2 -F qcow2 -b "
            "q.qcow2 o.qcow2");
    int fd = open_image(O_RDWR);
    assert_int_equal(gold_lock_hold(fd, "q.qcow2", GOLD_LOCK_WRITE, &err), 0);
    no_error(err);
    assert_false(sh("qemu-io -f qcow2 -c 'write 0 1k' q.qcow2"));
    assert_true(said("lock"));
    /* Our own tools read it, and write overlays over it. */
    must_sh("qemu-io -r -f qcow2 -c 'read 0 1k' q.qcow2 && qemu-io -f qcow2 -c 'write 0 1k' "
            "o.qcow2");
    gold_lock_release_to_qemu(fd);
    must_sh("qemu-img commit -f qcow2 -d o.qcow2");
    close(fd);
}

static void
goldsmiths_see_each_other(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 q.qcow2 1M");
    int a = open_image(O_RDONLY), b = open_image(O_RDONLY), w = open_image(O_RDWR);
    assert_int_equal(gold_lock_hold(a, "q.qcow2", GOLD_LOCK_READ, &err), 0);
    assert_int_equal(gold_lock_hold(b, "q.qcow2", GOLD_LOCK_READ, &err), 0);
    assert_int_equal(gold_lock_hold(w, "q.qcow2", GOLD_LOCK_WRITE, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "another goldsmith");
    close(a);
    close(b);
    close(w);
    w = open_image(O_RDWR);
    assert_int_equal(gold_lock_hold(w, "q.qcow2", GOLD_LOCK_WRITE, &err), 0);
    a = open_image(O_RDWR);
    assert_int_equal(gold_lock_hold(a, "q.qcow2", GOLD_LOCK_READ, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "another goldsmith");
    gold_lock_release_to_qemu(w); /* lets QEMU in, but no goldsmith */
    assert_int_equal(gold_lock_take_over(a, "q.qcow2", 0, &err), -1);
    expect_error(&err, GOLD_ERROR_BUSY, "another goldsmith");
    close(w);
    assert_int_equal(gold_lock_take_over(a, "q.qcow2", 0, &err), 0);
    close(a);
}

static void
waits_for_the_end(void **state)
{
    (void)state;
    struct gold_error *err = NULL;
    must_sh("qemu-img create -f qcow2 q.qcow2 1M");
    hold_in_background("");
    must_sh("(sleep 0.7; kill $(cat pid)) & true");
    int fd = open_image(O_RDWR);
    assert_int_equal(gold_lock_take_over(fd, "q.qcow2", 10000, &err), 0);
    no_error(err);
    close(fd);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(we_see_qemu, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(qemu_sees_us, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(goldsmiths_see_each_other, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(waits_for_the_end, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
