/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Builds phony guests; see phony.h. */
#include "unit.h"

#include "guest/phony.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/io.h"
#include "core/limits.h"

#define OS_RELEASE                                                   \
    "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian " \
    "GNU/Linux\"\nVERSION_ID=\"12\"\n"                               \
    "ID=debian\n"

/* The first bytes of an x86-64 program, enough to tell the architecture. */
static const char elf[64] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\76\0\1\0\0";

const struct phony_file phony_debian[] = {
    {.path = "/usr/lib/os-release", .bytes = OS_RELEASE},
    {.path = "/etc/os-release", .link = "../usr/lib/os-release"},
    {.path = "/etc/fstab", .bytes = "# nothing\n"},
    {.path = "/etc/hostname", .bytes = "template\n"},
    {.path = "/bin", .link = "usr/bin"},
    {.path = "/sbin", .link = "usr/sbin"},
    {.path = "/lib", .link = "usr/lib"},
    {.path = "/usr/bin/dash", .bytes = elf, .len = sizeof elf, .mode = 0755},
    {.path = "/usr/bin/sh", .link = "dash"},
    {.path = "/usr/sbin/init", .link = "/lib/systemd/systemd"},
    {.path = "/usr/lib/systemd/systemd", .bytes = elf, .len = sizeof elf, .mode = 0755},
    {.path = "/usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-252.so",
     .bytes = elf,
     .len = sizeof elf},
    {.path = "/usr/lib/systemd/system/multi-user.target", .bytes = "[Unit]\n"},
    {.path = "/usr/lib/systemd/system/default.target", .link = "graphical.target"},
    {.path = "/usr/lib/systemd/system/graphical.target", .bytes = "[Unit]\n"},
    {.path = "/etc/systemd/system/"},
    {.path = "/var/lib/dbus/"},
    {.path = "/root/", .mode = 0700},
    {.path = "/tmp/", .mode = 01777},
    {0},
};

static char dir[] = "/tmp/gold-phony-XXXXXX";
static bool have_dir;

const char *
phony_dir(void)
{
    if (!have_dir) {
        assert_non_null(mkdtemp(dir));
        have_dir = true;
    }
    return dir;
}

void
phony_cleanup(void)
{
    if (have_dir)
        assert_int_equal(gold_remove_tree(dir, NULL), 0);
    have_dir = false;
}

void
phony_run(const char *fmt, ...)
{
    char *command = NULL;
    va_list args;
    va_start(args, fmt);
    assert_true(vasprintf(&command, fmt, args) >= 0);
    va_end(args);
    int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("'%s' failed", command);
    free(command);
}

static void
print_log(void *opaque, enum gold_log_level level, const char *message)
{
    (void)opaque;
    (void)level;
    print_error("%s\n", message);
}

struct gold_context *
phony_context(void)
{
    struct gold_context *ctx = gold_context_new();
    assert_non_null(ctx);
    if (getenv("GOLD_TEST_DEBUG"))
        gold_context_set_log(ctx, print_log, NULL, GOLD_LOG_DEBUG);
    /* One appliance for all test programs of a build tree. */
    assert_int_equal(gold_context_set_cache_dir(ctx, GOLD_TEST_LIBEXEC "/../../test-cache"), 0);
    assert_int_equal(gold_context_set_libexec_dir(ctx, GOLD_TEST_LIBEXEC), 0);
    gold_context_set_accel(ctx, GOLD_ACCEL_TCG);
    return ctx;
}

static void
make_parents(const char *root, const char *path)
{
    char buf[4096];
    int n = snprintf(buf, sizeof buf, "%s%s", root, path);
    assert_true(n > 0 && (size_t)n < sizeof buf);
    for (char *p = buf + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        if (mkdir(buf, 0755) < 0)
            assert_int_equal(errno, EEXIST);
        *p = '/';
    }
}

static void
put_file(const char *root, const struct phony_file *f)
{
    make_parents(root, f->path);
    char path[4096];
    (void)snprintf(path, sizeof path, "%s%s", root, f->path);
    size_t n = strlen(path);
    if (path[n - 1] == '/') {
        path[n - 1] = '\0';
        assert_int_equal(chmod(path, f->mode ? f->mode : 0755), 0);
    } else if (f->link) {
        (void)unlink(path);
        assert_int_equal(symlink(f->link, path), 0);
    } else {
        (void)unlink(path);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        const char *bytes = f->bytes ? f->bytes : "";
        assert_int_equal(gold_write_all(fd, bytes, f->len ? f->len : strlen(bytes)), 0);
        assert_int_equal(fchmod(fd, f->mode ? f->mode : 0644), 0);
        assert_int_equal(close(fd), 0);
    }
}

static char *
path_of(const char *name)
{
    char *path = gold_path_join(phony_dir(), name, NULL);
    assert_non_null(path);
    return path;
}

static void
make_dirty(const char *path)
{
    /* s_feature_incompat |= needs_recovery: what a machine leaves that was switched off. The
       checksum of the superblock is not minded: images are made without metadata_csum. */
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    unsigned char c;
    assert_int_equal(pread(fd, &c, 1, 1024 + 0x60), 1);
    c |= 4;
    assert_int_equal(pwrite(fd, &c, 1, 1024 + 0x60), 1);
    assert_int_equal(close(fd), 0);
}

char *
phony_create(const char *name, const struct phony_options *opts,
             const struct phony_file *const *lists)
{
    static const struct phony_options none;
    if (!opts)
        opts = &none;
    char *path = path_of(name);
    char *tree = NULL;
    assert_true(asprintf(&tree, "%s.d", path) > 0);
    assert_int_equal(mkdir(tree, 0755), 0);
    for (size_t i = 0; lists[i]; i++)
        for (const struct phony_file *f = lists[i]; f->path; f++)
            put_file(tree, f);
    phony_run("mke2fs -q -t %s -O ^metadata_csum -E root_owner=0:0 %s%s %s%s -d '%s' '%s' %uM "
              ">/dev/null",
              opts->type ? opts->type : "ext4", opts->label ? "-L " : "",
              opts->label ? opts->label : "", opts->uuid ? "-U " : "",
              opts->uuid ? opts->uuid : "", tree, path, opts->mib ? opts->mib : 64);
    assert_int_equal(gold_remove_tree(tree, NULL), 0);
    if (opts->dirty)
        make_dirty(path);
    free(tree);
    return path;
}

char *
phony_swap(const char *name, const char *uuid, bool suspended)
{
    char *path = path_of(name);
    phony_run("truncate -s 16M '%s' && mkswap -q %s%s '%s' >/dev/null", path, uuid ? "-U " : "",
              uuid ? uuid : "", path);
    if (suspended)
        phony_run("printf S1SUSPEND | dd of='%s' bs=1 seek=4086 conv=notrunc status=none",
                  path);
    return path;
}

char *
phony_partitioned(const char *name, const char *const *images, size_t n)
{
    char *path = path_of(name);
    struct stat st[4];
    uint64_t total = GOLD_MIB;
    assert_in_range(n, 1, 4);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(stat(images[i], &st[i]), 0);
        total += (uint64_t)st[i].st_size;
    }
    phony_run("truncate -s %llu '%s'", (unsigned long long)total + GOLD_MIB, path);
    char script[1024] = "label: dos\\nlabel-id: 0x60d5a17e\\n";
    uint64_t at = GOLD_MIB;
    for (size_t i = 0; i < n; at += (uint64_t)st[i++].st_size) {
        size_t len = strlen(script);
        (void)snprintf(script + len, sizeof script - len, "start=%llu,size=%llu,type=83\\n",
                       (unsigned long long)at / 512, (unsigned long long)st[i].st_size / 512);
        phony_run("dd if='%s' of='%s' bs=1M seek=%llu conv=notrunc,sparse status=none",
                  images[i], path, (unsigned long long)(at / GOLD_MIB));
    }
    phony_run("printf '%s' | sfdisk -q --wipe-partitions never --no-reread --no-tell-kernel "
              "'%s' >/dev/null",
              script, path);
    return path;
}

char *
phony_overlay(const char *name, const char *base)
{
    char *path = path_of(name);
    phony_run("qemu-img create -q -f qcow2 -F raw -b '%s' '%s'", base, path);
    return path;
}

struct gold_session *
phony_session(struct gold_context *ctx, bool readonly, const char *const *images, size_t n)
{
    struct gold_session_disk disks[GOLD_LIMIT_DISKS] = {0};
    assert_in_range(n, 1, GOLD_LIMIT_DISKS);
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(images[i]);
        bool qcow2 = len > 6 && strcmp(images[i] + len - 6, ".qcow2") == 0;
        disks[i] = (struct gold_session_disk){
            .path = images[i], .format = qcow2 ? "qcow2" : "raw", .readonly = readonly};
    }
    struct gold_error *err = NULL;
    struct gold_session *s = gold_session_open(ctx, disks, n, &err);
    if (!s)
        fail_msg("%s", gold_error_message(err));
    return s;
}
