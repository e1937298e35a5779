! Collectives, blocking and non-blocking, in place and with vectors, and reductions with an operation in Fortran that
! itself calls MPI.
#include "binding.inc"
program collectives
  USE_MPI
  use observe
  use reduction
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, ierr, i

  call begin_program(rank, ranks)
  call one_to_all()
  call all_to_one()
  call all_to_all()
  call reductions()
  call scans()
  call in_place()
  call user_operation()
  call nonblocking_vectors()
  call nonblocking_reductions()
  call neighbors()
  call finish_program()

contains

  ! Vectors over the ranks: rank r has r + 1 numbers, one after the other.
  function lengths()
    integer :: lengths(ranks)
    lengths = [(i + 1, i = 0, ranks - 1)]
  end function

  function places()
    integer :: places(ranks)
    places = [(i * (i + 1) / 2, i = 0, ranks - 1)]
  end function

  subroutine one_to_all()
    integer :: whole(ranks * (ranks + 1) / 2), part(ranks)
    whole = merge([(i, i = 1, size(whole))], 0, rank == 0)
    CALLED(MPI_Bcast)(whole, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call say("bcast", [whole, ierr])
    part = -1
    CALLED(MPI_Scatter)(whole, 1, MPI_INTEGER, part, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call say("scatter", [part, ierr])
    CALLED(MPI_Scatterv)(whole, lengths(), places(), MPI_INTEGER, part, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call say("scatterv", [part, ierr])
  end subroutine

  subroutine all_to_one()
    integer :: whole(ranks * (ranks + 1) / 2), part(ranks), sum(2)
    whole = -1
    part = rank
    CALLED(MPI_Gather)(part, 1, MPI_INTEGER, whole, 1, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    call say("gather", [whole, ierr])
    CALLED(MPI_Gatherv)(part, rank + 1, MPI_INTEGER, whole, lengths(), places(), MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call say("gatherv", [whole, ierr])
    sum = -1
    CALLED(MPI_Reduce)([rank, 2 * rank], sum, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    call say("reduce", [sum, ierr])
  end subroutine

  subroutine all_to_all()
    integer :: whole(ranks * (ranks + 1) / 2), part(ranks), theirs(ranks)
    DATATYPE :: types(ranks)
    whole = -1
    part = rank
    CALLED(MPI_Allgather)(part, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say("allgather", [theirs, ierr])
    CALLED(MPI_Allgatherv)(part, rank + 1, MPI_INTEGER, whole, lengths(), places(), MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say("allgatherv", [whole, ierr])
    part = [(10 * rank + i, i = 1, ranks)]
    CALLED(MPI_Alltoall)(part, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say("alltoall", [theirs, ierr])
    CALLED(MPI_Alltoallv)(part, ones(), steps(1), MPI_INTEGER, theirs, ones(), steps(1), MPI_INTEGER, MPI_COMM_WORLD, &
        ierr)
    call say("alltoallv", [theirs, ierr])
    types = MPI_INTEGER
    theirs = -1
    CALLED(MPI_Alltoallw)(part, ones(), steps(4), types, theirs, ones(), steps(4), types, MPI_COMM_WORLD, ierr)
    call say("alltoallw", [theirs, ierr])
  end subroutine

  function ones()
    integer :: ones(ranks)
    ones = 1
  end function

  function steps(width)
    integer, intent(in) :: width
    integer :: steps(ranks)
    steps = [(width * i, i = 0, ranks - 1)]
  end function

  subroutine reductions()
    integer :: part(ranks), result(ranks)
    double precision :: pair(2), largest(2)
    logical :: all_true
    complex :: product
    part = [(rank + i, i = 1, ranks)]
    result = -1
    CALLED(MPI_Allreduce)(part, result, ranks, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
    call say("allreduce", [result, ierr])
    CALLED(MPI_Reduce_scatter)(part, result, ones(), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say("reduce_scatter", [result, ierr])
    CALLED(MPI_Reduce_scatter_block)(part, result, 1, MPI_INTEGER, MPI_PROD, MPI_COMM_WORLD, ierr)
    call say("reduce_scatter_block", [result, ierr])
    pair = [10d0 - rank, dble(rank)]
    CALLED(MPI_Allreduce)(pair, largest, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    call say("maxloc", [nint(largest), ierr])
    CALLED(MPI_Allreduce)(rank >= 0, all_true, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    call say_logical("and", all_true)
    CALLED(MPI_Allreduce)((0.0, 1.0), product, 1, MPI_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierr)
    call say("product", [nint(real(product)), nint(aimag(product)), ierr])
    CALLED(MPI_Reduce_local)(part, result, ranks, MPI_INTEGER, MPI_SUM, ierr)
    call say("reduce_local", [result, ierr])
  end subroutine

  subroutine scans()
    integer :: result
    REQUEST :: request
    result = -1
    CALLED(MPI_Scan)(rank + 1, result, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say("scan", [result, ierr])
    CALLED(MPI_Exscan)(rank + 1, result, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say("exscan", [merge(result, 0, rank > 0), ierr])
    CALLED(MPI_Ibarrier)(MPI_COMM_WORLD, request, ierr)
    CALLED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierr)
    call say_logical("barrier", request == MPI_REQUEST_NULL)
  end subroutine

  subroutine in_place()
    integer :: numbers(ranks)
    numbers = rank + 1
    CALLED(MPI_Allreduce)(MPI_IN_PLACE, numbers, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say("allreduce in place", [numbers, ierr])
    numbers = rank
    CALLED(MPI_Allgather)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say("allgather in place", [numbers, ierr])
    if (rank == 0) then
      CALLED(MPI_Reduce)(MPI_IN_PLACE, numbers, ranks, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      CALLED(MPI_Gather)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      CALLED(MPI_Scatter)(numbers, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, ierr)
    else
      CALLED(MPI_Reduce)(numbers, numbers, ranks, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      CALLED(MPI_Gather)(numbers, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      CALLED(MPI_Scatter)(numbers, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    end if
    call say("rooted in place", [numbers, ierr])
    numbers = [(10 * rank + i, i = 1, ranks)]
    CALLED(MPI_Alltoall)(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say("alltoall in place", [numbers, ierr])
    CALLED(MPI_Scan)(MPI_IN_PLACE, numbers, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call say("scan in place", [numbers, ierr])
  end subroutine

  ! Not commutative: the digits must be in the order of the ranks. MPI decides how often it is called.
  subroutine user_operation()
    OP :: append
    integer :: numbers(2)
    logical :: commutative
    CALLED(MPI_Op_create)(append_digits, .false., append, ierr)
    CALLED(MPI_Op_commutative)(append, commutative, ierr)
    call say_logical("commutative", commutative)
    numbers = [rank + 1, rank + 5]
    CALLED(MPI_Allreduce)(MPI_IN_PLACE, numbers, 2, MPI_INTEGER, append, MPI_COMM_WORLD, ierr)
    call say("digits", [numbers, ierr])
    call say("of type", [type_was_right()])
    CALLED(MPI_Op_free)(append, ierr)
    call say_logical("op null", append == MPI_OP_NULL)
  end subroutine

  subroutine nonblocking_vectors()
    integer, asynchronous :: whole(ranks * (ranks + 1) / 2), part(ranks), theirs(ranks), counts(ranks), starts(ranks)
    REQUEST :: all(4)
    whole = -1
    theirs = -1
    part = [(10 * rank + i, i = 1, ranks)]
    counts = lengths()
    starts = places()
    CALLED(MPI_Iallgatherv)(part, rank + 1, MPI_INTEGER, whole, counts, starts, MPI_INTEGER, MPI_COMM_WORLD, all(1), &
        ierr)
    CALLED(MPI_Ialltoall)(part, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, MPI_COMM_WORLD, all(2), ierr)
    CALLED(MPI_Ibarrier)(MPI_COMM_WORLD, all(3), ierr)
    all(4) = MPI_REQUEST_NULL
    CALLED(MPI_Waitall)(4, all, MPI_STATUSES_IGNORE, ierr)
    call say("iallgatherv", [whole, ierr])
    call say("ialltoall", [theirs, ierr])
    theirs = merge(part, 0, rank == 0)
    CALLED(MPI_Ibcast)(theirs, ranks, MPI_INTEGER, 0, MPI_COMM_WORLD, all(1), ierr)
    CALLED(MPI_Igather)(part, 1, MPI_INTEGER, whole, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, all(2), ierr)
    CALLED(MPI_Waitall)(2, all, MPI_STATUSES_IGNORE, ierr)
    call say("ibcast and igather", [theirs, whole, ierr])
    CALLED(MPI_Iscatterv)(whole, counts, starts, MPI_INTEGER, theirs, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
        all(1), ierr)
    CALLED(MPI_Wait)(all(1), MPI_STATUS_IGNORE, ierr)
    call say("iscatterv", [theirs, ierr])
  end subroutine

  subroutine nonblocking_reductions()
    integer, asynchronous :: part(ranks), results(ranks, 5)
    REQUEST :: all(5)
    part = [(10 * rank + i, i = 1, ranks)]
    results = 0
    CALLED(MPI_Iallreduce)(part, results(:, 1), ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, all(1), ierr)
    CALLED(MPI_Ireduce)(part, results(:, 2), ranks, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD, all(2), ierr)
    CALLED(MPI_Iscan)(part, results(:, 3), ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, all(3), ierr)
    CALLED(MPI_Ireduce_scatter_block)(part, results(:, 4), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, all(4), ierr)
    CALLED(MPI_Iallgather)(part, 1, MPI_INTEGER, results(:, 5), 1, MPI_INTEGER, MPI_COMM_WORLD, all(5), ierr)
    CALLED(MPI_Waitall)(5, all, MPI_STATUSES_IGNORE, ierr)
    do i = 1, 5
      call say("non-blocking", [results(:, i), ierr])
    end do
  end subroutine

  subroutine neighbors()
    COMM :: ring
    integer :: theirs(2)
    integer, asynchronous :: later(2)
    REQUEST :: request
    CALLED(MPI_Cart_create)(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierr)
    CALLED(MPI_Neighbor_allgather)(rank, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring, ierr)
    call say("neighbors", [theirs, ierr])
    CALLED(MPI_Neighbor_alltoall)([rank, 10 + rank], 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, ring, ierr)
    call say("to each", [theirs, ierr])
    CALLED(MPI_Neighbor_allgatherv)(rank, 1, MPI_INTEGER, theirs, [1, 1], [1, 0], MPI_INTEGER, ring, ierr)
    call say("swapped", [theirs, ierr])
    CALLED(MPI_Ineighbor_allgather)(rank, 1, MPI_INTEGER, later, 1, MPI_INTEGER, ring, request, ierr)
    CALLED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierr)
    call say("later", [later, ierr])
    CALLED(MPI_Comm_free)(ring, ierr)
  end subroutine

end program
