! Requests: non-blocking and persistent messages completed by every Wait and Test; the indices start at 1 (in MPICH with
! mpi_f08 at 0).
#include "binding.inc"
program requests
  USE_MPI
  use observe
  implicit none
  INCLUDE_MPI
  integer, parameter :: several = 4
  integer :: rank, ranks, right, left, ierr
  integer, asynchronous :: mine(3, several), theirs(4, several)
  REQUEST :: sends(several), receives(several)

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call one_by_one()
  call wait_all()
  call wait_any()
  call wait_some()
  call test_all()
  call test_any()
  call test_some()
  call nothing_active()
  call persistent()
  call status_of_request()
  call cancelled()
  call error_in_status()
  call finish_program()

contains

  ! All receives are from the left, with tags 1 to 4 and 1 to 3 numbers. The sends go to the right, in all four modes.
  subroutine start_all()
    integer :: i, unused
    theirs = -1
    do i = 1, several
      mine(:, i) = 100 * rank + 10 * i + [1, 2, 3]
      CALLED(MPI_Irecv)(theirs(1, i), 4, MPI_INTEGER, left, i, MPI_COMM_WORLD, receives(i), ierr)
    end do
    ! All receives of the right neighbor are posted, so the ready send is allowed.
    CALLED(MPI_Sendrecv)(rank, 0, MPI_INTEGER, left, 9, unused, 0, MPI_INTEGER, right, 9, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
    CALLED(MPI_Isend)(mine(1, 1), 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD, sends(1), ierr)
    CALLED(MPI_Issend)(mine(1, 2), 2, MPI_INTEGER, right, 2, MPI_COMM_WORLD, sends(2), ierr)
    CALLED(MPI_Irsend)(mine(1, 3), 3, MPI_INTEGER, right, 3, MPI_COMM_WORLD, sends(3), ierr)
    CALLED(MPI_Isend)(mine(1, 4), 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, sends(4), ierr)
  end subroutine

  subroutine finish_sends()
    CALLED(MPI_Waitall)(several, sends, MPI_STATUSES_IGNORE, ierr)
    call say("sends", [count_null(sends), ierr])
    call say("numbers", [theirs, ierr])
  end subroutine

  integer function count_null(handles)
    REQUEST, intent(in) :: handles(several)
    integer :: i
    count_null = 0
    do i = 1, several
      if (handles(i) == MPI_REQUEST_NULL) count_null = count_null + 1
    end do
  end function

  subroutine one_by_one()
    integer :: i
    logical :: done, cancelled
    STATUS :: status
    call start_all()
    do i = 1, several
      call clear_status(status)
      if (mod(i, 2) == 0) then
        CALLED(MPI_Wait)(receives(i), status, ierr)
      else
        done = .false.
        do while (.not. done)
          CALLED(MPI_Test)(receives(i), done, status, ierr)
        end do
        call say_logical("done", done)
      end if
      call say_status("one", status)
      CALLED(MPI_Test_cancelled)(status, cancelled, ierr)
      call say_logical("cancelled", cancelled)
    end do
    call finish_sends()
  end subroutine

  subroutine say_all(label, statuses)
    character(len=*), intent(in) :: label
    STATUSES(several), intent(in) :: statuses
    integer :: i
    do i = 1, several
      call say_status(label, STATUS_AT(statuses, i))
    end do
  end subroutine

  subroutine wait_all()
    STATUSES(several) :: statuses
    call start_all()
    CALLED(MPI_Waitall)(several, receives, statuses, ierr)
    call say_all("waitall", statuses)
    call say("null", [count_null(receives), ierr])
    call finish_sends()
  end subroutine

  ! Which one is complete first is chance. Each is named once, with its own status. The bindings of MPICH differ in what
  ! the index is if there is no request.
  subroutine wait_any()
    integer :: index, i, seen(several), shift
    STATUS :: status
    call start_all()
    seen = 0
    shift = 0
    do i = 1, several
      CALLED(MPI_Waitany)(several, receives, index, status, ierr)
      call count_seen(index, status, seen, shift)
    end do
    call say("waitany", [seen, shift, ierr])
    CALLED(MPI_Waitany)(several, receives, index, MPI_STATUS_IGNORE, ierr)
    call say("undefined", [index - MPI_UNDEFINED])
    call finish_sends()
  end subroutine

  subroutine wait_some()
    integer :: indices(several), many, done, seen(several), shift
    STATUSES(several) :: statuses
    call start_all()
    seen = 0
    shift = 0
    done = 0
    do while (done < several)
      CALLED(MPI_Waitsome)(several, receives, many, indices, statuses, ierr)
      call count_all_seen(many, indices, statuses, seen, shift)
      done = done + many
    end do
    call say("waitsome", [seen, shift, ierr])
    CALLED(MPI_Waitsome)(several, receives, many, indices, MPI_STATUSES_IGNORE, ierr)
    call say("undefined", [many - MPI_UNDEFINED])
    call finish_sends()
  end subroutine

  ! The tag of a receive is its index.
  subroutine count_seen(index, status, seen, shift)
    integer, intent(in) :: index
    STATUS, intent(in) :: status
    integer, intent(inout) :: seen(several), shift
    seen(TAG_OF(status)) = seen(TAG_OF(status)) + 1
    shift = shift + index - TAG_OF(status)
  end subroutine

  subroutine count_all_seen(many, indices, statuses, seen, shift)
    integer, intent(in) :: many, indices(several)
    STATUSES(several), intent(in) :: statuses
    integer, intent(inout) :: seen(several), shift
    integer :: i
    do i = 1, many
      call count_seen(indices(i), STATUS_AT(statuses, i), seen, shift)
    end do
  end subroutine

  subroutine test_all()
    logical :: done
    STATUSES(several) :: statuses
    call start_all()
    done = .false.
    do while (.not. done)
      CALLED(MPI_Testall)(several, receives, done, statuses, ierr)
    end do
    call say_logical("testall", done)
    call say_all("testall", statuses)
    CALLED(MPI_Testall)(several, receives, done, MPI_STATUSES_IGNORE, ierr)
    call say_logical("again", done)
    call finish_sends()
  end subroutine

  subroutine test_any()
    logical :: done
    integer :: index, completed, seen(several), shift
    STATUS :: status
    call start_all()
    seen = 0
    shift = 0
    completed = 0
    do while (completed < several)
      CALLED(MPI_Testany)(several, receives, index, done, status, ierr)
      if (done) then
        call count_seen(index, status, seen, shift)
        completed = completed + 1
      end if
    end do
    call say("testany", [seen, shift, ierr])
    CALLED(MPI_Testany)(several, receives, index, done, MPI_STATUS_IGNORE, ierr)
    call say_logical("done", done)
    call say("undefined", [index - MPI_UNDEFINED])
    call finish_sends()
  end subroutine

  subroutine test_some()
    integer :: indices(several), many, done, seen(several), shift
    STATUSES(several) :: statuses
    call start_all()
    seen = 0
    shift = 0
    done = 0
    do while (done < several)
      CALLED(MPI_Testsome)(several, receives, many, indices, statuses, ierr)
      call count_all_seen(many, indices, statuses, seen, shift)
      done = done + many
    end do
    call say("testsome", [seen, shift, ierr])
    call finish_sends()
  end subroutine

  subroutine nothing_active()
    REQUEST :: none, nones(2)
    STATUS :: status
    STATUSES(2) :: statuses
    logical :: done
    none = MPI_REQUEST_NULL
    nones = MPI_REQUEST_NULL
    CALLED(MPI_Wait)(none, status, ierr)
    call say_empty("wait", status)
    CALLED(MPI_Test)(none, done, status, ierr)
    call say_empty("test", status)
    call say_logical("done", done)
    CALLED(MPI_Waitall)(2, nones, statuses, ierr)
    status = STATUS_AT(statuses, 2)
    call say_empty("waitall", status)
    CALLED(MPI_Waitall)(0, nones, MPI_STATUSES_IGNORE, ierr)
    call say("none", [ierr])
  end subroutine

  subroutine say_empty(label, status)
    character(len=*), intent(in) :: label
    STATUS, intent(in) :: status
    call say_logical(label, SOURCE_OF(status) == MPI_ANY_SOURCE .and. TAG_OF(status) == MPI_ANY_TAG)
  end subroutine

  subroutine persistent()
    REQUEST :: all(4)
    STATUSES(4) :: statuses
    integer :: i, round, buffered(1000), size
    ADDRESS :: detached
    size = 8 * (24 + MPI_BSEND_OVERHEAD)
    CALLED(MPI_Buffer_attach)(buffered, size, ierr)
    CALLED(MPI_Recv_init)(theirs(1, 1), 4, MPI_INTEGER, left, 21, MPI_COMM_WORLD, all(1), ierr)
    CALLED(MPI_Recv_init)(theirs(1, 2), 4, MPI_INTEGER, left, 22, MPI_COMM_WORLD, all(2), ierr)
    CALLED(MPI_Send_init)(mine(1, 1), 3, MPI_INTEGER, right, 21, MPI_COMM_WORLD, all(3), ierr)
    CALLED(MPI_Bsend_init)(mine(1, 2), 2, MPI_INTEGER, right, 22, MPI_COMM_WORLD, all(4), ierr)
    do round = 1, 3
      theirs = -1
      mine(:, 1) = rank + round
      mine(:, 2) = rank * round
      CALLED(MPI_Start)(all(1), ierr)
      CALLED(MPI_Startall)(3, all(2:4), ierr)
      CALLED(MPI_Waitall)(4, all, statuses, ierr)
      call say_status("persistent 1", STATUS_AT(statuses, 1))
      call say_status("persistent 2", STATUS_AT(statuses, 2))
      call say("values", [theirs(:, 1:2), ierr])
      call say_logical("kept", all(1) /= MPI_REQUEST_NULL)
    end do
    do i = 1, 4
      CALLED(MPI_Request_free)(all(i), ierr)
      call say_logical("freed", all(i) == MPI_REQUEST_NULL)
    end do
    CALLED(MPI_Ssend_init)(mine, 3, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, all(1), ierr)
    CALLED(MPI_Rsend_init)(mine, 3, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, all(2), ierr)
    CALLED(MPI_Startall)(2, all, ierr)
    CALLED(MPI_Waitall)(2, all, MPI_STATUSES_IGNORE, ierr)
    CALLED(MPI_Request_free)(all(1), ierr)
    CALLED(MPI_Request_free)(all(2), ierr)
    CALLED(MPI_Buffer_detach)(detached, size, ierr)
  end subroutine

  subroutine status_of_request()
    REQUEST :: posted
    STATUS :: status
    logical :: done
    integer :: unused
    theirs = -1
    mine(:, 1) = rank
    CALLED(MPI_Irecv)(theirs, 4, MPI_INTEGER, left, 31, MPI_COMM_WORLD, posted, ierr)
    CALLED(MPI_Request_get_status)(posted, done, status, ierr)
    call say_logical("before", done)
    CALLED(MPI_Sendrecv)(rank, 0, MPI_INTEGER, left, 9, unused, 0, MPI_INTEGER, right, 9, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
    CALLED(MPI_Send)(mine, 2, MPI_INTEGER, right, 31, MPI_COMM_WORLD, ierr)
    do while (.not. done)
      CALLED(MPI_Request_get_status)(posted, done, status, ierr)
    end do
    call say_status("get_status", status)
    CALLED(MPI_Wait)(posted, status, ierr)
    call say_status("and wait", status)
    call say("values", [theirs(:, 1), ierr])
  end subroutine

  subroutine cancelled()
    REQUEST :: posted
    STATUS :: status
    logical :: yes
    CALLED(MPI_Irecv)(theirs, 4, MPI_INTEGER, left, 32, MPI_COMM_WORLD, posted, ierr)
    CALLED(MPI_Cancel)(posted, ierr)
    CALLED(MPI_Wait)(posted, status, ierr)
    CALLED(MPI_Test_cancelled)(status, yes, ierr)
    call say_logical("cancelled", yes)
  end subroutine

  ! One of two is truncated: ierror is MPI_ERR_IN_STATUS, and each status says what happened to it. Open MPI does not
  ! notice this on MPI_COMM_SELF. MPICH asks the handler of MPI_COMM_WORLD.
  subroutine error_in_status()
    REQUEST :: posted(2)
    STATUSES(2) :: statuses
    STATUS :: first, second
    integer :: class, error
    CALLED(MPI_Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    CALLED(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    CALLED(MPI_Irecv)(theirs(1, 1), 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, posted(1), ierr)
    CALLED(MPI_Irecv)(theirs(1, 2), 3, MPI_INTEGER, 0, 2, MPI_COMM_SELF, posted(2), ierr)
    CALLED(MPI_Send)(mine, 3, MPI_INTEGER, 0, 1, MPI_COMM_SELF, error)
    CALLED(MPI_Send)(mine, 3, MPI_INTEGER, 0, 2, MPI_COMM_SELF, ierr)
    CALLED(MPI_Waitall)(2, posted, statuses, error)
    first = STATUS_AT(statuses, 1)
    second = STATUS_AT(statuses, 2)
    call say_logical("in status", error == MPI_ERR_IN_STATUS)
    CALLED(MPI_Error_class)(ERROR_OF(first), class, ierr)
    call say_logical("truncated", class == MPI_ERR_TRUNCATE)
    call say("second", [SOURCE_OF(second), TAG_OF(second), ERROR_OF(second)])
    CALLED(MPI_Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierr)
    CALLED(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine

end program
