/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a fuzz target offers: libFuzzer's own interface, so that it can be linked with either
 * driver. */
#ifndef GOLD_TESTS_FUZZ_DRIVER_H
#define GOLD_TESTS_FUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
