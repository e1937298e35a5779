! The program counts its own MPI calls: how often this process called each function. It writes the counts to
! $COUNTING_DIR/counts.<rank>, in the format of the counting library. Calls in callbacks count, too. One thread only.
module calls
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: count_call, write_counts

  integer, parameter :: name_length = 40, most_names = 400
  character(len=name_length) :: names(most_names)
  integer :: counts(most_names) = 0, used = 0

contains

  subroutine count_call(name)
    character(len=*), intent(in) :: name
    integer :: i
    do i = 1, used
      if (names(i) == name) exit
    end do
    if (i > used) then
      used = i
      names(i) = name
    end if
    counts(i) = counts(i) + 1
  end subroutine

  ! For the C half of a program in both languages.
  subroutine count_call_from_c(name) bind(c, name="count_call_from_c")
    character(kind=c_char), intent(in) :: name(*)
    character(len=name_length) :: copy
    integer :: i
    copy = ""
    do i = 1, name_length
      if (name(i) == c_null_char) exit
      copy(i:i) = name(i)
    end do
    call count_call(copy)
  end subroutine

  subroutine write_counts(rank) bind(c, name="write_counts")
    integer(c_int), intent(in) :: rank
    character(len=1000) :: folder, path
    integer :: length, unit, i
    call get_environment_variable("COUNTING_DIR", folder, length)
    if (length == 0) return
    write (path, "(a, '/counts.', i0)") trim(folder), rank
    open (newunit=unit, file=path, status="new", action="write")
    do i = 1, used
      write (unit, "(a, 1x, i0)") trim(names(i)), counts(i)
    end do
    close (unit)
  end subroutine

end module
