/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds a scratch disk by its serial number, whatever bus it is on, with the kernel's own files
 * first: udev's links may not be there. The disk will be overwritten, so what does not carry
 * one of our serials is never opened.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent.h"

/* Without the blanks that buses pad serials with. */
static bool
is_serial(const char *text, size_t len, const char *serial)
{
    while (len > 0 && (*text == ' ' || *text == '\0')) {
        text++;
        len--;
    }
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n' || text[len - 1] == '\0'))
        len--;
    return len == strlen(serial) && memcmp(text, serial, len) == 0;
}

static bool
has_serial(const char *name, const char *serial)
{
    /* virtio; NVMe; SCSI and ATA, whose page 0x80 has four bytes before the serial. */
    static const struct {
        const char *file;
        int skip;
    } places[] = {{"serial", 0}, {"device/serial", 0}, {"device/vpd_pg80", 4}};
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        char path[600], text[300];
        (void)snprintf(path, sizeof(path), "/sys/block/%s/%s", name, places[i].file);
        int len = gold_agent_read_file(path, text, sizeof(text));
        if (len > places[i].skip &&
            is_serial(text + places[i].skip, (size_t)(len - places[i].skip), serial))
            return true;
    }
    return false;
}

/* The node of the disk with that serial. */
static bool
find_node(const char *serial, char *ret, size_t cap)
{
    DIR *dir = opendir("/sys/block");
    struct dirent *entry;
    bool found = false;
    while (dir && !found && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || !has_serial(entry->d_name, serial))
            continue;
        (void)snprintf(ret, cap, "/dev/%s", entry->d_name);
        found = access(ret, F_OK) == 0;
    }
    if (dir)
        (void)closedir(dir);
    dir = found ? NULL : opendir("/dev/disk/by-id");
    while (dir && !found && (entry = readdir(dir))) {
        size_t len = strlen(entry->d_name), n = strlen(serial);
        if (len <= n || strcmp(entry->d_name + len - n, serial) != 0 ||
            !strchr("-_", entry->d_name[len - n - 1]))
            continue;
        (void)snprintf(ret, cap, "/dev/disk/by-id/%s", entry->d_name);
        found = true;
    }
    if (dir)
        (void)closedir(dir);
    return found;
}

static bool
measure_disk(struct gold_agent_disk *d)
{
    struct stat st;
    int block = 512;
    if (fstat(d->fd, &st) < 0)
        return false;
    if (S_ISREG(st.st_mode)) {
        d->size = (uint64_t)st.st_size;
    } else if (ioctl(d->fd, BLKGETSIZE64, &d->size) < 0 ||
               ioctl(d->fd, BLKSSZGET, &block) < 0) {
        return false;
    }
    d->block = (unsigned)block;
    return block >= 512 && block <= 65536 && d->size > 0;
}

bool
gold_agent_disk_open(const struct gold_agent *agent, const char *serial, double seconds,
                     struct gold_agent_disk *ret, char *why, size_t why_cap)
{
    double until = gold_agent_now() + seconds;
    char path[600];
    ret->fd = -1;
    if (strncmp(serial, GOLD_LIMIT_SERIAL, strlen(GOLD_LIMIT_SERIAL)) != 0 &&
        strcmp(serial, GOLD_CONTROL_SERIAL) != 0) {
        (void)snprintf(why, why_cap, "'%s' is not the serial of a scratch disk", serial);
        return false;
    }
    if (agent->disks) {
        (void)snprintf(path, sizeof(path), "%s/%s", agent->disks, serial);
    } else {
        while (!find_node(serial, path, sizeof(path))) {
            if (gold_agent_now() >= until) {
                (void)snprintf(why, why_cap, "there is no disk with the serial '%s'", serial);
                return false;
            }
            gold_agent_sleep(0.5);
        }
    }
    /* O_EXCL: not when somebody has mounted it or uses it in an array. */
    ret->fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC | (agent->disks ? 0 : O_EXCL));
    if (ret->fd >= 0 && measure_disk(ret))
        return true;
    (void)snprintf(why, why_cap, "cannot open '%s': %s", path, strerror(errno));
    if (ret->fd >= 0)
        (void)close(ret->fd);
    ret->fd = -1;
    return false;
}
