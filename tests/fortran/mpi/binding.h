! The binding of the module mpi: how a program gets it, and what its handles and statuses are.
#include "counted.h"
#define USE_MPI use mpi; use, intrinsic :: iso_c_binding
#define INCLUDE_MPI
#include "integer_handles.h"
