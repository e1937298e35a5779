# Run while installing, see install.cmake: takes the debug information out of what was just installed in FOLDER, leaving
# the name of the file that has it; with DEBUG installs that file. Both are made from BUILT, as it was linked.
get_filename_component(name ${BUILT} NAME)
set(debug_file ${BUILT}.debug)
if(TYPE STREQUAL "STATIC_LIBRARY") # an archive cannot name such a file
  execute_process(COMMAND ${OBJCOPY} --strip-unneeded ${FOLDER}/${name} COMMAND_ERROR_IS_FATAL ANY)
else()
  execute_process(COMMAND ${OBJCOPY} --only-keep-debug --compress-debug-sections ${BUILT} ${debug_file}
    COMMAND_ERROR_IS_FATAL ANY)
  if(DEBUG)
    file(INSTALL ${debug_file} DESTINATION ${FOLDER}/.debug)
  else()
    execute_process(COMMAND ${OBJCOPY} --strip-unneeded --remove-section=.gnu_debuglink
      --add-gnu-debuglink=${debug_file} ${FOLDER}/${name} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endif()
