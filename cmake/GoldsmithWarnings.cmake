# SPDX-License-Identifier: LGPL-2.1-or-later
# One interface target carries the dialect, the warnings and the hardening of everything built here.
add_library(goldsmith_build INTERFACE)
target_compile_features(goldsmith_build INTERFACE c_std_11)
set(CMAKE_C_EXTENSIONS ON)
target_compile_definitions(goldsmith_build INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64
  $<$<BOOL:${GOLDSMITH_TEST_HOOKS}>:GOLDSMITH_TEST_HOOKS>)
target_compile_options(goldsmith_build INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith
  -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wcast-align -Wdate-time
  -Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Werror=int-conversion -Werror=return-type
  $<$<C_COMPILER_ID:GNU>:-Wlogical-op -Wduplicated-cond -Wformat-signedness>
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
  -fvisibility=hidden)
if(GOLDSMITH_SANITIZE)
  target_compile_options(goldsmith_build INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(goldsmith_build INTERFACE -fsanitize=address,undefined)
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(goldsmith_build INTERFACE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  target_link_options(goldsmith_build INTERFACE -Wl,-z,relro,-z,now)
endif()
