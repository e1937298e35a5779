# The MPIs that tactus is built for: those of Open MPI and MPICH that are here, one or both, side by side. They are
# always asked by name, mpicc.openmpi and mpicc.mpich, never as whatever `mpicc` is; where they are called otherwise,
# -DMPICC_openmpi=... and -DMPIRUN_openmpi=... say so.
# Gives TACTUS_MPIS, and for each of them: mpi_<name> (interface target: headers as system headers, no library),
# mpi_library_<name> (the library, too), MPICC_<name>, MPIRUN_<name>.
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
    tactus_left_out("tracing with ${mpi}" "${package_${mpi}}")
  elseif(mpi STREQUAL "mpich" AND TACTUS_TSAN)
    tactus_left_out("MPICH, which crashes under the thread sanitizer by itself" "")
  else()
    list(APPEND TACTUS_MPIS ${mpi})
  endif()
endforeach()
if(NOT TACTUS_MPIS)
  message(FATAL_ERROR "no MPI: neither mpicc.openmpi with mpirun.openmpi nor mpicc.mpich with mpirun.mpich is here "
    "(packages ${package_openmpi}, or ${package_mpich})")
endif()

foreach(mpi IN LISTS TACTUS_MPIS)
  execute_process(COMMAND ${MPICC_${mpi}} ${show_${mpi}} OUTPUT_VARIABLE line
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "-I[^ ]+" flags "${line}")
  list(TRANSFORM flags REPLACE "^-I" "" OUTPUT_VARIABLE MPI_INCLUDES_${mpi})
  add_library(mpi_${mpi} INTERFACE)
  target_include_directories(mpi_${mpi} SYSTEM INTERFACE ${MPI_INCLUDES_${mpi}})
  target_compile_definitions(mpi_${mpi} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  execute_process(COMMAND ${MPICC_${mpi}} ${show_library_${mpi}} OUTPUT_VARIABLE line
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL " -[lL][^ ]+" flags " ${line}")
  list(TRANSFORM flags STRIP)
  add_library(mpi_library_${mpi} INTERFACE)
  target_link_libraries(mpi_library_${mpi} INTERFACE mpi_${mpi} ${flags})
endforeach()
