/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs operations over phony guests; see bench.h. */
#include "unit.h"

#include "guest/bench.h"

#include <stdio.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/str.h"

struct picture {
    char *path, *traits, *content; /* traits: what an edit must keep */
};
static struct {
    struct gold_context *ctx;
    struct gold_session *session;
    struct gold_guest *guest;
    struct gold_source_result src;
    struct gold_scene sc;
    struct picture *pictures;
    size_t n_pictures;
    size_t first_effect;
} bench;

static void
check(int r, struct gold_error *const *err)
{
    if (r < 0)
        fail_msg("%s: %s", bench.sc.entry ? bench.sc.entry : "start",
                 *err ? gold_error_message(*err) : "no error was set");
}

void
bench_open(const char *const *images, size_t n)
{
    struct gold_error *err = NULL;
    bench.ctx = phony_context();
    bench.session = phony_session(bench.ctx, false, images, n);
    bench.guest = gold_guest_inspect(bench.session, &err);
    check(bench.guest ? 0 : -1, &err);
}

void
bench_close(void)
{
    gold_guest_free(bench.guest);
    gold_session_free(bench.session);
    gold_context_free(bench.ctx);
    phony_cleanup();
}

struct gold_scene *
bench_scene(void)
{
    return &bench.sc;
}

void
bench_enter(const char *root_device, enum gold_machine_id wish)
{
    struct gold_error *err = NULL;
    const struct gold_root *root = gold_guest_choose_root(bench.guest, root_device, &err);
    check(root ? 0 : -1, &err);
    assert_int_equal(guestfs_umount_all(gold_session_handle(bench.session)), 0);
    check(gold_guest_mount(bench.session, root, false, &err), &err);
    bench.sc = (struct gold_scene){.ctx = bench.ctx,
                                   .session = bench.session,
                                   .g = gold_session_handle(bench.session),
                                   .guest = bench.guest,
                                   .root = root,
                                   .machine_id = wish,
                                   .writable = true,
                                   .src = &bench.src};
}

static void
forget_pictures(void)
{
    for (size_t i = 0; i < bench.n_pictures; i++) {
        free(bench.pictures[i].path);
        free(bench.pictures[i].traits);
        free(bench.pictures[i].content);
    }
    free(bench.pictures);
    bench.pictures = NULL;
    bench.n_pictures = 0;
}

void
bench_leave(void)
{
    gold_scene_done(&bench.sc);
    gold_source_result_done(&bench.src);
    bench.src = (struct gold_source_result){0};
    forget_pictures();
}

static char *
finish(struct gold_str *s)
{
    char *text = gold_str_steal(s, NULL, NULL);
    assert_non_null(text);
    return text;
}

static bool
may_report(const struct gold_operation *op, const char *id)
{
    for (const char *const *known = op->finding_ids; *known; known++)
        if (strcmp(*known, id) == 0)
            return true;
    return false;
}

char *
bench_verify(void)
{
    struct gold_str out = GOLD_STR_INIT;
    struct gold_source_result found = {0};
    bench.sc.src = &found;
    bench.sc.writable = false; /* a verify that writes fails */
    for (size_t i = 0; gold_operations[i]; i++) {
        struct gold_error *err = NULL;
        size_t before = found.n_findings;
        bench.sc.entry = gold_operations[i]->about.name;
        check(gold_operations[i]->verify(&bench.sc, &err), &err);
        for (size_t k = before; k < found.n_findings; k++) {
            const struct gold_finding *f = &found.findings[k];
            assert_true(may_report(gold_operations[i], f->id));
            assert_null(strchr(f->message, '\n'));
            gold_str_printf(&out, "%s %s %s %s:%u\n", f->id, gold_severity_name(f->severity),
                            gold_fix_name(f->fix), f->file ? f->file : "-", f->line);
        }
    }
    assert_int_equal(found.n_effects, 0);
    gold_source_result_done(&found);
    bench.sc.src = &bench.src;
    bench.sc.writable = true;
    return finish(&out);
}

char *
bench_run(const char *only)
{
    struct gold_str out = GOLD_STR_INIT;
    for (size_t i = 0; gold_operations[i]; i++) {
        const struct gold_operation *op = gold_operations[i];
        struct gold_error *err = NULL;
        char *reason = NULL;
        size_t before = bench.src.n_effects;
        if (only && strcmp(op->about.name, only) != 0)
            continue;
        bench.sc.entry = op->about.name;
        int applies = op->applies(&bench.sc, &reason, &err);
        check(applies, &err);
        assert_int_equal(applies == 0, reason != NULL);
        assert_int_equal(bench.src.n_effects, before); /* asking changes nothing */
        free(reason);
        if (!applies)
            continue;
        check(op->run(&bench.sc, &err), &err);
        for (size_t k = before; k < bench.src.n_effects; k++)
            gold_str_printf(&out, "%s %s %s\n", bench.src.effects[k].operation,
                            bench.src.effects[k].action, bench.src.effects[k].path);
    }
    return finish(&out);
}

static char *
list_xattrs(const char *path)
{
    struct gold_str out = GOLD_STR_INIT;
    struct guestfs_xattr_list *list = guestfs_lgetxattrs(bench.sc.g, path);
    for (uint32_t i = 0; list && i < list->len; i++)
        gold_str_printf(&out, "%s=%.*s;", list->val[i].attrname, (int)list->val[i].attrval_len,
                        list->val[i].attrval);
    if (list)
        guestfs_free_xattr_list(list);
    return finish(&out);
}

/* From the output of one md5sum over everything: "HASH  ./path". A name that md5sum escapes is
 * summed alone. */
static char *
sum_of(const char *sums, const char *path)
{
    for (const char *at = sums; (at = strstr(at, path)); at++)
        if (at - sums >= 35 && at[-1] == '.' &&
            (at[strlen(path)] == '\n' || at[strlen(path)] == '\0') &&
            (at - sums == 35 || at[-36] == '\n'))
            return strndup(at - 35, 32);
    return guestfs_checksum(bench.sc.g, "md5", path);
}

static char *
all_sums(void)
{
    char *file = NULL, *text = NULL;
    assert_true(asprintf(&file, "%s/sums", phony_dir()) > 0);
    assert_int_equal(guestfs_checksums_out(bench.sc.g, "md5", "/", file), 0);
    assert_int_equal(gold_read_file(file, 1 << 20, &text, NULL, NULL), 0);
    free(file);
    return text;
}

static struct picture
take_picture(const char *path, const char *sums)
{
    struct picture p = {.path = strdup(path)};
    struct guestfs_statns *st = guestfs_lstatns(bench.sc.g, path);
    assert_non_null(st);
    char *xattrs = list_xattrs(path);
    assert_true(asprintf(&p.traits, "%llo %llu:%llu %llu %s", (unsigned long long)st->st_mode,
                         (unsigned long long)st->st_uid, (unsigned long long)st->st_gid,
                         (unsigned long long)st->st_ino, xattrs) > 0);
    if (S_ISREG((mode_t)st->st_mode))
        p.content = sum_of(sums, path);
    else if (S_ISLNK((mode_t)st->st_mode))
        p.content = guestfs_readlink(bench.sc.g, path);
    else
        p.content = strdup("");
    assert_non_null(p.content);
    free(xattrs);
    guestfs_free_statns(st);
    return p;
}

static void
take_pictures(struct picture **ret, size_t *ret_n)
{
    char **names = guestfs_find(bench.sc.g, "/");
    assert_non_null(names);
    char *sums = all_sums();
    size_t n = 0;
    while (names[n])
        n++;
    *ret = calloc(n + 1, sizeof(**ret));
    assert_non_null(*ret);
    for (size_t i = 0; i < n; i++) {
        char *path = NULL;
        assert_true(asprintf(&path, "/%s", names[i]) > 0);
        (*ret)[i] = take_picture(path, sums);
        free(path);
        free(names[i]);
    }
    free(names);
    free(sums);
    *ret_n = n;
}

void
bench_remember(void)
{
    forget_pictures();
    take_pictures(&bench.pictures, &bench.n_pictures);
    bench.first_effect = bench.src.n_effects;
}

/* The last effect that names the path or a tree around it, or a new directory's content. */
static const struct gold_effect *
find_effect(const char *path, bool parents)
{
    for (size_t i = bench.src.n_effects; i-- > bench.first_effect;) {
        const struct gold_effect *e = &bench.src.effects[i];
        size_t n = strlen(e->path), m = strlen(path);
        if (strcmp(e->path, path) == 0)
            return e;
        if (strcmp(e->action, "removed") == 0 && strncmp(path, e->path, n) == 0 &&
            path[n] == '/')
            return e;
        if (parents && strcmp(e->action, "removed") != 0 && strncmp(e->path, path, m) == 0 &&
            e->path[m] == '/')
            return e;
    }
    return NULL;
}

static struct picture *
find_picture(struct picture *list, size_t n, const char *path)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].path, path) == 0)
            return &list[i];
    return NULL;
}

static void
compare_one(const struct picture *was, const struct picture *is)
{
    const struct gold_effect *e = find_effect(was->path, false);
    if (!is) {
        if (!e || strcmp(e->action, "removed") != 0)
            fail_msg("'%s' is gone, and nothing says so", was->path);
        return;
    }
    if (strcmp(was->content, is->content) != 0 && !e)
        fail_msg("'%s' was changed, and nothing says so", was->path);
    bool in_place =
        !e || strcmp(e->action, "edited") == 0 || strcmp(e->action, "truncated") == 0;
    if (in_place && strcmp(was->traits, is->traits) != 0)
        fail_msg("'%s' was %s, now is %s", was->path, was->traits, is->traits);
}

void
bench_compare(void)
{
    struct picture *before = bench.pictures;
    size_t n_before = bench.n_pictures, n_after = 0;
    struct picture *after = NULL;
    take_pictures(&after, &n_after);
    for (size_t i = 0; i < n_before; i++)
        compare_one(&before[i], find_picture(after, n_after, before[i].path));
    for (size_t i = 0; i < n_after; i++)
        if (!find_picture(before, n_before, after[i].path) && !find_effect(after[i].path, true))
            fail_msg("'%s' is new, and nothing says so", after[i].path);
    forget_pictures();
    bench.pictures = after;
    bench.n_pictures = n_after;
}

char *
bench_cat(const char *path)
{
    char *text = NULL;
    size_t len;
    struct gold_error *err = NULL;
    check(gold_scene_read(&bench.sc, path, &text, &len, &err), &err);
    if (!text)
        text = strdup("(none)");
    assert_non_null(text);
    return text;
}

void
bench_put(const char *path, const char *text)
{
    assert_int_equal(guestfs_write(bench.sc.g, path, text, strlen(text)), 0);
}

void
bench_set_label(const char *path, const char *label)
{
    assert_int_equal(
        guestfs_lsetxattr(bench.sc.g, "security.selinux", label, (int)strlen(label), path), 0);
}

/* All steps are shown before the test fails: they explain each other. */
static bool
expect(const char *what, char *have, const char *want)
{
    bool same = !want || strcmp(have, want) == 0;
    if (!same)
        fprintf(stderr, "%s: expected\n%s---- but had\n%s----\n", what, want,
                have); /* print_error() cuts */
    free(have);
    return same;
}

void
bench_tell(const struct bench_story *story)
{
    bench_enter(story->device, story->wish);
    bench_remember();
    bool ok = expect("found", bench_verify(), story->found);
    ok &= expect("changed", bench_run(NULL), story->changed);
    bench_compare();
    ok &= expect("left", bench_verify(), story->left);
    ok &= expect("changed by a second run", bench_run(NULL), "");
    ok &= expect("left by a second run", bench_verify(), story->left);
    if (!ok)
        fail();
}
