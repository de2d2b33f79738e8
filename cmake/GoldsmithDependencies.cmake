# SPDX-License-Identifier: LGPL-2.1-or-later
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(libguestfs REQUIRED IMPORTED_TARGET libguestfs>=1.48)
pkg_check_modules(libvirt REQUIRED IMPORTED_TARGET libvirt>=9.0 libvirt-qemu>=9.0)
pkg_check_modules(libxml2 REQUIRED IMPORTED_TARGET libxml-2.0>=2.9.14)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson>=2.14)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1>=0.2.5)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto>=3.0)
