! The Fortran half of a program whose main program is C. It completes a send that was started there.
#include "binding.inc"
subroutine fortran_half(comm, request, numbers) bind(c)
  USE_MPI
  use calls
  implicit none
  INCLUDE_MPI
  COMM, intent(in) :: comm
  REQUEST, intent(in) :: request
  integer :: numbers(3)
  REQUEST :: mine
  STATUS :: status
  integer :: ierr
  mine = request
  CALLED(MPI_Recv)(numbers, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, comm, status, ierr)
  CALLED(MPI_Wait)(mine, MPI_STATUS_IGNORE, ierr)
  numbers(2) = SOURCE_OF(status)
  numbers(3) = merge(1, 0, mine == MPI_REQUEST_NULL)
  CALLED(MPI_Barrier)(comm, ierr)
end subroutine
