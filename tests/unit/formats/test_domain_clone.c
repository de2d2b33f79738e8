/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The definition of a throw-away clone: what is taken over, exchanged and left out; that
 * nothing of the original's images is named in it; and that libvirt's test driver takes what we
 * make of the corpus.
 */
#include "unit.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include "formats/domain_tree.h"

#include "corpus.h"
#include "domain_fixture.h"

#define UUID "11111111-2222-4333-8444-555555555555"

static const struct gold_clone_spec base = {.name = "gold-clone-1",
                                            .uuid = UUID,
                                            .mac = "52:54:00:01:02:03",
                                            .accel = "tcg",
                                            .console_path = "/run/g/console",
                                            .channel_path = "/run/g/channel",
                                            .pcap_path = "/run/g/a,b.pcap"};

static char *
clone_text(const struct gold_definition *def, const struct gold_clone_spec *spec)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    char *xml = NULL;

    if (gold_domain_clone_xml(def, spec, &xml, &err) < 0)
        fail_msg("%s", gold_error_message(err));
    return xml;
}

static void
has(const char *xml, const char *what)
{
    if (!strstr(xml, what))
        fail_msg("'%s' is not in:\n%s", what, xml);
}

static void
has_not(const char *xml, const char *what)
{
    if (strstr(xml, what))
        fail_msg("'%s' is in:\n%s", what, xml);
}

static void
test_plain(void **state)
{
    const struct gold_clone_disk disks[] = {
        {.target = "vda", .path = "/o/1.qcow2", .format = "qcow2"},
        {.path = "/o/payload.img",
         .format = "raw",
         .serial = "gold-payload",
         .extra = true,
         .readonly = true},
        {.path = "/o/scratch.img", .format = "raw", .extra = true, .bus = "scsi"},
    };
    struct gold_clone_spec spec = base;
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    (void)state;

    spec.disks = disks;
    spec.n_disks = 3;
    GOLD_CLEANUP_FREE char *xml = clone_text(NULL, &spec);
    GOLD_CLEANUP_DEFINITION struct gold_definition *c = parse_text(xml);
    assert_string_equal(c->domain_type, "qemu");
    assert_string_equal(c->name, "gold-clone-1");
    assert_string_equal(c->uuid, UUID);
    assert_string_equal(c->machine, "q35");
    assert_true(c->memory == GOLD_GIB);
    assert_int_equal(c->vcpus, 2);
    assert_int_equal(c->n_disks, 3);
    assert_string_equal(c->disks[0].target, "vda");
    assert_string_equal(c->disks[0].bus, "virtio");
    assert_string_equal(c->disks[0].source, "/o/1.qcow2");
    assert_string_equal(c->disks[0].format, "qcow2");
    assert_string_equal(c->disks[1].target, "vdb");
    assert_string_equal(c->disks[1].serial, "gold-payload");
    assert_true(c->disks[1].readonly);
    assert_string_equal(c->disks[2].target, "sda");
    has(xml, "<controller type=\"scsi\" model=\"virtio-scsi\"/>");
    has(xml, "xmlns:qemu=\"http://libvirt.org/schemas/domain/qemu/1.0\"");
    has(xml, "<qemu:arg value=\"user,id=goldnet,restrict=on\"/>");
    has(xml,
        "virtio-net-pci,netdev=goldnet,mac=52:54:00:01:02:03,bus=pcie.0,addr=0x18,romfile=");
    has(xml, "filter-dump,id=golddump,netdev=goldnet,file=/run/g/a,,b.pcap");
    has(xml, "<source mode=\"bind\" path=\"/run/g/console\"/>");
    has(xml, "<target type=\"virtio\" name=\"org.goldsmith.0\"/>");
    has(xml, "<on_poweroff>destroy</on_poweroff>");
    has(xml, "<on_reboot>restart</on_reboot>");
    has(xml, "<on_crash>destroy</on_crash>");
    has(xml, "<memballoon model=\"none\"/>");
    has(xml, "<backend model=\"random\">/dev/urandom</backend>");
    has(xml, "<cpu mode=\"maximum\">");
    has(xml, "<feature policy=\"disable\" name=\"svm\"/>");

    spec.accel = "kvm";
    spec.console_path = spec.channel_path = spec.pcap_path = NULL;
    GOLD_CLEANUP_FREE char *kvm = clone_text(NULL, &spec);
    has(kvm, " type=\"kvm\">");
    has_not(kvm, "<cpu");
    has_not(kvm, "<serial type");
    has_not(kvm, "<channel");
    has_not(kvm, "filter-dump");
    (void)err;
}

/* A scratch disk gets the limits word for word: what libvirt drops or misreads must be dropped
 * or misread there too. */
static void
test_limits_of(void **state)
{
    static const char text[] =
        "<domain type='kvm'><name>n</name><memory>1048576</memory><os><type "
        "arch='x86_64' machine='q35'>hvm</type></os><devices>"
        "<disk type='file' device='disk'><source file='/i'/><target dev='vda' bus='virtio'/>"
        "<iotune><read_iops_sec>200</read_iops_sec><total_byte_sec>7</total_byte_sec>"
        "<group_name>g</group_name></iotune></disk></devices></domain>";
    const struct gold_clone_disk disks[] = {
        {.target = "vda", .path = "/o/1.qcow2", .format = "qcow2"},
        {.path = "/o/limited.img",
         .format = "raw",
         .serial = "L",
         .extra = true,
         .limits_of = "vda"},
        {.path = "/o/control.img", .format = "raw", .serial = "C", .extra = true},
    };
    struct gold_clone_spec spec = base;
    (void)state;

    spec.disks = disks;
    spec.n_disks = 3;
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_text(text);
    GOLD_CLEANUP_FREE char *xml = clone_text(def, &spec);
    GOLD_CLEANUP_DEFINITION struct gold_definition *c = parse_text(xml);
    assert_int_equal(c->n_disks, 3);
    assert_string_equal(c->disks[0].iotune.group_name, "g");
    assert_int_equal(c->disks[1].iotune.value[GOLD_READ_IOPS_SEC], 200);
    assert_null(c->disks[1].iotune.group_name);
    assert_true(gold_iotune_empty(&c->disks[2].iotune));
    const char *limited = strstr(xml, "/o/limited.img");
    assert_non_null(limited);
    assert_non_null(strstr(limited, "<total_byte_sec>7</total_byte_sec>"));
}

/* Where O_DIRECT does not work, a cache mode that needs it would keep the clone from starting.
 */
static void
test_no_direct(void **state)
{
    static const char text[] =
        "<domain type='kvm'><name>n</name><memory>1048576</memory><os><type arch='x86_64' "
        "machine='q35'>hvm</type></os><devices><disk type='file' device='disk'>"
        "<driver name='qemu' type='qcow2' cache='none' io='native'/><source file='/i'/>"
        "<target dev='vda' bus='virtio'/></disk></devices></domain>";
    const struct gold_clone_disk disk = {
        .target = "vda", .path = "/o/1.qcow2", .format = "qcow2"};
    struct gold_clone_spec spec = base;
    (void)state;

    spec.disks = &disk;
    spec.n_disks = 1;
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_text(text);
    GOLD_CLEANUP_FREE char *direct = clone_text(def, &spec);
    has(direct, "cache=\"none\"");
    has(direct, "io=\"native\"");
    spec.no_direct = true;
    GOLD_CLEANUP_FREE char *indirect = clone_text(def, &spec);
    has(indirect, "cache=\"writeback\"");
    has_not(indirect, "io=\"native\"");
}

static const char rich[] =
    "<!-- a comment --><domain type='kvm' id='3' "
    "xmlns:q='http://libvirt.org/schemas/domain/qemu/1.0'>\n"
    "<name>rich</name><uuid>99999999-2222-4333-8444-555555555555</"
    "uuid><genid>99999999-2222-4333-8444-555555555556</genid>\n"
    "<title>Rich</title><description>words</description><metadata><a:b "
    "xmlns:a='urn:a'/></metadata>\n"
    "<maxMemory slots='4' unit='GiB'>8</maxMemory><memory "
    "unit='MiB'>512</memory><currentMemory unit='MiB'>256</currentMemory>\n"
    "<memoryBacking><hugepages/></memoryBacking><vcpu placement='static' cpuset='0-3' "
    "current='1'>4</vcpu><iothreads>2</iothreads>\n"
    "<cputune><vcpupin vcpu='0' cpuset='0'/></cputune><numatune><memory mode='strict' "
    "nodeset='0'/></numatune>\n"
    "<resource><partition>/machine</partition></resource>\n"
    "<sysinfo type='smbios'><system><entry "
    "name='uuid'>99999999-2222-4333-8444-555555555555</entry><entry "
    "name='serial'>s1</entry></system></sysinfo>\n"
    "<os firmware='efi'><type arch='x86_64' machine='pc-q35-6.2'>hvm</type><loader "
    "secure='no'/>\n"
    "<nvram template='/usr/share/T.fd'>/var/lib/rich_VARS.fd</nvram><boot dev='network'/><boot "
    "dev='hd'/><boot dev='cdrom'/><bootmenu enable='yes'/><smbios mode='sysinfo'/></os>\n"
    "<features><acpi/><apic/><kvm><hidden state='on'/></kvm><hyperv><relaxed "
    "state='on'/></hyperv><pmu state='off'/><smm state='on'/></features>\n"
    "<cpu mode='host-passthrough'><topology sockets='1' dies='1' cores='4' "
    "threads='1'/><numa><cell id='0' cpus='0-3' memory='512' unit='MiB'/></numa></cpu>\n"
    "<clock offset='localtime'><timer name='rtc' tickpolicy='catchup'/><timer name='kvmclock' "
    "present='yes'/><timer name='hypervclock' present='yes'/></clock>\n"
    "<on_crash>preserve</on_crash><launchSecurity type='sev'/><seclabel "
    "type='static'><label>x</label></seclabel>\n"
    "<devices><emulator>/opt/qemu</emulator>\n"
    "<disk type='network' device='disk' snapshot='external'><driver name='qemu' type='raw' "
    "cache='none' io='native' discard='unmap' iothread='1'/>\n"
    "<auth username='u'><secret type='ceph' uuid='x'/></auth><source protocol='rbd' "
    "name='pool/img'><host name='h'/></source>\n"
    "<backingStore type='file'><source file='/base.img'/></backingStore><target dev='vda' "
    "bus='virtio'/>\n"
    "<iotune><group_name>g</group_name></iotune><shareable/><boot order='2'/><alias "
    "name='virtio-disk0'/><encryption format='luks'/>\n"
    "<address type='pci' domain='0x0000' bus='0x00' slot='0x18' function='0x0'/></disk>\n"
    "<disk type='block' device='lun' rawio='yes' sgio='unfiltered'><driver name='qemu' "
    "type='raw'/><source dev='/dev/sdx'><reservations/></source><target dev='sda' "
    "bus='scsi'/>\n"
    "<iotune><total_iops_sec>700</total_iops_sec><group_name>g</group_name></"
    "iotune><serial>s2</serial><address type='drive' controller='0' bus='0' target='0' "
    "unit='3'/></disk>\n"
    "<disk type='file' device='disk'><source file='/original/b.qcow2'/><target dev='vdb' "
    "bus='virtio'/></disk>\n"
    "<disk type='file' device='cdrom'><source file='/iso/install.iso'/><target dev='sdb' "
    "bus='sata'/><boot order='1'/></disk>\n"
    "<disk type='file' device='floppy'><source file='/f.img'/><target dev='fda' "
    "bus='fdc'/></disk>\n"
    "<controller type='pci' index='0' model='pcie-root'/><controller type='pci' index='1' "
    "model='pcie-root-port'><alias name='pci.1'/>\n"
    "<address type='pci' domain='0' bus='0' slot='23' function='0x0'/></controller>\n"
    "<controller type='scsi' index='0' model='virtio-scsi'/><controller type='ccid' "
    "index='0'/>\n"
    "<filesystem type='mount'><source dir='/srv'/><target dir='srv'/></filesystem>\n"
    "<interface type='bridge'><mac address='52:54:00:99:99:99'/><source bridge='br0'/><model "
    "type='e1000e'/></interface>\n"
    "<serial type='file'><source path='/var/log/rich'/></serial><console type='pty'/><channel "
    "type='unix'><source mode='bind' path='/agent'/></channel>\n"
    "<parallel type='pty'/><smartcard mode='host'/><input type='tablet' bus='usb'/><tpm "
    "model='tpm-crb'><backend type='emulator'/></tpm>\n"
    "<graphics type='vnc' port='5900' passwd='pw'/><sound model='ich9'/><video><model "
    "type='qxl'/></video>\n"
    "<hostdev mode='subsystem' type='usb'><source><vendor id='0x1234'/><product "
    "id='0xbeef'/></source></hostdev>\n"
    "<redirdev bus='usb' type='spicevmc'/><watchdog model='i6300esb'/><memballoon "
    "model='virtio'/><rng model='virtio'><backend model='egd'/></rng>\n"
    "<shmem name='s'/><vsock model='virtio'><cid address='4'/></vsock><memory "
    "model='dimm'/></devices>\n"
    "<q:commandline><q:arg value='-uuid'/></q:commandline></domain>\n";

static const struct gold_clone_disk rich_disks[] = {
    {.target = "vda", .path = "/o/1.qcow2", .format = "qcow2"},
    {.target = "sda", .path = "/o/2.qcow2", .format = "qcow2", .readonly = true},
    {.path = "/o/p.img", .format = "raw", .serial = "p", .extra = true},
    {.target = "vda", .path = "/o/q.img", .format = "raw", .serial = "q", .extra = true},
};

static void
test_rich(void **state)
{
    static const char *const gone[] = {"rich",
                                       "99999999",
                                       "Rich",
                                       "words",
                                       "metadata",
                                       "maxMemory",
                                       "hugepages",
                                       "cpuset",
                                       "cputune",
                                       "numatune",
                                       "/machine",
                                       "genid",
                                       "_VARS.fd",
                                       "network",
                                       "bootmenu",
                                       "hidden",
                                       "relaxed",
                                       "pmu",
                                       "host-passthrough",
                                       "cell",
                                       "kvmclock",
                                       "hypervclock",
                                       "preserve",
                                       "launchSecurity",
                                       "seclabel",
                                       "/opt/qemu",
                                       "snapshot",
                                       "secret",
                                       "rbd",
                                       "/base.img",
                                       "shareable",
                                       "alias",
                                       "luks",
                                       "lun",
                                       "rawio",
                                       "sgio",
                                       "/dev/sdx",
                                       "reservations",
                                       "/original",
                                       "/iso",
                                       "/f.img",
                                       "ccid",
                                       "filesystem",
                                       "br0",
                                       "99:99:99",
                                       "/var/log",
                                       "console type",
                                       "/agent",
                                       "parallel",
                                       "smartcard",
                                       "tablet",
                                       "tpm",
                                       "vnc",
                                       "sound",
                                       "qxl",
                                       "hostdev",
                                       "redirdev",
                                       "watchdog",
                                       "egd",
                                       "shmem",
                                       "vsock",
                                       "dimm",
                                       "-uuid",
                                       "a comment",
                                       "id=\"3\"",
                                       "cdrom",
                                       "floppy"};
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_text(rich);
    struct gold_clone_spec spec = base;
    (void)state;

    spec.disks = rich_disks;
    spec.n_disks = 4;
    GOLD_CLEANUP_FREE char *xml = clone_text(def, &spec);
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
        has_not(xml, gone[i]);
    GOLD_CLEANUP_DEFINITION struct gold_definition *c = parse_text(xml);
    assert_true(c->memory == 512 * GOLD_MIB);
    assert_int_equal(c->vcpus, 4);
    assert_string_equal(c->machine, "pc-q35-6.2");
    assert_string_equal(c->firmware, "efi");
    assert_int_equal(c->n_disks, 4);
    const struct gold_disk *d = &c->disks[0];
    assert_string_equal(d->target, "vda");
    assert_string_equal(d->type, "file");
    assert_string_equal(d->source, "/o/1.qcow2");
    assert_string_equal(d->format, "qcow2");
    assert_string_equal(d->cache, "none");
    assert_int_equal(d->boot_order, 2);
    assert_int_equal(d->iotune.value[GOLD_TOTAL_IOPS_SEC], 700); /* of its group */
    d = &c->disks[1];
    assert_string_equal(d->device, "disk");
    assert_string_equal(d->serial, "s2");
    assert_true(d->readonly);
    assert_string_equal(c->disks[2].target,
                        "vdb"); /* free since the definition's is left out */
    assert_string_equal(c->disks[3].target, "vdc");
    has(xml, "<nvram template=\"/usr/share/T.fd\"/>");
    has(xml, "<boot dev=\"hd\"/>");
    has(xml, "<topology sockets=\"1\" dies=\"1\" cores=\"4\" threads=\"1\"/>");
    has(xml, "<smm state=\"on\"/>");
    has(xml, "tickpolicy=\"catchup\"");
    has(xml, "<iothreads>2</iothreads>");
    has(xml, "iothread=\"1\"");
    has(xml, "unit=\"3\"");
    has(xml, "<entry name=\"serial\">s1</entry>");
    has(xml, "current=\"1\"");
    has(xml, "<q:commandline>");
    /* 0x18 and 23 are taken. */
    has(xml, "e1000e,netdev=goldnet,mac=52:54:00:01:02:03,bus=pcie.0,addr=0x16,romfile=");

    spec.accel = "kvm";
    spec.emulator = "/usr/bin/qemu-system-x86_64";
    GOLD_CLEANUP_FREE char *kvm = clone_text(def, &spec);
    has(kvm, "host-passthrough");
    has(kvm, "<hidden state=\"on\"/>");
    has(kvm, "kvmclock");
    has_not(kvm, "<cell");
    has(kvm, "<emulator>/usr/bin/qemu-system-x86_64</emulator>");
}

/* libvirt makes a drive's address from its name: it must be free as well. */
static void
test_free_targets(void **state)
{
    static const struct {
        const char *bus, *disks, *wish, *target;
    } cases[] = {
        {"scsi", "", NULL, "sda"},
        {"scsi", "<disk><target dev='sdb' bus='scsi'/><address type='drive' unit='0'/></disk>",
         NULL, "sdc"},
        {"scsi", "<disk><target dev='hda' bus='scsi'/></disk>", NULL, "sdb"},
        {"scsi",
         "<disk><target dev='sdb' bus='scsi'/><address type='drive' unit='0x8'/></disk>", "sdh",
         "sda"},
        {"scsi", "<disk><target dev='sdb' bus='scsi'/></disk>", "sdh", "sdh"},
        {"scsi", "<disk><target dev='sdb' bus='sata'/><address type='drive' unit='0'/></disk>",
         NULL, "sda"},
        {"sata",
         "<disk><target dev='sdb' bus='sata'/><address type='drive' controller='1' "
         "unit='1'/></disk>",
         "sdh", "sda"},
        {"ide",
         "<disk><target dev='hdb' bus='ide'/><address type='drive' bus='1' unit='0'/></disk>",
         "hdc", "hda"},
        {"virtio", "<disk><target dev='vda' bus='virtio'/></disk>", "vda", "vdb"},
        {"virtio", "", "odd name", "odd name"},
    };
    (void)state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_devices(cases[i].disks);
        struct gold_clone_disk disks[2];
        struct gold_clone_spec spec = base;
        spec.disks = disks;
        for (size_t k = 0; k < def->n_disks; k++)
            disks[spec.n_disks++] = (struct gold_clone_disk){
                .target = def->disks[k].target, .path = "/a", .format = "raw"};
        disks[spec.n_disks++] = (struct gold_clone_disk){.target = cases[i].wish,
                                                         .path = "/b",
                                                         .format = "raw",
                                                         .bus = cases[i].bus,
                                                         .extra = true};
        GOLD_CLEANUP_FREE char *xml = clone_text(def, &spec);
        GOLD_CLEANUP_DEFINITION struct gold_definition *c = parse_text(xml);
        assert_string_equal(c->disks[c->n_disks - 1].target, cases[i].target);
    }
}

static void
test_cpu(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *custom =
        parse_text("<domain type='kvm'><name>x</name><os><type "
                   "arch='x86_64'>hvm</type></os><cpu mode='custom' check='full'>"
                   "<model>Nehalem</model><cache mode='passthrough'/></cpu></domain>");
    GOLD_CLEANUP_DEFINITION struct gold_definition *arm =
        parse_text("<domain type='kvm'><name>x</name><os><type arch='aarch64' "
                   "machine='virt'>hvm</type></os>"
                   "<cpu mode='host-passthrough'/><devices><interface><model "
                   "type='weird'/></interface></devices></domain>");
    GOLD_CLEANUP_DEFINITION struct gold_definition *s390 = parse_text(
        "<domain type='kvm'><name>x</name><os><type arch='s390x'>hvm</type></os></domain>");
    (void)state;
    GOLD_CLEANUP_FREE char *a = clone_text(custom, &base);
    has(a, "<cpu mode=\"custom\" check=\"none\">");
    has(a, "Nehalem");
    has_not(a, "passthrough");
    has(a, "bus=pci.0,addr=0x18");
    GOLD_CLEANUP_FREE char *b = clone_text(arm, &base);
    has_not(b, "<cpu");
    has(b, "virtio-net-pci,netdev=goldnet,mac=52:54:00:01:02:03,bus=pcie.0");
    GOLD_CLEANUP_FREE char *c = clone_text(s390, &base);
    has(c, "virtio-net-ccw,netdev=goldnet,mac=52:54:00:01:02:03\"");
}

static void
test_prefix_taken(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        parse_text("<domain xmlns:qemu='urn:other'><os><type>hvm</type></os></domain>");
    (void)state;
    GOLD_CLEANUP_FREE char *xml = clone_text(def, &base);
    has(xml, "xmlns:goldqemu=\"http://libvirt.org/schemas/domain/qemu/1.0\"");
    has(xml, "<goldqemu:commandline>");
}

static void
refuse(const struct gold_definition *def, const struct gold_clone_spec *spec,
       enum gold_code code, const char *message)
{
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    char *xml = NULL;

    assert_int_equal(gold_domain_clone_xml(def, spec, &xml, &err), -1);
    assert_null(xml);
    assert_string_equal(gold_error_message(err), message);
    assert_int_equal(gold_error_code(err), code);
}

static void
test_refused(void **state)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def = parse_text(rich);
    GOLD_CLEANUP_DEFINITION struct gold_definition *lxc =
        parse_text("<domain type='lxc'><os><type>exe</type></os></domain>");
    struct gold_clone_disk disk = {.target = "vdx", .path = "/p", .format = "raw"};
    struct gold_clone_spec spec = base;
    (void)state;

    refuse(lxc, &spec, GOLD_ERROR_UNSUPPORTED,
           "'t.xml': a domain with the os type 'exe' cannot be cloned, only 'hvm' can");
    spec.disks = &disk;
    spec.n_disks = 1;
    refuse(def, &spec, GOLD_ERROR_USAGE, "'t.xml' has no disk 'vdx'");
    disk.target = NULL;
    refuse(def, &spec, GOLD_ERROR_USAGE, "'t.xml' has no disk ''");
    disk.path = "/a\nb";
    refuse(def, &spec, GOLD_ERROR_UNSUPPORTED, "a clone's disk path holds a control character");
    disk.path = "/\xFF";
    refuse(def, &spec, GOLD_ERROR_UNSUPPORTED, "a clone's disk path is not valid UTF-8");
    disk.path = NULL;
    refuse(def, &spec, GOLD_ERROR_USAGE, "a clone needs a disk path");
    spec = base;
    spec.accel = "xen";
    refuse(def, &spec, GOLD_ERROR_USAGE, "'xen' is not an accelerator");
    spec = base;
    spec.uuid = NULL;
    refuse(def, &spec, GOLD_ERROR_USAGE, "a clone needs a UUID");
}

/* ---- the corpus ---- */

struct tally {
    virConnectPtr conn;
    size_t cloned, refused, defined, not_defined;
};

static void
ignore_error(void *opaque, virErrorPtr e)
{
    (void)opaque;
    (void)e;
}

static void
define(struct tally *t, const char *path, const char *xml, bool original_defines)
{
    virDomainPtr dom = t->conn ? virDomainDefineXML(t->conn, xml) : NULL;

    if (dom) {
        t->defined++;
        (void)virDomainUndefine(dom);
        virDomainFree(dom);
    } else if (t->conn) {
        t->not_defined++;
        /* What libvirt takes as an original it must take as a clone. */
        if (original_defines)
            fail_msg("%s: %s\n%s", path, virGetLastErrorMessage(), xml);
    }
}

static bool
defines(struct tally *t, const char *text)
{
    virDomainPtr dom = t->conn ? virDomainDefineXML(t->conn, text) : NULL;

    if (!dom)
        return false;
    (void)virDomainUndefine(dom);
    virDomainFree(dom);
    return true;
}

static void
clone_one(const char *path, const char *text, size_t len, void *opaque)
{
    GOLD_CLEANUP_DEFINITION struct gold_definition *def =
        gold_domain_parse(path, text, len, NULL);
    GOLD_CLEANUP_ERROR struct gold_error *err = NULL;
    GOLD_CLEANUP_FREE char *xml = NULL;
    struct gold_clone_disk disks[GOLD_LIMIT_DISKS + 2];
    struct gold_clone_spec spec = base;
    struct tally *t = opaque;

    if (!def || (def->arch && strcmp(def->arch, "x86_64") != 0))
        return;
    spec.disks = disks;
    for (size_t i = 0; i < def->n_disks; i++) {
        if (def->disks[i].target && strcmp(def->disks[i].device, "cdrom") != 0 &&
            strcmp(def->disks[i].device, "floppy") != 0)
            disks[spec.n_disks++] = (struct gold_clone_disk){.target = def->disks[i].target,
                                                             .path = "/clones/overlay.qcow2",
                                                             .format = "qcow2"};
    }
    disks[spec.n_disks++] = (struct gold_clone_disk){.path = "/clones/payload.img",
                                                     .format = "raw",
                                                     .serial = "gold",
                                                     .extra = true,
                                                     .readonly = true};
    if (gold_domain_clone_xml(def, &spec, &xml, &err) < 0) {
        if (!strstr(gold_error_message(err), "cannot be cloned"))
            fail_msg("%s", gold_error_message(err));
        t->refused++;
        return;
    }
    GOLD_CLEANUP_DEFINITION struct gold_definition *c = parse_text(xml);
    assert_string_equal(c->name, "gold-clone-1");
    assert_string_equal(c->uuid, UUID);
    assert_int_equal(c->n_nics, 0);
    assert_int_equal(c->n_disks, spec.n_disks);
    for (size_t i = 0; i < c->n_disks; i++)
        assert_true(gold_str_has_prefix(c->disks[i].source, "/clones/"));
    t->cloned++;
    define(t, path, xml, defines(t, text));
}

static void
test_corpus(void **state)
{
    struct tally t = {0};
    (void)state;

    virSetErrorFunc(NULL, ignore_error);
    t.conn = virConnectOpen("test:///default");
    if (!t.conn)
        print_message("SKIPPED in part: libvirt's test driver does not open\n");
    (void)corpus_each(clone_one, &t);
    if (t.conn)
        virConnectClose(t.conn);
    print_message("%zu cloned, %zu refused; libvirt took %zu and refused %zu\n", t.cloned,
                  t.refused, t.defined, t.not_defined);
    assert_true(t.cloned > 100);
    assert_true(!t.conn || t.defined > 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),        cmocka_unit_test(test_limits_of),
        cmocka_unit_test(test_no_direct),    cmocka_unit_test(test_rich),
        cmocka_unit_test(test_cpu),          cmocka_unit_test(test_free_targets),
        cmocka_unit_test(test_prefix_taken), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
