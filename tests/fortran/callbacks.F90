! Callbacks in Fortran that call MPI and remember their arguments.
#include "counted.inc"
#include "binding.inc"
module callbacks
  use calls, only: count_call
  USE_MPI
  implicit none
  INCLUDE_MPI
  private
  public :: copy_attribute, delete_attribute, handle_error, callbacks_seen, handled
  integer :: copies = 0, deletions = 0, last_size = 0, last_value = 0, errors = 0, last_class = 0

contains

  subroutine copy_attribute(comm, keyval, extra, value, copy, flag, ierror)
    COMM :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value, copy
    logical :: flag
    copies = copies + 1
    CALLED(MPI_Comm_size)(comm, last_size, ierror)
    copy = value + extra
    flag = .true.
  end subroutine

  ! Here Open MPI passes something that is no communicator.
  subroutine delete_attribute(comm, keyval, value, extra, ierror)
    COMM :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    integer :: rank
    deletions = deletions + 1
    last_value = int(value)
    CALLED(MPI_Comm_rank)(MPI_COMM_WORLD, rank, ierror)
    if (value == 77 .and. rank == 0) print "(a)", "deleted in MPI_Finalize"
  end subroutine

  subroutine handle_error(comm, error)
    COMM :: comm
    integer :: error
    integer :: ierror
    errors = errors + 1
    CALLED(MPI_Error_class)(error, last_class, ierror)
    CALLED(MPI_Comm_size)(comm, last_size, ierror)
  end subroutine

  function callbacks_seen()
    integer :: callbacks_seen(4)
    callbacks_seen = [copies, deletions, last_size, last_value]
  end function

  function handled()
    integer :: handled(3)
    handled = [errors, last_class, last_size]
  end function

end module
