# SPDX-License-Identifier: LGPL-2.1-or-later
find_program(SCDOC scdoc)
