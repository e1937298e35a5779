! What a program sees of MPI, line by line, separately on every rank. At the end rank 0 prints the lines of all ranks in
! rank order. Everything that a tracer could spoil is printed with `say`.
#include "binding.inc"
module observe
  USE_MPI
  use calls
  implicit none
  INCLUDE_MPI
  private
  public :: count_call, begin_program, finish_program, say, say_text, say_logical, say_status, clear_status, check

  integer, parameter :: line_length = 160, most_lines = 300
  character(len=line_length) :: lines(most_lines)
  integer :: used = 0

contains

  subroutine begin_program(rank, ranks)
    integer, intent(out) :: rank, ranks
    integer :: ierr
    CALLED(MPI_Init)(ierr)
    CALLED(MPI_Comm_rank)(MPI_COMM_WORLD, rank, ierr)
    CALLED(MPI_Comm_size)(MPI_COMM_WORLD, ranks, ierr)
  end subroutine

  subroutine finish_program()
    integer :: rank, ranks, from, received, ierr
    STATUS :: status
    CALLED(MPI_Comm_rank)(MPI_COMM_WORLD, rank, ierr)
    CALLED(MPI_Comm_size)(MPI_COMM_WORLD, ranks, ierr)
    if (rank == 0) then
      call print_lines(0)
      do from = 1, ranks - 1
        CALLED(MPI_Recv)(lines, line_length * most_lines, MPI_CHARACTER, from, 9, MPI_COMM_WORLD, status, ierr)
        CALLED(MPI_Get_count)(status, MPI_CHARACTER, received, ierr)
        used = received / line_length
        call print_lines(from)
      end do
    else
      CALLED(MPI_Send)(lines, line_length * used, MPI_CHARACTER, 0, 9, MPI_COMM_WORLD, ierr)
    end if
    CALLED(MPI_Finalize)(ierr)
    call write_counts(rank)
  end subroutine

  subroutine print_lines(rank)
    integer, intent(in) :: rank
    integer :: i
    do i = 1, used
      print "(i0, ': ', a)", rank, trim(lines(i))
    end do
  end subroutine

  subroutine add_line(line)
    character(len=*), intent(in) :: line
    if (used == most_lines) call check(.false., "room for lines")
    used = used + 1
    lines(used) = line
  end subroutine

  subroutine say(label, values)
    character(len=*), intent(in) :: label
    integer, intent(in) :: values(:)
    character(len=1000) :: line
    write (line, "(a, *(1x, i0))") label, values
    call add_line(line)
  end subroutine

  ! In brackets, so that trailing blanks are visible.
  subroutine say_text(label, text)
    character(len=*), intent(in) :: label, text
    call add_line(label // " [" // text // "]")
  end subroutine

  ! Prints the bits, because a logical made from another language's 1 or -1 may be neither true nor false.
  subroutine say_logical(label, value)
    character(len=*), intent(in) :: label
    logical, intent(in) :: value
    call say(label, [transfer(value, 0)])
  end subroutine

  subroutine clear_status(status)
    STATUS, intent(inout) :: status
    SOURCE_OF(status) = -77
    TAG_OF(status) = -78
  end subroutine

  subroutine say_status(label, status)
    character(len=*), intent(in) :: label
    STATUS, intent(in) :: status
    integer :: counted, elements, ierr
    CALLED(MPI_Get_count)(status, MPI_INTEGER, counted, ierr)
    CALLED(MPI_Get_elements)(status, MPI_INTEGER, elements, ierr)
    call say(label, [SOURCE_OF(status), TAG_OF(status), counted, elements])
  end subroutine

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    integer :: ierr
    if (condition) return
    print "(2a)", "not true: ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine

end module
