! Half of the ranks relax for three times as long as the others.
module planted
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi
  implicit none
  interface
     integer(c_int) function usleep(us) bind(c)
       import :: c_int
       integer(c_int), value :: us
     end function
  end interface
contains
  subroutine relax(ms, sleeps) ! here
    integer, intent(in) :: ms
    logical, intent(in) :: sleeps
    integer :: i, ignored
    real(8) :: start, now
    real(8), volatile :: total
    if (sleeps) then
       ignored = usleep(1000_c_int * ms)
    end if
    call cpu_time(start)
    now = start
    total = 0
    do while (.not. sleeps .and. now - start < 1d-3 * ms)
       do i = 1, 2000
          total = total + 1d0 / i
       end do
       call cpu_time(now)
    end do
  end subroutine
end module

program half_slow
  use planted
  implicit none
  integer :: rank, ranks, step, error
  real(8) :: change, largest
  character(16) :: form
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, form)
  change = 1
  do step = 1, 40
     call relax(merge(45, 15, rank >= ranks / 2), form == 'sleep')
     call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error) ! here
  end do
  call MPI_Finalize(error)
end program
