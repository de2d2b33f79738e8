/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The devices of a throw-away clone: controllers and disks as in the definition, with other
 * images behind them, our extra disks, a console and a channel. Everything else of the host's
 * is left out.
 */
#include "formats/domain_clone.h"

#include <string.h>

/* ---- targets ---- */

static const char *
target_prefix(const char *bus)
{
    if (gold_streq(bus, "virtio"))
        return "vd";
    if (gold_streq(bus, "ide"))
        return "hd";
    return "sd";
}

static bool
target_taken(const struct gold_clone *c, const char *target)
{
    for (const xmlNode *d = gold_xml_child(c->devices, "disk"); d;
         d = gold_xml_next(d, "disk")) {
        if (gold_streq(gold_xml_attr(gold_xml_child(d, "target"), "dev"), target))
            return true;
    }
    return false;
}

/* "sda" is 0; -1: no such name. */
static int
target_index(const char *target)
{
    int index = 0;

    target += *target == 'x'; /* xvda */
    if (strlen(target) < 3 || strlen(target) > 5)
        return -1;
    for (const char *c = target + 2; *c; c++) {
        if (*c < 'a' || *c > 'z')
            return -1;
        index = index * 26 + (*c - 'a') + 1;
    }
    return index - 1;
}

/* libvirt derives a drive's address from its name; as one number per bus. -1: it does not. */
static int
derived_place(const char *bus, const char *target)
{
    int i = target_index(target);

    if (i < 0)
        return -1;
    if (gold_streq(bus, "scsi")) /* 15 units a controller; unit 7 is the controller itself */
        return i / 15 * 16 + i % 15 + (i % 15 >= 7);
    return gold_streq(bus, "sata") || gold_streq(bus, "ide") ? i : -1;
}

static int
address_part(const xmlNode *address, const char *name)
{
    int v = gold_clone_number(gold_xml_attr(address, name));
    return v < 0 || v > 4096 ? 0 : v;
}

static int
disk_place(const xmlNode *disk, const char *bus)
{
    const xmlNode *address = gold_xml_child(disk, "address"),
                  *target = gold_xml_child(disk, "target");
    const char *name = gold_xml_attr(target, "dev");

    if (!gold_streq(gold_xml_attr(target, "bus"), bus))
        return -1;
    if (!gold_streq(gold_xml_attr(address, "type"), "drive"))
        return name ? derived_place(bus, name) : -1;
    int controller = address_part(address, "controller"), unit = address_part(address, "unit");
    if (gold_streq(bus, "scsi"))
        return controller * 16 + unit;
    if (gold_streq(bus, "sata"))
        return controller * 6 + unit;
    return controller * 4 + address_part(address, "bus") * 2 + unit;
}

/* Is the name free, and the address that libvirt makes of it? */
static bool
target_fits(const struct gold_clone *c, const char *bus, const char *target)
{
    int place = derived_place(bus, target);

    if (target_taken(c, target))
        return false;
    for (const xmlNode *d = gold_xml_child(c->devices, "disk"); d && place >= 0;
         d = gold_xml_next(d, "disk")) {
        if (disk_place(d, bus) == place)
            return false;
    }
    return true;
}

/* "vda", ..., "vdz", "vdaa", ... */
static char *
free_target(const struct gold_clone *c, const char *bus, struct gold_error **err)
{
    const char *prefix = target_prefix(bus);

    for (unsigned i = 0; i < 26 * 27; i++) {
        char *name = i < 26 ? gold_format(err, "%s%c", prefix, 'a' + (int)i)
                            : gold_format(err, "%s%c%c", prefix, 'a' + (int)(i / 26 - 1),
                                          'a' + (int)(i % 26));
        if (!name || target_fits(c, bus, name))
            return name;
        free(name);
    }
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "no free disk target is left");
    return NULL;
}

/* ---- disks of the definition ---- */

static const struct gold_clone_disk *
entry_for(const struct gold_clone *c, const char *target)
{
    for (size_t i = 0; i < c->spec->n_disks; i++) {
        const struct gold_clone_disk *d = &c->spec->disks[i];
        if (!d->extra && gold_streq(d->target, target))
            return d;
    }
    return NULL;
}

/* A disk that only names its group gets the group's limits: the disk that says them may not be
 * here. */
static int
resolve_group(struct gold_clone *c, xmlNode *disk, struct gold_error **err)
{
    struct gold_iotune t = {0};
    xmlNode *iotune = gold_xml_child(disk, "iotune");

    if (!iotune || !c->def)
        return 0;
    if (gold_domain_read_iotune(disk, &t, err) < 0)
        return -1;
    bool lone = t.group_name != NULL;
    for (unsigned k = 0; k < GOLD_IOTUNE_NUMBERS; k++)
        lone = lone && t.value[k] == 0;
    for (size_t i = 0; lone && i < c->def->n_disks; i++) {
        const struct gold_iotune *o = &c->def->disks[i].iotune;
        if (!gold_streq(o->group_name, t.group_name))
            continue;
        for (unsigned k = 0; k < GOLD_IOTUNE_NUMBERS; k++) {
            GOLD_CLEANUP_FREE char *v =
                gold_format(NULL, "%llu", (unsigned long long)o->value[k]);
            if (!v)
                c->nomem = true;
            else if (o->value[k] > 0)
                gold_clone_add(c, iotune, gold_iotune_name(k), v);
            lone = lone && o->value[k] == 0;
        }
    }
    gold_iotune_done(&t);
    return 0;
}

static void
set_driver(struct gold_clone *c, xmlNode *disk, const char *format)
{
    xmlNode *driver = gold_xml_child(disk, "driver");

    if (!driver)
        driver = gold_clone_add(c, disk, "driver", NULL);
    gold_clone_set(c, driver, "name", "qemu");
    gold_clone_set(c, driver, "type", format);
}

static void
avoid_direct(struct gold_clone *c, xmlNode *driver)
{
    const char *cache = gold_xml_attr(driver, "cache");

    if (gold_streq(cache, "none") || gold_streq(cache, "directsync"))
        gold_clone_set(c, driver, "cache", "writeback");
    if (gold_streq(gold_xml_attr(driver, "io"), "native"))
        gold_clone_unset(driver, "io"); /* needs O_DIRECT too */
}

static int
rewire_disk(struct gold_clone *c, xmlNode *disk, const struct gold_clone_disk *entry,
            struct gold_error **err)
{
    static const char *const dropped[] = {
        "source",     "backingStore", "auth",          "encryption", "mirror",
        "snapshot",   "shareable",    "transient",     "alias",      "throttlefilters",
        "privatekey", "state",        "backenddomain", NULL};
    static const char *const driver_parts[] = {"metadata_cache", "iothreads", NULL};
    static const char *const attributes[] = {"snapshot", "rawio", "sgio"};

    gold_clone_drop(disk, dropped);
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        gold_clone_unset(disk, attributes[i]);
    if (!gold_xml_attr(disk, "device") || strcmp(gold_xml_attr(disk, "device"), "lun") == 0)
        gold_clone_set(c, disk, "device", "disk"); /* pass-through needs a block device */
    gold_clone_set(c, disk, "type", "file");
    gold_clone_keep(gold_xml_child(disk, "driver"), driver_parts);
    set_driver(c, disk, entry->format);
    if (c->spec->no_direct)
        avoid_direct(c, gold_xml_child(disk, "driver"));
    gold_clone_set(c, gold_clone_add(c, disk, "source", NULL), "file", entry->path);
    if (entry->readonly && !gold_xml_child(disk, "readonly"))
        gold_clone_add(c, disk, "readonly", NULL);
    return resolve_group(c, disk, err);
}

static int
rewire_disks(struct gold_clone *c, struct gold_error **err)
{
    for (xmlNode *d = gold_xml_child(c->devices, "disk"); d;) {
        xmlNode *next = gold_xml_next(d, "disk");
        const char *target = gold_xml_attr(gold_xml_child(d, "target"), "dev");
        const struct gold_clone_disk *entry = target ? entry_for(c, target) : NULL;
        if (!entry)
            gold_clone_remove(d); /* else the clone would write to the original */
        else if (rewire_disk(c, d, entry, err) < 0)
            return -1;
        d = next;
    }
    return 0;
}

/* ---- our own disks ---- */

static void
add_limits(struct gold_clone *c, xmlNode *disk, const char *limits_of)
{
    for (xmlNode *d = gold_xml_child(c->devices, "disk"); d; d = gold_xml_next(d, "disk")) {
        xmlNode *iotune = gold_xml_child(d, "iotune"), *copy;

        if (!gold_streq(gold_xml_attr(gold_xml_child(d, "target"), "dev"), limits_of) ||
            !iotune)
            continue;
        copy = xmlCopyNode(iotune, 1);
        if (!copy || !xmlAddChild(disk, copy)) {
            xmlFreeNode(copy);
            c->nomem = true;
            return;
        }
        xmlNode *group = gold_xml_child(copy, "group_name");
        if (group)
            gold_clone_remove(group);
        return;
    }
}

static int
add_disk(struct gold_clone *c, const struct gold_clone_disk *d, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *name = NULL;
    const char *bus = d->bus ? d->bus : "virtio", *target = d->target;

    if (!target || !target_fits(c, bus, target)) {
        name = free_target(c, bus, err);
        if (!name)
            return -1;
        target = name;
    }
    xmlNode *disk = gold_clone_add(c, c->devices, "disk", NULL);
    gold_clone_set(c, disk, "type", "file");
    gold_clone_set(c, disk, "device", "disk");
    xmlNode *driver = gold_clone_add(c, disk, "driver", NULL);
    gold_clone_set(c, driver, "name", "qemu");
    gold_clone_set(c, driver, "type", d->format);
    gold_clone_set(c, gold_clone_add(c, disk, "source", NULL), "file", d->path);
    xmlNode *t = gold_clone_add(c, disk, "target", NULL);
    gold_clone_set(c, t, "dev", target);
    gold_clone_set(c, t, "bus", bus);
    if (d->limits_of)
        add_limits(c, disk, d->limits_of);
    if (d->readonly)
        gold_clone_add(c, disk, "readonly", NULL);
    if (d->serial)
        gold_clone_add(c, disk, "serial", d->serial);
    return 0;
}

/* Has the definition SCSI disks? Then libvirt chooses their controller, as it does for the
 * original. */
static bool
uses_scsi(const struct gold_clone *c)
{
    for (const xmlNode *d = gold_xml_child(c->devices, "disk"); d;
         d = gold_xml_next(d, "disk")) {
        if (gold_streq(gold_xml_attr(gold_xml_child(d, "target"), "bus"), "scsi"))
            return true;
    }
    return false;
}

static int
add_disks(struct gold_clone *c, struct gold_error **err)
{
    bool scsi = false, theirs = uses_scsi(c);

    for (size_t i = 0; i < c->spec->n_disks; i++) {
        const struct gold_clone_disk *d = &c->spec->disks[i];
        if (!d->extra && c->def) {
            if (d->target && target_taken(c, d->target))
                continue; /* rewired */
            gold_error_set(err, GOLD_ERROR_USAGE, "'%s' has no disk '%s'", c->def->path,
                           d->target ? d->target : "");
            return -1;
        }
        /* Without a definition every disk is ours. */
        if (add_disk(c, d, err) < 0)
            return -1;
        scsi = scsi || gold_streq(d->bus, "scsi");
    }
    for (const xmlNode *k = gold_xml_child(c->devices, "controller"); k;
         k = gold_xml_next(k, "controller"))
        scsi = scsi && !gold_streq(gold_xml_attr(k, "type"), "scsi");
    if (scsi && !theirs) { /* libvirt's own choice would be a model that newer guests have no
                              driver for */
        xmlNode *k = gold_clone_add(c, c->devices, "controller", NULL);
        gold_clone_set(c, k, "type", "scsi");
        gold_clone_set(c, k, "model", "virtio-scsi");
    }
    return 0;
}

/* ---- the rest ---- */

static void
shape_controllers(struct gold_clone *c)
{
    static const char *const dropped[] = {"alias", NULL};
    static const char *const node[] = {"node", NULL};

    for (xmlNode *k = gold_xml_child(c->devices, "controller"); k;) {
        xmlNode *next = gold_xml_next(k, "controller");
        const char *type = gold_xml_attr(k, "type");
        if (gold_streq(type, "ccid") || gold_streq(type, "xenbus")) {
            gold_clone_remove(k);
        } else {
            gold_clone_drop(k, dropped);
            gold_clone_drop(gold_xml_child(k, "target"), node); /* NUMA went with the CPU */
        }
        k = next;
    }
}

static void
add_socket(struct gold_clone *c, const char *device, const char *path, const char *target_attr,
           const char *target_value, const char *name)
{
    if (!path)
        return;
    xmlNode *d = gold_clone_add(c, c->devices, device, NULL);
    gold_clone_set(c, d, "type", "unix");
    xmlNode *source = gold_clone_add(c, d, "source", NULL);
    gold_clone_set(c, source, "mode", "bind");
    gold_clone_set(c, source, "path", path);
    xmlNode *target = gold_clone_add(c, d, "target", NULL);
    gold_clone_set(c, target, target_attr, target_value);
    if (name)
        gold_clone_set(c, target, "name", name);
}

int
gold_clone_devices(struct gold_clone *c, struct gold_error **err)
{
    static const char *const parts[] = {"disk", "controller", NULL};

    gold_clone_keep(c->devices, parts);
    if (c->spec->emulator)
        gold_clone_add(c, c->devices, "emulator", c->spec->emulator);
    shape_controllers(c);
    if (rewire_disks(c, err) < 0 || add_disks(c, err) < 0)
        return -1;
    add_socket(c, "serial", c->spec->console_path, "port", "0", NULL);
    add_socket(c, "channel", c->spec->channel_path, "type", "virtio", "org.goldsmith.0");
    xmlNode *rng = gold_clone_add(c, c->devices, "rng", NULL);
    gold_clone_set(c, rng, "model", "virtio");
    gold_clone_set(c, gold_clone_add(c, rng, "backend", "/dev/urandom"), "model", "random");
    gold_clone_set(c, gold_clone_add(c, c->devices, "memballoon", NULL), "model", "none");
    return 0;
}
