! The same as plugin.c, in Fortran: it makes a broadcast.
function work() bind(c, name="work") result(error)
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  include "mpif.h"
  integer(c_int) :: error
  integer :: number, ierr
  number = 1
  call MPI_Bcast(number, 1, MPI_INTEGER, 0, MPI_COMM_SELF, ierr)
  error = int(ierr, c_int)
end function work
