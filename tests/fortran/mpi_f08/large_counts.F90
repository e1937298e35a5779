! Counts of kind MPI_COUNT_KIND with mpi_f08. The names are the same in Fortran; below it the functions end in _c.
#include "binding.inc"
program large_counts
  use mpi_f08
  use observe
  implicit none
  integer :: rank, ranks, right, left, i
  integer(MPI_COUNT_KIND), parameter :: three = 3, one = 1

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call messages()
  call requests()
  call collectives()
  call types()
  call finish_program()

contains

  subroutine messages()
    integer :: mine(3), theirs(5)
    type(MPI_Status) :: status
    integer(MPI_COUNT_KIND) :: counted
    mine = 10 * rank + [1, 2, 3]
    theirs = -1
    call count_call("MPI_Sendrecv_c")
    call MPI_Sendrecv(mine, three, MPI_INTEGER, right, 1, theirs, three, MPI_INTEGER, left, 1, MPI_COMM_WORLD, status)
    call count_call("MPI_Get_count_c")
    call MPI_Get_count(status, MPI_INTEGER, counted)
    call say("sendrecv", [theirs, int(counted)])
    if (rank == 0) then
      call count_call("MPI_Send_c")
      call MPI_Send(mine(1:3:2), 2_MPI_COUNT_KIND, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
    else if (rank == 1) then
      call count_call("MPI_Recv_c")
      call MPI_Recv(theirs(1:5:2), three, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
      call say("recv", theirs)
      call say_status("status", status)
    end if
  end subroutine

  subroutine requests()
    integer, asynchronous :: mine(3), theirs(3)
    type(MPI_Request) :: both(2)
    mine = rank
    call count_call("MPI_Irecv_c")
    call MPI_Irecv(theirs, three, MPI_INTEGER, left, 3, MPI_COMM_WORLD, both(1))
    call count_call("MPI_Isend_c")
    call MPI_Isend(mine, three, MPI_INTEGER, right, 3, MPI_COMM_WORLD, both(2))
    CALLED(MPI_Waitall)(2, both, MPI_STATUSES_IGNORE)
    call say("isend", theirs)
  end subroutine

  subroutine collectives()
    integer :: numbers(3), all(ranks)
    numbers = rank + [1, 2, 3]
    call count_call("MPI_Allreduce_c")
    call MPI_Allreduce(MPI_IN_PLACE, numbers, three, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call count_call("MPI_Bcast_c")
    call MPI_Bcast(numbers, three, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call count_call("MPI_Allgather_c")
    call MPI_Allgather(rank, one, MPI_INTEGER, all, one, MPI_INTEGER, MPI_COMM_WORLD)
    call say("collectives", [numbers, all])
  end subroutine

  subroutine types()
    type(MPI_Datatype) :: made
    integer(MPI_COUNT_KIND) :: size, lower, extent
    integer :: numbers(9)
    call count_call("MPI_Type_vector_c")
    call MPI_Type_vector(three, one, three, MPI_INTEGER, made)
    CALLED(MPI_Type_commit)(made)
    call count_call("MPI_Type_size_c")
    call MPI_Type_size(made, size)
    ! Here addresses and counts have the same kind, so this is not the function with large counts.
    CALLED(MPI_Type_get_extent)(made, lower, extent)
    numbers = [(10 * rank + i, i = 1, 9)]
    call count_call("MPI_Bcast_c")
    call MPI_Bcast(numbers, one, made, 0, MPI_COMM_WORLD)
    CALLED(MPI_Type_free)(made)
    call say("types", [int(size), int(lower), int(extent), numbers])
  end subroutine

end program
