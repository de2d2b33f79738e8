/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel parameters are found in every kind of boot configuration, and only there. */
#include "unit.h"

#include "guest/cmdline.h"

struct sample {
    enum gold_cmdline_kind kind;
    const char *text;
    const char *params; /* "line:word|" for each */
};

static const struct sample samples[] = {
    {GOLD_CMDLINE_PLAIN, "root=/dev/sda1  ro\tquiet\n", "1:root=/dev/sda1|1:ro|1:quiet|"},
    {GOLD_CMDLINE_PLAIN, "# root=/dev/sda1\nro\r\n", "2:ro|"},
    {GOLD_CMDLINE_PLAIN, "dyndbg=\"file a.c +p\" ro", "1:dyndbg=\"file a.c +p\"|1:ro|"},
    {GOLD_CMDLINE_PLAIN, "", ""},
    {GOLD_CMDLINE_BLS,
     "title root=/dev/sda1\noptions root=/dev/sda1 ro\noptions\tquiet\noptionsx y\n",
     "2:root=/dev/sda1|2:ro|3:quiet|"},
    {GOLD_CMDLINE_GRUB,
     "\tlinux\t/boot/vmlinuz root=/dev/vda1 ro\n\tinitrd /boot/initrd\n# linux x "
     "root=/dev/sda1\n",
     "1:/boot/vmlinuz|1:root=/dev/vda1|1:ro|"},
    {GOLD_CMDLINE_GRUB,
     "search --fs-uuid --set=root 1234\nlinuxefi /vmlinuz ro\necho linux root=1\n",
     "2:/vmlinuz|2:ro|"},
    {GOLD_CMDLINE_GRUB, "set root='hd0,msdos1'\nset default_kernelopts=\"root=/dev/sda1 ro\"\n",
     "2:root=/dev/sda1|2:ro|"},
    {GOLD_CMDLINE_GRUB, "# kopt=root=/dev/hda1 ro\nkernel (hd0,0)/vmlinuz root=/dev/hda1\n",
     "1:root=/dev/hda1|1:ro|2:(hd0,0)/vmlinuz|2:root=/dev/hda1|"},
    {GOLD_CMDLINE_GRUBENV,
     "# GRUB Environment Block\nsaved_entry=0\nkernelopts=root=/dev/sda1 ro \n####",
     "3:root=/dev/sda1|3:ro|"},
    {GOLD_CMDLINE_SHELL,
     "GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX=\"root=/dev/sda1 quiet\"\n#GRUB_CMDLINE_LINUX=\"x\"\n",
     "2:root=/dev/sda1|2:quiet|"},
    {GOLD_CMDLINE_SHELL, "GRUB_CMDLINE_LINUX_DEFAULT='a b'\nexport GRUB_CMDLINE_LINUX=c\n",
     "1:a|1:b|2:c|"},
    {GOLD_CMDLINE_SHELL, "GRUB_CMDLINE_LINUX=\"a \\\n  b\"\nGRUB_CMDLINE_XEN=c\n",
     "1:a|2:b|3:c|"},
    {GOLD_CMDLINE_SHELL, "GRUB_CMDLINE_LINUX=\"dyn=\\\"x\\\" b\"\n", "1:dyn=\\\"x\\\"|1:b|"},
    {GOLD_CMDLINE_SHELL, "GRUB_CMDLINE_LINUX=\"never closed", "1:never|1:closed|"},
    {GOLD_CMDLINE_SHELL, "GRUB_CMDLINE_LINUX=\"ends in \\", "1:ends|1:in|1:\\|"},
    {GOLD_CMDLINE_SHELL, "root=/dev/vda3\nRESUME=/dev/vda2\nmodules=ext4\n",
     "1:root=/dev/vda3|2:RESUME=/dev/vda2|"},
    {GOLD_CMDLINE_EXTLINUX,
     "LABEL linux\n  APPEND root=/dev/sda1 ro\n append initrd=x\n#append y\n",
     "2:root=/dev/sda1|2:ro|3:initrd=x|"},
};

static void
finds_parameters(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        GOLD_CLEANUP_SPANS struct gold_spans found = {0};
        GOLD_CLEANUP_STR struct gold_str all = GOLD_STR_INIT;
        const char *text = samples[i].text;
        assert_int_equal(gold_cmdline_params(samples[i].kind, text, strlen(text), &found, NULL),
                         0);
        for (size_t k = 0; k < found.n; k++)
            gold_str_printf(&all, "%u:%.*s|", found.items[k].line, (int)found.items[k].len,
                            text + found.items[k].offset);
        assert_string_equal(gold_str_text(&all), samples[i].params);
    }
}

static void
reads_values(void **state)
{
    (void)state;
    static const struct {
        const char *param, *key, *value; /* value NULL: not that parameter */
    } cases[] = {
        {"root=/dev/sda1", "root", "/dev/sda1"},
        {"root=\"/dev/sda1\"", "root", "/dev/sda1"},
        {"\"root=/dev/sda1\"", "root", "/dev/sda1"},
        {"root='/dev/sda1'", "root", "/dev/sda1"},
        {"rootwait", "root", NULL},
        {"roo", "root", NULL},
        {"root", "root", ""},
        {"rootflags=x", "root", NULL},
        {"xroot=/dev/sda1", "root", NULL},
        {"systemd.machine_id=abc", "systemd.machine_id", "abc"},
        {"systemd.machine-id=abc", "systemd.machine_id", "abc"},
        {"systemd.machine_idx=abc", "systemd.machine_id", NULL},
        {"\"", "root", NULL},
        {"", "root", NULL},
        {"root=\"open", "root", "open"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gold_span param = {.len = strlen(cases[i].param), .line = 7}, value;
        bool is = gold_cmdline_value(cases[i].param, &param, cases[i].key, &value);
        assert_int_equal(is, cases[i].value != NULL);
        if (is) {
            assert_true(gold_span_is(cases[i].param, &value, cases[i].value));
            assert_int_equal(value.line, 7);
        }
    }
}

static void
keeps_the_size_of_a_grub_environment(void **state)
{
    (void)state;
    char *text = strdup("kernelopts=a\n##########");
    size_t len = strlen(text);
    assert_int_equal(gold_grubenv_fit(&text, &len, 20, NULL), 0);
    assert_string_equal(text, "kernelopts=a\n#######");
    assert_int_equal(len, 20);
    assert_int_equal(gold_grubenv_fit(&text, &len, 30, NULL), 0);
    assert_int_equal(strlen(text), 30);
    struct gold_error *err = NULL;
    assert_int_equal(gold_grubenv_fit(&text, &len, 12, &err), -1);
    assert_int_equal(gold_error_code(err), GOLD_ERROR_FORMAT);
    gold_error_free(err);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_parameters),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(keeps_the_size_of_a_grub_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
