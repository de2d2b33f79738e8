/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who this machine is: facts that a clone must not share with another, and some that explain
 * them. All are read from files and the kernel; no program of the guest is asked.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent.h"

#define MAX_VALUE      500 /* bytes of a fact */
#define MAX_EACH       16  /* facts of one name */
#define BANNER_SECONDS 8

struct facts {
    struct gold_agent_text json;
    const char *root;
    unsigned n;
};

static void
add(struct facts *f, const char *name, const char *value)
{
    if (strlen(value) > MAX_VALUE)
        return;
    gold_agent_text_printf(&f->json, "%s[\"%s\",", f->n++ ? "," : "", name);
    gold_agent_text_json(&f->json, value);
    gold_agent_text_printf(&f->json, "]");
}

static const char *
in_root(const struct facts *f, const char *path, char *buf, size_t cap)
{
    int len = snprintf(buf, cap, "%s%s", f->root, path);
    return len > 0 && (size_t)len < cap ? buf : "/nonexistent";
}

static void
add_line(struct facts *f, const char *name, const char *path)
{
    char full[600], value[MAX_VALUE + 1];
    if (gold_agent_read_line(in_root(f, path, full, sizeof(full)), value, sizeof(value)))
        add(f, name, value);
}

/* "ssh-ed25519 AAAA… comment" becomes "ssh-ed25519 SHA256:…". */
static void
add_host_key(struct facts *f, const char *path)
{
    char line[16384], value[256], print[48];
    unsigned char blob[8192], digest[32];
    char *rest = line;
    if (!gold_agent_read_line(path, line, sizeof(line)))
        return;
    const char *type = strsep(&rest, " \t"), *key = rest;
    int len = key ? gold_agent_unbase64(key, blob, sizeof(blob)) : 0;
    if (len <= 0 || strlen(type) > 100)
        return;
    gold_agent_sha256(blob, (size_t)len, digest);
    gold_agent_base64(digest, sizeof(digest), print);
    (void)snprintf(value, sizeof(value), "%s SHA256:%s", type, print);
    add(f, "ssh-host-key", value);
}

/* Files of a folder by pattern, in the order of their names. Not glob(): that one drags the
   user database in, which a static program cannot have. */
static void
add_matches(struct facts *f, const char *folder, const char *pattern,
            void (*take)(struct facts *, const char *))
{
    char full[600], path[900];
    struct dirent **entries = NULL;
    int n = scandir(in_root(f, folder, full, sizeof(full)), &entries, NULL, alphasort),
        taken = 0;
    for (int i = 0; i < n; i++) {
        if (fnmatch(pattern, entries[i]->d_name, FNM_PERIOD) == 0 && taken++ < MAX_EACH) {
            (void)snprintf(path, sizeof(path), "%s/%s", full, entries[i]->d_name);
            take(f, path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* Lines of a lease file that begin with `word`, up to the character `end`. */
static void
add_lease_lines(struct facts *f, const char *path, const char *word, char end, const char *name)
{
    static char text[65536];
    char *rest = text, *line, last[MAX_VALUE + 1] = "";
    if (gold_agent_read_file(path, text, sizeof(text)) <= 0)
        return;
    while ((line = strsep(&rest, "\n"))) {
        line += strspn(line, " \t");
        if (strncmp(line, word, strlen(word)) != 0)
            continue;
        line += strlen(word);
        char *stop = strrchr(line, end);
        if (stop)
            *stop = '\0';
        if (strlen(line) <= MAX_VALUE)
            (void)snprintf(last, sizeof(last), "%s", line);
    }
    if (last[0])
        add(f, name, last); /* the last one holds */
}

static void
add_dhclient(struct facts *f, const char *path)
{
    add_lease_lines(f, path, "default-duid ", ';', "dhcp-duid");
    add_lease_lines(f, path, "option dhcp-client-identifier ", ';', "dhcp-lease-client-id");
}

static void
add_networkd(struct facts *f, const char *path)
{
    add_lease_lines(f, path, "CLIENTID=", '\n', "dhcp-lease-client-id");
}

/* Cards only: addresses of bridges and the like say nothing about the machine. */
static void
add_nic(struct facts *f, const char *path)
{
    char part[700], value[64];
    (void)snprintf(part, sizeof(part), "%s/device", path);
    if (access(part, F_OK) < 0)
        return;
    (void)snprintf(part, sizeof(part), "%s/address", path);
    if (gold_agent_read_line(part, value, sizeof(value)))
        add(f, "nic-mac", value);
}

static void
add_random_seed(struct facts *f)
{
    char full[600], bytes[4097], hex[65];
    unsigned char digest[32];
    int len = gold_agent_read_file(
        in_root(f, "/var/lib/systemd/random-seed", full, sizeof(full)), bytes, sizeof(bytes));
    if (len <= 0)
        return;
    gold_agent_sha256(bytes, (size_t)len, digest);
    gold_agent_hex(digest, sizeof(digest), hex);
    add(f, "random-seed-sha256", hex);
}

static void
add_root_device(struct facts *f)
{
    char full[600], path[900], link[300];
    struct stat root, node;
    DIR *dir = opendir(in_root(f, "/dev/disk/by-uuid", full, sizeof(full)));
    struct dirent *entry;
    if (stat("/", &root) == 0) {
        (void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(root.st_dev),
                       minor(root.st_dev));
        ssize_t len = readlink(path, link, sizeof(link) - 1);
        if (len > 0) {
            link[len] = '\0';
            const char *slash = strrchr(link, '/');
            add(f, "root-device", slash ? slash + 1 : link);
        }
    }
    while (dir && (entry = readdir(dir))) {
        (void)snprintf(path, sizeof(path), "%s/%s", full, entry->d_name);
        if (entry->d_name[0] != '.' && stat(path, &node) == 0 && S_ISBLK(node.st_mode) &&
            node.st_rdev == root.st_dev)
            add(f, "root-uuid", entry->d_name);
    }
    if (dir)
        (void)closedir(dir);
}

static bool
wait_ready(int fd, short events, double until)
{
    struct pollfd p = {.fd = fd, .events = events};
    double left = until - gold_agent_now();
    return left > 0 && poll(&p, 1, (int)(left * 1000) + 1) > 0;
}

/* One line from whoever listens on port 22 of this machine. */
static bool
read_banner(char *ret, size_t cap, double until)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(22), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), failure = 0;
    socklen_t len = sizeof(failure);
    bool done = false;
    if (fd < 0)
        return false;
    if ((connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
         errno == EINPROGRESS) &&
        wait_ready(fd, POLLOUT, until) &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &len) == 0 && failure == 0 &&
        wait_ready(fd, POLLIN, until)) {
        ssize_t n = read(fd, ret, cap - 1);
        if (n > 0) {
            ret[n] = '\0';
            ret[strcspn(ret, "\r\n")] = '\0';
            done = true;
        }
    }
    (void)close(fd);
    return done;
}

static void
add_sshd(struct facts *f)
{
    static const char *const places[] = {"/usr/sbin/sshd", "/usr/local/sbin/sshd",
                                         "/usr/bin/sshd"};
    double until = gold_agent_now() + BANNER_SECONDS;
    char full[600], banner[256];
    bool installed = false;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !installed; i++) {
        installed = access(in_root(f, places[i], full, sizeof(full)), F_OK) == 0;
        if (installed)
            add(f, "sshd", places[i]);
    }
    if (f->root[0])
        return; /* files of a folder, not this machine */
    bool answers = read_banner(banner, sizeof(banner), until);
    while (!answers && installed &&
           gold_agent_now() < until) { /* it may still be making its keys */
        gold_agent_sleep(0.5);
        answers = read_banner(banner, sizeof(banner), until);
    }
    if (answers)
        add(f, "ssh-banner", banner);
    if (answers && !installed && strncmp(banner, "SSH-", 4) == 0)
        add(f, "sshd", "answers on port 22");
}

void
gold_agent_identity(struct gold_agent *agent)
{
    struct facts f = {.root = agent->root};
    struct gold_agent_text members = {0};
    char hostname[256] = "";
    add_line(&f, "machine-id", "/etc/machine-id");
    add_line(&f, "dbus-machine-id", "/var/lib/dbus/machine-id");
    if (gethostname(hostname, sizeof(hostname) - 1) == 0 && hostname[0])
        add(&f, "hostname", hostname);
    add_sshd(&f); /* before the keys: it waits for a server that is still making them */
    add_matches(&f, "/etc/ssh", "ssh_host_*_key.pub", add_host_key);
    add_line(&f, "product-uuid", "/sys/class/dmi/id/product_uuid");
    add_matches(&f, "/sys/class/net", "*", add_nic);
    add_line(&f, "boot-id", "/proc/sys/kernel/random/boot_id");
    add_matches(&f, "/var/lib/dhcp", "*.leases", add_dhclient);
    add_matches(&f, "/var/lib/dhclient", "*.lease*", add_dhclient);
    add_matches(&f, "/run/systemd/netif/leases", "*", add_networkd);
    add_line(&f, "cloud-instance-id", "/var/lib/cloud/data/instance-id");
    add_random_seed(&f);
    add_root_device(&f);
    gold_agent_text_printf(&members, ",\"facts\":[");
    if (f.json.len > 0)
        gold_agent_text_add(&members, f.json.data, f.json.len);
    gold_agent_text_printf(&members, "]");
    members.failed |= f.json.failed;
    gold_agent_send(&agent->channel, "identity", &members);
    gold_agent_text_done(&members);
    gold_agent_text_done(&f.json);
}
