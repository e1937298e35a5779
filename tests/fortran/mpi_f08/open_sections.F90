! Array sections as buffers of requests. Where MPI supports it, they stay at their place while a request is open.
#include "binding.inc"
program open_sections
  use mpi_f08
  use observe
  implicit none
  integer :: rank, ranks, right, left, i
  integer, asynchronous :: mine(8), theirs(8)
  type(MPI_Request) :: requests(3)

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call check(MPI_SUBARRAYS_SUPPORTED, "subarrays are supported")
  call nonblocking()
  call persistent()
  call finish_program()

contains

  subroutine nonblocking()
    mine = [(10 * rank + i, i = 1, 8)]
    theirs = -1
    CALLED(MPI_Irecv)(theirs(1:8:3), 3, MPI_INTEGER, left, 6, MPI_COMM_WORLD, requests(1))
    CALLED(MPI_Isend)(mine(2:8:3), 3, MPI_INTEGER, right, 6, MPI_COMM_WORLD, requests(2))
    CALLED(MPI_Ibcast)(mine(1:7:6), 2, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(3))
    CALLED(MPI_Waitall)(3, requests, MPI_STATUSES_IGNORE)
    call say("later", [mine, theirs])
  end subroutine

  subroutine persistent()
    CALLED(MPI_Send_init)(mine(1:8:2), 4, MPI_INTEGER, right, 7, MPI_COMM_WORLD, requests(1))
    CALLED(MPI_Recv_init)(theirs(2:8:2), 4, MPI_INTEGER, left, 7, MPI_COMM_WORLD, requests(2))
    do i = 1, 2
      mine = mine + i
      CALLED(MPI_Startall)(2, requests)
      CALLED(MPI_Waitall)(2, requests, MPI_STATUSES_IGNORE)
      call say("persistent", theirs)
    end do
    CALLED(MPI_Request_free)(requests(1))
    CALLED(MPI_Request_free)(requests(2))
  end subroutine

end program
