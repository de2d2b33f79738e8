/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one NIC of a throw-away clone: on QEMU's user network, shut off from host and world, with
 * a capture. libvirt cannot express that, so it is given to QEMU directly, at a PCI slot that
 * nothing in the definition uses.
 */
#include <string.h>

#include "formats/domain_clone.h"

#define QEMU_NAMESPACE "http://libvirt.org/schemas/domain/qemu/1.0"

/* libvirt fills a root bus from below and keeps the places from 0x1a on for chipset devices. */
#define SLOT_HIGHEST 0x18
#define SLOT_LOWEST  0x05

int
gold_clone_number(const char *text)
{
    int v = 0, base = 10;

    if (!text)
        return 0; /* absent is zero */
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (!*text)
        return -1;
    for (; *text; text++) {
        const char *digits = "0123456789abcdef", *d = strchr(digits, *text | 0x20);
        if (*text >= '0' && *text <= '9')
            d = digits + (*text - '0');
        if (!d || d - digits >= base || v > 0xFFFF)
            return -1;
        v = v * base + (int)(d - digits);
    }
    return v;
}

static bool
slot_taken(const struct gold_clone *c, int slot)
{
    for (const xmlNode *d = gold_xml_child(c->devices, NULL); d; d = gold_xml_next(d, NULL)) {
        const xmlNode *a = gold_xml_child(d, "address");
        if (a && gold_streq(gold_xml_attr(a, "type"), "pci") &&
            gold_clone_number(gold_xml_attr(a, "bus")) == 0 &&
            gold_clone_number(gold_xml_attr(a, "domain")) == 0 &&
            gold_clone_number(gold_xml_attr(a, "slot")) == slot)
            return true;
    }
    return false;
}

/* The id of the root bus; NULL: this machine has no PCI. */
static const char *
root_bus(const struct gold_clone *c)
{
    const xmlNode *type = gold_xml_path(c->root, "os/type");
    const char *machine = gold_xml_attr(type, "machine"), *arch = gold_xml_attr(type, "arch");

    machine = machine ? machine : "";
    arch = arch ? arch : "";
    if (gold_str_has_prefix(arch, "s390") || strstr(machine, "microvm") ||
        strstr(machine, "isapc"))
        return NULL;
    for (const xmlNode *k = gold_xml_child(c->devices, "controller"); k;
         k = gold_xml_next(k, "controller")) {
        if (gold_streq(gold_xml_attr(k, "model"), "pcie-root"))
            return "pcie.0";
        if (gold_streq(gold_xml_attr(k, "model"), "pci-root"))
            return "pci.0";
    }
    if (strstr(machine, "q35") || gold_str_has_prefix(arch, "aarch64") ||
        gold_str_has_prefix(arch, "riscv") || gold_str_has_prefix(arch, "loongarch") ||
        gold_str_has_prefix(arch, "arm"))
        return "pcie.0";
    return "pci.0";
}

static const char *
pci_model(const struct gold_clone *c)
{
    static const char *const same[] = {"e1000",    "e1000e", "rtl8139", "vmxnet3",
                                       "ne2k_pci", "pcnet",  "i82559c"};
    const char *model = c->def && c->def->n_nics > 0 ? c->def->nics[0].model : NULL;

    for (size_t i = 0; model && i < sizeof(same) / sizeof(same[0]); i++) {
        if (strcmp(model, same[i]) == 0)
            return same[i];
    }
    return model && gold_str_has_prefix(model, "e1000-") ? "e1000" : "virtio-net-pci";
}

/* -device's value. */
static int
append_device(const struct gold_clone *c, struct gold_str *s, struct gold_error **err)
{
    const xmlNode *type = gold_xml_path(c->root, "os/type");
    const char *bus = root_bus(c), *arch = gold_xml_attr(type, "arch");
    int slot = SLOT_HIGHEST;

    if (!bus) {
        gold_str_printf(s, "%s,netdev=goldnet,mac=%s",
                        arch && gold_str_has_prefix(arch, "s390") ? "virtio-net-ccw"
                                                                  : "virtio-net-device",
                        c->spec->mac);
        return 0;
    }
    while (slot >= SLOT_LOWEST && slot_taken(c, slot))
        slot--;
    if (slot < SLOT_LOWEST) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "'%s' leaves no PCI slot free for the clone's NIC",
                       c->def ? c->def->path : "the plain definition");
        return -1;
    }
    /* No option ROM: a clone boots from its disk or not at all. */
    gold_str_printf(s, "%s,netdev=goldnet,mac=%s,bus=%s,addr=0x%x,romfile=", pci_model(c),
                    c->spec->mac, bus, (unsigned)slot);
    return 0;
}

static void
add_argument(struct gold_clone *c, xmlNode *commandline, xmlNs *ns, const char *value)
{
    xmlNode *arg = gold_clone_add(c, commandline, "arg", NULL);

    if (arg)
        xmlSetNs(arg, ns);
    gold_clone_set(c, arg, "value", value);
}

int
gold_clone_network(struct gold_clone *c, struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str device = GOLD_STR_INIT;
    GOLD_CLEANUP_STR struct gold_str dump = GOLD_STR_INIT;
    xmlDoc *doc = c->root->doc;
    xmlNs *ns = xmlSearchNsByHref(doc, c->root, (const xmlChar *)QEMU_NAMESPACE);

    if (!ns)
        ns = xmlNewNs(c->root, (const xmlChar *)QEMU_NAMESPACE, (const xmlChar *)"qemu");
    if (!ns) /* the prefix means something else there */
        ns = xmlNewNs(c->root, (const xmlChar *)QEMU_NAMESPACE, (const xmlChar *)"goldqemu");
    xmlNode *commandline = gold_clone_add(c, c->root, "commandline", NULL);
    if (!ns || !commandline)
        return gold_error_set_nomem(err);
    xmlSetNs(commandline, ns);

    if (append_device(c, &device, err) < 0 || gold_str_finish(&device, "a device", err) < 0)
        return -1;
    add_argument(c, commandline, ns, "-netdev");
    add_argument(c, commandline, ns, "user,id=goldnet,restrict=on");
    add_argument(c, commandline, ns, "-device");
    add_argument(c, commandline, ns, gold_str_text(&device));
    if (!c->spec->pcap_path)
        return 0;
    gold_str_append(&dump, "filter-dump,id=golddump,netdev=goldnet,file=");
    for (const char *p = c->spec->pcap_path; *p; p++) {
        gold_str_append_char(&dump, *p);
        if (*p == ',')
            gold_str_append_char(&dump, ','); /* QEMU's way to escape it */
    }
    if (gold_str_finish(&dump, "a capture", err) < 0)
        return -1;
    add_argument(c, commandline, ns, "-object");
    add_argument(c, commandline, ns, gold_str_text(&dump));
    return 0;
}
