! An operation for MPI_Op_create in mpi_f08, which calls MPI: appends decimal digits, so the order matters.
#include "counted.inc"
module reduction
  use calls, only: count_call
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  private
  public :: append_digits, type_was_right
  integer :: wrong = 0

contains

  subroutine append_digits(left, right, length, datatype)
    type(c_ptr), value :: left, right
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: left_numbers(:), right_numbers(:)
    integer :: size
    CALLED(MPI_Type_size)(datatype, size)
    if (size /= 4) wrong = wrong + 1
    call c_f_pointer(left, left_numbers, [length])
    call c_f_pointer(right, right_numbers, [length])
    right_numbers = 10 * left_numbers + right_numbers
  end subroutine

  integer function type_was_right()
    type_was_right = merge(1, 0, wrong == 0)
  end function

end module
