/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading QEMU's block statistics, from an answer of QEMU 7.2 and from ones that make no sense.
 */
#include "unit.h"

#include "hypervisor/monitor.h"

static const char answer_text[] =
    "[{\"device\":\"\",\"node-name\":\"libvirt-2-format\",\"qdev\":\"/machine/peripheral/"
    "virtio-disk10/virtio-backend\","
    "\"stats\":{\"rd_operations\":1,\"rd_merged\":0,\"rd_bytes\":2,\"wr_operations\":0,\"wr_"
    "merged\":0,\"wr_bytes\":0}},"
    "{\"node-name\":\"x\",\"stats\":{\"rd_operations\":77}},"
    "{\"device\":\"\",\"node-name\":\"libvirt-1-format\",\"qdev\":\"/machine/peripheral/"
    "virtio-disk1/virtio-backend\","
    "\"stats\":{\"rd_operations\":16377,\"rd_merged\":15347,\"rd_bytes\":8385024,\"wr_"
    "operations\":5,\"wr_merged\":2,"
    "\"wr_bytes\":4096}},"
    "{\"qdev\":\"/machine/peripheral/bad\",\"stats\":[]},"
    "{\"qdev\":\"/machine/peripheral/"
    "odd\",\"stats\":{\"rd_operations\":-3,\"rd_merged\":\"x\"}}]";

static void
test_find(void **state)
{
    json_t *answer = json_loads(answer_text, 0, NULL);
    struct gold_block_counters c;
    (void)state;

    assert_non_null(answer);
    assert_true(gold_block_counters_find(answer, "/machine/peripheral/virtio-disk1", &c));
    assert_int_equal(c.read_operations, 16377);
    assert_int_equal(c.read_merged, 15347);
    assert_int_equal(c.read_bytes, 8385024);
    assert_int_equal(c.write_operations, 5);
    assert_int_equal(c.write_merged, 2);
    assert_int_equal(c.write_bytes, 4096);
    assert_true(gold_block_counters_find(answer, "/machine/peripheral/odd", &c));
    assert_int_equal(c.read_operations, 0);
    assert_int_equal(c.read_merged, 0);
    assert_false(gold_block_counters_find(answer, "/machine/peripheral/virtio-disk", &c));
    assert_false(gold_block_counters_find(answer, "/machine/peripheral/bad", &c));
    json_decref(answer);
}

static void
test_nonsense(void **state)
{
    static const char *const texts[] = {"[]", "{}", "[1,null,\"x\",[],{}]",
                                        "[{\"qdev\":7,\"stats\":{}}]"};
    struct gold_block_counters c;
    (void)state;

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_t *answer = json_loads(texts[i], 0, NULL);

        assert_non_null(answer);
        assert_false(gold_block_counters_find(answer, "/machine", &c));
        json_decref(answer);
    }
    assert_false(gold_block_counters_find(NULL, "/machine", &c));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_nonsense)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
