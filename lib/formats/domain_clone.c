/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The XML of a throw-away clone, made from the template's definition: what the guest sees of
 * its machine stays, what ties the machine to its host, its network or its owner goes.
 * Serialised by libxml2: nobody keeps the result. Only elements that are known to be harmless
 * are taken over.
 */
#include "formats/domain_clone.h"

#include <string.h>

static const char plain[] = "<domain type='qemu'>"
                            "<memory unit='MiB'>1024</memory>"
                            "<vcpu>2</vcpu>"
                            "<os><type arch='x86_64' machine='q35'>hvm</type></os>"
                            "<features><acpi/><apic/></features>"
                            "<devices/>"
                            "</domain>";

/* ---- building ---- */

xmlNode *
gold_clone_add(struct gold_clone *c, xmlNode *parent, const char *name, const char *text)
{
    if (!parent)
        return NULL;
    xmlNode *node = xmlNewDocNode(c->root->doc, NULL, (const xmlChar *)name, NULL);
    if (!node) {
        c->nomem = true;
        return NULL;
    }
    /* Not the content parameter above: that one would read entity references. */
    xmlNode *content = text ? xmlNewDocText(c->root->doc, (const xmlChar *)text) : NULL;
    if ((text && !content) || (content && !xmlAddChild(node, content)) ||
        !xmlAddChild(parent, node)) {
        xmlFreeNode(node);
        c->nomem = true;
        return NULL;
    }
    return node;
}

void
gold_clone_set(struct gold_clone *c, xmlNode *node, const char *name, const char *value)
{
    if (node && !xmlSetProp(node, (const xmlChar *)name, (const xmlChar *)value))
        c->nomem = true;
}

void
gold_clone_unset(xmlNode *node, const char *name)
{
    (void)xmlUnsetProp(node, (const xmlChar *)name);
}

void
gold_clone_remove(xmlNode *node)
{
    xmlUnlinkNode(node);
    xmlFreeNode(node);
}

static bool
is_one_of(const xmlNode *node, const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        if (gold_xml_is(node, names[i]))
            return true;
    }
    return false;
}

static void
sift(xmlNode *parent, const char *const *names, bool keep)
{
    for (xmlNode *n = parent ? parent->children : NULL; n;) {
        xmlNode *next = n->next;
        if (is_one_of(n, names) != keep)
            gold_clone_remove(n);
        n = next;
    }
}

void
gold_clone_drop(xmlNode *parent, const char *const *names)
{
    sift(parent, names, false);
}

void
gold_clone_keep(xmlNode *parent, const char *const *names)
{
    sift(parent, names, true);
}

/* ---- the parts of <domain> ---- */

static void
shape_os(struct gold_clone *c)
{
    static const char *const os_parts[] = {"type",   "firmware", "loader",  "nvram", "boot",
                                           "kernel", "initrd",   "cmdline", "dtb",   "bios",
                                           "smbios", "acpi",     NULL};
    static const char *const nothing[] = {NULL};
    xmlNode *os = gold_xml_child(c->root, "os"), *nvram = gold_xml_child(os, "nvram");
    const char *machine = gold_xml_attr(gold_xml_child(os, "type"), "machine");

    gold_clone_keep(os, os_parts);
    if (machine && strncmp(machine, "xen", 3) == 0)
        gold_clone_unset(gold_xml_child(os, "type"), "machine");
    for (xmlNode *boot = gold_xml_child(os, "boot"); boot;) {
        xmlNode *next = gold_xml_next(boot, "boot");
        if (!gold_streq(gold_xml_attr(boot, "dev"), "hd"))
            gold_clone_remove(boot);
        boot = next;
    }
    if (!nvram)
        return;
    /* A fresh variable store is made from the template: the original must not be written to. */
    if (gold_xml_attr(nvram, "template")) {
        gold_clone_keep(nvram, nothing);
        gold_clone_unset(nvram, "type");
    } else {
        gold_clone_remove(nvram);
    }
}

/* On a PC the firmware speaks on the serial console too, or a disk that does not boot would be
 * silent. */
static void
shape_firmware(struct gold_clone *c)
{
    xmlNode *os = gold_xml_child(c->root, "os"), *bios = gold_xml_child(os, "bios");
    const char *arch = gold_xml_attr(gold_xml_child(os, "type"), "arch");

    if (!gold_streq(arch, "x86_64") && !gold_streq(arch, "i686"))
        return;
    if (!bios)
        bios = gold_clone_add(c, os, "bios", NULL);
    gold_clone_set(c, bios, "useserial", "yes");
}

static void
shape_features(struct gold_clone *c)
{
    static const char *const needs_kvm[] = {"kvm", "hyperv", "pvspinlock", "hap", "viridian",
                                            "pmu", "msrs",   "ioapic",     "xen", NULL};
    static const char *const needs_tcg[] = {"tcg", "xen", "hap", "viridian", NULL};
    static const char *const kvm_timers[] = {"kvmclock", "hypervclock", "tsc", NULL};

    gold_clone_drop(gold_xml_child(c->root, "features"), c->tcg ? needs_kvm : needs_tcg);
    for (xmlNode *t = gold_xml_path(c->root, "clock/timer"); t && c->tcg;) {
        xmlNode *next = gold_xml_next(t, "timer");
        for (size_t i = 0; kvm_timers[i]; i++) {
            if (gold_streq(gold_xml_attr(t, "name"), kvm_timers[i])) {
                gold_clone_remove(t);
                break;
            }
        }
        t = next;
    }
}

static void
shape_cpu(struct gold_clone *c)
{
    static const char *const host_parts[] = {"numa", "cache", "maxphysaddr", NULL};
    static const char *const topology[] = {"topology", NULL};
    static const char *const numa[] = {"numa", NULL};
    xmlNode *cpu = gold_xml_child(c->root, "cpu");
    const char *mode = gold_xml_attr(cpu, "mode"), *arch = c->def ? c->def->arch : NULL;

    if (!c->tcg) {
        gold_clone_drop(cpu, numa);
        return;
    }
    if (cpu && gold_xml_child(cpu, "model") && (!mode || strcmp(mode, "custom") == 0)) {
        gold_clone_drop(cpu, host_parts);
        /* What the emulator lacks it lacks; libvirt is not to refuse the start for it. */
        gold_clone_set(c, cpu, "check", "none");
        return;
    }
    if (arch && strcmp(arch, "x86_64") != 0 && strcmp(arch, "i686") != 0) {
        if (cpu)
            gold_clone_remove(cpu);
        return;
    }
    /* Everything the emulator can do: newer distributions do not run on its oldest model.
       Left out is what only costs time: five-level page tables, and a nested hypervisor, for
       which guests load modules. */
    if (!cpu)
        cpu = gold_clone_add(c, c->root, "cpu", NULL);
    if (!cpu)
        return;
    gold_clone_keep(cpu, topology);
    while (cpu->properties)
        xmlRemoveProp(cpu->properties);
    gold_clone_set(c, cpu, "mode", "maximum");
    static const char *const left_out[] = {"la57", "svm"};
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        xmlNode *feature = gold_clone_add(c, cpu, "feature", NULL);
        gold_clone_set(c, feature, "policy", "disable");
        gold_clone_set(c, feature, "name", left_out[i]);
    }
}

/* The system uuid in <sysinfo> must be the domain's. */
static void
shape_sysinfo(struct gold_clone *c)
{
    for (xmlNode *s = gold_xml_child(c->root, "sysinfo"); s;) {
        xmlNode *next = gold_xml_next(s, "sysinfo");
        if (!gold_streq(gold_xml_attr(s, "type"), "smbios")) {
            gold_clone_remove(s); /* fwcfg: names files */
            s = next;
            continue;
        }
        for (xmlNode *e = gold_xml_path(s, "system/entry"); e;) {
            xmlNode *after = gold_xml_next(e, "entry");
            if (gold_streq(gold_xml_attr(e, "name"), "uuid"))
                gold_clone_remove(e);
            e = after;
        }
        s = next;
    }
}

static void
shape_domain(struct gold_clone *c)
{
    static const char *const parts[] = {
        "memory",   "currentMemory", "vcpu", "iothreads", "iothreadids", "cpu", "os",
        "features", "clock",         "pm",   "sysinfo",   "devices",     NULL};
    static const char *const events[][2] = {
        {"on_poweroff", "destroy"}, {"on_reboot", "restart"}, {"on_crash", "destroy"}};

    for (xmlNode *n = c->root->doc->children; n;) { /* comments around it */
        xmlNode *next = n->next;
        if (n != c->root)
            gold_clone_remove(n);
        n = next;
    }
    gold_clone_keep(c->root, parts);
    gold_clone_unset(c->root, "id");
    gold_clone_set(c, c->root, "type", c->tcg ? "qemu" : "kvm");
    gold_clone_add(c, c->root, "name", c->spec->name);
    gold_clone_add(c, c->root, "uuid", c->spec->uuid);
    if (!gold_xml_child(c->root, "memory"))
        gold_clone_set(c, gold_clone_add(c, c->root, "memory", "1024"), "unit", "MiB");
    xmlNode *vcpu = gold_xml_child(c->root, "vcpu");
    if (vcpu) {
        gold_clone_unset(vcpu, "cpuset");
        gold_clone_unset(vcpu, "placement");
    }
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        gold_clone_add(c, c->root, events[i][0], events[i][1]);
    shape_os(c);
    shape_firmware(c);
    shape_features(c);
    shape_cpu(c);
    shape_sysinfo(c);
}

/* ---- the whole ---- */

static int
check_text(const char *what, const char *value, bool needed, struct gold_error **err)
{
    if (!value) {
        if (!needed)
            return 0;
        gold_error_set(err, GOLD_ERROR_USAGE, "a clone needs a %s", what);
        return -1;
    }
    for (const unsigned char *p = (const unsigned char *)value; *p; p++) {
        if (*p < 0x20 || *p == 0x7F) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                           "a clone's %s holds a control character", what);
            return -1;
        }
    }
    if (!gold_utf8_valid(value, strlen(value))) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "a clone's %s is not valid UTF-8", what);
        return -1;
    }
    return 0;
}

static int
check_spec(const struct gold_clone_spec *s, struct gold_error **err)
{
    if (check_text("name", s->name, true, err) < 0 ||
        check_text("UUID", s->uuid, true, err) < 0 ||
        check_text("MAC address", s->mac, true, err) < 0 ||
        check_text("accelerator", s->accel, true, err) < 0 ||
        check_text("console path", s->console_path, false, err) < 0 ||
        check_text("channel path", s->channel_path, false, err) < 0 ||
        check_text("capture path", s->pcap_path, false, err) < 0 ||
        check_text("emulator path", s->emulator, false, err) < 0)
        return -1;
    if (strcmp(s->accel, "kvm") != 0 && strcmp(s->accel, "tcg") != 0) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s' is not an accelerator", s->accel);
        return -1;
    }
    for (size_t i = 0; i < s->n_disks; i++) {
        const struct gold_clone_disk *d = &s->disks[i];
        if (check_text("disk path", d->path, true, err) < 0 ||
            check_text("disk format", d->format, true, err) < 0 ||
            check_text("disk target", d->target, false, err) < 0 ||
            check_text("disk serial", d->serial, false, err) < 0 ||
            check_text("disk bus", d->bus, false, err) < 0)
            return -1;
    }
    return 0;
}

static int
check_machine(const struct gold_clone *c, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *type = NULL;
    const char *name = c->def ? c->def->path : "the plain definition";

    if (gold_xml_text(gold_xml_path(c->root, "os/type"), &type, err) < 0)
        return -1;
    if (gold_streq(type, "hvm"))
        return 0;
    gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                   "'%s': a domain with the os type '%s' cannot be cloned, only 'hvm' can",
                   name, type ? type : "");
    return -1;
}

static int
serialise(const struct gold_clone *c, char **ret, struct gold_error **err)
{
    xmlChar *text = NULL;
    int len = 0;

    xmlDocDumpFormatMemoryEnc(c->root->doc, &text, &len, "UTF-8", 1);
    if (!text || len < 0) {
        xmlFree(text);
        return gold_error_set_nomem(err);
    }
    *ret = gold_strndup((const char *)text, (size_t)len, err);
    xmlFree(text);
    return *ret ? 0 : -1;
}

int
gold_domain_clone_xml(const struct gold_definition *def, const struct gold_clone_spec *spec,
                      char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x = NULL;

    if (check_spec(spec, err) < 0)
        return -1;
    x = def ? gold_domain_open(def->path, def->text, def->text_len, err)
            : gold_domain_open("the plain definition", plain, sizeof(plain) - 1, err);
    if (!x)
        return -1;
    struct gold_clone c = {.def = def, .spec = spec, .tcg = strcmp(spec->accel, "tcg") == 0};
    c.root = gold_domain_root(x);
    if (check_machine(&c, err) < 0)
        return -1;
    shape_domain(&c);
    c.devices = gold_domain_devices(x);
    if (!c.devices)
        c.devices = gold_clone_add(&c, c.root, "devices", NULL);
    if (gold_clone_devices(&c, err) < 0 || gold_clone_network(&c, err) < 0)
        return -1;
    if (c.nomem)
        return gold_error_set_nomem(err);
    return serialise(&c, ret, err);
}
