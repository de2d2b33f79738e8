/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads libvirt domain XML into the model. Nothing is changed and nothing but the file itself
 * is looked at. */
#include "formats/domain.h"

#include <ctype.h>
#include <string.h>

#include "core/checked.h"
#include "core/io.h"
#include "core/limits.h"
#include "core/number.h"
#include "core/vec.h"
#include "formats/domain_tree.h"

bool
gold_domain_probe(const char *head, size_t len)
{
    size_t at = 0;

    if (len >= 2 &&
        ((head[0] == '\xFF' && head[1] == '\xFE') || (head[0] == '\xFE' && head[1] == '\xFF')))
        return true;
    if (len >= 2 &&
        ((head[0] == '<' && head[1] == '\0') || (head[0] == '\0' && head[1] == '<')))
        return true;
    if (len >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0)
        at = 3;
    while (at < len && isspace((unsigned char)head[at]))
        at++;
    return at < len && head[at] == '<';
}

xmlNode *
gold_domain_root(const struct gold_xml *x)
{
    return xmlDocGetRootElement(x->doc);
}

xmlNode *
gold_domain_devices(const struct gold_xml *x)
{
    return gold_xml_child(gold_domain_root(x), "devices");
}

xmlNode *
gold_domain_disk_element(const struct gold_xml *x, size_t n)
{
    xmlNode *disk = gold_xml_child(gold_domain_devices(x), "disk");

    while (disk && n-- > 0)
        disk = gold_xml_next(disk, "disk");
    return disk;
}

int
gold_domain_disk_index(const struct gold_definition *def, const struct gold_disk *disk,
                       size_t *ret, struct gold_error **err)
{
    for (size_t i = 0; i < def->n_disks; i++) {
        if (&def->disks[i] == disk) {
            *ret = i;
            return 0;
        }
    }
    gold_error_set(err, GOLD_ERROR_USAGE, "'%s': the disk is not one of this definition",
                   def->path);
    return -1;
}

struct gold_xml *
gold_domain_open(const char *name, const char *text, size_t len, struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x = gold_xml_parse(name, text, len, err);

    if (!x)
        return NULL;
    const xmlNode *root = gold_domain_root(x);
    if (gold_xml_is(root, "domain"))
        return gold_steal_ptr(&x);

    const struct gold_xml_span *span = gold_xml_span_of(x, root);
    const char *found = (const char *)root->name;
    gold_error_set(err, GOLD_ERROR_FORMAT,
                   "%s:%u: the root element is <%s>%s, not <domain>: not a libvirt domain",
                   name, span ? span->line : 1, found, root->ns ? " in a namespace" : "");
    if (gold_streq(found, "domstatus") || gold_streq(found, "domainsnapshot") ||
        gold_streq(found, "domaincheckpoint"))
        gold_error_hint(
            err, "this file wraps a domain; use the output of 'virsh dumpxml --inactive'");
    else if (gold_streq(found, "domainbackup") || gold_streq(found, "domainCapabilities"))
        gold_error_hint(err, "use the output of 'virsh dumpxml --inactive'");
    return NULL;
}

/* ---- reading ---- */

static int
dup_attr(const xmlNode *node, const char *name, char **ret, struct gold_error **err)
{
    const char *value = gold_xml_attr(node, name);

    if (!value)
        return 0;
    *ret = gold_strdup(value, err);
    return *ret ? 0 : -1;
}

static uint64_t
number_or_zero(const char *text)
{
    uint64_t v = 0;
    return text && gold_parse_u64(text, &v, NULL) == 0 ? v : 0;
}

int
gold_domain_parse_limit(const char *text, uint64_t *ret, struct gold_error **err)
{
    /* libvirt uses strtoull: blanks and a plus in front pass, nothing may follow. */
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '+')
        text++;
    return gold_parse_u64(text, ret, err);
}

int
gold_domain_iotune_key(const xmlNode *child)
{
    const char *name = (const char *)child->name;
    int key = child->ns ? -1 : gold_iotune_key(name);

    return key >= 0 && gold_streq(name, gold_iotune_name((unsigned)key)) ? key : -1;
}

static int
read_iotune_child(const xmlNode *child, unsigned key, struct gold_iotune *t,
                  struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;

    if (gold_xml_text(child, &text, err) < 0)
        return -1;
    if (key == GOLD_IOTUNE_NUMBERS) {
        if (*text)
            t->group_name = gold_steal_ptr(&text);
    } else if (gold_domain_parse_limit(text, &t->value[key], NULL) < 0) {
        t->value[key] = 0; /* gold_domain_check() tells of it */
    }
    return 0;
}

int
gold_domain_read_iotune(const xmlNode *disk, struct gold_iotune *ret, struct gold_error **err)
{
    struct gold_iotune t = {0};
    bool seen[GOLD_IOTUNE_NUMBERS + 1] = {false};

    for (const xmlNode *i = gold_xml_child(disk, "iotune"); i; i = gold_xml_next(i, "iotune")) {
        for (const xmlNode *c = gold_xml_child(i, NULL); c; c = gold_xml_next(c, NULL)) {
            int key = gold_domain_iotune_key(c);
            if (key < 0 || seen[key])
                continue;
            seen[key] = true;
            if (read_iotune_child(c, (unsigned)key, &t, err) < 0) {
                gold_iotune_done(&t);
                return -1;
            }
        }
    }
    *ret = t;
    return 0;
}

const char *
gold_domain_unthrottled(const xmlNode *disk)
{
    const char *device = gold_xml_attr(disk, "device");

    if (device && strcmp(device, "lun") == 0)
        return "SCSI pass-through (device='lun') never meets QEMU's throttle";
    if (gold_streq(gold_xml_attr(disk, "type"), "vhostuser"))
        return "QEMU does not throttle vhostuser disks";
    return NULL;
}

static unsigned
line_of(const struct gold_xml *x, const xmlNode *node)
{
    const struct gold_xml_span *span = gold_xml_span_of(x, node);
    return span ? span->line : 0;
}

/* Which attribute of <source> names what stands behind it. */
static const char *
source_value(const xmlNode *source, const char *type)
{
    static const struct {
        const char *type, *attr;
    } table[] = {{"file", "file"},    {"block", "dev"},     {"dir", "dir"},
                 {"network", "name"}, {"volume", "volume"}, {"bridge", "bridge"},
                 {"direct", "dev"}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (gold_streq(type, table[i].type))
            return gold_xml_attr(source, table[i].attr);
    }
    return NULL;
}

static int
read_disk(const struct gold_xml *x, const xmlNode *e, struct gold_disk *d,
          struct gold_error **err)
{
    const xmlNode *driver = gold_xml_child(e, "driver"), *target = gold_xml_child(e, "target");
    const char *type = gold_xml_attr(e, "type"), *device = gold_xml_attr(e, "device");
    const char *source;
    uint64_t order = number_or_zero(gold_xml_attr(gold_xml_child(e, "boot"), "order"));

    d->line = line_of(x, e);
    if (!gold_narrow(order, &d->boot_order))
        d->boot_order = 0;
    d->readonly = gold_xml_child(e, "readonly") != NULL;
    d->shareable = gold_xml_child(e, "shareable") != NULL;
    type = type ? type : "file"; /* libvirt's defaults */
    source = source_value(gold_xml_child(e, "source"), type);
    d->type = gold_strdup(type, err);
    d->device = d->type ? gold_strdup(device ? device : "disk", err) : NULL;
    if (!d->device)
        return -1;
    if (source && *source && !(d->source = gold_strdup(source, err)))
        return -1;
    if (dup_attr(target, "dev", &d->target, err) < 0 ||
        dup_attr(target, "bus", &d->bus, err) < 0 ||
        dup_attr(driver, "type", &d->format, err) < 0 ||
        dup_attr(driver, "cache", &d->cache, err) < 0 ||
        gold_xml_text(gold_xml_child(e, "serial"), &d->serial, err) < 0)
        return -1;
    return gold_domain_read_iotune(e, &d->iotune, err);
}

static int
read_nic(const struct gold_xml *x, const xmlNode *e, struct gold_nic *n,
         struct gold_error **err)
{
    const char *type = gold_xml_attr(e, "type");
    const xmlNode *source = gold_xml_child(e, "source");
    const char *value = gold_streq(type, "network") ? gold_xml_attr(source, "network")
                                                    : source_value(source, type);

    n->line = line_of(x, e);
    if (dup_attr(gold_xml_child(e, "mac"), "address", &n->mac, err) < 0 ||
        dup_attr(gold_xml_child(e, "model"), "type", &n->model, err) < 0 ||
        dup_attr(e, "type", &n->type, err) < 0)
        return -1;
    for (char *c = n->mac; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (value && !(n->source = gold_strdup(value, err)))
        return -1;
    return 0;
}

static int
read_devices(const struct gold_xml *x, struct gold_definition *def, struct gold_error **err)
{
    const xmlNode *devices = gold_domain_devices(x);

    for (const xmlNode *e = gold_xml_child(devices, "disk"); e; e = gold_xml_next(e, "disk")) {
        if (def->n_disks == GOLD_LIMIT_DISKS) {
            gold_error_set(err, GOLD_ERROR_UNSUPPORTED, "%s:%u: more than %d disks", def->path,
                           line_of(x, e), GOLD_LIMIT_DISKS);
            return -1;
        }
        struct gold_disk *d = gold_array_add(&def->disks, &def->n_disks, sizeof(*d), err);
        if (!d || read_disk(x, e, d, err) < 0)
            return -1;
    }
    for (const xmlNode *e = gold_xml_child(devices, "interface"); e;
         e = gold_xml_next(e, "interface")) {
        struct gold_nic *n = gold_array_add(&def->nics, &def->n_nics, sizeof(*n), err);
        if (!n || read_nic(x, e, n, err) < 0)
            return -1;
    }
    return 0;
}

/* Text without the blanks around it; NULL when nothing is left. */
static int
trimmed_text(const xmlNode *node, char **ret, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;

    if (gold_xml_text(node, &text, err) < 0)
        return -1;
    if (!text)
        return 0;
    const char *from = text + strspn(text, " \t\r\n");
    size_t len = strlen(from);
    while (len > 0 && isspace((unsigned char)from[len - 1]))
        len--;
    if (len == 0)
        return 0;
    *ret = gold_strndup(from, len, err);
    return *ret ? 0 : -1;
}

/* libvirt's units of memory, in bytes; 0: no such unit. */
static uint64_t
memory_unit(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } table[] = {{"b", 1},
                 {"bytes", 1},
                 {"kb", 1000},
                 {"k", 1024},
                 {"kib", 1024},
                 {"mb", 1000000},
                 {"m", GOLD_MIB},
                 {"mib", GOLD_MIB},
                 {"gb", 1000000000},
                 {"g", GOLD_GIB},
                 {"gib", GOLD_GIB},
                 {"tb", 1000000000000},
                 {"t", GOLD_GIB * 1024},
                 {"tib", GOLD_GIB * 1024}};

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (strcasecmp(unit, table[i].name) == 0)
            return table[i].bytes;
    }
    return 0;
}

static int
read_size(const xmlNode *root, struct gold_definition *def, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *memory = NULL;
    GOLD_CLEANUP_FREE char *vcpu = NULL;
    const xmlNode *e = gold_xml_child(root, "memory");
    const char *unit = gold_xml_attr(e, "unit");
    uint64_t vcpus;

    if (trimmed_text(e, &memory, err) < 0 ||
        trimmed_text(gold_xml_child(root, "vcpu"), &vcpu, err) < 0)
        return -1;
    if (!gold_mul_u64(number_or_zero(memory), memory_unit(unit ? unit : "KiB"), &def->memory))
        def->memory = 0;
    vcpus = number_or_zero(vcpu);
    if (!gold_narrow(vcpus, &def->vcpus))
        def->vcpus = 0;
    return 0;
}

static int
read_os(const xmlNode *root, struct gold_definition *def, struct gold_error **err)
{
    const xmlNode *os = gold_xml_child(root, "os"), *type = gold_xml_child(os, "type");
    const xmlNode *loader = gold_xml_child(os, "loader");

    if (dup_attr(type, "arch", &def->arch, err) < 0 ||
        dup_attr(type, "machine", &def->machine, err) < 0 ||
        dup_attr(os, "firmware", &def->firmware, err) < 0)
        return -1;
    if (def->firmware || !loader)
        return 0;
    /* Firmware in flash is UEFI; libvirt has no other. */
    def->firmware =
        gold_strdup(gold_streq(gold_xml_attr(loader, "type"), "pflash") ? "efi" : "bios", err);
    return def->firmware ? 0 : -1;
}

static int
read_model(const struct gold_xml *x, struct gold_definition *def, struct gold_error **err)
{
    const xmlNode *root = gold_domain_root(x);

    if (trimmed_text(gold_xml_child(root, "name"), &def->name, err) < 0 ||
        trimmed_text(gold_xml_child(root, "uuid"), &def->uuid, err) < 0 ||
        dup_attr(root, "type", &def->domain_type, err) < 0 || read_size(root, def, err) < 0 ||
        read_os(root, def, err) < 0)
        return -1;
    return read_devices(x, def, err);
}

struct gold_definition *
gold_domain_parse(const char *name, const char *text, size_t len, struct gold_error **err)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = NULL;
    GOLD_CLEANUP_XML struct gold_xml *x = gold_domain_open(name, text, len, err);

    if (!x)
        return NULL;
    def = calloc(1, sizeof(*def));
    if (!def) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    def->kind = GOLD_DEFINITION_LIBVIRT;
    def->path = gold_strdup(name, err);
    def->text = def->path ? gold_strndup(text, len, err) : NULL;
    def->text_len = len;
    if (!def->text || read_model(x, def, err) < 0)
        return NULL;
    return gold_steal_ptr(&def);
}

struct gold_definition *
gold_domain_read(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len;

    if (gold_read_file(path, GOLD_LIMIT_DEFINITION, &text, &len, err) < 0)
        return NULL;
    return gold_domain_parse(path, text, len, err);
}
