/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edits of a domain's identity and of where its disks lie. Only what the definition says is
 * changed: an absent uuid or MAC is made by libvirt when the domain is defined, which is unique
 * already.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "formats/domain_tree.h"
#include "formats/xml_edit.h"

static int
random_bytes(unsigned char *buf, size_t len, struct gold_error **err)
{
    ssize_t n;

    do {
        n = getrandom(buf, len, 0);
    } while (n < 0 && errno == EINTR);
    if (n == (ssize_t)len)
        return 0;
    gold_error_set_errno(err, n < 0 ? errno : EIO, "cannot get random bytes");
    return -1;
}

static char *
random_uuid(struct gold_error **err)
{
    unsigned char b[16];

    if (random_bytes(b, sizeof(b), err) < 0)
        return NULL;
    b[6] = (b[6] & 0x0F) | 0x40; /* version 4 */
    b[8] = (b[8] & 0x3F) | 0x80;
    return gold_format(err,
                       "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                       b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
                       b[12], b[13], b[14], b[15]);
}

/* The last 24 bits of a MAC with our prefix (they are read in lower case); else UINT32_MAX. */
static uint32_t
mac_tail(const char *mac)
{
    static const char digits[] = "0123456789abcdef", form[] = "52:54:00:xx:xx:xx";
    uint32_t tail = 0;

    if (!mac || strlen(mac) != strlen(form))
        return UINT32_MAX;
    for (size_t i = 0; form[i]; i++) {
        const char *digit = strchr(digits, mac[i]);
        if (form[i] == 'x' ? !digit : mac[i] != form[i])
            return UINT32_MAX;
        if (form[i] == 'x')
            tail = tail << 4 | (uint32_t)(digit - digits);
    }
    return tail;
}

/* The last 24 bits of the first new MAC; the others follow it. None of them is in the
 * definition. */
static int
random_macs(const struct gold_definition *def, uint32_t *ret, struct gold_error **err)
{
    for (;;) {
        unsigned char b[3];
        bool taken = false;
        if (random_bytes(b, sizeof(b), err) < 0)
            return -1;
        uint32_t first = (uint32_t)b[0] << 16 | (uint32_t)b[1] << 8 | b[2];
        for (size_t i = 0; i < def->n_nics; i++) {
            uint32_t tail = mac_tail(def->nics[i].mac);
            taken = taken || (tail != UINT32_MAX && ((tail - first) & 0xFFFFFF) < def->n_nics);
        }
        if (!taken) {
            *ret = first;
            return 0;
        }
    }
}

static int
record(struct gold_source_result *src, const char *what, unsigned line, const char *old,
       const char *new, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *path = gold_format(err, "definition:%s", what);
    GOLD_CLEANUP_FREE char *detail =
        path ? gold_format(err, "line %u: '%s' becomes '%s'", line, old ? old : "", new) : NULL;

    return detail
               ? gold_source_add_effect(src, "definition-identity", path, "edited", detail, err)
               : -1;
}

static unsigned
line_of(const struct gold_xml *x, const xmlNode *node)
{
    const struct gold_xml_span *span = gold_xml_span_of(x, node);
    return span ? span->line : 0;
}

static int
reset_text(const struct gold_xml *x, const xmlNode *e, const char *what, const char *value,
           struct gold_patch *patch, struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *old = NULL;

    if (!e)
        return 0;
    if (gold_xml_text(e, &old, err) < 0 || gold_xml_set_text(x, e, value, patch, err) < 0)
        return -1;
    return record(src, what, line_of(x, e), old, value, err);
}

/* libvirt refuses a system uuid in <sysinfo> that is not the domain's: they change together. */
static int
reset_uuid(const struct gold_xml *x, struct gold_patch *patch, struct gold_source_result *src,
           struct gold_error **err)
{
    const xmlNode *root = gold_domain_root(x);
    GOLD_CLEANUP_FREE char *uuid = random_uuid(err);

    if (!uuid || reset_text(x, gold_xml_child(root, "uuid"), "uuid", uuid, patch, src, err) < 0)
        return -1;
    for (const xmlNode *s = gold_xml_child(root, "sysinfo"); s;
         s = gold_xml_next(s, "sysinfo")) {
        const xmlNode *entry = gold_xml_child(gold_xml_child(s, "system"), "entry");
        for (; entry; entry = gold_xml_next(entry, "entry")) {
            if (gold_streq(gold_xml_attr(entry, "name"), "uuid") &&
                reset_text(x, entry, "sysinfo/system/uuid", uuid, patch, src, err) < 0)
                return -1;
        }
    }
    return 0;
}

static int
reset_mac(const struct gold_xml *x, const xmlNode *mac, uint32_t tail, struct gold_patch *patch,
          struct gold_source_result *src, struct gold_error **err)
{
    const char *old = gold_xml_attr(mac, "address");

    if (!old)
        return 0;
    GOLD_CLEANUP_FREE char *new = gold_format(
        err, "52:54:00:%02x:%02x:%02x", (tail >> 16) & 0xFF, (tail >> 8) & 0xFF, tail & 0xFF);
    if (!new || gold_xml_set_attribute(x, mac, "address", new, patch, err) < 0)
        return -1;
    return record(src, "interface/mac", line_of(x, mac), old, new, err);
}

int
gold_domain_reset_identity(const struct gold_definition *def, struct gold_patch *patch,
                           struct gold_source_result *src, struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x =
        gold_domain_open(def->path, def->text, def->text_len, err);

    uint32_t tail = 0;

    if (!x || reset_uuid(x, patch, src, err) < 0 || random_macs(def, &tail, err) < 0)
        return -1;
    const xmlNode *nic = gold_xml_child(gold_domain_devices(x), "interface");
    for (; nic; nic = gold_xml_next(nic, "interface")) {
        if (reset_mac(x, gold_xml_child(nic, "mac"), tail++, patch, src, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- sources ---- */

static int
add_source(const struct gold_xml *x, const xmlNode *disk, const char *attr, const char *path,
           struct gold_patch *patch, struct gold_error **err)
{
    GOLD_CLEANUP_XML_STYLE struct gold_xml_style style = {0};
    GOLD_CLEANUP_STR struct gold_str s = GOLD_STR_INIT;

    if (gold_xml_child_style(x, disk, &style, err) < 0)
        return -1;
    gold_str_printf(&s, "<source %s=%c", attr, style.quote);
    gold_xml_append_escaped(x, &s, path);
    gold_str_printf(&s, "%c/>", style.quote);
    if (gold_str_finish(&s, "<source>", err) < 0)
        return -1;
    const xmlNode *after = gold_xml_child(disk, "auth");
    after = after ? after : gold_xml_child(disk, "driver");
    return gold_xml_insert(x, disk, after, after ? NULL : gold_xml_child(disk, NULL),
                           gold_str_text(&s), patch, err);
}

int
gold_domain_set_source(const struct gold_definition *def, const struct gold_disk *disk,
                       const char *path, struct gold_patch *patch, struct gold_error **err)
{
    GOLD_CLEANUP_XML struct gold_xml *x = NULL;
    bool file = gold_streq(disk->type, "file"), block = gold_streq(disk->type, "block");
    size_t index = 0;

    if (gold_domain_disk_index(def, disk, &index, err) < 0)
        return -1;
    if (!file && !block) {
        gold_error_set(err, GOLD_ERROR_UNSUPPORTED,
                       "%s:%u: disk '%s' is of type '%s': its source is no path", def->path,
                       disk->line, disk->target ? disk->target : "?", disk->type);
        return -1;
    }
    x = gold_domain_open(def->path, def->text, def->text_len, err);
    if (!x)
        return -1;
    const xmlNode *e = gold_domain_disk_element(x, index),
                  *source = gold_xml_child(e, "source");
    const char *attr = file ? "file" : "dev";
    if (!source)
        return add_source(x, e, attr, path, patch, err);
    if (block && !gold_str_has_prefix(path, "/dev/") && gold_xml_attr(source, "dev")) {
        /* A device gives way to a file. */
        if (gold_xml_set_attribute(x, e, "type", "file", patch, err) < 0 ||
            gold_xml_rename_attribute(x, source, "dev", "file", patch, err) < 0)
            return -1;
    }
    return gold_xml_set_attribute(x, source, attr, path, patch, err);
}
