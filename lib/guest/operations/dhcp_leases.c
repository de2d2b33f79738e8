/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes what DHCP clients remember: leases, and the DUIDs and secrets by which a server tells
 * machines apart. Does not touch the state of DHCP servers, nor client ids that are set in
 * configuration files.
 */
#include <string.h>

#include "guest/operations.h"
#include "guest/stores.h"

/* The lease file of a DHCP *server* is its database: it does not start without it. */
static int
is_client(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    (void)sc;
    (void)err;
    const char *name = strrchr(path, '/');
    return !name || !gold_str_has_prefix(name + 1, "dhcpd");
}

static int
has_duid(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (!is_client(sc, path, err))
        return 0;
    if (gold_scene_read(sc, path, &text, &len, err) < 0)
        return -1;
    return text && memmem(text, len, "default-duid", strlen("default-duid")) ? 1 : 0;
}

static int
has_no_duid(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    if (!is_client(sc, path, err))
        return 0;
    int duid = has_duid(sc, path, err);
    return duid < 0 ? -1 : !duid;
}

/* From version 2 on the key is mixed with the machine-id, so a new machine-id is enough; and
   deleting it would give the clone other addresses than its own after a later upgrade. Version
   1 stands alone. */
static int
is_version_1(struct gold_scene *sc, const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_scene_read(sc, path, &text, &len, err) < 0)
        return -1;
    return text && len > 0 && !(len >= 6 && memcmp(text, "nm-v2:", 6) == 0) ? 1 : 0;
}

#define LEASES(pattern, what)                            \
    {                                                    \
        pattern, "dhcp-leases", GOLD_WARNING, what, NULL \
    }
#define LEASES_IF(pattern, what, fn)                   \
    {                                                  \
        pattern, "dhcp-leases", GOLD_WARNING, what, fn \
    }
#define DUID(pattern, what)                                  \
    {                                                        \
        pattern, "dhcp-duid-store", GOLD_WARNING, what, NULL \
    }
#define DUID_IF(pattern, what, fn)                         \
    {                                                      \
        pattern, "dhcp-duid-store", GOLD_WARNING, what, fn \
    }

static const struct gold_store stores[] = {
    DUID_IF("/var/lib/dhcp/*.lease*", "DUID of dhclient", has_duid),
    LEASES_IF("/var/lib/dhcp/*.lease*", "DHCP leases of dhclient", has_no_duid),
    DUID_IF("/var/lib/dhclient/*.lease*", "DUID of dhclient", has_duid),
    LEASES_IF("/var/lib/dhclient/*.lease*", "DHCP leases of dhclient", has_no_duid),
    DUID_IF("/var/lib/NetworkManager/*.lease", "DUID of NetworkManager", has_duid),
    LEASES_IF("/var/lib/NetworkManager/*.lease", "DHCP leases of NetworkManager", has_no_duid),
    LEASES("/var/lib/NetworkManager/timestamps", "connection history of NetworkManager"),
    LEASES("/var/lib/NetworkManager/seen-bssids", "wireless history of NetworkManager"),
    {"/var/lib/NetworkManager/secret_key", "nm-secret-key", GOLD_WARNING,
     "secret key of NetworkManager", is_version_1},
    DUID("/etc/dhcpcd.duid", "DUID of dhcpcd"),
    DUID("/etc/dhcpcd.secret", "secret of dhcpcd"),
    DUID("/var/lib/dhcpcd/duid", "DUID of dhcpcd"),
    DUID("/var/lib/dhcpcd/secret", "secret of dhcpcd"),
    LEASES("/var/lib/dhcpcd/*.lease*", "DHCP leases of dhcpcd"),
    LEASES("/var/lib/dhcpcd/rdm_monotonic", "replay counter of dhcpcd"),
    DUID("/var/lib/dhcpcd5/duid", "DUID of dhcpcd"),
    DUID("/var/lib/dhcpcd5/secret", "secret of dhcpcd"),
    LEASES("/var/lib/dhcpcd5/*.lease*", "DHCP leases of dhcpcd"),
    DUID("/var/db/dhcpcd/duid", "DUID of dhcpcd"),
    DUID("/var/db/dhcpcd/secret", "secret of dhcpcd"),
    LEASES("/var/db/dhcpcd/*.lease*", "DHCP leases of dhcpcd"),
    DUID("/var/lib/wicked/duid.xml", "DUID of wicked"),
    DUID("/var/lib/wicked/iaid.xml", "IAID of wicked"),
    LEASES("/var/lib/wicked/lease-*.xml", "DHCP leases of wicked"),
    LEASES("/var/lib/systemd/network/*", "state of systemd-networkd"),
};
#define N_STORES (sizeof(stores) / sizeof(stores[0]))

static int
applies(struct gold_scene *sc, char **ret_reason, struct gold_error **err)
{
    return gold_stores_present(sc, stores, N_STORES, "no state of a DHCP client found",
                               ret_reason, err);
}

static int
run(struct gold_scene *sc, struct gold_error **err)
{
    return gold_stores_remove(sc, stores, N_STORES, err);
}

static int
verify(struct gold_scene *sc, struct gold_error **err)
{
    return gold_stores_report(sc, stores, N_STORES, err);
}

static const char *const finding_ids[] = {"dhcp-leases", "dhcp-duid-store", "nm-secret-key",
                                          NULL};

const struct gold_operation gold_operation_dhcp_leases = {
    .about = {.name = "dhcp-leases",
              .heading = "Remove DHCP leases and stored DUIDs",
              .description = "Removes what dhclient, dhcpcd, NetworkManager, wicked and "
                             "systemd-networkd keep between boots:\n"
                             "leases, DUIDs, IAIDs and secrets. A clone that still has them "
                             "gets the template's address.",
              .notes = "The secret key of NetworkManager goes only when it is of version 1, "
                       "which does not depend on the\n"
                       "machine-id. Databases of DHCP servers stay."},
    .enabled_by_default = true,
    .finding_ids = finding_ids,
    .applies = applies,
    .run = run,
    .verify = verify,
};
