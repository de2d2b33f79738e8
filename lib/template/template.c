/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keys of the template file, as tables. Whether an operation or a payload exists, and
 * whether limits contradict each other, is judged by the rooms that own them; here only what
 * one value can tell by itself.
 */
#include "template/template.h"

#include <string.h>

#include "core/io.h"
#include "core/limits.h"
#include "core/number.h"
#include "core/str.h"
#include "template/binder.h"

#define IN(member) offsetof(struct gold_template, member)

/* Names of operations, each with an optional minus: "default", "-user-ssh". */
static int
check_operation(const char *text, struct gold_error **err)
{
    if (gold_bind_check_name(*text == '-' ? text + 1 : text, NULL) == 0)
        return 0;
    gold_error_set(err, GOLD_ERROR_USAGE,
                   "'%.60s' is not the name of an operation, nor one with a minus before it",
                   text);
    return -1;
}

static int
check_date(const char *text, struct gold_error **err)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned n[3] = {0};
    bool good = strlen(text) == 10;
    for (unsigned i = 0, part = 0; good && i < 10; i++) {
        if (i == 4 || i == 7) {
            good = text[i] == '-';
            part++;
        } else {
            good = text[i] >= '0' && text[i] <= '9';
            n[part] = n[part] * 10 + (unsigned)(text[i] - '0');
        }
    }
    if (good && n[1] >= 1 && n[1] <= 12 && n[2] >= 1) {
        bool leap = (n[0] % 4 == 0 && n[0] % 100 != 0) || n[0] % 400 == 0;
        if (n[2] <= days[n[1] - 1] + (leap && n[1] == 2 ? 1U : 0U))
            return 0;
    }
    gold_error_set(err, GOLD_ERROR_USAGE, "'%.60s' is not a date (YYYY-MM-DD)", text);
    return -1;
}

/* ---- definition ---- */

/* libvirt's twenty elements of <iotune>, with hyphens, in libvirt's order of writing. */
static const char *const iotune_names[] = {
    "total-bytes-sec",
    "read-bytes-sec",
    "write-bytes-sec",
    "total-iops-sec",
    "read-iops-sec",
    "write-iops-sec",
    "total-bytes-sec-max",
    "read-bytes-sec-max",
    "write-bytes-sec-max",
    "total-iops-sec-max",
    "read-iops-sec-max",
    "write-iops-sec-max",
    "size-iops-sec",
    "group-name",
    "total-bytes-sec-max-length",
    "read-bytes-sec-max-length",
    "write-bytes-sec-max-length",
    "total-iops-sec-max-length",
    "read-iops-sec-max-length",
    "write-iops-sec-max-length",
    NULL,
};

static int
check_iotune(const char *key, const char *value, struct gold_error **err)
{
    uint64_t number = 0;
    if (strcmp(key, "group-name") == 0) {
        if (!strpbrk(value, "\r\n"))
            return 0;
        gold_error_set(err, GOLD_ERROR_USAGE, "must be one line");
        return -1;
    }
    bool bytes = strcmp(key, "size-iops-sec") == 0 ||
                 (strstr(key, "-bytes-sec") && !gold_str_has_suffix(key, "-length"));
    return bytes ? gold_parse_size(value, &number, err) : gold_parse_u64(value, &number, err);
}

static const struct gold_bind_key iotune_keys[] = {
    {.name = "disk",
     .type = GOLD_BIND_TEXT,
     .required = true,
     .single_line = true,
     .offset = offsetof(struct gold_template_iotune, disk)},
};
static const struct gold_bind_table iotune_table = {
    .what = "an entry of 'iotune'",
    .keys = iotune_keys,
    .n_keys = 1,
    .line_offset = offsetof(struct gold_template_iotune, line),
    .rest_offset = offsetof(struct gold_template_iotune, settings),
    .rest_count_offset = offsetof(struct gold_template_iotune, n_settings),
    .rest_names = iotune_names,
    .rest_missing = "an entry of 'iotune' needs at least one limit, for example read-iops-sec",
    .rest_check = check_iotune,
};

static const char *const identity_words[] = {"keep", "reset", NULL};

static const struct gold_bind_key definition_keys[] = {
    {.name = "identity",
     .type = GOLD_BIND_WORD,
     .words = identity_words,
     .offset = IN(reset_identity),
     .size = sizeof(bool)},
    {.name = "boot-disk", .type = GOLD_BIND_LATER},
    {.name = "iotune",
     .type = GOLD_BIND_LIST,
     .table = &iotune_table,
     .offset = IN(iotune),
     .unique = "disk",
     .count_offset = IN(n_iotune),
     .size = sizeof(struct gold_template_iotune)},
    {.name = "usb", .type = GOLD_BIND_LATER},
};
static const struct gold_bind_table definition_table = {
    .what = "'definition'",
    .keys = definition_keys,
    .n_keys = sizeof(definition_keys) / sizeof(definition_keys[0]),
};

/* ---- seal ---- */

/* In the order of enum gold_machine_id. */
static const char *const machine_id_words[] = {"auto", "empty", "uninitialized", "keep", NULL};

static const struct gold_bind_key seal_keys[] = {
    {.name = "operations",
     .type = GOLD_BIND_NAMES,
     .check = check_operation,
     .offset = IN(operations)},
    {.name = "machine-id",
     .type = GOLD_BIND_WORD,
     .words = machine_id_words,
     .offset = IN(machine_id),
     .size = sizeof(enum gold_machine_id)},
};
static const struct gold_bind_table seal_table = {
    .what = "'seal'",
    .keys = seal_keys,
    .n_keys = sizeof(seal_keys) / sizeof(seal_keys[0]),
};

/* ---- check ---- */

/* In the order of enum gold_severity. */
static const char *const severity_words[] = {"info", "warning", "error", NULL};

static const struct gold_bind_key waive_keys[] = {
    {.name = "id",
     .type = GOLD_BIND_TEXT,
     .required = true,
     .check = gold_bind_check_name,
     .offset = offsetof(struct gold_template_waiver, id)},
    {.name = "reason",
     .type = GOLD_BIND_TEXT,
     .required = true,
     .offset = offsetof(struct gold_template_waiver, reason)},
    {.name = "until",
     .type = GOLD_BIND_TEXT,
     .check = check_date,
     .offset = offsetof(struct gold_template_waiver, until)},
};
static const struct gold_bind_table waive_table = {
    .what = "an entry of 'waive'",
    .keys = waive_keys,
    .n_keys = sizeof(waive_keys) / sizeof(waive_keys[0]),
    .line_offset = offsetof(struct gold_template_waiver, line),
};

static const struct gold_bind_key check_keys[] = {
    {.name = "fail-on",
     .type = GOLD_BIND_WORD,
     .words = severity_words,
     .offset = IN(fail_on),
     .size = sizeof(enum gold_severity),
     .has_offset = IN(has_fail_on)},
    {.name = "waive",
     .type = GOLD_BIND_LIST,
     .table = &waive_table,
     .offset = IN(waivers),
     .count_offset = IN(n_waivers),
     .size = sizeof(struct gold_template_waiver)},
};
static const struct gold_bind_table check_table = {
    .what = "'check'",
    .keys = check_keys,
    .n_keys = sizeof(check_keys) / sizeof(check_keys[0]),
};

/* ---- validate ---- */

static const struct gold_bind_key payload_keys[] = {
    {.name = "payload",
     .type = GOLD_BIND_TEXT,
     .required = true,
     .check = gold_bind_check_name,
     .offset = offsetof(struct gold_template_payload, payload)},
    {.name = "expect", .type = GOLD_BIND_LATER},
    {.name = "variants", .type = GOLD_BIND_LATER},
};
static const struct gold_bind_table payload_table = {
    .what = "an entry of 'payloads'",
    .keys = payload_keys,
    .n_keys = sizeof(payload_keys) / sizeof(payload_keys[0]),
    .line_offset = offsetof(struct gold_template_payload, line),
    .rest_offset = offsetof(struct gold_template_payload, parameters),
    .rest_count_offset = offsetof(struct gold_template_payload, n_parameters),
};

static const struct gold_bind_key validate_keys[] = {
    {.name = "clones",
     .type = GOLD_BIND_COUNT,
     .least = 1,
     .most = GOLD_LIMIT_CLONES,
     .offset = IN(clones)},
    {.name = "payloads",
     .type = GOLD_BIND_LIST,
     .table = &payload_table,
     .offset = IN(payloads),
     .count_offset = IN(n_payloads),
     .size = sizeof(struct gold_template_payload)},
};
static const struct gold_bind_table validate_table = {
    .what = "'validate'",
    .keys = validate_keys,
    .n_keys = sizeof(validate_keys) / sizeof(validate_keys[0]),
};

/* ---- the file ---- */

/* What is bound: the template, and the version that only the binder looks at. */
struct file {
    struct gold_template t;
    unsigned version;
};
_Static_assert(offsetof(struct file, t) == 0, "offsets of the template count from the file");

static const struct gold_bind_key file_keys[] = {
    {.name = "goldsmith",
     .type = GOLD_BIND_COUNT,
     .required = true,
     .least = 1,
     .most = 1,
     .offset = offsetof(struct file, version)},
    {.name = "name", .type = GOLD_BIND_TEXT, .single_line = true, .offset = IN(name)},
    {.name = "description", .type = GOLD_BIND_TEXT, .offset = IN(description)},
    {.name = "seal", .type = GOLD_BIND_MAP, .table = &seal_table},
    {.name = "definition", .type = GOLD_BIND_MAP, .table = &definition_table},
    {.name = "check", .type = GOLD_BIND_MAP, .table = &check_table},
    {.name = "validate", .type = GOLD_BIND_MAP, .table = &validate_table},
};
static const struct gold_bind_table file_table = {
    .what = "a template file",
    .keys = file_keys,
    .n_keys = sizeof(file_keys) / sizeof(file_keys[0]),
};

/* A template without a name is called after its file: "dir/web.yaml" is "web". */
static int
name_after_file(struct gold_template *t, struct gold_error **err)
{
    if (t->name)
        return 0;
    const char *base = gold_path_basename(t->path);
    const char *dot = strrchr(base, '.');
    t->name = gold_strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base), err);
    return t->name ? 0 : -1;
}

struct gold_template *
gold_template_parse(const char *name, const char *text, size_t len, struct gold_error **err)
{
    if (len > GOLD_LIMIT_TEMPLATE_FILE) {
        gold_error_set(err, GOLD_ERROR_FORMAT, "template file '%s' is larger than %llu bytes",
                       name, GOLD_LIMIT_TEMPLATE_FILE);
        return NULL;
    }
    GOLD_CLEANUP_YAML struct gold_yaml_node *root = gold_yaml_parse(name, text, len, err);
    if (!root)
        return NULL;
    struct file *file = calloc(1, sizeof(*file));
    GOLD_CLEANUP_TEMPLATE struct gold_template *t = file ? &file->t : NULL;
    if (!t) {
        (void)gold_error_set_nomem(err);
        return NULL;
    }
    t->path = gold_strdup(name, err);
    if (!t->path || gold_bind(name, &file_table, root, t, err) < 0 ||
        name_after_file(t, err) < 0)
        return NULL;
    return gold_steal_ptr(&t);
}

struct gold_template *
gold_template_read(const char *path, struct gold_error **err)
{
    GOLD_CLEANUP_FREE char *text = NULL;
    size_t len = 0;
    if (gold_read_file(path, GOLD_LIMIT_TEMPLATE_FILE, &text, &len, err) < 0) {
        gold_error_prefix(err, "template file");
        return NULL;
    }
    return gold_template_parse(path, text, len, err);
}
