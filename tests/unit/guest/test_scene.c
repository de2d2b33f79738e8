/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be asked of a guest and changed in it: on one writable phony guest with traps in it.
 */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>

#include "guest/phony.h"
#include "guest/scene.h"

static const struct phony_file traps[] = {
    {.path = "/etc/conf/a.conf", .bytes = "one\n", .mode = 0640},
    {.path = "/etc/conf/b.conf", .bytes = "two\n"},
    {.path = "/etc/conf/sub.conf/"},
    {.path = "/etc/conf/link.conf", .link = "a.conf"},
    {.path = "/etc/conf/loop", .link = "loop"},
    {.path = "/etc/conf/dangling", .link = "/nowhere"},
    {.path = "/etc/conf/empty", .bytes = ""},
    {.path = "/srv/log/keep/x", .bytes = "x"},
    {.path = "/srv/log/drop/x", .bytes = "x"},
    {.path = "/var/log", .link = "/srv/log"}, /* absolute: must stay in the guest */
    {.path = "/etc/units/a.service", .bytes = "x"},
    {.path = "/etc/units/readme", .bytes = "x"},
    {0},
};

static char *image;
static struct gold_context *ctx;
static struct gold_session *session;
static struct gold_source_result result;
static struct gold_scene scene;
static struct gold_error *err;

static int
setup(void **state)
{
    (void)state;
    image = phony_create("scene.raw", NULL,
                         (const struct phony_file *const[]){phony_debian, traps, NULL});
    ctx = phony_context();
    session = phony_session(ctx, false, (const char *const[]){image}, 1);
    assert_int_equal(guestfs_mount(gold_session_handle(session), "/dev/sda", "/"), 0);
    scene = (struct gold_scene){.ctx = ctx,
                                .session = session,
                                .g = gold_session_handle(session),
                                .writable = true,
                                .entry = "test",
                                .src = &result};
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    assert_int_equal(gold_session_close(session, NULL), 0);
    gold_source_result_done(&result);
    gold_scene_done(&scene);
    gold_context_free(ctx);
    free(image);
    phony_cleanup();
    return 0;
}

static const struct gold_effect *
last_effect(void)
{
    assert_true(result.n_effects > 0);
    return &result.effects[result.n_effects - 1];
}

static void
expect_effect(const char *path, const char *action)
{
    assert_string_equal(last_effect()->path, path);
    assert_string_equal(last_effect()->action, action);
    assert_string_equal(last_effect()->operation, "test");
}

static void
questions(void **state)
{
    (void)state;
    assert_int_equal(gold_scene_is_file(&scene, "/etc/conf/link.conf", &err), 1);
    assert_int_equal(gold_scene_is_file(&scene, "/etc/conf", &err), 0);
    assert_int_equal(gold_scene_is_file(&scene, "/etc/conf/none", &err), 0);
    assert_int_equal(gold_scene_is_file(&scene, "/etc/conf/loop", &err), 0);
    assert_int_equal(gold_scene_is_dir(&scene, "/var/log", &err), 1); /* through a symlink */
    assert_int_equal(gold_scene_is_dir(&scene, "/etc/conf/a.conf", &err), 0);
    assert_int_equal(gold_scene_is_dir(&scene, "/etc/conf/a.conf/below", &err), 0);
    assert_int_equal(gold_scene_is_dir(&scene, "/none", &err), 0);
    assert_int_equal(gold_scene_is_symlink(&scene, "/var/log", &err), 1);
    assert_int_equal(gold_scene_is_symlink(&scene, "/etc/conf", &err), 0);
    assert_int_equal(gold_scene_is_symlink(&scene, "/none", &err), 0);
    assert_int_equal(gold_scene_exists(&scene, "/var/log/keep/x", &err), 1);
    assert_int_equal(gold_scene_exists(&scene, "/etc/conf/dangling", &err), 0);
    assert_null(err);
    char *target = NULL;
    assert_int_equal(gold_scene_readlink(&scene, "/etc/conf/dangling", &target, &err), 0);
    assert_string_equal(target, "/nowhere");
    free(target);
    assert_int_equal(gold_scene_readlink(&scene, "/etc/conf/a.conf", &target, &err), 0);
    assert_null(target);
}

static void
globbing(void **state)
{
    (void)state;
    struct gold_strv found = {0};
    assert_int_equal(gold_scene_glob(&scene, "/etc/conf/*.conf", &found, &err), 0);
    assert_int_equal(found.n, 3); /* without the directory, sorted */
    assert_string_equal(found.items[0], "/etc/conf/a.conf");
    assert_string_equal(found.items[1], "/etc/conf/b.conf");
    assert_string_equal(found.items[2], "/etc/conf/link.conf");
    gold_strv_done(&found);
    assert_int_equal(gold_scene_glob(&scene, "/no/such/*", &found, &err), 0);
    assert_int_equal(found.n, 0);
    gold_strv_done(&found);
}

static void
reading(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len = 9;
    assert_int_equal(gold_scene_read(&scene, "/etc/conf/link.conf", &text, &len, &err), 0);
    assert_string_equal(text, "one\n");
    assert_int_equal(len, 4);
    free(text);
    assert_int_equal(gold_scene_read(&scene, "/etc/conf/empty", &text, &len, &err), 0);
    assert_string_equal(text, "");
    assert_int_equal(len, 0);
    free(text);
    static const char *const absent[] = {
        "/none",     "/etc/conf/loop",     "/etc/conf/dangling",
        "/etc/conf", "/etc/conf/a.conf/x", "/etc/conf/fifo"};
    assert_int_equal(guestfs_mkfifo(scene.g, 0644, "/etc/conf/fifo"), 0);
    for (size_t i = 0; i < 6; i++) {
        text = (char *)absent;
        assert_int_equal(gold_scene_read(&scene, absent[i], &text, &len, &err), 0);
        assert_null(text);
    }
    /* Larger than the limit: refused by its size, not by reading it. */
    assert_int_equal(guestfs_truncate_size(scene.g, "/etc/conf/empty", (int64_t)1 << 40), 0);
    assert_int_equal(gold_scene_read(&scene, "/etc/conf/empty", &text, &len, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    assert_non_null(strstr(gold_error_message(err), "'/etc/conf/empty'"));
    gold_error_clear(&err);
    /* Just at it. */
    assert_int_equal(guestfs_truncate_size(scene.g, "/etc/conf/empty", 8 << 20), 0);
    assert_int_equal(gold_scene_read(&scene, "/etc/conf/empty", &text, &len, &err), 0);
    assert_int_equal(len, 8 << 20);
    free(text);
}

static void
removing(void **state)
{
    (void)state;
    size_t n = result.n_effects;
    assert_int_equal(gold_scene_remove(&scene, "/none", NULL, &err), 0);
    assert_int_equal(gold_scene_remove(&scene, "/none/below", NULL, &err), 0);
    assert_int_equal(gold_scene_remove_tree(&scene, "/none", NULL, &err), 0);
    assert_int_equal(result.n_effects, n); /* nothing was there: nothing happened */
    assert_int_equal(gold_scene_remove(&scene, "/etc/conf/b.conf", "why", &err), 0);
    expect_effect("/etc/conf/b.conf", "removed");
    assert_string_equal(last_effect()->detail, "why");
    assert_int_equal(guestfs_exists(scene.g, "/etc/conf/b.conf"), 0);
    /* Its blocks do not keep what was in it, unless another name needs it. */
    assert_int_equal(
        gold_scene_create(&scene, "/etc/key", "wiped-before-it-went", 20, 0600, NULL, &err), 0);
    assert_int_equal(gold_scene_create(&scene, "/etc/shared", "shared", 6, 0600, NULL, &err),
                     0);
    assert_int_equal(guestfs_ln(scene.g, "/etc/shared", "/etc/shared2"), 0);
    assert_int_equal(guestfs_sync(scene.g), 0);
    phony_run("grep -qa wiped-before-it-went '%s'", image);
    assert_int_equal(gold_scene_remove(&scene, "/etc/key", NULL, &err), 0);
    assert_int_equal(gold_scene_remove(&scene, "/etc/shared", NULL, &err), 0);
    assert_int_equal(guestfs_sync(scene.g), 0);
    phony_run("! grep -qa wiped-before-it-went '%s'", image);
    char *kept = guestfs_cat(scene.g, "/etc/shared2");
    assert_string_equal(kept, "shared");
    free(kept);
    /* A symlink itself, not what it leads to. */
    assert_int_equal(gold_scene_remove(&scene, "/etc/conf/link.conf", NULL, &err), 0);
    assert_int_equal(guestfs_exists(scene.g, "/etc/conf/a.conf"), 1);
    assert_int_equal(gold_scene_remove(&scene, "/etc/conf/sub.conf", NULL, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_GUEST);
    gold_error_clear(&err);
    assert_int_equal(gold_scene_remove_tree(&scene, "/var/log/drop", NULL, &err), 0);
    expect_effect("/var/log/drop", "removed");
    assert_int_equal(guestfs_exists(scene.g, "/srv/log/drop"), 0);
    assert_int_equal(guestfs_exists(scene.g, "/srv/log/keep/x"), 1);
}

static void
rewriting(void **state)
{
    (void)state;
    assert_int_equal(guestfs_chown(scene.g, 7, 8, "/etc/conf/a.conf"), 0);
    assert_int_equal(guestfs_lsetxattr(scene.g, "user.mine", "v", 1, "/etc/conf/a.conf"), 0);
    struct guestfs_statns *before = guestfs_lstatns(scene.g, "/etc/conf/a.conf");
    assert_int_equal(
        gold_scene_rewrite(&scene, "/etc/conf/a.conf", "new", 3, "edited", "what", &err), 0);
    expect_effect("/etc/conf/a.conf", "edited");
    struct guestfs_statns *after = guestfs_lstatns(scene.g, "/etc/conf/a.conf");
    assert_int_equal(before->st_ino, after->st_ino);
    assert_int_equal(before->st_mode, after->st_mode);
    assert_int_equal(after->st_uid, 7);
    assert_int_equal(after->st_gid, 8);
    assert_int_equal(after->st_size, 3);
    guestfs_free_statns(before);
    guestfs_free_statns(after);
    size_t len = 0;
    char *value = guestfs_lgetxattr(scene.g, "/etc/conf/a.conf", "user.mine", &len);
    assert_non_null(value);
    free(value);
    assert_int_equal(
        gold_scene_rewrite(&scene, "/etc/conf/a.conf", "", 0, "truncated", NULL, &err), 0);
    expect_effect("/etc/conf/a.conf", "truncated");
    assert_int_equal(guestfs_filesize(scene.g, "/etc/conf/a.conf"), 0);
    assert_true(gold_strv_contains(&scene.touched, "/etc/conf/a.conf"));
    static const char *const wrong[] = {"/none", "/etc/conf", "/etc/conf/fifo", "relative"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gold_scene_rewrite(&scene, wrong[i], "x", 1, "edited", NULL, &err),
                         -1);
        gold_error_clear(&err);
    }
}

static void
creating(void **state)
{
    (void)state;
    assert_int_equal(gold_scene_create(&scene, "/new/dir/key", "secret", 6, 0600, NULL, &err),
                     0);
    expect_effect("/new/dir/key", "created");
    struct guestfs_statns *st = guestfs_lstatns(scene.g, "/new/dir/key");
    assert_int_equal(st->st_mode & 07777, 0600);
    assert_int_equal(st->st_uid, 0);
    guestfs_free_statns(st);
    st = guestfs_lstatns(scene.g, "/new/dir");
    assert_int_equal(st->st_mode & 07777, 0755);
    guestfs_free_statns(st);
    assert_true(gold_strv_contains(&scene.touched, "/new") &&
                gold_strv_contains(&scene.touched, "/new/dir"));
    assert_int_equal(gold_scene_create(&scene, "/new/dir/key", "", 0, 0644, NULL, &err), 0);
    expect_effect("/new/dir/key", "edited");
    assert_int_equal(guestfs_filesize(scene.g, "/new/dir/key"), 0);
    /* A symlink in the way is replaced, not written through. */
    assert_int_equal(gold_scene_create(&scene, "/etc/conf/dangling", "x", 1, 0644, NULL, &err),
                     0);
    assert_int_equal(guestfs_exists(scene.g, "/nowhere"), 0);
    assert_int_equal(guestfs_is_symlink(scene.g, "/etc/conf/dangling"), 0);
    assert_int_equal(gold_scene_create(&scene, "/etc/conf", "x", 1, 0644, NULL, &err), -1);
    gold_error_clear(&err);

    assert_int_equal(gold_scene_symlink(&scene, "/target", "/var/log/new/link", NULL, &err), 0);
    expect_effect("/var/log/new/link", "linked");
    char *target = guestfs_readlink(scene.g, "/srv/log/new/link");
    assert_string_equal(target, "/target");
    free(target);
    size_t n = result.n_effects;
    assert_int_equal(gold_scene_symlink(&scene, "/target", "/var/log/new/link", NULL, &err), 0);
    assert_int_equal(result.n_effects, n); /* it is that already */
    assert_int_equal(gold_scene_symlink(&scene, "/other", "/var/log/new/link", NULL, &err), 0);
    target = guestfs_readlink(scene.g, "/srv/log/new/link");
    assert_string_equal(target, "/other");
    free(target);
    assert_int_equal(gold_scene_symlink(&scene, "/other", "/etc/conf", NULL, &err), -1);
    gold_error_clear(&err);
}

static void
read_only(void **state)
{
    (void)state;
    scene.writable = false;
    size_t n = result.n_effects;
    assert_int_equal(gold_scene_remove(&scene, "/etc/hostname", NULL, &err), -1);
    assert_non_null(strstr(gold_error_message(err), "'/etc/hostname'"));
    gold_error_clear(&err);
    assert_int_equal(gold_scene_remove_tree(&scene, "/etc", NULL, NULL), -1);
    assert_int_equal(gold_scene_rewrite(&scene, "/etc/hostname", "x", 1, "edited", NULL, NULL),
                     -1);
    assert_int_equal(gold_scene_create(&scene, "/x", "x", 1, 0644, NULL, NULL), -1);
    assert_int_equal(gold_scene_symlink(&scene, "/x", "/y", NULL, NULL), -1);
    assert_int_equal(result.n_effects, n);
    assert_int_equal(guestfs_exists(scene.g, "/etc/hostname"), 1);
    scene.writable = true;
}

static void
finding(void **state)
{
    (void)state;
    assert_int_equal(gold_scene_find(&scene, "some-id", GOLD_WARNING, GOLD_FIX_SAFE, "/etc/x",
                                     7, "proof", &err, "%s is %d", "it", 5),
                     0);
    const struct gold_finding *f = &result.findings[result.n_findings - 1];
    assert_string_equal(f->id, "some-id");
    assert_string_equal(f->message, "it is 5");
    assert_string_equal(f->file, "/etc/x");
    assert_string_equal(f->evidence, "proof");
    assert_int_equal(f->line, 7);
    assert_int_equal(f->severity, GOLD_WARNING);
    assert_int_equal(f->fix, GOLD_FIX_SAFE);
}

static void
set_label(const char *path, const char *label)
{
    assert_int_equal(
        guestfs_lsetxattr(scene.g, "security.selinux", label, (int)strlen(label) + 1, path), 0);
}

static void
expect_label(const char *path, const char *expected)
{
    size_t len = 0;
    char *label = guestfs_lgetxattr(scene.g, path, "security.selinux", &len);
    if (expected)
        assert_string_equal(label, expected);
    else
        assert_null(label);
    free(label);
}

static void
labels(void **state)
{
    (void)state;
    struct gold_root root = {.selinux = false};
    gold_strv_done(&scene.touched);
    scene.root = &root;
    set_label("/etc", "etc_t");
    set_label("/etc/units", "dir_t");
    set_label("/etc/units/a.service", "unit_t");
    assert_int_equal(
        gold_scene_create(&scene, "/etc/units/b.service", "x", 1, 0644, NULL, &err), 0);
    assert_int_equal(
        gold_scene_create(&scene, "/etc/units/new.d/x.conf", "x", 1, 0644, NULL, &err), 0);
    assert_int_equal(gold_scene_create(&scene, "/unlabelled/x", "x", 1, 0644, NULL, &err), 0);
    assert_int_equal(
        gold_scene_rewrite(&scene, "/etc/units/a.service", "y", 1, "edited", NULL, &err), 0);
    assert_int_equal(gold_scene_create(&scene, "/etc/units/gone", "x", 1, 0644, NULL, &err), 0);
    assert_int_equal(gold_scene_remove(&scene, "/etc/units/gone", NULL, &err), 0);
    assert_int_equal(gold_scene_label(&scene, &err), 0);
    expect_label("/etc/units/b.service", NULL); /* SELinux is off there */
    root.selinux = true;
    assert_int_equal(gold_scene_label(&scene, &err), 0);
    expect_label("/etc/units/a.service", "unit_t");
    expect_label("/etc/units/b.service", "unit_t");
    expect_label("/etc/units/new.d", "dir_t");
    expect_label("/etc/units/new.d/x.conf", "dir_t");
    expect_label("/unlabelled/x", NULL);
    scene.root = NULL;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions), cmocka_unit_test(globbing),  cmocka_unit_test(reading),
        cmocka_unit_test(removing),  cmocka_unit_test(rewriting), cmocka_unit_test(creating),
        cmocka_unit_test(read_only), cmocka_unit_test(finding),   cmocka_unit_test(labels),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
