# TACTUS_FLAVORS: the flavors of MPI that tactus is built for, with headers of its own (docs/decisions/0028). That needs
# no MPI. A build with a sanitizer makes only those that it can test.
#
# TACTUS_MPIS: those of Open MPI and MPICH that are here, one or both, side by side. Tests are run with them. They are
# always asked by name, mpicc.openmpi and mpicc.mpich, never as whatever `mpicc` is; where they are called otherwise,
# -DMPICC_openmpi=... and -DMPIRUN_openmpi=... say so. For each of them: mpi_library_<name> (interface target: headers
# as system headers, and the library), MPICC_<name>, MPIRUN_<name>.
set(show_openmpi -showme:compile)
set(show_mpich -compile_info)
set(show_library_openmpi -showme:link)
set(show_library_mpich -link_info)
set(package_openmpi "libopenmpi-dev openmpi-bin")
set(package_mpich "libmpich-dev mpich")

# What lists of tests say; they pass over what is not in TACTUS_MPIS.
set(both openmpi mpich)

set(TACTUS_MPIS)
foreach(mpi IN LISTS both)
  find_program(MPICC_${mpi} mpicc.${mpi})
  find_program(MPIRUN_${mpi} mpirun.${mpi})
  if(mpi IN_LIST TACTUS_WITHOUT OR NOT MPICC_${mpi} OR NOT MPIRUN_${mpi})
    tactus_left_out("tests with ${mpi}" "${package_${mpi}}")
  elseif(mpi STREQUAL "mpich" AND TACTUS_TSAN)
    tactus_left_out("MPICH, which crashes under the thread sanitizer by itself" "")
  else()
    list(APPEND TACTUS_MPIS ${mpi})
  endif()
endforeach()
set(TACTUS_FLAVORS ${both} abi)
if(sanitized)
  set(TACTUS_FLAVORS ${TACTUS_MPIS})
endif()

foreach(mpi IN LISTS TACTUS_MPIS)
  execute_process(COMMAND ${MPICC_${mpi}} ${show_${mpi}} OUTPUT_VARIABLE line
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "-I[^ ]+" flags "${line}")
  list(TRANSFORM flags REPLACE "^-I" "" OUTPUT_VARIABLE MPI_INCLUDES_${mpi})
  execute_process(COMMAND ${MPICC_${mpi}} ${show_library_${mpi}} OUTPUT_VARIABLE line
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " -[lL][^ ]+" flags " ${line}")
  list(TRANSFORM flags STRIP)
  add_library(mpi_library_${mpi} INTERFACE)
  target_include_directories(mpi_library_${mpi} SYSTEM INTERFACE ${MPI_INCLUDES_${mpi}})
  target_compile_definitions(mpi_library_${mpi} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_link_libraries(mpi_library_${mpi} INTERFACE ${flags})
endforeach()

# Sets a variable to those of TACTUS_MPIS whose mpi.h declares a function.
function(tactus_mpis_with function variable)
  set(found)
  foreach(mpi IN LISTS TACTUS_MPIS)
    execute_process(COMMAND ${MPICC_${mpi}} -E -P -include mpi.h -x c /dev/null OUTPUT_VARIABLE text
      COMMAND_ERROR_IS_FATAL ANY)
    if(text MATCHES "[^A-Za-z_]${function}[^A-Za-z_]")
      list(APPEND found ${mpi})
    endif()
  endforeach()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# TACTUS_ABIS: those of TACTUS_MPIS whose library of the standard ABI of MPI 5 is here, too, where Debian's packages of
# MPICH 5 and Open MPI 6 put it. MPI_ABI_<name> is the library, MPI_ABI_INCLUDE the folder of a header of the ABI.
set(TACTUS_ABIS)
set(folder /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
find_path(MPI_ABI_INCLUDE mpi.h PATHS ${folder}/mpi_abi_mpich/include ${folder}/openmpi/include/standard_abi
  NO_DEFAULT_PATH)
foreach(mpi IN LISTS TACTUS_MPIS)
  file(GLOB found ${folder}/libmpi_abi_${mpi}.so.1.*)
  list(POP_FRONT found MPI_ABI_${mpi})
  if(MPI_ABI_${mpi} AND MPI_ABI_INCLUDE AND NOT sanitized)
    list(APPEND TACTUS_ABIS ${mpi})
  endif()
endforeach()
