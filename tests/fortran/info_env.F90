! MPI_Info_create_env, whose Fortran form lacks the arguments argc and argv of the C form. It may be called before
! MPI_Init, too.
#include "binding.inc"
program info_env
  USE_MPI
  use observe
  use calls
  implicit none
  INCLUDE_MPI
  integer :: ierr

  call create("before MPI_Init")
  CALLED(MPI_Init)(ierr)
  call create("after it")
  call finish_program()

contains

  subroutine create(label)
    character(len=*), intent(in) :: label
    integer :: keys
    INFO :: info
    CALLED(MPI_Info_create_env)(info, ierr)
    call say(label // " created", [ierr])
    CALLED(MPI_Info_get_nkeys)(info, keys, ierr)
    call say(label // " keys", [keys, ierr])
    CALLED(MPI_Info_free)(info, ierr)
    call say(label // " freed", [ierr])
  end subroutine

end program
