! What only mpi_f08 has: no ierror, array sections as buffers, handles as derived types; MPI_Sizeof.
#include "binding.inc"
program sections
  use mpi_f08
  use observe
  implicit none
  integer :: rank, ranks, right, left, i

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call without_ierror()
  call strided()
  call of_matrix()
  call scalars_and_kinds()
  call handles()
  call finish_program()

contains

  subroutine without_ierror()
    integer :: numbers(2)
    logical :: done
    type(MPI_Status) :: status
    type(MPI_Request) :: requests(2)
    type(MPI_Comm) :: made
    character(len=MPI_MAX_OBJECT_NAME) :: name
    numbers = [rank, -1]
    CALLED(MPI_Irecv)(numbers(2), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    CALLED(MPI_Isend)(numbers(1), 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2))
    CALLED(MPI_Waitall)(2, requests, MPI_STATUSES_IGNORE)
    call say("numbers", numbers)
    CALLED(MPI_Comm_dup)(MPI_COMM_WORLD, made)
    CALLED(MPI_Comm_set_name)(made, "no ierror ")
    CALLED(MPI_Comm_get_name)(made, name, i)
    call say_text("name", name(1:i))
    CALLED(MPI_Allreduce)(MPI_IN_PLACE, numbers, 2, MPI_INTEGER, MPI_SUM, made)
    CALLED(MPI_Barrier)(made)
    CALLED(MPI_Iprobe)(MPI_ANY_SOURCE, 77, made, done, status)
    call say_logical("nothing", done)
    CALLED(MPI_Comm_free)(made)
    call say("sum", numbers)
  end subroutine

  subroutine strided()
    integer :: mine(8), theirs(8)
    type(MPI_Status) :: status
    mine = [(10 * rank + i, i = 1, 8)]
    theirs = -1
    CALLED(MPI_Sendrecv)(mine(1:8:2), 4, MPI_INTEGER, right, 2, theirs(2:8:2), 4, MPI_INTEGER, left, 2, &
        MPI_COMM_WORLD, status)
    call say("strided", theirs)
    call say_status("status", status)
    CALLED(MPI_Sendrecv)(mine(8:1:-1), 8, MPI_INTEGER, right, 3, theirs, 8, MPI_INTEGER, left, 3, MPI_COMM_WORLD, &
        status)
    call say("backwards", theirs)
    if (rank == 0) then
      CALLED(MPI_Send)(mine(2:6:3), 2, MPI_INTEGER, right, 4, MPI_COMM_WORLD)
    else if (rank == 1) then
      CALLED(MPI_Recv)(theirs(1:7:3), 3, MPI_INTEGER, left, 4, MPI_COMM_WORLD, status)
      call say("shorter", theirs)
      call say_status("status", status)
    end if
    CALLED(MPI_Bcast)(mine(1:8:4), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call say("bcast", mine)
  end subroutine

  subroutine of_matrix()
    integer :: matrix(4, 4), row(4)
    matrix = reshape([(100 * rank + i, i = 1, 16)], [4, 4])
    row = -1
    CALLED(MPI_Sendrecv)(matrix(2, :), 4, MPI_INTEGER, right, 5, row, 4, MPI_INTEGER, left, 5, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE)
    call say("row", row)
    CALLED(MPI_Bcast)(matrix(2:3, 2:3), 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call say("matrix", reshape(matrix, [16]))
  end subroutine

  subroutine scalars_and_kinds()
    double precision :: real_one
    complex :: pair(2)
    integer(8) :: long
    integer :: size, ierr
    real_one = rank + 0.5d0
    CALLED(MPI_Allreduce)(MPI_IN_PLACE, real_one, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    long = 1000000000000_8 + rank
    CALLED(MPI_Bcast)(long, 1, MPI_INTEGER8, ranks - 1, MPI_COMM_WORLD)
    pair = cmplx(rank, 1)
    CALLED(MPI_Allreduce)(MPI_IN_PLACE, pair, 2, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD)
    call say("kinds", [nint(2 * real_one), int(long - 1000000000000_8), nint(real(pair)), nint(aimag(pair))])
    ! Exists in Fortran only; there is no function in C to call.
    call MPI_Sizeof(pair, size, ierr)
    call say("sizeof", [size])
  end subroutine

  subroutine handles()
    type(MPI_Comm) :: copy
    integer :: result
    copy%MPI_VAL = MPI_COMM_WORLD%MPI_VAL
    CALLED(MPI_Comm_compare)(copy, MPI_COMM_WORLD, result)
    call say_logical("identical", result == MPI_IDENT)
  end subroutine

end program
