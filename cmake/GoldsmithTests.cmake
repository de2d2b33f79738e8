# SPDX-License-Identifier: LGPL-2.1-or-later
find_package(cmocka REQUIRED CONFIG)

# gold_unit_test(<room> <name> [LABELS l...] [WRAP f...] [LIBRARIES l...])
# Builds test_<name>.c of this folder against the internal static library and registers it as
# <room>/<name>, with label unit unless others are given. WRAP lists functions to be replaced at link
# time (--wrap), for fault injection.
function(gold_unit_test room name)
  cmake_parse_arguments(T "" "TIMEOUT" "LABELS;WRAP;LIBRARIES;SOURCES" ${ARGN})
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 120)
  endif()
  set(target test_${room}_${name})
  add_executable(${target} test_${name}.c ${T_SOURCES})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/unit)
  target_compile_definitions(${target} PRIVATE
    GOLD_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    GOLD_TEST_SHARED="${PROJECT_SOURCE_DIR}/../shared"
    GOLD_TEST_LIBEXEC="${GOLDSMITH_LIBEXEC_BUILD}")
  target_link_libraries(${target} PRIVATE goldsmith_internal ${CMOCKA_LIBRARIES} ${T_LIBRARIES})
  foreach(symbol IN LISTS T_WRAP)
    target_link_options(${target} PRIVATE -Wl,--wrap=${symbol})
  endforeach()
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${room})
  add_test(NAME ${room}/${name} COMMAND ${target})
  set_tests_properties(${room}/${name} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT} SKIP_RETURN_CODE 77)
  list(FIND T_LABELS unit is_unit)
  if(is_unit EQUAL -1)
    # Two cores: appliances and guests run one at a time.
    set_tests_properties(${room}/${name} PROPERTIES RESOURCE_LOCK machine)
  endif()
endfunction()
