! MPI-IO: explicit offsets, views with a derived type, shared pointers, collective, split and non-blocking access.
#include "binding.inc"
program files
  USE_MPI
  use observe
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, ierr
  FILE_HANDLE :: file
  integer, asynchronous :: mine(4), theirs(4)
  integer(MPI_OFFSET_KIND) :: place, sixteen

  call begin_program(rank, ranks)
  sixteen = 16
  place = sixteen * rank
  call open_file()
  call explicit_places()
  call own_pointer()
  call shared_pointer()
  call views()
  call nonblocking()
  call split_collective()
  call errors()
  call close_file()
  call finish_program()

contains

  subroutine open_file()
    integer :: mode
    character(len=20) :: name
    name = "data.bin"
    CALLED(MPI_File_open)(MPI_COMM_WORLD, name, MPI_MODE_RDWR + MPI_MODE_CREATE, MPI_INFO_NULL, file, ierr)
    CALLED(MPI_File_get_amode)(file, mode, ierr)
    call say_logical("mode", mode == MPI_MODE_RDWR + MPI_MODE_CREATE)
    mine = 10 * rank + [1, 2, 3, 4]
  end subroutine

  subroutine say_read(label, status)
    character(len=*), intent(in) :: label
    STATUS, intent(in) :: status
    integer :: counted
    CALLED(MPI_Get_count)(status, MPI_INTEGER, counted, ierr)
    call say(label, [theirs, counted, ierr])
    theirs = -1
  end subroutine

  subroutine explicit_places()
    STATUS :: status
    integer(MPI_OFFSET_KIND) :: size
    theirs = -1
    CALLED(MPI_File_write_at)(file, place, mine, 4, MPI_INTEGER, status, ierr)
    CALLED(MPI_File_sync)(file, ierr)
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    CALLED(MPI_File_read_at)(file, place, theirs, 4, MPI_INTEGER, status, ierr)
    call say_read("read_at", status)
    CALLED(MPI_File_write_at_all)(file, place, mine, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    CALLED(MPI_File_read_at_all)(file, sixteen * (ranks - 1 - rank), theirs, 3, MPI_INTEGER, status, ierr)
    call say_read("read_at_all", status)
    CALLED(MPI_File_get_size)(file, size, ierr)
    call say("size", [int(size), ierr])
  end subroutine

  subroutine own_pointer()
    STATUS :: status
    integer(MPI_OFFSET_KIND) :: where
    CALLED(MPI_File_seek)(file, place + 4, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_read)(file, theirs, 2, MPI_INTEGER, status, ierr)
    call say_read("read", status)
    CALLED(MPI_File_get_position)(file, where, ierr)
    call say("position", [int(where - place), ierr])
    CALLED(MPI_File_seek)(file, place, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_write)(file, mine, 4, MPI_INTEGER, status, ierr)
    CALLED(MPI_File_seek)(file, place, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_write_all)(file, mine, 4, MPI_INTEGER, status, ierr)
    CALLED(MPI_File_seek)(file, place, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_read_all)(file, theirs, 4, MPI_INTEGER, status, ierr)
    call say_read("read_all", status)
  end subroutine

  subroutine shared_pointer()
    STATUS :: status
    integer(MPI_OFFSET_KIND) :: where, start
    start = 0
    CALLED(MPI_File_seek_shared)(file, start, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_write_ordered)(file, mine, 4, MPI_INTEGER, status, ierr)
    CALLED(MPI_File_get_position_shared)(file, where, ierr)
    call say("shared", [int(where), ierr])
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    CALLED(MPI_File_seek_shared)(file, start, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_read_ordered)(file, theirs, 4, MPI_INTEGER, status, ierr)
    call say_read("read_ordered", status)
    CALLED(MPI_File_seek_shared)(file, start, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_read_shared)(file, theirs, 0, MPI_INTEGER, status, ierr)
    call say_read("read_shared", status)
  end subroutine

  ! The numbers of the ranks alternate.
  subroutine views()
    DATATYPE :: every, kind, filetype
    STATUS :: status
    integer(MPI_OFFSET_KIND) :: start
    character(len=MPI_MAX_DATAREP_STRING) :: form
    start = 4 * rank
    CALLED(MPI_Type_vector)(4, 1, ranks, MPI_INTEGER, every, ierr)
    CALLED(MPI_Type_commit)(every, ierr)
    CALLED(MPI_File_set_view)(file, start, MPI_INTEGER, every, "native", MPI_INFO_NULL, ierr)
    CALLED(MPI_File_write_all)(file, mine, 4, MPI_INTEGER, status, ierr)
    CALLED(MPI_File_get_view)(file, start, kind, filetype, form, ierr)
    call say_text("view", form(1:8))
    CALLED(MPI_Type_free)(filetype, ierr)
    call say("start", [int(start), ierr])
    start = 0
    CALLED(MPI_File_set_view)(file, start, MPI_INTEGER, MPI_INTEGER, "native", MPI_INFO_NULL, ierr)
    CALLED(MPI_File_sync)(file, ierr)
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    CALLED(MPI_File_read_at)(file, start, theirs, 4, MPI_INTEGER, status, ierr)
    call say_read("alternating", status)
    CALLED(MPI_File_set_view)(file, start, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL, ierr)
    CALLED(MPI_Type_free)(every, ierr)
  end subroutine

  subroutine nonblocking()
    STATUS :: status
    REQUEST :: request
    CALLED(MPI_File_iwrite_at)(file, place, mine, 4, MPI_INTEGER, request, ierr)
    CALLED(MPI_Wait)(request, status, ierr)
    CALLED(MPI_File_iread_at)(file, place, theirs, 4, MPI_INTEGER, request, ierr)
    CALLED(MPI_Wait)(request, status, ierr)
    call say_read("iread_at", status)
    CALLED(MPI_File_seek)(file, place, MPI_SEEK_SET, ierr)
    CALLED(MPI_File_iread)(file, theirs, 2, MPI_INTEGER, request, ierr)
    CALLED(MPI_Wait)(request, status, ierr)
    call say_read("iread", status)
  end subroutine

  subroutine split_collective()
    STATUS :: status
    CALLED(MPI_File_write_at_all_begin)(file, place, mine, 4, MPI_INTEGER, ierr)
    CALLED(MPI_File_write_at_all_end)(file, mine, status, ierr)
    CALLED(MPI_File_read_at_all_begin)(file, place, theirs, 4, MPI_INTEGER, ierr)
    CALLED(MPI_File_read_at_all_end)(file, theirs, status, ierr)
    call say_read("split", status)
  end subroutine

  subroutine errors()
    FILE_HANDLE :: missing
    integer :: error, class
    CALLED(MPI_File_open)(MPI_COMM_SELF, "missing.bin", MPI_MODE_RDONLY, MPI_INFO_NULL, missing, error)
    CALLED(MPI_Error_class)(error, class, ierr)
    call say_logical("no such file", class == MPI_ERR_NO_SUCH_FILE)
  end subroutine

  subroutine close_file()
    logical :: atomic
    CALLED(MPI_File_set_atomicity)(file, .true., ierr)
    CALLED(MPI_File_get_atomicity)(file, atomic, ierr)
    call say_logical("atomic", atomic)
    CALLED(MPI_File_close)(file, ierr)
    call say_logical("closed", file == MPI_FILE_NULL)
    CALLED(MPI_Barrier)(MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      CALLED(MPI_File_delete)("data.bin  ", MPI_INFO_NULL, ierr)
      call say("deleted", [ierr])
    end if
  end subroutine

end program
