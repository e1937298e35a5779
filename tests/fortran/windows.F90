! One-sided communication: every kind of window with memory given by type(c_ptr), every kind of synchronization, names
! and attributes of windows.
#include "binding.inc"
program windows
  USE_MPI
  use observe
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, right, left, ierr
  integer(MPI_ADDRESS_KIND), parameter :: bytes = 32, here = 0
  ! Static, so that it begins at a multiple of 16 bytes, as MPICH 4.0 assumes for a window.
  integer, asynchronous, target, save :: memory(8)

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call created()
  call allocated()
  call posted()
  call locked()
  call shared()
  call dynamic()
  call names_and_attributes()
  call own_memory()
  call finish_program()

contains

  subroutine open_window(window)
    WIN, intent(out) :: window
    memory = 100 * rank
    CALLED(MPI_Win_create)(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  end subroutine

  subroutine close_window(window)
    WIN, intent(inout) :: window
    CALLED(MPI_Win_free)(window, ierr)
    call say_logical("closed", window == MPI_WIN_NULL)
    call say("memory", [memory, ierr])
  end subroutine

  subroutine created()
    WIN :: window
    integer, asynchronous :: mine(2), got(2), old(1)
    call open_window(window)
    mine = [rank + 1, rank + 2]
    got = -1
    CALLED(MPI_Win_fence)(0, window, ierr)
    CALLED(MPI_Put)(mine, 2, MPI_INTEGER, right, here, 2, MPI_INTEGER, window, ierr)
    CALLED(MPI_Win_fence)(0, window, ierr)
    CALLED(MPI_Get)(got, 2, MPI_INTEGER, left, here, 2, MPI_INTEGER, window, ierr)
    CALLED(MPI_Accumulate)(mine, 1, MPI_INTEGER, 0, 4_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, window, ierr)
    CALLED(MPI_Win_fence)(0, window, ierr)
    call say("got", [got, ierr])
    CALLED(MPI_Get_accumulate)(mine, 1, MPI_INTEGER, old, 1, MPI_INTEGER, right, 5_MPI_ADDRESS_KIND, 1, MPI_INTEGER, &
        MPI_REPLACE, window, ierr)
    CALLED(MPI_Win_fence)(MPI_MODE_NOSUCCEED, window, ierr)
    call say("old", [old, ierr])
    call close_window(window)
  end subroutine

  subroutine allocated()
    WIN :: window
    type(c_ptr) :: place
    integer, pointer :: numbers(:)
    integer, asynchronous :: mine(8)
    CALLED(MPI_Win_allocate)(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, place, window, ierr)
    call c_f_pointer(place, numbers, [8])
    numbers = -rank
    mine = rank + 10
    CALLED(MPI_Win_fence)(0, window, ierr)
    CALLED(MPI_Put)(mine, 4, MPI_INTEGER, left, 2_MPI_ADDRESS_KIND, 4, MPI_INTEGER, window, ierr)
    CALLED(MPI_Win_fence)(0, window, ierr)
    call say("allocated", [numbers, ierr])
    CALLED(MPI_Win_free)(window, ierr)
  end subroutine

  ! Post, start, complete and wait between neighbors.
  subroutine posted()
    WIN :: window
    GROUP :: whole, from, to
    logical :: done
    CALLED(MPI_Comm_group)(MPI_COMM_WORLD, whole, ierr)
    CALLED(MPI_Group_incl)(whole, 1, [left], from, ierr)
    CALLED(MPI_Group_incl)(whole, 1, [right], to, ierr)
    call open_window(window)
    CALLED(MPI_Win_post)(from, 0, window, ierr)
    CALLED(MPI_Win_start)(to, 0, window, ierr)
    CALLED(MPI_Put)(rank, 1, MPI_INTEGER, right, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    CALLED(MPI_Win_complete)(window, ierr)
    CALLED(MPI_Win_wait)(window, ierr)
    CALLED(MPI_Win_post)(from, 0, window, ierr)
    CALLED(MPI_Win_start)(to, 0, window, ierr)
    CALLED(MPI_Win_complete)(window, ierr)
    done = .false.
    do while (.not. done)
      CALLED(MPI_Win_test)(window, done, ierr)
    end do
    call say_logical("tested", done)
    call close_window(window)
    CALLED(MPI_Group_free)(from, ierr)
    CALLED(MPI_Group_free)(to, ierr)
    CALLED(MPI_Group_free)(whole, ierr)
  end subroutine

  subroutine locked()
    WIN :: window
    REQUEST :: request
    integer, asynchronous :: old, mine, zero
    call open_window(window)
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    mine = 1
    CALLED(MPI_Win_lock)(MPI_LOCK_EXCLUSIVE, right, 0, window, ierr)
    CALLED(MPI_Put)(rank, 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    CALLED(MPI_Win_flush)(right, window, ierr)
    CALLED(MPI_Win_unlock)(right, window, ierr)
    CALLED(MPI_Win_lock_all)(0, window, ierr)
    CALLED(MPI_Fetch_and_op)(mine, old, MPI_INTEGER, 0, 6_MPI_ADDRESS_KIND, MPI_SUM, window, ierr)
    CALLED(MPI_Win_flush_local_all)(window, ierr)
    zero = 100 * right
    CALLED(MPI_Compare_and_swap)(rank, zero, old, MPI_INTEGER, right, 7_MPI_ADDRESS_KIND, window, ierr)
    CALLED(MPI_Win_flush_all)(window, ierr)
    call say("swapped", [old, ierr])
    CALLED(MPI_Rput)(mine, 1, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, request, ierr)
    CALLED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierr)
    CALLED(MPI_Rget)(old, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, request, ierr)
    CALLED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierr)
    call say("rget", [old, ierr])
    CALLED(MPI_Raccumulate)(mine, 1, MPI_INTEGER, right, 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, window, &
        request, ierr)
    CALLED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierr)
    CALLED(MPI_Win_unlock_all)(window, ierr)
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    call close_window(window)
  end subroutine

  subroutine shared()
    WIN :: window
    COMM :: node
    type(c_ptr) :: place, first
    integer, pointer :: numbers(:)
    integer(MPI_ADDRESS_KIND) :: size
    integer :: unit
    CALLED(MPI_Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierr)
    CALLED(MPI_Win_allocate_shared)(bytes, 4, MPI_INFO_NULL, node, place, window, ierr)
    CALLED(MPI_Win_shared_query)(window, 0, size, unit, first, ierr)
    call say("shared", [int(size), unit, ierr])
    call c_f_pointer(place, numbers, [8])
    CALLED(MPI_Win_lock_all)(MPI_MODE_NOCHECK, window, ierr)
    numbers = rank + 50
    CALLED(MPI_Win_sync)(window, ierr)
    CALLED(MPI_Barrier)(node, ierr)
    call c_f_pointer(first, numbers, [8 * ranks])
    call say("of all", [numbers(1::8), ierr])
    CALLED(MPI_Win_unlock_all)(window, ierr)
    CALLED(MPI_Win_free)(window, ierr)
    CALLED(MPI_Comm_free)(node, ierr)
  end subroutine

  subroutine dynamic()
    WIN :: window
    integer(MPI_ADDRESS_KIND) :: mine, theirs
    integer, asynchronous :: got
    memory = rank + 7
    CALLED(MPI_Win_create_dynamic)(MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
    CALLED(MPI_Win_attach)(window, memory, bytes, ierr)
    CALLED(MPI_Get_address)(memory(2), mine, ierr)
    CALLED(MPI_Sendrecv)(mine, 1, MPI_AINT, left, 1, theirs, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
    CALLED(MPI_Win_fence)(0, window, ierr)
    CALLED(MPI_Get)(got, 1, MPI_INTEGER, right, theirs, 1, MPI_INTEGER, window, ierr)
    CALLED(MPI_Win_fence)(0, window, ierr)
    call say("dynamic", [got, ierr])
    CALLED(MPI_Win_detach)(window, memory, ierr)
    CALLED(MPI_Win_free)(window, ierr)
  end subroutine

  subroutine names_and_attributes()
    WIN :: window
    GROUP :: members
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length, size
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    call open_window(window)
    ! The result is not printed: with mpi_f08, the strings of Open MPI 4.1 are garbage here.
    CALLED(MPI_Win_set_name)(window, " a window ", ierr)
    CALLED(MPI_Win_get_name)(window, name, length, ierr)
    CALLED(MPI_Win_get_attr)(window, MPI_WIN_SIZE, value, found, ierr)
    call say("size", [int(value), transfer(found, 0), ierr])
    CALLED(MPI_Win_get_attr)(window, MPI_WIN_DISP_UNIT, value, found, ierr)
    call say("unit", [int(value), transfer(found, 0), ierr])
    CALLED(MPI_Win_get_group)(window, members, ierr)
    CALLED(MPI_Group_size)(members, size, ierr)
    CALLED(MPI_Group_free)(members, ierr)
    call say("members", [size, ierr])
    call close_window(window)
  end subroutine

  subroutine own_memory()
    type(c_ptr) :: place
    integer, pointer :: numbers(:)
    CALLED(MPI_Alloc_mem)(bytes, MPI_INFO_NULL, place, ierr)
    call c_f_pointer(place, numbers, [8])
    numbers = rank
    call say("own", [numbers, ierr])
    CALLED(MPI_Free_mem)(numbers, ierr)
  end subroutine

end program
