/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides between KVM and QEMU's own emulation. That /dev/kvm can be opened proves nothing, so
 * a boot sector of ours is run with it under a deadline; the result is kept for this boot of
 * the host and this QEMU.
 */
#include "qemu/accel.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/process.h"
#include "core/replace.h"
#include "core/str.h"
#include "qemu/accel_internal.h"

#define DEADLINE_MS 5000
#define CACHE_MAX   (16 * 1024)

const char *
gold_accel_name(enum gold_accel accel)
{
    return accel == GOLD_ACCEL_KVM ? "kvm" : accel == GOLD_ACCEL_TCG ? "tcg" : "auto";
}

static const char *
qemu_architecture(const char *machine)
{
    static const struct {
        const char *machine, *qemu;
    } others[] = {{"ppc64le", "ppc64"}, {"armv7l", "arm"}, {"i686", "i386"}};

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (gold_streq(others[i].machine, machine))
            return others[i].qemu;
    return machine;
}

int
gold_qemu_binary(char **ret, struct gold_error **err)
{
    static const char *const places[] = {"/usr/local/bin/qemu-system-%s",
                                         "/usr/bin/qemu-system-%s",
                                         "/usr/libexec/qemu-system-%s"};
    struct utsname host;

    if (uname(&host) < 0) {
        gold_error_set_errno(err, errno, "cannot tell the architecture of this machine");
        return -1;
    }
    const char *arch = qemu_architecture(host.machine);
    for (size_t i = 0; i <= sizeof(places) / sizeof(places[0]); i++) {
        /* The last is where RHEL and its relatives have it. */
        GOLD_CLEANUP_STR struct gold_str path = GOLD_STR_INIT;
        if (i == sizeof(places) / sizeof(places[0])) {
            gold_str_append(&path, "/usr/libexec/qemu-kvm");
        } else {
            const char *percent = strchr(places[i], '%');
            gold_str_append_len(&path, places[i], (size_t)(percent - places[i]));
            gold_str_append(&path, arch);
        }
        if (gold_str_finish(&path, "path of QEMU", err) < 0)
            return -1;
        if (access(gold_str_text(&path), X_OK) < 0)
            continue;
        *ret = gold_str_steal(&path, NULL, err);
        return *ret ? 0 : -1;
    }
    gold_error_set(err, GOLD_ERROR_HYPERVISOR, "no QEMU for %s is installed", arch);
    gold_error_hint(err, "install the package that has qemu-system-%s", arch);
    return -1;
}

/* What a cached result is good for: this boot of the host, this QEMU. */
static int
cache_key(const char *qemu, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *boot = NULL;
    struct stat st;
    size_t len;

    if (gold_read_file("/proc/sys/kernel/random/boot_id", 128, &boot, &len, err) < 0)
        return -1;
    if (stat(qemu, &st) < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", qemu);
        return -1;
    }
    *ret = gold_format(err, "%s%s\n%jd.%09ld %jd\n", boot, qemu, (intmax_t)st.st_mtim.tv_sec,
                       st.st_mtim.tv_nsec, (intmax_t)st.st_size);
    return *ret ? 0 : -1;
}

static bool
cache_lookup(const char *path, const char *key, enum gold_accel *ret)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;

    if (gold_read_file(path, CACHE_MAX, &text, &len, NULL) < 0 ||
        !gold_str_has_prefix(text, key))
        return false;
    const char *word = text + strlen(key);
    if (strcmp(word, "kvm\n") != 0 && strcmp(word, "tcg\n") != 0)
        return false;
    *ret = word[0] == 'k' ? GOLD_ACCEL_KVM : GOLD_ACCEL_TCG;
    return true;
}

static void
cache_store(struct gold_context *ctx, const char *path, const char *key, enum gold_accel accel)
{
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
    GOLD_CLEANUP_FREE char *text = gold_format(&failure, "%s%s\n", key, gold_accel_name(accel));

    if (!text || gold_replace_file(path, text, strlen(text), 0, 0600, &failure) < 0)
        gold_warning(ctx, "%s, ignoring", gold_error_message(failure));
}

static int
write_sector(struct gold_context *ctx, char **ret, struct gold_error **err)
{
    const char *run_dir;

    if (gold_context_run_dir(ctx, &run_dir, err) < 0)
        return -1;
    GOLD_CLEANUP_FREE char *path = gold_path_join(run_dir, "calibration.img", err);
    if (!path ||
        gold_replace_file(path, gold_calibration_sector(), GOLD_SECTOR_BYTES, 0, 0644, err) < 0)
        return -1;
    *ret = gold_steal_ptr(&path);
    return 0;
}

int
gold_calibrate(struct gold_context *ctx, const char *qemu, const char *accel, bool *ret_works,
               struct gold_error **err)
{
    GOLD_CLEANUP_PROCESS_RESULT struct gold_process_result result = {0};
    GOLD_CLEANUP_ERROR struct gold_error *failure = NULL;
    GOLD_CLEANUP_FREE char *sector = NULL, *drive = NULL;

    if (write_sector(ctx, &sector, err) < 0)
        return -1;
    drive = gold_format(err, "file=%s,format=raw,if=floppy,readonly=on", sector);
    if (!drive)
        return -1;
    /* It dies with us (PDEATHSIG) and at the deadline; it has no disk to harm and no network.
     */
    const char *argv[] = {qemu,
                          "-nodefaults",
                          "-no-user-config",
                          "-display",
                          "none",
                          "-machine",
                          "pc",
                          "-accel",
                          accel,
                          "-cpu",
                          "max",
                          "-m",
                          "64",
                          "-drive",
                          drive,
                          "-device",
                          "isa-debug-exit,iobase=0xf4,iosize=4",
                          "-no-reboot",
                          "-sandbox",
                          "on",
                          NULL};
    struct gold_process_spec spec = {
        .argv = argv, .max_output = 64 * 1024, .timeout_ms = DEADLINE_MS};
    if (gold_process_run(ctx, &spec, &result, &failure) < 0) {
        if (gold_error_code(failure) == GOLD_ERROR_CANCELLED ||
            gold_error_code(failure) == GOLD_ERROR_NOMEM) {
            gold_error_move(err, &failure);
            return -1;
        }
        gold_debug(ctx, "calibration boot with %s: %s", accel, gold_error_message(failure));
        *ret_works = false;
    } else {
        gold_debug(ctx, "calibration boot with %s: status %d, '%s'", accel, result.exit_status,
                   gold_str_text(&result.err));
        *ret_works = result.exit_status == GOLD_CALIBRATION_STATUS;
    }
    (void)unlink(sector);
    return 0;
}

/* KVM or TCG, with the reason for TCG. */
static int
find_out(struct gold_context *ctx, enum gold_accel *ret, const char **ret_reason,
         struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *qemu = NULL, *key = NULL, *dir = NULL, *path = NULL;
    GOLD_CLEANUP_ERROR struct gold_error *no_cache = NULL;
    GOLD_CLEANUP_FD int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    bool works = false;

    *ret = GOLD_ACCEL_TCG;
    if (kvm < 0) {
        *ret_reason =
            errno == EACCES ? "no permission to use /dev/kvm" : "there is no /dev/kvm";
        return 0;
    }
    if (!gold_calibration_sector()) {
        *ret_reason = "KVM cannot be tried on this architecture";
        return 0;
    }
    *ret_reason = "/dev/kvm is there, but a trial boot with it did not work";
    if (gold_qemu_binary(&qemu, err) < 0 || cache_key(qemu, &key, err) < 0)
        return -1;
    if (gold_context_cache_subdir(ctx, "accel", &dir, &no_cache) < 0)
        gold_debug(ctx, "%s", gold_error_message(no_cache));
    path = dir ? gold_path_join(dir, "decision", err) : NULL;
    if (dir && !path)
        return -1;
    if (path && cache_lookup(path, key, ret))
        return 0;
    gold_progress(ctx, "calibrate", -1, NULL);
    if (gold_calibrate(ctx, qemu, "kvm", &works, err) < 0)
        return -1;
    *ret = works ? GOLD_ACCEL_KVM : GOLD_ACCEL_TCG;
    if (path)
        cache_store(ctx, path, key, *ret);
    return 0;
}

int
gold_accel_decide(struct gold_context *ctx, enum gold_accel *ret, struct gold_error **err)
{
    const char *reason = "";
    enum gold_accel found;

    if (ctx->accel_decided == GOLD_ACCEL_AUTO && ctx->accel == GOLD_ACCEL_TCG)
        ctx->accel_decided = GOLD_ACCEL_TCG;
    if (ctx->accel_decided == GOLD_ACCEL_AUTO) {
        if (find_out(ctx, &found, &reason, err) < 0)
            return -1;
        if (ctx->accel == GOLD_ACCEL_KVM && found != GOLD_ACCEL_KVM) {
            gold_error_set(err, GOLD_ERROR_HYPERVISOR, "KVM cannot be used: %s", reason);
            gold_error_hint(err, "without --accel kvm, QEMU's own emulation is used");
            return -1;
        }
        if (found == GOLD_ACCEL_TCG)
            gold_info(ctx, "%s; using QEMU's own emulation (slower)", reason);
        ctx->accel_decided = found;
    }
    *ret = ctx->accel_decided;
    return 0;
}
