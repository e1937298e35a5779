! VT.inc in free form, plain and traced. expected.txt lists what the trace of two ranks contains.
program regions
  use mpi
  implicit none
  include 'VT.inc'
  integer :: ierr, rank, traced_rank, class_handle, step, counter, state, i, scl, scope, number, total
  logical :: running, traced
  character(len=40) :: padded = 'step'
  double precision :: value

  call VTTRACESTATE(state, ierr)
  traced = ierr /= VT_OK
  call VTINITIALIZE(ierr)
  if (ierr /= VT_OK) stop 2
  call MPI_INITIALIZED(running, ierr)
  if (.not. running) call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call VTGETRANK(traced_rank, ierr)
  if (traced .and. traced_rank /= rank) stop 3

  call VTCLASSDEF('fortran   ', class_handle, ierr)
  call VTFUNCDEF(padded, class_handle, step, ierr)
  if (ierr /= VT_OK) stop 4
  call VTSYMDEF(127, 'picked', 'old', ierr)
  call VTSCLDEF('free.f90', 7, scl, ierr)
  call VTCOUNTDEF('speed', class_handle, VT_COUNT_FLOAT, VT_ME, (/ 0d0, 1d0 /), 'm/s', counter, ierr)
  if (ierr /= VT_OK) stop 5
  do i = 1, 4
    call VTENTER(step, scl, ierr)
    call VTBEGIN(127, ierr)
    call MPI_ALLREDUCE(i, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call VTEND(127, ierr)
    value = i * 0.5d0
    call VTCOUNTVAL(1, counter, value, ierr)
    if (ierr /= VT_OK) stop 6
    call VTLEAVE(VT_NOSCL, ierr)
    if (ierr /= VT_OK) stop 7
  end do
  call VTSCOPEDEF('scope', class_handle, VT_NOSCL, VT_NOSCL, scope, ierr)
  call VTSCOPEBEGIN(scope, VT_NOSCL, number, ierr)
  call VTSCOPEEND(scope, number, VT_NOSCL, ierr)
  if (ierr /= VT_OK) stop 8
  call VTLOGCOMMENT('from Fortran   ', ierr)
  if (VTTIMESTART() > VTTIMESTAMP()) stop 9
  if (VTVERSION() /= VT_VERSION) stop 10
  call MPI_FINALIZE(ierr)
  call VTBEGIN(step, ierr)
  if (traced .neqv. ierr == VT_ERR_NOTINITIALIZED) stop 11
  if (rank == 0) print '(a)', 'done'
end program
