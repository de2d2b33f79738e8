/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The init of the tiny guest in test_agent_boot.c: loads the modules that lie in /modules, in
 * the order of their names, mounts the payload disk as a starter does, and runs the agent.
 * Static, and nothing else is in that guest.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "validate/names.h"

static void
load_modules(void)
{
    struct dirent **names = NULL;
    int n = scandir("/modules", &names, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[300];
        (void)snprintf(path, sizeof(path), "/modules/%s", names[i]->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (names[i]->d_name[0] != '.' && syscall(SYS_finit_module, fd, "", 0) != 0)
            perror(path);
        (void)close(fd);
        free(names[i]);
    }
    free(names);
}

static void
mount_payload(void)
{
    (void)mkdir(GOLD_AGENT_MOUNT, 0755);
    for (char letter = 'a'; letter <= 'h'; letter++) {
        char path[64], serial[64] = "";
        (void)snprintf(path, sizeof(path), "/sys/block/vd%c/serial", letter);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || read(fd, serial, sizeof(serial) - 1) <= 0)
            continue;
        (void)close(fd);
        (void)snprintf(path, sizeof(path), "/dev/vd%c", letter);
        if (strcmp(serial, GOLD_PAYLOAD_SERIAL) == 0 &&
            mount(path, GOLD_AGENT_MOUNT, "ext4", MS_RDONLY, NULL) != 0)
            perror(path);
    }
}

static void
run_agent(const char *command)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        (void)execl(GOLD_AGENT_MOUNT "/" GOLD_AGENT_NAME, GOLD_AGENT_NAME, command,
                    (char *)NULL);
        perror(GOLD_AGENT_MOUNT "/" GOLD_AGENT_NAME);
        _exit(1);
    }
    (void)waitpid(pid, &status, 0);
    (void)printf("agent %s: %d\n", command, status);
    (void)fflush(stdout);
}

int
main(void)
{
    static const char *const folders[][2] = {
        {"/proc", "proc"}, {"/sys", "sysfs"}, {"/dev", "devtmpfs"}, {"/run", "tmpfs"}};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        (void)mkdir(folders[i][0], 0755);
        (void)mount(folders[i][1], folders[i][0], folders[i][1], 0, NULL);
    }
    int console = open("/dev/console", O_RDWR);
    (void)dup2(console, 0);
    (void)dup2(console, 1);
    (void)dup2(console, 2);
    load_modules();
    mount_payload();
    run_agent("reached");
    run_agent("main"); /* powers off by itself */
    (void)reboot(RB_POWER_OFF);
    return 1;
}
