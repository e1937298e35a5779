! Counts an MPI call beside making it: CALLED(MPI_Send)(buffer, ...). The preprocessor of Fortran replaces in quotes, too.
#define CALLED(name) call count_call("name"); call name
