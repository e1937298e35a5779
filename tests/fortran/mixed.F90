! A program in two languages whose main program is Fortran. The C half calls MPI with handles made here.
#include "binding.inc"
program mixed
  USE_MPI
  use observe
  implicit none
  INCLUDE_MPI
  interface
    subroutine c_half(comm, datatype, numbers) bind(c)
      import :: c_int
      integer(c_int), value :: comm, datatype
      integer(c_int) :: numbers(3)
    end subroutine
    ! Starts a receive in C that Fortran completes.
    subroutine c_start(comm, buffer, request) bind(c)
      import :: c_int
      integer(c_int), value :: comm
      integer(c_int) :: buffer(3), request
    end subroutine
  end interface
  integer :: rank, ranks, ierr
  integer, asynchronous :: numbers(3)
  COMM :: made
  DATATYPE :: pair

  call begin_program(rank, ranks)
  CALLED(MPI_Comm_split)(MPI_COMM_WORLD, 0, -rank, made, ierr)
  CALLED(MPI_Type_contiguous)(2, MPI_INTEGER, pair, ierr)
  CALLED(MPI_Type_commit)(pair, ierr)
  numbers = [rank, rank + 1, -1]
  call c_half(AS_INTEGER(made), AS_INTEGER(pair), numbers)
  call say("from C", numbers)
  call completed_here()
  CALLED(MPI_Type_free)(pair, ierr)
  CALLED(MPI_Comm_free)(made, ierr)
  call finish_program()

contains

  subroutine completed_here()
    REQUEST :: request
    STATUS :: status
    numbers = -1
    call c_start(AS_INTEGER(made), numbers, AS_INTEGER(request))
    CALLED(MPI_Send)([rank, 8, 9], 3, MPI_INTEGER, ranks - 1 - rank, 4, made, ierr)
    CALLED(MPI_Wait)(request, status, ierr)
    call say_status("started in C", status)
    call say("values", numbers)
  end subroutine

end program
