/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DHCP client identifiers in a capture of a guest's NIC. The capture is what the guest chose to
 * send: every length is checked against what is there, and what does not parse is passed over.
 */
#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/str.h"
#include "validate/protocol.h"

#define MAX_IDS 64

struct bytes {
    const unsigned char *p;
    size_t len;
};

/* Cuts n bytes off the front; false when there are fewer. */
static bool
take(struct bytes *b, size_t n, struct bytes *ret)
{
    if (n > b->len)
        return false;
    *ret = (struct bytes){b->p, n};
    b->p += n;
    b->len -= n;
    return true;
}

static unsigned
be16(const unsigned char *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static uint32_t
get32(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static int
hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
parse_mac(const char *text, unsigned char ret[6])
{
    for (size_t i = 0; i < 6; i++, text += 3) {
        int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);
        if (low < 0 || text[2] != (i < 5 ? ':' : '\0'))
            return false;
        ret[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

/* The UDP payload of a DHCP request in an Ethernet frame. */
static bool
bootp_of_frame(struct bytes frame, struct bytes *ret)
{
    struct bytes head, ip, udp;
    if (!take(&frame, 12, &head) || !take(&frame, 2, &head))
        return false;
    unsigned type = be16(head.p);
    for (int tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8); tags++) {
        if (!take(&frame, 4, &head))
            return false;
        type = be16(head.p + 2);
    }
    if (type != 0x0800 || frame.len < 20 || frame.p[0] >> 4 != 4)
        return false;
    size_t header = (size_t)(frame.p[0] & 15) * 4, total = be16(frame.p + 2);
    /* Short frames are padded: the IP length counts, not the frame's. A fragment holds no whole
     * request. */
    if (header < 20 || total < header || total > frame.len || frame.p[9] != 17 ||
        (be16(frame.p + 6) & 0x3fff) != 0)
        return false;
    ip = (struct bytes){frame.p + header, total - header};
    if (!take(&ip, 8, &udp) || be16(udp.p + 2) != 67 || be16(udp.p + 4) < 8)
        return false;
    return take(&ip, (size_t)be16(udp.p + 4) - 8, ret);
}

/* Option 61 of a request by `mac`, as hex; pieces of a split option are joined (RFC 3396). ""
 * when there is none. */
static void
client_id(struct bytes bootp, const unsigned char mac[6], struct gold_str *ret)
{
    struct bytes fixed, cookie, head, value;
    static const unsigned char magic[4] = {0x63, 0x82, 0x53, 0x63};
    if (!take(&bootp, 236, &fixed) || !take(&bootp, 4, &cookie) ||
        memcmp(cookie.p, magic, 4) != 0)
        return;
    if (fixed.p[0] != 1 || fixed.p[1] != 1 || fixed.p[2] != 6 ||
        memcmp(fixed.p + 28, mac, 6) != 0)
        return;
    while (take(&bootp, 1, &head) && head.p[0] != 255) {
        unsigned code = head.p[0];
        if (code == 0)
            continue;
        if (!take(&bootp, 1, &head) || !take(&bootp, head.p[0], &value)) {
            gold_str_clear(ret); /* cut off in the middle: a part of an identifier is none */
            return;
        }
        for (size_t i = 0; code == 61 && i < value.len; i++)
            gold_str_printf(ret, "%02x", value.p[i]);
    }
}

static int
look_at_frame(struct bytes frame, const unsigned char mac[6], struct gold_strv *ret,
              struct gold_error **err)
{
    GOLD_CLEANUP_STR struct gold_str id = GOLD_STR_INIT;
    struct bytes bootp;
    if (!bootp_of_frame(frame, &bootp))
        return 0;
    client_id(bootp, mac, &id);
    if (gold_str_finish(&id, "a DHCP client identifier", err) < 0)
        return -1;
    if (id.len == 0 || ret->n >= MAX_IDS || gold_strv_contains(ret, id.data))
        return 0;
    return gold_strv_add(ret, id.data, err);
}

static int
look_at_capture(struct bytes file, const unsigned char mac[6], struct gold_strv *ret,
                struct gold_error **err)
{
    struct bytes head, frame;
    if (!take(&file, 24, &head))
        return 0;
    uint32_t as_big = get32(head.p, true);
    bool big = as_big == 0xa1b2c3d4 || as_big == 0xa1b23c4d; /* micro- or nanoseconds */
    uint32_t magic = get32(head.p, big);
    if ((magic != 0xa1b2c3d4 && magic != 0xa1b23c4d) || get32(head.p + 20, big) != 1)
        return 0;
    while (take(&file, 16, &head) && take(&file, get32(head.p + 8, big), &frame)) {
        if (look_at_frame(frame, mac, ret, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_dhcp_client_ids(const char *pcap, const char *mac, struct gold_strv *ret,
                     struct gold_error **err)
{
    unsigned char address[6];
    if (!parse_mac(mac, address)) {
        gold_error_set(err, GOLD_ERROR_USAGE, "'%s': not a MAC address", mac);
        return -1;
    }
    /* QEMU makes the file when the NIC comes up: a guest that died early leaves none. */
    if (access(pcap, F_OK) < 0 && errno == ENOENT)
        return 0;
    struct stat st;
    GOLD_CLEANUP_FD int fd = gold_open_regular(pcap, &st, err);
    if (fd < 0)
        return -1;
    size_t cap =
        (uint64_t)st.st_size < GOLD_LIMIT_PCAP ? (size_t)st.st_size : (size_t)GOLD_LIMIT_PCAP;
    GOLD_CLEANUP_FREE unsigned char *bytes = malloc(cap + 1); /* not 0 for an empty file */
    if (!bytes)
        return gold_error_set_nomem(err);
    ssize_t len = gold_read_full(fd, bytes, cap);
    if (len < 0) {
        gold_error_set_errno(err, errno, "cannot read '%s'", pcap);
        return -1;
    }
    return look_at_capture((struct bytes){bytes, (size_t)len}, address, ret, err);
}
