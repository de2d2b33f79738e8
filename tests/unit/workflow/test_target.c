/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources are told apart by content, and what is neither image nor definition is refused by its
 * own name. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "core/replace.h"
#include "workflow/target.h"

static char dir[] = "/tmp/gold-target-XXXXXX";

static const char *
put(const char *name, const void *bytes, size_t len)
{
    static char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    assert_int_equal(gold_replace_file(path, bytes, len, 0, 0600, NULL), 0);
    return path;
}

static int
open_target(const char *path, const struct gold_image_options *opts, enum gold_target_use use,
            struct gold_target *t, struct gold_source_result *src, struct gold_error **err)
{
    struct gold_context *ctx = gold_context_new();
    assert_non_null(ctx);
    int r = gold_target_open(ctx, path, opts, use, t, src, err);
    gold_context_free(ctx);
    return r;
}

static void
refused(const char *path, const struct gold_image_options *opts, enum gold_target_use use,
        const char *says)
{
    GOLD_CLEANUP_TARGET struct gold_target t = {0};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    struct gold_source_result src = {0};
    assert_int_equal(open_target(path, opts, use, &t, &src, &err), -1);
    if (!strstr(gold_error_message(err), says))
        fail_msg("'%s' does not say '%s'", gold_error_message(err), says);
    gold_source_result_done(&src);
}

static void
test_containers(void **state)
{
    struct gold_image_options opts = {0};
    char tar[1024] = {0};
    (void)state;
    memcpy(tar + 257, "ustar", 5);
    refused(put("a.ova", tar, sizeof(tar)), &opts, GOLD_TARGET_READ, "tar archive");
    refused(put("a.gz", "\x1f\x8b\x08..............", 16), &opts, GOLD_TARGET_READ, "gzip");
    refused(put("a.zip", "PK\x03\x04............", 16), &opts, GOLD_TARGET_READ, "zip");
    refused("libvirt:web", &opts, GOLD_TARGET_READ, "libvirt:web");
    refused(dir, &opts, GOLD_TARGET_READ, "directory");
    /* Whoever says that it is raw gets what is asked for. */
    GOLD_CLEANUP_TARGET struct gold_target t = {0};
    struct gold_source_result src = {0};
    opts.format = "raw";
    assert_int_equal(
        open_target(put("a.ova", tar, sizeof(tar)), &opts, GOLD_TARGET_READ, &t, &src, NULL),
        0);
    assert_string_equal(src.kind, "image");
    assert_int_equal(t.n_images, 1);
    gold_source_result_done(&src);
}

static const char *
definition(const char *image, const char *extra)
{
    static char text[1024];
    (void)snprintf(
        text, sizeof(text),
        "<domain "
        "type='kvm'><name>n</name><memory>1048576</memory><os><type>hvm</type></os><devices>"
        "<disk type='file' device='cdrom'><target dev='sda'/><readonly/></disk>"
        "<disk type='file'><driver type='qcow2'/><source file='%s'/><target "
        "dev='vda'/></disk>%s"
        "</devices></domain>",
        image, extra);
    return text;
}

static void
test_definition(void **state)
{
    struct gold_image_options opts = {0};
    const char *text;
    (void)state;
    put("disk.qcow2", "QFI", 3);
    /* Relative to the definition; CD-ROMs are not looked at. */
    text = definition("disk.qcow2", "");
    const char *path = put("d.xml", text, strlen(text));
    {
        GOLD_CLEANUP_TARGET struct gold_target t = {0};
        struct gold_source_result src = {0};
        assert_int_equal(open_target(path, &opts, GOLD_TARGET_WRITE, &t, &src, NULL), 0);
        assert_string_equal(src.kind, "definition");
        assert_int_equal(t.n_images, 1);
        assert_string_equal(t.images[0].rules.format, "qcow2");
        assert_string_equal(t.disks[0]->target, "vda");
        gold_source_result_done(&src);
    }
    opts.images = GOLD_IMAGES_NO;
    {
        GOLD_CLEANUP_TARGET struct gold_target t = {0};
        struct gold_source_result src = {0};
        assert_int_equal(open_target(path, &opts, GOLD_TARGET_WRITE, &t, &src, NULL), 0);
        assert_int_equal(t.n_images, 0);
        gold_source_result_done(&src);
    }
    opts.images = GOLD_IMAGES_AUTO;
    text = definition("absent.qcow2", "");
    path = put("d.xml", text, strlen(text));
    refused(path, &opts, GOLD_TARGET_WRITE, "does not exist");
    opts.images = GOLD_IMAGES_REQUIRE;
    refused(path, &opts, GOLD_TARGET_READ, "absent.qcow2");
    opts.images = GOLD_IMAGES_AUTO;
    GOLD_CLEANUP_TARGET struct gold_target t = {0};
    struct gold_source_result src = {0};
    assert_int_equal(open_target(path, &opts, GOLD_TARGET_READ, &t, &src, NULL), 0);
    assert_int_equal(t.n_images, 0);
    gold_source_result_done(&src);
    text = definition(
        "disk.qcow2",
        "<disk type='network'><source protocol='rbd' name='p'/><target dev='vdb'/></disk>");
    refused(put("d.xml", text, strlen(text)), &opts, GOLD_TARGET_WRITE, "not an image file");
}

static int
setup(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    return gold_remove_tree(dir, NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_definition),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
