/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The embedded driver's root: configuration, capability cache in both directions, and a root
 * that is made again. */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io.h"
#include "hypervisor/embedded.h"

struct place {
    char dir[32];
    struct gold_context *ctx;
    char *cache, *root;
};

static int
setup(void **state)
{
    struct place *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    (void)snprintf(p->dir, sizeof(p->dir), "/tmp/gold-test-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    p->ctx = gold_context_new();
    p->cache = gold_path_join(p->dir, "cache", NULL);
    p->root = gold_path_join(p->dir, "h", NULL);
    assert_int_equal(gold_context_set_cache_dir(p->ctx, p->cache), 0);
    assert_int_equal(gold_context_set_tmp_dir(p->ctx, p->dir), 0);
    assert_int_equal(gold_context_set_libexec_dir(p->ctx, GOLD_TEST_LIBEXEC), 0);
    *state = p;
    return 0;
}

static int
teardown(void **state)
{
    struct place *p = *state;

    gold_context_free(p->ctx);
    assert_int_equal(gold_remove_tree(p->dir, NULL), 0);
    free(p->cache);
    free(p->root);
    free(p);
    return 0;
}

static void
test_conf(void **state)
{
    struct gold_qemu_user user = {.other = true, .uid = 4711, .gid = 4712};
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;
    (void)state;

    assert_int_equal(gold_embedded_conf(&user, &s, NULL), 0);
    assert_non_null(strstr(s.data, "dynamic_ownership = 0\n"));
    assert_non_null(strstr(s.data, "remember_owner = 0\n"));
    assert_non_null(strstr(s.data, "security_driver = \"none\"\n"));
    assert_non_null(strstr(s.data, "namespaces = []\n"));
    if (geteuid() == 0)
        assert_non_null(strstr(s.data, "user = \"+4711\"\ngroup = \"+4712\"\n"));
    else
        assert_null(strstr(s.data, "user ="));
}

static void
write_text(const char *dir, const char *name, const char *text)
{
    GOLD_CLEANUP_FREE char *path = gold_path_join(dir, name, NULL);
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static bool
has_text(const char *dir, const char *name, const char *text)
{
    GOLD_CLEANUP_FREE char *path = gold_path_join(dir, name, NULL), *got = NULL;

    return gold_read_file(path, 1000, &got, NULL, NULL) == 0 && strcmp(got, text) == 0;
}

static void
test_capabilities(void **state)
{
    struct place *p = *state;
    struct gold_qemu_user user = {.uid = geteuid(), .gid = getegid()};
    GOLD_CLEANUP_FREE char *kept = NULL,
                           *inside = gold_path_join(p->root, "cache/qemu/capabilities", NULL);

    /* Nothing there yet is no failure. */
    gold_embedded_save_capabilities(p->ctx, p->root);
    assert_int_equal(gold_context_cache_subdir(p->ctx, "libvirt-capabilities", &kept, NULL), 0);
    write_text(kept, "a.xml", "<a/>");
    write_text(kept, "b.txt", "no");
    assert_int_equal(gold_embedded_prepare(p->ctx, p->root, &user, false, NULL), 0);
    assert_true(has_text(inside, "a.xml", "<a/>"));
    assert_false(has_text(inside, "b.txt", "no"));

    write_text(inside, "a.xml", "<aa/>");
    write_text(inside, "c.xml", "<c/>");
    gold_embedded_save_capabilities(p->ctx, p->root);
    assert_true(has_text(kept, "a.xml", "<aa/>"));
    assert_true(has_text(kept, "c.xml", "<c/>"));
}

static void
test_root(void **state)
{
    struct place *p = *state;
    struct gold_qemu_user user = {.uid = geteuid(), .gid = getegid()};
    GOLD_CLEANUP_FREE char *conf = gold_path_join(p->root, "etc/qemu.conf", NULL);
    GOLD_CLEANUP_FREE char *lib = gold_path_join(p->root, "lib/qemu/channel/target", NULL);
    struct stat st;

    assert_int_equal(gold_embedded_prepare(p->ctx, p->root, &user, false, NULL), 0);
    assert_int_equal(stat(p->root, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0711);
    assert_int_equal(access(conf, R_OK), 0);
    assert_int_equal(access(lib, F_OK), -1);

    assert_int_equal(gold_remove_tree(p->root, NULL), 0);
    assert_int_equal(gold_embedded_prepare(p->ctx, p->root, &user, true, NULL), 0);
    assert_int_equal(access(conf, R_OK), 0);
    assert_int_equal(access(lib, F_OK), 0);
}

/* Somebody else's directory, or no directory, under a name that others know is not used. */
static void
test_foreign_root(void **state)
{
    struct place *p = *state;
    struct gold_qemu_user user = {.uid = geteuid(), .gid = getegid()};
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;

    assert_int_equal(symlink("/tmp", p->root), 0);
    assert_int_equal(gold_embedded_prepare(p->ctx, p->root, &user, false, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_IO);
    assert_int_equal(unlink(p->root), 0);
    if (geteuid() != 0)
        return;
    gold_error_clear(&err);
    assert_int_equal(mkdir(p->root, 0777), 0);
    assert_int_equal(chown(p->root, 4711, 4711), 0);
    assert_int_equal(gold_embedded_prepare(p->ctx, p->root, &user, false, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "not a directory of ours"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conf),
        cmocka_unit_test_setup_teardown(test_capabilities, setup, teardown),
        cmocka_unit_test_setup_teardown(test_root, setup, teardown),
        cmocka_unit_test_setup_teardown(test_foreign_root, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
