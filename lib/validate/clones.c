/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Throw-away clones; see clones.h. */
#include "validate/clones.h"

#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "core/io.h"
#include "core/limits.h"
#include "qemu/image.h"
#include "validate/protocol.h"

void
gold_scratches_done(struct gold_scratches *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->items[i].serial);
        free(s->items[i].path);
    }
    gold_scratches_clear(s);
}

void
gold_clone_done(struct gold_clone *c)
{
    free(c->name);
    free(c->dir);
    gold_strv_done(&c->overlays);
    *c = (struct gold_clone){.number = 0};
}

void
gold_clone_boot_done(struct gold_clone_boot *b)
{
    free(b->domain);
    free(b->console);
    free(b->channel);
    free(b->pcap);
    free(b->payload);
    free(b->xml);
    *b = (struct gold_clone_boot){.boot = 0};
}

int
gold_clone_identity(char ret_uuid[37], char ret_mac[18], struct gold_error **err)
{
    unsigned char r[19];

    if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r)) {
        gold_error_set_errno(err, errno, "cannot get random numbers");
        return -1;
    }
    r[6] = (unsigned char)((r[6] & 0x0f) | 0x40);
    r[8] = (unsigned char)((r[8] & 0x3f) | 0x80);
    (void)snprintf(ret_uuid, 37,
                   "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0],
                   r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12],
                   r[13], r[14], r[15]);
    (void)snprintf(ret_mac, 18, "52:54:00:%02x:%02x:%02x", r[16], r[17], r[18]);
    return 0;
}

int
gold_clone_give(const struct gold_clone_place *place, const char *path, struct gold_error **err)
{
    if (!place->give || lchown(path, place->uid, place->gid) == 0)
        return 0;
    gold_error_set_errno(err, errno, "cannot give '%s' to QEMU's user", path);
    return -1;
}

int
gold_clone_dir(const struct gold_clone_place *place, const char *name, char **ret,
               struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *dir = gold_path_join(place->dir, name, err);

    if (!dir)
        return -1;
    if (mkdir(dir, 0700) < 0) {
        gold_error_set_errno(err, errno, "cannot make directory '%s'", dir);
        return -1;
    }
    if (gold_clone_give(place, dir, err) < 0)
        return -1;
    *ret = gold_steal_ptr(&dir);
    return 0;
}

static int
create_overlays(struct gold_context *ctx, const struct gold_clone_place *place,
                const char *const *bases, size_t n, struct gold_clone *c,
                struct gold_error **err)
{
    for (size_t i = 0; i < n; i++) {
        GOLD_CLEANUP_FREE char *path = gold_format(err, "%s/disk-%zu.qcow2", c->dir, i);

        if (!path || gold_overlay_create(ctx, path, bases[i], GOLD_IMAGE_QCOW2, err) < 0 ||
            gold_clone_give(place, path, err) < 0 || gold_strv_add(&c->overlays, path, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_clone_create(struct gold_context *ctx, const struct gold_clone_place *place,
                  unsigned number, const char *const *bases, size_t n_bases,
                  struct gold_clone *ret, struct gold_error **err)
{
    GOLD_CLEANUP(gold_clone_done) struct gold_clone c = {.number = number};
    GOLD_CLEANUP_FREE char *dir_name = gold_format(err, "%u", number);

    if (!dir_name)
        return -1;
    c.name = gold_format(err, "clone-%u", number);
    if (!c.name || gold_clone_identity(c.uuid, c.mac, err) < 0 ||
        gold_clone_dir(place, dir_name, &c.dir, err) < 0 ||
        create_overlays(ctx, place, bases, n_bases, &c, err) < 0) {
        gold_error_prefix(err, "cannot make clone %u", number);
        return -1;
    }
    *ret = c;
    c = (struct gold_clone){.number = 0};
    return 0;
}

const struct gold_disk *
gold_plan_disk(const struct gold_validate_plan *plan, size_t i)
{
    return plan->expected ? &plan->expected[i] : &plan->definition->disks[i];
}

static bool
wanted(const struct gold_validate_plan *plan, size_t disk)
{
    for (size_t i = 0; i < plan->n_payloads; i++) {
        const struct gold_payload *p = gold_payload_find(plan->payloads[i].payload);

        if (p && p->wants_disk && p->wants_disk(gold_plan_disk(plan, disk)))
            return true;
    }
    return false;
}

bool
gold_plan_measures(const struct gold_validate_plan *plan)
{
    for (size_t i = 0; plan->definition && i < plan->definition->n_disks; i++) {
        if (wanted(plan, i))
            return true;
    }
    return false;
}

static int
add_scratch(struct gold_context *ctx, const struct gold_clone_place *place,
            const struct gold_clone *c, const struct gold_disk *disk, char *serial,
            struct gold_scratches *ret, struct gold_error **err)
{
    struct gold_scratch s = {.disk = disk, .serial = serial};

    s.path = serial ? gold_format(err, "%s/%s", c->dir, serial) : NULL;
    if (s.path && gold_scratch_disk_create(ctx, s.path, GOLD_SCRATCH_SIZE, err) == 0 &&
        gold_clone_give(place, s.path, err) == 0 && gold_scratches_append(ret, s, err) == 0)
        return 0;
    free(s.serial);
    free(s.path);
    return -1;
}

int
gold_clone_scratch(struct gold_context *ctx, const struct gold_clone_place *place,
                   const struct gold_validate_plan *plan, const struct gold_clone *c,
                   struct gold_scratches *ret, struct gold_error **err)
{
    if (!gold_plan_measures(plan))
        return 0;
    for (size_t i = 0; i < plan->definition->n_disks; i++) {
        if (wanted(plan, i) &&
            add_scratch(ctx, place, c, &plan->definition->disks[i],
                        gold_format(err, "%s%zu", GOLD_LIMIT_SERIAL, i), ret, err) < 0)
            return -1;
    }
    return add_scratch(ctx, place, c, NULL, gold_strdup(GOLD_CONTROL_SERIAL, err), ret, err);
}

/* One payload's lines, once for each disk that it wants, or once. */
static int
add_payload(const struct gold_validate_plan *plan, const struct gold_payload *p,
            const struct gold_payload_request *request, struct gold_str *ret,
            struct gold_error **err)
{
    if (!p->wants_disk)
        return p->plan(request, NULL, 0, ret, err);
    for (size_t i = 0; plan->definition && i < plan->definition->n_disks; i++) {
        const struct gold_disk *disk = gold_plan_disk(plan, i);

        if (p->wants_disk(disk) && p->plan(request, disk, i, ret, err) < 0)
            return -1;
    }
    return 0;
}

int
gold_plan_text(const struct gold_validate_plan *plan, unsigned clone, unsigned boot,
               const char *nonce, unsigned wait_s, struct gold_str *ret,
               struct gold_error **err)
{
    gold_str_printf(ret, "goldsmith-plan 1\nnonce %s\nwait %u\n", nonce, wait_s);
    for (size_t i = 0; gold_payloads[i]; i++) {
        const struct gold_payload *p = gold_payloads[i];

        if ((clone != 1 && !p->every_clone) || (boot != 1 && !p->second_boot))
            continue;
        for (size_t j = 0; j < plan->n_payloads; j++) {
            if (gold_streq(plan->payloads[j].payload, p->about.name) &&
                add_payload(plan, p, &plan->payloads[j], ret, err) < 0)
                return -1;
        }
    }
    gold_str_append(ret, "end\n");
    return gold_str_finish(ret, "the agent's plan", err);
}

/* The digits behind `key` in a line, 0 when it is not there. */
static unsigned
number_after(const char *line, size_t len, const char *key)
{
    const char *p = memmem(line, len, key, strlen(key));
    unsigned n = 0;

    for (p = p ? p + strlen(key) : ""; *p >= '0' && *p <= '9' && n < 100000; p++)
        n = n * 10 + (unsigned)(*p - '0');
    return n;
}

static unsigned
count(const char *line, size_t len, const char *what)
{
    unsigned n = 0;

    for (const char *p = line; (p = memmem(p, len - (size_t)(p - line), what, strlen(what)));
         p++)
        n++;
    return n;
}

unsigned
gold_plan_seconds(const char *text)
{
    unsigned total = 0;

    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        unsigned metrics = count(line, len, "_bytes=") + count(line, len, "_iops=");
        unsigned measured =
            number_after(line, len, "runs=") * number_after(line, len, "seconds=");

        /* Ramp, control and the waits between runs are about as much again. */
        total += 30 + (metrics > 0 ? metrics : 1) * (measured > 0 ? 2 * measured + 60 : 0);
        line += len + (line[len] == '\n' ? 1 : 0);
    }
    return total;
}

static void
add_disks(const struct gold_validate_plan *plan, const struct gold_clone *c,
          const struct gold_clone_boot *b, const struct gold_scratches *scratch,
          struct gold_clone_disk *disks, size_t *ret_n)
{
    size_t n = 0;

    for (size_t i = 0; i < plan->n_disks; i++)
        disks[n++] = (struct gold_clone_disk){
            .target = plan->disks[i].target ? plan->disks[i].target : "vda",
            .path = c->overlays.items[i],
            .format = "qcow2"};
    disks[n++] = (struct gold_clone_disk){.path = b->payload,
                                          .format = "raw",
                                          .serial = GOLD_PAYLOAD_SERIAL,
                                          .extra = true,
                                          .readonly = true};
    for (size_t i = 0; scratch && i < scratch->n; i++) {
        const struct gold_scratch *s = &scratch->items[i];

        disks[n++] = (struct gold_clone_disk){
            .path = s->path,
            .format = "raw",
            .serial = s->serial,
            .extra = true,
            .bus = s->disk ? s->disk->bus : NULL,
            .limits_of = s->disk ? s->disk->target : NULL,
        };
    }
    *ret_n = n;
}

static int
make_xml(const struct gold_clone_place *place, const struct gold_validate_plan *plan,
         const struct gold_clone *c, const char *accel, const struct gold_scratches *scratch,
         struct gold_clone_boot *b, struct gold_error **err)
{
    size_t n_scratch = scratch ? scratch->n : 0;
    GOLD_CLEANUP_FREE struct gold_clone_disk *disks =
        calloc(plan->n_disks + 1 + n_scratch, sizeof(*disks));
    struct gold_clone_spec spec = {
        .name = b->domain,
        .uuid = c->uuid,
        .mac = c->mac,
        .accel = accel,
        .console_path = b->console,
        .channel_path = b->channel,
        .pcap_path = b->pcap,
        .no_direct = place->no_direct,
        .disks = disks,
    };

    if (!disks)
        return gold_error_set_nomem(err);
    add_disks(plan, c, b, scratch, disks, &spec.n_disks);
    return gold_domain_clone_xml(plan->definition, &spec, &b->xml, err);
}

static int
make_paths(const struct gold_clone *c, struct gold_clone_boot *b, struct gold_error **err)
{
    b->domain = gold_format(err, "%s-%u", c->name, b->boot);
    b->console = b->domain ? gold_format(err, "%s/console-%u", c->dir, b->boot) : NULL;
    b->channel = b->console ? gold_format(err, "%s/channel-%u", c->dir, b->boot) : NULL;
    b->pcap = b->channel ? gold_format(err, "%s/net-%u.pcap", c->dir, b->boot) : NULL;
    b->payload = b->pcap ? gold_format(err, "%s/payload-%u", c->dir, b->boot) : NULL;
    return b->payload ? 0 : -1;
}

int
gold_clone_boot_create(struct gold_context *ctx, const struct gold_clone_place *place,
                       const struct gold_validate_plan *plan, const struct gold_clone *c,
                       unsigned boot, unsigned wait_s, const char *accel,
                       const struct gold_scratches *scratch, struct gold_clone_boot *ret,
                       struct gold_error **err)
{
    GOLD_CLEANUP(gold_clone_boot_done) struct gold_clone_boot b = {.boot = boot};
    GOLD_CLEANUP_STR struct gold_str text = GOLD_STR_INIT;

    if (gold_nonce(b.nonce, err) < 0 || make_paths(c, &b, err) < 0 ||
        gold_plan_text(plan, c->number, boot, b.nonce, wait_s, &text, err) < 0 ||
        gold_payload_disk_create(ctx, b.payload, gold_str_text(&text), err) < 0 ||
        gold_clone_give(place, b.payload, err) < 0 ||
        make_xml(place, plan, c, accel, scratch, &b, err) < 0) {
        gold_error_prefix(err, "cannot prepare boot %u of %s", boot, c->name);
        return -1;
    }
    b.payload_s = gold_plan_seconds(gold_str_text(&text));
    *ret = b;
    b = (struct gold_clone_boot){.boot = 0};
    return 0;
}
