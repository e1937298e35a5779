! The binding of the module mpi_f08: how a program gets it, and what its handles and statuses are.
#include "counted.h"
#define USE_MPI use mpi_f08; use, intrinsic :: iso_c_binding
#define INCLUDE_MPI
#define COMM type(MPI_Comm)
#define GROUP type(MPI_Group)
#define DATATYPE type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#define MESSAGE type(MPI_Message)
#define OP type(MPI_Op)
#define ERRHANDLER type(MPI_Errhandler)
#define INFO type(MPI_Info)
#define WIN type(MPI_Win)
#define FILE_HANDLE type(MPI_File)
#define STATUS type(MPI_Status)
#define STATUSES(n) type(MPI_Status), dimension(n)
#define STATUS_AT(statuses, i) statuses(i)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#define ERROR_OF(status) status%MPI_ERROR
#define ADDRESS type(c_ptr)
#define AS_INTEGER(handle) handle%MPI_VAL
