# Programs of tests that are compiled with an MPI's own compiler, as applications are.
#
#   add_mpi_binary(folder name MPI mpi SOURCES a.c... [COMPILER path] [FLAGS word...] [LINK word...] [DEPENDS file...]
#                  [VT])
#     builds ${CMAKE_BINARY_DIR}/tests/<folder>/<mpi>/<name>, the target <folder>_program_<name>_<mpi>. Sources are
#     of the current folder. Without COMPILER, mpicc or mpicxx of the MPI and this project's warnings; with it, FLAGS
#     alone. VT: linked with libVT. For MPI abi, the program is of the standard ABI of MPI 5.
#
# None of them contains the path of the build folder, so that the same program is the same file in each preset, and
# tests/preload/traced_equals_untraced.py needs to run it untraced only once.
foreach(mpi IN LISTS TACTUS_MPIS)
  find_program(MPICXX_${mpi} mpicxx.${mpi} REQUIRED)
endforeach()
set(common_headers ${CMAKE_CURRENT_LIST_DIR}/mpi)

# Whatever compiles the program, this is C.
set(yielding ${CMAKE_BINARY_DIR}/tests/yielding.o)
add_custom_command(
  OUTPUT ${yielding}
  COMMAND ${CMAKE_C_COMPILER} -Wall -Wextra -Werror -O1 -g -fPIC -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.
          -c ${CMAKE_CURRENT_LIST_DIR}/mpi/yielding.c -o ${yielding}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/mpi/yielding.c
  COMMENT "ranks that give their core away"
  VERBATIM)
add_custom_target(yielding DEPENDS ${yielding})

function(add_mpi_binary folder name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "VT" "MPI;COMPILER" "SOURCES;FLAGS;LINK;DEPENDS")
  set(program ${CMAKE_BINARY_DIR}/tests/${folder}/${arg_MPI}/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/${folder}/${arg_MPI})
  if(arg_MPI STREQUAL abi) # which has no compiler wrapper
    set(MPICC_abi ${CMAKE_C_COMPILER})
    set(MPICXX_abi ${CMAKE_CXX_COMPILER})
  endif()
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${common_headers}/*.h)
  if(arg_COMPILER)
    set(compile ${arg_COMPILER} ${arg_FLAGS})
  else()
    # The two stringop warnings mistake MPI_STATUSES_IGNORE and MPI_UNWEIGHTED for arrays.
    set(compile ${MPICC_${arg_MPI}} -std=c11 -D_GNU_SOURCE)
    if(arg_SOURCES MATCHES "\\.cpp")
      set(compile ${MPICXX_${arg_MPI}} -std=c++20 -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
    endif()
    if(arg_MPI STREQUAL abi)
      list(APPEND compile -isystem ${MPI_ABI_INCLUDE})
      list(GET TACTUS_ABIS 0 any)
      list(APPEND arg_LINK ${MPI_ABI_${any}})
    endif()
    list(APPEND compile -Wall -Wextra -Werror -Wno-stringop-overflow -Wno-stringop-overread ${arg_FLAGS})
  endif()
  if(arg_VT)
    list(APPEND compile -I${CMAKE_SOURCE_DIR}/api)
    list(APPEND arg_LINK $<TARGET_FILE:VT> -Wl,-rpath,$<TARGET_FILE_DIR:VT>)
    list(APPEND arg_DEPENDS VT ${CMAKE_SOURCE_DIR}/api/VT.h ${CMAKE_SOURCE_DIR}/api/VT.inc)
  endif()
  if(NOT arg_MPI STREQUAL openmpi AND NOT "-shared" IN_LIST arg_FLAGS)
    list(APPEND arg_LINK ${yielding})
    list(APPEND arg_DEPENDS yielding ${yielding})
  endif()
  add_custom_command(
    OUTPUT ${program}
    COMMAND ${compile} -O1 -g -ffile-prefix-map=${CMAKE_BINARY_DIR}=. -I${common_headers} ${arg_SOURCES}
            -o ${program} -pthread ${arg_LINK}
    DEPENDS ${arg_SOURCES} ${headers} ${arg_DEPENDS}
    COMMENT "${folder} program ${name} for ${arg_MPI}"
    VERBATIM)
  add_custom_target(${folder}_program_${name}_${arg_MPI} ALL DEPENDS ${program})
endfunction()
