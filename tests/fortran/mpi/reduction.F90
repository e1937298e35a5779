! An operation for MPI_Op_create in the module mpi, which calls MPI: appends decimal digits, so the order matters.
#include "counted.inc"
module reduction
  use calls, only: count_call
  use mpi
  implicit none
  private
  public :: append_digits, type_was_right
  integer :: wrong = 0

contains

  subroutine append_digits(left, right, length, datatype)
    integer :: length, datatype
    integer :: left(length), right(length)
    integer :: size, ierr
    CALLED(MPI_Type_size)(datatype, size, ierr)
    if (size /= 4 .or. ierr /= MPI_SUCCESS) wrong = wrong + 1
    right = 10 * left + right
  end subroutine

  integer function type_was_right()
    type_was_right = merge(1, 0, wrong == 0)
  end function

end module
