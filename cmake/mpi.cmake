# Both MPIs side by side, always asked by name: mpicc.openmpi and mpicc.mpich, never whatever `mpicc` is.
# Gives for each: mpi_<name> (interface target: headers as system headers, no library), MPICC_<name>, MPIRUN_<name>.
set(TACTUS_MPIS openmpi mpich)
find_program(MPICC_openmpi mpicc.openmpi REQUIRED)
find_program(MPICC_mpich mpicc.mpich REQUIRED)
find_program(MPIRUN_openmpi mpirun.openmpi REQUIRED)
find_program(MPIRUN_mpich mpirun.mpich REQUIRED)

set(show_openmpi -showme:compile)
set(show_mpich -compile_info)
foreach(mpi IN LISTS TACTUS_MPIS)
  execute_process(COMMAND ${MPICC_${mpi}} ${show_${mpi}} OUTPUT_VARIABLE line OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "-I[^ ]+" flags "${line}")
  list(TRANSFORM flags REPLACE "^-I" "" OUTPUT_VARIABLE MPI_INCLUDES_${mpi})
  add_library(mpi_${mpi} INTERFACE)
  target_include_directories(mpi_${mpi} SYSTEM INTERFACE ${MPI_INCLUDES_${mpi}})
  target_compile_definitions(mpi_${mpi} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endforeach()
