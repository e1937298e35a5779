! Blocking messages: every send mode, wildcards, probes, ignored statuses, MPI_BOTTOM, MPI_PROC_NULL, packing, errors.
#include "binding.inc"
program messages
  USE_MPI
  use observe
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, right, left, ierr

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call send_modes()
  call exchanges()
  call probes()
  call matched_probes()
  call absolute_addresses()
  call nobody()
  call characters()
  call packing()
  call errors()
  call finish_program()

contains

  ! Rank 0 sends to all others, which receive with wildcards.
  subroutine send_modes()
    integer :: values(6), to, size, buffered(1000)
    ADDRESS :: detached
    values = [1, 2, 3, 4, 5, 6]
    size = 8 * (24 + MPI_BSEND_OVERHEAD)
    CALLED(MPI_Buffer_attach)(buffered, size, ierr)
    if (rank == 0) then
      do to = 1, ranks - 1
        CALLED(MPI_Send)(values, 6, MPI_INTEGER, to, 1, MPI_COMM_WORLD, ierr)
        CALLED(MPI_Ssend)(values, 5, MPI_INTEGER, to, 2, MPI_COMM_WORLD, ierr)
        CALLED(MPI_Bsend)(values, 4, MPI_INTEGER, to, 3, MPI_COMM_WORLD, ierr)
        CALLED(MPI_Recv)(values, 0, MPI_INTEGER, to, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        CALLED(MPI_Rsend)(values, 3, MPI_INTEGER, to, 5, MPI_COMM_WORLD, ierr)
      end do
    else
      call receive_one(MPI_ANY_SOURCE, 1)
      call receive_one(0, MPI_ANY_TAG)
      call receive_one(MPI_ANY_SOURCE, MPI_ANY_TAG)
      call receive_ready()
    end if
    CALLED(MPI_Buffer_detach)(detached, size, ierr)
    call say("detached", [size - 8 * (24 + MPI_BSEND_OVERHEAD), ierr])
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine receive_one(source, tag)
    integer, intent(in) :: source, tag
    integer :: values(8)
    STATUS :: status
    values = -1
    call clear_status(status)
    CALLED(MPI_Recv)(values, 8, MPI_INTEGER, source, tag, MPI_COMM_WORLD, status, ierr)
    call say_status("received", status)
    call say("values", [values, ierr])
  end subroutine

  subroutine receive_ready()
    integer :: values(8), nothing(1)
    REQUEST :: posted
    values = -1
    CALLED(MPI_Irecv)(values, 8, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, posted, ierr)
    CALLED(MPI_Send)(nothing, 0, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, ierr)
    CALLED(MPI_Wait)(posted, MPI_STATUS_IGNORE, ierr)
    call say("ready", [values, ierr])
  end subroutine

  subroutine exchanges()
    integer :: mine(3), theirs(5)
    STATUS :: status
    mine = 10 * rank + [1, 2, 3]
    theirs = -1
    call clear_status(status)
    CALLED(MPI_Sendrecv)(mine, 3, MPI_INTEGER, right, 7, theirs, 5, MPI_INTEGER, left, MPI_ANY_TAG, MPI_COMM_WORLD, &
        status, ierr)
    call say_status("sendrecv", status)
    call say("values", [theirs, ierr])
    CALLED(MPI_Sendrecv)(mine, 2, MPI_INTEGER, left, 8, theirs, 5, MPI_INTEGER, right, 8, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
    call say("values", [theirs, ierr])
    CALLED(MPI_Sendrecv_replace)(mine, 3, MPI_INTEGER, right, 9, left, 9, MPI_COMM_WORLD, status, ierr)
    call say_status("replaced", status)
    call say("values", [mine, ierr])
  end subroutine

  subroutine probes()
    integer :: values(4), theirs(4)
    logical :: there
    STATUS :: status
    REQUEST :: sent
    values = rank
    theirs = -1
    CALLED(MPI_Isend)(values, 4, MPI_INTEGER, right, 11, MPI_COMM_WORLD, sent, ierr)
    call clear_status(status)
    CALLED(MPI_Probe)(left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call say_status("probed", status)
    CALLED(MPI_Probe)(MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    there = .false.
    do while (.not. there)
      CALLED(MPI_Iprobe)(left, 11, MPI_COMM_WORLD, there, status, ierr)
    end do
    call say_status("iprobed", status)
    call say_logical("there", there)
    CALLED(MPI_Iprobe)(left, 999, MPI_COMM_WORLD, there, MPI_STATUS_IGNORE, ierr)
    call say_logical("not there", there)
    CALLED(MPI_Recv)(theirs, 4, MPI_INTEGER, SOURCE_OF(status), TAG_OF(status), MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call say("values", [theirs, ierr])
    CALLED(MPI_Wait)(sent, MPI_STATUS_IGNORE, ierr)
    call say_logical("null", sent == MPI_REQUEST_NULL)
  end subroutine

  subroutine matched_probes()
    integer :: mine(2), theirs(3)
    logical :: there
    STATUS :: status
    REQUEST :: sent(2), posted
    MESSAGE :: message
    mine = [rank, 5]
    theirs = -1
    CALLED(MPI_Isend)(mine, 2, MPI_INTEGER, right, 12, MPI_COMM_WORLD, sent(1), ierr)
    CALLED(MPI_Isend)(mine, 1, MPI_INTEGER, right, 13, MPI_COMM_WORLD, sent(2), ierr)
    call clear_status(status)
    CALLED(MPI_Mprobe)(left, 12, MPI_COMM_WORLD, message, status, ierr)
    call say_status("mprobed", status)
    call clear_status(status)
    CALLED(MPI_Mrecv)(theirs, 3, MPI_INTEGER, message, status, ierr)
    call say_status("mreceived", status)
    call say("values", [theirs, ierr])
    call say_logical("message null", message == MPI_MESSAGE_NULL)
    there = .false.
    do while (.not. there)
      CALLED(MPI_Improbe)(MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, there, message, status, ierr)
    end do
    call say_status("improbed", status)
    CALLED(MPI_Imrecv)(theirs, 3, MPI_INTEGER, message, posted, ierr)
    CALLED(MPI_Wait)(posted, status, ierr)
    call say_status("imreceived", status)
    call say("values", [theirs, ierr])
    CALLED(MPI_Waitall)(2, sent, MPI_STATUSES_IGNORE, ierr)
  end subroutine

  subroutine absolute_addresses()
    integer, asynchronous :: first(2), second(3)
    integer(MPI_ADDRESS_KIND) :: places(2)
    DATATYPE :: both, types(2)
    STATUS :: status
    first = [rank, -1]
    second = [rank, -1, -1]
    CALLED(MPI_Get_address)(first, places(1), ierr)
    CALLED(MPI_Get_address)(second(2), places(2), ierr)
    types = MPI_INTEGER
    CALLED(MPI_Type_create_struct)(2, [1, 2], places, types, both, ierr)
    CALLED(MPI_Type_commit)(both, ierr)
    if (rank == 0) then
      first = [40, 41]
      second = [50, 51, 52]
    end if
    CALLED(MPI_Bcast)(MPI_BOTTOM, 1, both, 0, MPI_COMM_WORLD, ierr)
    call say("broadcast", [first, second, ierr])
    first(1) = first(1) + rank
    CALLED(MPI_Sendrecv_replace)(MPI_BOTTOM, 1, both, right, 14, left, 14, MPI_COMM_WORLD, status, ierr)
    call say("from the left", [first, second, SOURCE_OF(status), TAG_OF(status), ierr])
    CALLED(MPI_Type_free)(both, ierr)
    call say_logical("type null", both == MPI_DATATYPE_NULL)
  end subroutine

  subroutine nobody()
    integer :: values(2)
    STATUS :: status
    MESSAGE :: message
    logical :: there
    values = 3
    CALLED(MPI_Send)(values, 2, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierr)
    CALLED(MPI_Recv)(values, 2, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, status, ierr)
    call say("nobody", [values, ierr])
    call say_nobody(status)
    CALLED(MPI_Probe)(MPI_PROC_NULL, 1, MPI_COMM_WORLD, status, ierr)
    call say_nobody(status)
    CALLED(MPI_Improbe)(MPI_PROC_NULL, 1, MPI_COMM_WORLD, there, message, status, ierr)
    call say_nobody(status)
    call say_logical("no message", message == MPI_MESSAGE_NO_PROC)
    CALLED(MPI_Mrecv)(values, 2, MPI_INTEGER, message, status, ierr)
    call say_nobody(status)
  end subroutine

  subroutine say_nobody(status)
    STATUS, intent(in) :: status
    integer :: counted
    CALLED(MPI_Get_count)(status, MPI_INTEGER, counted, ierr)
    call say("status", [SOURCE_OF(status) - MPI_PROC_NULL, TAG_OF(status) - MPI_ANY_TAG, counted])
  end subroutine

  subroutine characters()
    character(len=12) :: mine, theirs
    character(len=4) :: words(2), their_words(2)
    STATUS :: status
    mine = "ab  "
    theirs = "............"
    words = [character(len=4) :: "x", "yz"]
    their_words = "----"
    CALLED(MPI_Sendrecv)(mine, 5, MPI_CHARACTER, right, 15, theirs, 12, MPI_CHARACTER, left, 15, MPI_COMM_WORLD, &
        status, ierr)
    call say_text("text", theirs)
    CALLED(MPI_Sendrecv)(words, 8, MPI_CHARACTER, right, 16, their_words, 8, MPI_CHARACTER, left, 16, MPI_COMM_WORLD, &
        status, ierr)
    call say_text("words", their_words(1) // "|" // their_words(2))
    CALLED(MPI_Sendrecv)(mine(2:3), 2, MPI_CHARACTER, right, 17, theirs(5:6), 2, MPI_CHARACTER, left, 17, &
        MPI_COMM_WORLD, status, ierr)
    call say_text("part", theirs)
  end subroutine

  subroutine packing()
    character :: buffer(100)
    integer :: numbers(3), position, size
    double precision :: real_one
    STATUS :: status
    numbers = rank
    real_one = rank + 0.5d0
    position = 0
    CALLED(MPI_Pack_size)(3, MPI_INTEGER, MPI_COMM_WORLD, size, ierr)
    call say("size", [size, ierr])
    CALLED(MPI_Pack)(numbers, 3, MPI_INTEGER, buffer, 100, position, MPI_COMM_WORLD, ierr)
    CALLED(MPI_Pack)(real_one, 1, MPI_DOUBLE_PRECISION, buffer, 100, position, MPI_COMM_WORLD, ierr)
    call say("packed", [position, ierr])
    CALLED(MPI_Sendrecv_replace)(buffer, position, MPI_PACKED, right, 18, left, 18, MPI_COMM_WORLD, status, ierr)
    position = 0
    CALLED(MPI_Unpack)(buffer, 100, position, numbers, 3, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    CALLED(MPI_Unpack)(buffer, 100, position, real_one, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    call say("unpacked", [numbers, nint(10 * real_one), position, ierr])
  end subroutine

  subroutine errors()
    integer :: values(4), short(1), error, class
    STATUS :: status
    REQUEST :: sent
    values = 6
    CALLED(MPI_Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    CALLED(MPI_Send)(values, 4, MPI_INTEGER, 5, 1, MPI_COMM_SELF, error)
    CALLED(MPI_Error_class)(error, class, ierr)
    call say("bad rank", [class, ierr])
    CALLED(MPI_Send)(values, 4, MPI_INTEGER, 0, -5, MPI_COMM_SELF, error)
    CALLED(MPI_Error_class)(error, class, ierr)
    call say("bad tag", [class, ierr])
    CALLED(MPI_Isend)(values, 4, MPI_INTEGER, 0, 1, MPI_COMM_SELF, sent, ierr)
    CALLED(MPI_Recv)(short, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, status, error)
    CALLED(MPI_Wait)(sent, status, ierr)
    CALLED(MPI_Error_class)(error, class, ierr)
    call say("truncated", [class, ierr])
    CALLED(MPI_Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine

end program
