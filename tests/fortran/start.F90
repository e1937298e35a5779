! Beginning and end: what may be called before MPI_Init and after MPI_Finalize, thread levels, versions, clocks,
! logicals.
#include "binding.inc"
program start
  USE_MPI
  use observe
  use calls
  implicit none
  INCLUDE_MPI
  integer :: rank, ierr
  logical :: flag

  call states("before")
  call say_version()
  call start_with_threads()
  call states("between")
  call clocks()
  call sizes()
  call profiling()
  call finish_program()
  call after()

contains

  subroutine states(label)
    character(len=*), intent(in) :: label
    CALLED(MPI_Initialized)(flag, ierr)
    call say_logical(label // " initialized", flag)
    CALLED(MPI_Finalized)(flag, ierr)
    call say_logical(label // " finalized", flag)
  end subroutine

  subroutine say_version()
    integer :: version, subversion, length
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    CALLED(MPI_Get_version)(version, subversion, ierr)
    call say("version", [version, subversion, ierr])
    CALLED(MPI_Get_library_version)(library, length, ierr)
    call say_text("library", library(1:10))
  end subroutine

  subroutine start_with_threads()
    integer :: provided
    CALLED(MPI_Init_thread)(MPI_THREAD_SERIALIZED, provided, ierr)
    call say("provided", [provided, ierr])
    provided = -1
    CALLED(MPI_Query_thread)(provided, ierr)
    call say("query", [provided, ierr])
    CALLED(MPI_Is_thread_main)(flag, ierr)
    call say_logical("main", flag)
    CALLED(MPI_Comm_rank)(MPI_COMM_WORLD, rank, ierr)
  end subroutine

  subroutine clocks()
    double precision :: first, second, tick
    call count_call("MPI_Wtime")
    first = MPI_Wtime()
    call count_call("MPI_Wtick")
    tick = MPI_Wtick()
    call count_call("MPI_Wtime")
    second = MPI_Wtime()
    call say_logical("time", second >= first .and. tick > 0 .and. tick < 1)
  end subroutine

  subroutine sizes()
    integer(MPI_ADDRESS_KIND) :: place, further
    integer :: numbers(4)
    CALLED(MPI_Get_address)(numbers(1), place, ierr)
    CALLED(MPI_Get_address)(numbers(3), further, ierr)
    call say("apart", [int(further - place), ierr])
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine profiling()
    CALLED(MPI_Pcontrol)(1)
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
  end subroutine

  ! Only calls that need not be counted: the counts were written at the end of MPI_Finalize.
  subroutine after()
    call MPI_Finalized(flag, ierr)
    if (rank == 0) print "(a, l2)", "finalized:", flag
    call MPI_Initialized(flag, ierr)
    if (rank == 0) print "(a, l2)", "initialized:", flag
  end subroutine

end program
