/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A boot sector that does what a kernel does first: real mode, protected mode, paging, long
 * mode, page by page through some memory; then a loop of 64 million rounds, and out through
 * isa-debug-exit. The loop is the point: there are hosts on which /dev/kvm works but every
 * guest instruction is emulated, at about two million a second. A processor needs a tenth of a
 * second for it, QEMU's own emulation half of one, such a KVM half a minute.
 *
 * It is assembled here rather than kept as bytes, so that it can be read.
 */
#include "qemu/accel_internal.h"

#ifdef __x86_64__

/* clang-format off */
__asm__(
    ".pushsection .rodata, \"a\"\n"
    ".balign 16\n"
    "gold_sector_start:\n"
    ".code16\n"
    "    cli\n"
    "    xor %ax, %ax\n"
    "    mov %ax, %ds\n"
    "    mov %ax, %es\n"
    "    mov %ax, %ss\n"
    "    mov $0x7c00, %sp\n"
    "    in $0x92, %al\n"               /* A20 */
    "    or $2, %al\n"
    "    out %al, $0x92\n"
    "    lgdtl 0x7c00 + gold_sector_gdtr - gold_sector_start\n"
    "    mov %cr0, %eax\n"
    "    or $1, %al\n"
    "    mov %eax, %cr0\n"
    "    ljmp $0x08, $(0x7c00 + gold_sector_protected - gold_sector_start)\n"
    ".code32\n"
    "gold_sector_protected:\n"
    "    mov $0x10, %ax\n"
    "    mov %ax, %ds\n"
    "    mov %ax, %es\n"
    "    mov %ax, %ss\n"
    "    mov $0x10000, %edi\n"          /* three page tables: 64 MiB in pages of 2 MiB */
    "    xor %eax, %eax\n"
    "    mov $0xc00, %ecx\n"
    "    cld\n"
    "    rep stosl\n"
    "    movl $0x11003, 0x10000\n"
    "    movl $0x12003, 0x11000\n"
    "    mov $0x12000, %edi\n"
    "    mov $0x83, %eax\n"
    "    mov $32, %ecx\n"
    "1:  mov %eax, (%edi)\n"
    "    add $0x200000, %eax\n"
    "    add $8, %edi\n"
    "    loop 1b\n"
    "    mov %cr4, %eax\n"
    "    or $0x20, %al\n"
    "    mov %eax, %cr4\n"
    "    mov $0x10000, %eax\n"
    "    mov %eax, %cr3\n"
    "    mov $0xc0000080, %ecx\n"       /* EFER.LME */
    "    rdmsr\n"
    "    or $0x100, %eax\n"
    "    wrmsr\n"
    "    mov %cr0, %eax\n"
    "    or $0x80000000, %eax\n"
    "    mov %eax, %cr0\n"
    "    ljmp $0x18, $(0x7c00 + gold_sector_long - gold_sector_start)\n"
    ".code64\n"
    "gold_sector_long:\n"
    "    mov $0x10, %ax\n"
    "    mov %ax, %ds\n"
    "    mov %ax, %ss\n"
    "    xor %eax, %eax\n"
    "    cpuid\n"
    "    mov $0x100000, %ebx\n"         /* 16 MiB, page by page */
    "    xor %edx, %edx\n"
    "2:  mov %rbx, (%rbx)\n"
    "    add (%rbx), %rdx\n"
    "    add $4096, %rbx\n"
    "    cmp $0x1100000, %rbx\n"
    "    jb 2b\n"
    "    mov $64000000, %ecx\n"
    "3:  dec %ecx\n"
    "    jnz 3b\n"
    "    test %rdx, %rdx\n"
    "    jz 4f\n"
    "    mov $0x21, %al\n"
    "    mov $0xf4, %dx\n"
    "    out %al, %dx\n"
    "4:  hlt\n"
    "    jmp 4b\n"
    ".balign 8\n"
    "gold_sector_gdt:\n"
    "    .quad 0, 0x00cf9a000000ffff, 0x00cf92000000ffff, 0x00af9a000000ffff\n"
    "gold_sector_gdtr:\n"
    "    .word 31\n"
    "    .long 0x7c00 + gold_sector_gdt - gold_sector_start\n"
    "    .fill 510 - (. - gold_sector_start), 1, 0\n"
    "    .word 0xaa55\n"
    ".popsection\n");
/* clang-format on */

extern const unsigned char sector_start[GOLD_SECTOR_BYTES] __asm__("gold_sector_start")
    __attribute__((visibility("hidden")));

const unsigned char *
gold_calibration_sector(void)
{
    return sector_start;
}

#else

const unsigned char *
gold_calibration_sector(void)
{
    return NULL;
}

#endif
