# SPDX-License-Identifier: LGPL-2.1-or-later
# Manual pages: prose in docs/man/*.scd; the line @OPTIONS@ is filled from the command's own tables, then scdoc renders.
find_program(SCDOC scdoc)

function(gold_man_pages)
  if(NOT SCDOC)
    message(STATUS "scdoc is missing: no manual pages")
    return()
  endif()
  set(outputs)
  foreach(source IN LISTS ARGN)
    get_filename_component(page ${source} NAME_WLE) # goldsmith-seal.1
    string(REGEX REPLACE "^goldsmith-([a-z]+)\\.1$" "\\1" command ${page})
    string(REGEX REPLACE "^.*\\.([0-9])$" "\\1" section ${page})
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${page})
    add_custom_command(OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
        sh ${PROJECT_SOURCE_DIR}/cmake/man.sh ${SCDOC} $<TARGET_FILE:goldsmith_cli> ${command}
          ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${output}
      DEPENDS ${source} goldsmith_cli ${PROJECT_SOURCE_DIR}/cmake/man.sh VERBATIM)
    list(APPEND outputs ${output})
    install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  add_custom_target(man ALL DEPENDS ${outputs})
endfunction()
