# tactus_install(TARGET...): programs to bin, libraries to lib, without their debug information. That goes beside them
# into .debug/ folders, where debuggers look for it, when it is asked for: cmake --install BUILD --component debug.
function(tactus_install)
  install(TARGETS ${ARGN} RUNTIME DESTINATION bin LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    set(folder lib)
    if(type STREQUAL "EXECUTABLE")
      set(folder bin)
    endif()
    set(arguments -D OBJCOPY=${CMAKE_OBJCOPY} -D BUILT=$<TARGET_FILE:${target}> -D TYPE=${type})
    set(at "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}")
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" ${arguments} -D \"FOLDER=${at}\" -P \"${CMAKE_SOURCE_DIR}/tools/cmake/strip.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
    if(NOT type STREQUAL "STATIC_LIBRARY")
      install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" ${arguments} -D \"FOLDER=${at}\" -D DEBUG=ON -P \"${CMAKE_SOURCE_DIR}/tools/cmake/strip.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT debug EXCLUDE_FROM_ALL)
    endif()
  endforeach()
endfunction()
