! The mpif.h binding: how a program gets it, and what its handles and statuses are.
#include "counted.h"
#define USE_MPI use, intrinsic :: iso_c_binding
#define INCLUDE_MPI include 'mpif.h'
#include "integer_handles.h"
