/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QEMU's monitor through libvirt; see monitor.h. */
#include "hypervisor/monitor.h"

#include <libvirt/libvirt-qemu.h>
#include <string.h>

#include "core/str.h"

GOLD_DEFINE_CLEANUP(json_t *, json_decref);

int
gold_monitor_command(struct gold_machine *m, const char *command, json_t *arguments,
                     json_t **ret, struct gold_error **err)
{
    GOLD_CLEANUP(json_decref_p) json_t *request = NULL, *answer = NULL;
    GOLD_CLEANUP_FREE char *text = NULL, *reply = NULL;
    json_t *value;

    request = json_pack("{s:s, s:O*}", "execute", command, "arguments", arguments);
    text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    if (!text)
        return gold_error_set_nomem(err);
    if (virDomainQemuMonitorCommand(gold_machine_domain(m), text, &reply, 0) < 0) {
        gold_error_set_libvirt(err, "QEMU of '%s' does not answer '%s'", gold_machine_name(m),
                               command);
        return -1;
    }
    answer = json_loads(reply, 0, NULL);
    value = json_object_get(answer, "return");
    if (!value) {
        const char *why =
            json_string_value(json_object_get(json_object_get(answer, "error"), "desc"));

        gold_error_set(err, GOLD_ERROR_HYPERVISOR, "QEMU of '%s' refuses '%s': %s",
                       gold_machine_name(m), command, why ? why : "no reason given");
        return -1;
    }
    *ret = json_incref(value);
    return 0;
}

/* "/machine/peripheral/virtio-disk1/virtio-backend" and ".../virtio-disk1" are the same disk.
 */
static bool
same_device(const char *qdev, const char *device)
{
    size_t len = strlen(device);

    return strncmp(qdev, device, len) == 0 && (qdev[len] == '\0' || qdev[len] == '/');
}

static bool
disk_has_serial(struct gold_machine *m, const char *device, const char *serial)
{
    GOLD_CLEANUP(json_decref_p) json_t *arguments = NULL, *value = NULL;

    arguments = json_pack("{s:s, s:s}", "path", device, "property", "serial");
    /* Devices without that property are not the one. */
    return arguments && gold_monitor_command(m, "qom-get", arguments, &value, NULL) == 0 &&
           gold_streq(json_string_value(value), serial);
}

int
gold_monitor_find_disk(struct gold_machine *m, const char *serial, char **ret,
                       struct gold_error **err)
{
    GOLD_CLEANUP(json_decref_p) json_t *answer = NULL;
    size_t i;
    json_t *entry;

    if (gold_monitor_command(m, "query-blockstats", NULL, &answer, err) < 0)
        return -1;
    json_array_foreach(answer, i, entry)
    {
        static const char backend[] = "/virtio-backend";
        const char *qdev = json_string_value(json_object_get(entry, "qdev"));
        GOLD_CLEANUP_FREE char *device = NULL;

        if (!qdev)
            continue;
        device = gold_strndup(
            qdev, strlen(qdev) - (gold_str_has_suffix(qdev, backend) ? strlen(backend) : 0),
            err);
        if (!device)
            return -1;
        if (disk_has_serial(m, device, serial)) {
            *ret = gold_steal_ptr(&device);
            return 0;
        }
    }
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "machine '%s' has no disk with the serial '%s'",
                   gold_machine_name(m), serial);
    return -1;
}

static uint64_t
counter(const json_t *stats, const char *name)
{
    json_int_t v = json_integer_value(json_object_get(stats, name));

    return v < 0 ? 0 : (uint64_t)v;
}

bool
gold_block_counters_find(const json_t *answer, const char *device,
                         struct gold_block_counters *ret)
{
    size_t i;
    json_t *entry;

    json_array_foreach(answer, i, entry)
    {
        const char *qdev = json_string_value(json_object_get(entry, "qdev"));
        const json_t *stats = json_object_get(entry, "stats");

        if (!qdev || !json_is_object(stats) || !same_device(qdev, device))
            continue;
        *ret = (struct gold_block_counters){
            .read_operations = counter(stats, "rd_operations"),
            .read_merged = counter(stats, "rd_merged"),
            .read_bytes = counter(stats, "rd_bytes"),
            .write_operations = counter(stats, "wr_operations"),
            .write_merged = counter(stats, "wr_merged"),
            .write_bytes = counter(stats, "wr_bytes"),
        };
        return true;
    }
    return false;
}

int
gold_monitor_block_counters(struct gold_machine *m, const char *device,
                            struct gold_block_counters *ret, struct gold_error **err)
{
    GOLD_CLEANUP(json_decref_p) json_t *answer = NULL;

    if (gold_monitor_command(m, "query-blockstats", NULL, &answer, err) < 0)
        return -1;
    if (gold_block_counters_find(answer, device, ret))
        return 0;
    gold_error_set(err, GOLD_ERROR_HYPERVISOR, "QEMU of '%s' has no counters for '%s'",
                   gold_machine_name(m), device);
    return -1;
}
