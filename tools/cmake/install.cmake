# tactus_install(TARGET...): programs to bin, libraries to lib, without their debug information. That goes beside them
# into .debug/ folders, where debuggers look for it, when it is asked for: cmake --install BUILD --component debug.
function(tactus_install)
  set_property(GLOBAL APPEND PROPERTY tactus_installed ${ARGN})
  install(TARGETS ${ARGN} RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    set(folder lib)
    if(type STREQUAL "EXECUTABLE")
      set(folder bin)
    endif()
    string(CONCAT code
      "set(OBJCOPY \"${CMAKE_OBJCOPY}\")\n"
      "set(BUILT \"$<TARGET_FILE:${target}>\")\n"
      "set(TYPE ${type})\n"
      "set(FOLDER \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")\n")
    set(script "include(\"${CMAKE_SOURCE_DIR}/tools/cmake/strip.cmake\")")
    install(CODE "${code}set(DEBUG OFF)\n${script}")
    if(NOT type STREQUAL "STATIC_LIBRARY")
      install(CODE "${code}set(DEBUG ON)\n${script}" COMPONENT debug EXCLUDE_FROM_ALL)
    endif()
  endforeach()
endfunction()
