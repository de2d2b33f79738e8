/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The boot sector of the calibration boot. */
#ifndef GOLD_QEMU_ACCEL_INTERNAL_H
#define GOLD_QEMU_ACCEL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#define GOLD_SECTOR_BYTES 512

/* NULL where there is none for this architecture. */
const unsigned char *gold_calibration_sector(void);
/* QEMU's exit status after the sector has run to its end. */
#define GOLD_CALIBRATION_STATUS 67 /* 0x21 << 1 | 1 */

/* One calibration boot with the given accelerator name; *ret_works whether it ran to its end in
 * time. */
struct gold_context;
struct gold_error;
int gold_calibrate(struct gold_context *ctx, const char *qemu, const char *accel,
                   bool *ret_works, struct gold_error **err);

#endif
