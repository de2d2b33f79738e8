/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The header readers on images that qemu-img made, on damaged ones, and on thousands of
 * mutations. */
#include "unit.h"

#include "core/io.h"
#include "qemu/headers.h"
#include "scratch.h"

struct file {
    char *data;
    size_t len;
};

static struct file
load(const char *name)
{
    struct file f = {0};
    struct gold_error *err = NULL;
    assert_int_equal(gold_read_file(at(name), 64 << 20, &f.data, &f.len, &err), 0);
    no_error(err);
    return f;
}

static int
parse(const struct file *f, enum gold_image_format wanted, struct gold_image_facts *facts,
      struct gold_error **err)
{
    size_t head = f->len < GOLD_HEADER_BYTES ? f->len : GOLD_HEADER_BYTES,
           tail = f->len < 1536 ? f->len : 1536;
    const unsigned char *p = (const unsigned char *)f->data;
    return gold_image_read_header(p, head, p + f->len - tail, tail, f->len, wanted, facts, err);
}

static struct gold_image_facts
good(const char *name, enum gold_image_format wanted)
{
    struct gold_image_facts facts = {0};
    struct gold_error *err = NULL;
    struct file f = load(name);
    int r = parse(&f, wanted, &facts, &err);
    no_error(err);
    assert_int_equal(r, 0);
    assert_int_equal(facts.file_size, f.len);
    free(f.data);
    return facts;
}

static void
bad(const struct file *f, enum gold_image_format wanted, enum gold_code code, const char *text)
{
    struct gold_image_facts facts = {.virtual_size = 4711};
    struct gold_error *err = NULL;
    assert_int_equal(parse(f, wanted, &facts, &err), -1);
    expect_error(&err, code, text);
    assert_int_equal(facts.virtual_size, 4711); /* outputs untouched */
}

static void
poke32be(struct file *f, size_t offset, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        f->data[offset + (size_t)i] = (char)(v >> (24 - 8 * i));
}

static void
names(void **state)
{
    (void)state;
    assert_string_equal(gold_image_format_name(GOLD_IMAGE_QCOW2), "qcow2");
    assert_int_equal(gold_image_format_parse("vhdx"), GOLD_IMAGE_VHDX);
    assert_int_equal(gold_image_format_parse("qed"), GOLD_IMAGE_UNKNOWN);
    assert_int_equal(gold_image_format_parse(NULL), GOLD_IMAGE_UNKNOWN);
    assert_int_equal(gold_image_format_parse(""), GOLD_IMAGE_UNKNOWN);
}

static void
qcow2_facts(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 base.qcow2 10M && qemu-img create -f qcow2 -F qcow2 -b "
            "base.qcow2 top.qcow2 && "
            "qemu-img create -f qcow2 -o compat=0.10 old.qcow2 3G && "
            "qemu-img create -f qcow2 -o cluster_size=2M,extended_l2=on,lazy_refcounts=on "
            "big.qcow2 9T && "
            "qemu-img create -f qcow2 -o data_file=d.raw data.qcow2 1M && qemu-img snapshot -c "
            "one base.qcow2");
    struct gold_image_facts f = good("base.qcow2", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(f.format, GOLD_IMAGE_QCOW2);
    assert_int_equal(f.virtual_size, 10 << 20);
    assert_int_equal(f.cluster_size, 65536);
    assert_int_equal(f.internal_snapshots, 1);
    assert_null(f.backing_file);
    assert_false(f.truncated || f.dirty || f.corrupt || f.encrypted);
    gold_image_facts_done(&f);
    f = good("top.qcow2", GOLD_IMAGE_QCOW2);
    assert_string_equal(f.backing_file, "base.qcow2");
    assert_string_equal(f.backing_format, "qcow2");
    gold_image_facts_done(&f);
    f = good("old.qcow2", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(f.virtual_size, 3ULL << 30);
    gold_image_facts_done(&f);
    f = good("big.qcow2", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(f.virtual_size, 9ULL << 40);
    assert_int_equal(f.cluster_size, 2 << 20);
    gold_image_facts_done(&f);
    f = good("data.qcow2", GOLD_IMAGE_UNKNOWN);
    assert_string_equal(f.data_file, "d.raw");
    gold_image_facts_done(&f);
    /* As raw, whatever is in it. */
    f = good("top.qcow2", GOLD_IMAGE_RAW);
    assert_int_equal(f.format, GOLD_IMAGE_RAW);
    assert_int_equal(f.virtual_size, f.file_size);
    assert_null(f.backing_file);
}

static void
qcow2_flags(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 x.qcow2 10M");
    struct file f = load("x.qcow2");
    struct gold_image_facts facts = {0};
    f.data[79] = 3; /* dirty and corrupt */
    assert_int_equal(parse(&f, GOLD_IMAGE_UNKNOWN, &facts, NULL), 0);
    assert_true(facts.dirty && facts.corrupt);
    gold_image_facts_done(&facts);
    f.data[79] = 0;
    f.data[78] = 1;
    bad(&f, GOLD_IMAGE_UNKNOWN, GOLD_ERROR_UNSUPPORTED, "0x100");
    f.data[78] = 0;
    f.data[35] = 2;
    assert_int_equal(parse(&f, GOLD_IMAGE_UNKNOWN, &facts, NULL), 0);
    assert_true(facts.encrypted);
    gold_image_facts_done(&facts);
    free(f.data);
}

static void
qcow2_damage(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        uint32_t value;
        enum gold_code code;
        const char *text;
    } cases[] = {
        {4, 7, GOLD_ERROR_UNSUPPORTED, "version 7"},
        {20, 40, GOLD_ERROR_FORMAT, "cluster size"},
        {100, 4096000, GOLD_ERROR_FORMAT, "header length"},
        {36, 0, GOLD_ERROR_FORMAT, "L1 table"},
        {36, 0xffffffff, GOLD_ERROR_FORMAT, "L1 table"},
        {44, 0x1234, GOLD_ERROR_FORMAT, "begin at a cluster"},
        {56, 0, GOLD_ERROR_FORMAT, "reference counts"},
        {60, 0x7fffffff, GOLD_ERROR_FORMAT, "snapshots"},
        {96, 77, GOLD_ERROR_FORMAT, "reference counts"},
        {24, 0xffffffff, GOLD_ERROR_FORMAT, "virtual size"},
        {16, 5000, GOLD_ERROR_FORMAT, "backing file's name"},
    };
    must_sh("qemu-img create -f qcow2 b.qcow2 10M && qemu-img create -f qcow2 -F qcow2 -b "
            "b.qcow2 x.qcow2");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct file f = load("x.qcow2");
        poke32be(&f, cases[i].offset, cases[i].value);
        bad(&f, GOLD_IMAGE_QCOW2, cases[i].code, cases[i].text);
        free(f.data);
    }
    struct file f = load("x.qcow2");
    f.len = 50;
    bad(&f, GOLD_IMAGE_QCOW2, GOLD_ERROR_FORMAT, "cut off");
    /* The header is whole, the tables are not there. */
    struct gold_image_facts facts = {0};
    f.len = 65536;
    assert_int_equal(parse(&f, GOLD_IMAGE_QCOW2, &facts, NULL), 0);
    assert_true(facts.truncated);
    gold_image_facts_done(&facts);
    free(f.data);
}

static void
wrong_format(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 x.qcow2 1M && qemu-img create -f vdi x.vdi 1M && "
            "truncate -s 1M x.raw");
    struct file q = load("x.qcow2"), v = load("x.vdi"), r = load("x.raw");
    bad(&q, GOLD_IMAGE_VDI, GOLD_ERROR_FORMAT, "not a vdi image but a qcow2 image");
    bad(&v, GOLD_IMAGE_QCOW2, GOLD_ERROR_FORMAT, "not a qcow2 image but a vdi image");
    bad(&r, GOLD_IMAGE_QCOW2, GOLD_ERROR_FORMAT, "not a qcow2 image");
    struct gold_image_facts f = good("x.raw", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(f.format, GOLD_IMAGE_RAW);
    memcpy(r.data, "\x1f\x8b\x08", 3);
    bad(&r, GOLD_IMAGE_UNKNOWN, GOLD_ERROR_UNSUPPORTED, "compressed with gzip");
    assert_int_equal(parse(&r, GOLD_IMAGE_RAW, &f, NULL), 0);
    memcpy(r.data, "conectix", 8);
    bad(&r, GOLD_IMAGE_UNKNOWN, GOLD_ERROR_UNSUPPORTED, "VHD");
    free(q.data);
    free(v.data);
    free(r.data);
}

static void
vmdk_facts(void **state)
{
    (void)state;
    must_sh("qemu-img create -f vmdk s.vmdk 64M && qemu-img create -f vmdk -o "
            "subformat=monolithicFlat f.vmdk 20M && "
            "qemu-io -f vmdk -c 'write -P 1 0 1M' s.vmdk && "
            "qemu-img convert -f vmdk -O vmdk -o subformat=streamOptimized s.vmdk o.vmdk && "
            "qemu-img create -f vmdk -o subformat=twoGbMaxExtentSparse t.vmdk 3G && "
            "qemu-img create -f vmdk -F vmdk -b s.vmdk c.vmdk");
    struct gold_image_facts f = good("s.vmdk", GOLD_IMAGE_UNKNOWN);
    assert_string_equal(f.subformat, "monolithicSparse");
    assert_int_equal(f.virtual_size, 64 << 20);
    assert_false(f.extents_elsewhere || f.truncated);
    gold_image_facts_done(&f);
    f = good("o.vmdk", GOLD_IMAGE_VMDK);
    assert_string_equal(f.subformat, "streamOptimized");
    assert_int_equal(f.virtual_size, 64 << 20);
    assert_false(f.truncated);
    gold_image_facts_done(&f);
    f = good("f.vmdk", GOLD_IMAGE_UNKNOWN);
    assert_string_equal(f.subformat, "monolithicFlat");
    assert_int_equal(f.virtual_size, 20 << 20);
    assert_true(f.extents_elsewhere);
    gold_image_facts_done(&f);
    f = good("t.vmdk", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(f.virtual_size, 3ULL << 30);
    assert_true(f.extents_elsewhere);
    gold_image_facts_done(&f);
    f = good("c.vmdk", GOLD_IMAGE_UNKNOWN);
    assert_string_equal(f.backing_file, "s.vmdk");
    gold_image_facts_done(&f);
    /* One extent of several is no image. */
    struct file e = load("t-s001.vmdk");
    bad(&e, GOLD_IMAGE_UNKNOWN, GOLD_ERROR_UNSUPPORTED, "extent");
    free(e.data);
}

static void
vmdk_damage(void **state)
{
    (void)state;
    must_sh("qemu-img create -f vmdk s.vmdk 64M && qemu-img create -f vmdk -o "
            "subformat=monolithicFlat f.vmdk 20M && "
            "qemu-img convert -f vmdk -O vmdk -o subformat=streamOptimized s.vmdk o.vmdk");
    struct gold_image_facts facts = {0};
    struct file f = load("s.vmdk");
    f.data[74] = '\n'; /* "\n \r\n" as a text transfer leaves it */
    bad(&f, GOLD_IMAGE_VMDK, GOLD_ERROR_FORMAT, "text mode");
    f.data[74] = ' ';
    f.data[4] = 9;
    bad(&f, GOLD_IMAGE_VMDK, GOLD_ERROR_UNSUPPORTED, "version 9");
    f.data[4] = 1;
    f.data[20] = 3;
    bad(&f, GOLD_IMAGE_VMDK, GOLD_ERROR_FORMAT, "grain");
    free(f.data);
    /* The directory at the end, as VMware writes it: with its footer, and after a download that
     * stopped. */
    f = load("o.vmdk");
    struct file footed = {calloc(1, f.len + 1536), f.len + 1536};
    assert_non_null(footed.data);
    memcpy(footed.data, f.data, f.len);
    memcpy(footed.data + f.len + 512, f.data, 512);
    memset(footed.data + 56, 0xff, 8);
    assert_int_equal(parse(&footed, GOLD_IMAGE_VMDK, &facts, NULL), 0);
    assert_false(facts.truncated);
    assert_int_equal(facts.virtual_size, 64 << 20);
    gold_image_facts_done(&facts);
    footed.len -= 512;
    assert_int_equal(parse(&footed, GOLD_IMAGE_VMDK, &facts, NULL), 0);
    assert_true(facts.truncated);
    gold_image_facts_done(&facts);
    free(footed.data);
    free(f.data);
    f = load("s.vmdk");
    f.len = 22 * 512; /* inside the grain directory's reach */
    f.data[57] = 1;
    assert_int_equal(parse(&f, GOLD_IMAGE_VMDK, &facts, NULL), 0);
    assert_true(facts.truncated);
    gold_image_facts_done(&facts);
    free(f.data);
    f = load("f.vmdk");
    char *type = strstr(f.data, "createType");
    assert_non_null(type);
    memcpy(type, "createTypo", 10);
    bad(&f, GOLD_IMAGE_VMDK, GOLD_ERROR_FORMAT, "createType");
    memcpy(type, "createType", 10);
    char *extent = strstr(f.data, "RW ");
    memcpy(extent, "RW 0", 4);
    extent[4] = ' ';
    bad(&f, GOLD_IMAGE_VMDK, GOLD_ERROR_FORMAT, "extent");
    free(f.data);
}

static void
vdi_facts_and_damage(void **state)
{
    (void)state;
    must_sh(
        "qemu-img create -f vdi d.vdi 100M && qemu-img create -f vdi -o static=on s.vdi 3M && "
        "qemu-io -f vdi -c 'write 0 3M' d.vdi");
    struct gold_image_facts f = good("d.vdi", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(f.format, GOLD_IMAGE_VDI);
    assert_int_equal(f.virtual_size, 100 << 20);
    assert_string_equal(f.subformat, "dynamic");
    assert_false(f.truncated);
    gold_image_facts_done(&f);
    f = good("s.vdi", GOLD_IMAGE_VDI);
    assert_string_equal(f.subformat, "static");
    gold_image_facts_done(&f);
    struct file v = load("d.vdi");
    v.len -= 2 << 20;
    assert_int_equal(parse(&v, GOLD_IMAGE_VDI, &f, NULL), 0);
    assert_true(f.truncated);
    gold_image_facts_done(&f);
    v.data[0x4c] = 4;
    bad(&v, GOLD_IMAGE_VDI, GOLD_ERROR_UNSUPPORTED, "depends on another image");
    v.data[0x4c] = 1;
    v.data[0x180] = 1;
    v.data[0x181] = 0;
    bad(&v, GOLD_IMAGE_VDI, GOLD_ERROR_FORMAT, "number of blocks");
    v.data[0x44] = 9;
    bad(&v, GOLD_IMAGE_VDI, GOLD_ERROR_UNSUPPORTED, "version");
    v.len = 100;
    bad(&v, GOLD_IMAGE_VDI, GOLD_ERROR_FORMAT, "cut off");
    free(v.data);
}

static void
vhdx_fix(struct file *f, size_t at_, size_t len)
{
    uint32_t crc = 0xffffffffu;
    unsigned char *p = (unsigned char *)f->data + at_;
    memset(p + 4, 0, 4);
    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    crc ^= 0xffffffffu;
    for (int i = 0; i < 4; i++)
        p[4 + i] = (unsigned char)(crc >> (8 * i));
}

static void
vhdx_facts_and_damage(void **state)
{
    (void)state;
    must_sh("qemu-img create -f vhdx d.vhdx 300M");
    struct gold_image_facts facts = good("d.vhdx", GOLD_IMAGE_UNKNOWN);
    assert_int_equal(facts.format, GOLD_IMAGE_VHDX);
    assert_int_equal(facts.virtual_size, 300 << 20);
    assert_false(facts.dirty || facts.truncated);
    gold_image_facts_done(&facts);
    struct file f = load("d.vhdx");
    /* One header and one region table may be bad; both may not. */
    f.data[65536 + 100] ^= 1;
    f.data[3 * 65536 + 20] ^= 1;
    assert_int_equal(parse(&f, GOLD_IMAGE_VHDX, &facts, NULL), 0);
    f.data[2 * 65536 + 100] ^= 1;
    bad(&f, GOLD_IMAGE_VHDX, GOLD_ERROR_FORMAT, "two headers");
    f.data[2 * 65536 + 100] ^= 1;
    f.data[4 * 65536 + 20] ^= 1;
    bad(&f, GOLD_IMAGE_VHDX, GOLD_ERROR_FORMAT, "two region tables");
    free(f.data);
    f = load("d.vhdx");
    for (int i = 1; i <= 2; i++) { /* a log identifier: not closed cleanly */
        f.data[i * 65536 + 50] = 1;
        vhdx_fix(&f, (size_t)i * 65536, 4096);
    }
    assert_int_equal(parse(&f, GOLD_IMAGE_VHDX, &facts, NULL), 0);
    assert_true(facts.dirty);
    f.len = 400000;
    bad(&f, GOLD_IMAGE_VHDX, GOLD_ERROR_FORMAT, "cut off");
    free(f.data);
}

/* No mutation crashes, hangs or leaves an error unset; the sanitizers watch. */
static void
mutate(const char *name, unsigned rounds, size_t span, bool fix_vhdx)
{
    struct file f = load(name);
    unsigned seed = 12345, accepted = 0;
    static const unsigned char bytes[] = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, ' ', '"', '\n', '9'};
    for (unsigned i = 0; i < rounds; i++) {
        struct gold_image_facts facts = {0};
        struct gold_error *err = NULL;
        size_t where[4], n = 1 + i % 4, base = fix_vhdx ? (size_t)(1 + i % 4) * 65536 : 0;
        char old[4];
        for (size_t k = 0; k < n; k++) {
            seed = seed * 1103515245 + 12345;
            where[k] = base + (seed >> 8) % (span < f.len ? span : f.len);
            old[k] = f.data[where[k]];
            f.data[where[k]] = (char)bytes[(seed >> 4) % sizeof(bytes)];
        }
        if (fix_vhdx && i % 3)
            vhdx_fix(&f, base, base < 3 * 65536 ? 4096 : 65536);
        struct file cut = f;
        if (i % 5 == 0)
            cut.len = (seed >> 3) % f.len + 1;
        int r = parse(
            &cut, i % 2 ? GOLD_IMAGE_UNKNOWN : gold_image_format_parse(strchr(name, '.') + 1),
            &facts, &err);
        assert_true((r == 0) == (err == NULL));
        accepted += r == 0;
        gold_error_clear(&err);
        gold_image_facts_done(&facts);
        for (size_t k = n; k-- > 0;)
            f.data[where[k]] = old[k];
        if (fix_vhdx && i % 3)
            vhdx_fix(&f, base, base < 3 * 65536 ? 4096 : 65536);
    }
    assert_true(accepted > 0 && accepted < rounds);
    free(f.data);
}

static void
mutations(void **state)
{
    (void)state;
    must_sh("qemu-img create -f qcow2 b.qcow2 64M && qemu-img create -f qcow2 -F qcow2 -b "
            "b.qcow2 x.qcow2 && "
            "qemu-img create -f vmdk s.vmdk 64M && qemu-img create -f vmdk -o "
            "subformat=monolithicFlat f.vmdk 20M && "
            "qemu-img convert -f vmdk -O vmdk -o subformat=streamOptimized s.vmdk o.vmdk && "
            "qemu-img create -f vdi d.vdi 20M && qemu-img create -f vhdx d.vhdx 20M && "
            "truncate -s 5M d.vhdx");
    mutate("x.qcow2", 4000, 600, false);
    mutate("s.vmdk", 4000, 1500, false);
    mutate("o.vmdk", 2000, 1500, false);
    mutate("f.vmdk", 4000, 400, false);
    mutate("d.vdi", 4000, 520, false);
    mutate("d.vhdx", 400, 200, true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test_setup_teardown(qcow2_facts, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(qcow2_flags, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(qcow2_damage, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(wrong_format, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(vmdk_facts, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(vmdk_damage, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(vdi_facts_and_damage, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(vhdx_facts_and_damage, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(mutations, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
