# Libraries that are loaded into programs run wherever the programs do: they ask for no symbol that is newer than glibc
# 2.28, which RHEL 8 has. What is newer in libc and libm does not link. tactus_folder_for_old_glibc() says so of all
# shared libraries of a folder.
#
# They are linked with stubs of libc and libm, which have just the old names, with the compiler's libraries as archives
# (libgcc twice, since libgcc_eh needs its atomics on aarch64), and with base/old_glibc.c. Before 2.34 the names of
# three more libraries were not in libc, so these are loaded, too.
function(tactus_file_of_compiler name result)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE path
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} ${path} PARENT_SCOPE)
endfunction()

tactus_file_of_compiler(libc.so.6 libc)
tactus_file_of_compiler(libc_nonshared.a nonshared)
set(tactus_old_glibc OFF)
if(NOT sanitized AND NOT TACTUS_FUZZ AND IS_ABSOLUTE ${libc} AND EXISTS ${nonshared})
  set(tactus_old_glibc ON)
  set(stubs ${CMAKE_BINARY_DIR}/old_glibc)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/cmake/glibc_stubs.py
    --cc ${CMAKE_C_COMPILER} --nm ${CMAKE_NM} --out ${stubs} COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/cmake/glibc_stubs.py)
  cmake_path(GET libc PARENT_PATH folder)
  file(GLOB loader ${folder}/ld-linux*.so.*)
  add_library(tactus_old_glibc_objects OBJECT base/old_glibc.c)
  target_compile_options(tactus_old_glibc_objects PRIVATE -O2 -Wall -Wextra -Werror -ffunction-sections -fdata-sections)
  string(JOIN " " tactus_old_glibc_libraries
    -Wl,--push-state,-Bstatic -lstdc++ -lgcc -lgcc_eh -lgcc -Wl,--pop-state
    ${stubs}/libc.so.6 ${stubs}/libm.so.6 ${nonshared} -Wl,--push-state,--as-needed ${loader} -Wl,--pop-state
    -Wl,--push-state,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -l:librt.so.1 -Wl,--pop-state)
endif()

# For all shared libraries of this folder: the libraries of the compiler and the system come last in the command.
macro(tactus_folder_for_old_glibc)
  if(tactus_old_glibc)
    string(APPEND CMAKE_SHARED_LINKER_FLAGS " -nodefaultlibs -Wl,--gc-sections")
    string(APPEND CMAKE_CXX_STANDARD_LIBRARIES " ${tactus_old_glibc_libraries}")
    string(APPEND CMAKE_C_STANDARD_LIBRARIES " ${tactus_old_glibc_libraries}")
    link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:tactus_old_glibc_objects>)
  endif()
endmacro()
