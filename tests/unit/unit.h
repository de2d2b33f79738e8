/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cmocka 1.1.5 needs these headers before its own; every unit test includes this file first. */
#ifndef GOLD_TESTS_UNIT_H
#define GOLD_TESTS_UNIT_H
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>
#endif
