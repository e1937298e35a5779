! Datatypes: every constructor, all queries, messages of them, their names and attributes, and Fortran's own kinds.
#include "binding.inc"
program types
  USE_MPI
  use observe
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, right, left, ierr
  integer(MPI_ADDRESS_KIND) :: lower, extent

  call begin_program(rank, ranks)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call makers()
  call distributed()
  call contents()
  call mixed_record()
  call kinds()
  call names_and_attributes()
  call external_form()
  call finish_program()

contains

  ! Commits the type, sends one element of it around the ring, prints what arrived, and frees it.
  subroutine try_out(label, made)
    character(len=*), intent(in) :: label
    DATATYPE, intent(inout) :: made
    integer :: mine(12), theirs(12), size, counted, elements, i
    STATUS :: status
    CALLED(MPI_Type_commit)(made, ierr)
    CALLED(MPI_Type_size)(made, size, ierr)
    CALLED(MPI_Type_get_extent)(made, lower, extent, ierr)
    call say(label, [size, int(lower), int(extent), ierr])
    mine = [(100 * rank + i, i = 1, 12)]
    theirs = -1
    CALLED(MPI_Sendrecv)(mine, 1, made, right, 1, theirs, 1, made, left, 1, MPI_COMM_WORLD, status, ierr)
    CALLED(MPI_Get_count)(status, made, counted, ierr)
    CALLED(MPI_Get_elements)(status, made, elements, ierr)
    call say("came", [theirs, SOURCE_OF(status), counted, elements, ierr])
    CALLED(MPI_Type_free)(made, ierr)
    call say_logical("freed", made == MPI_DATATYPE_NULL)
  end subroutine

  subroutine makers()
    DATATYPE :: made, inner
    integer(MPI_ADDRESS_KIND) :: four
    four = 4
    CALLED(MPI_Type_contiguous)(3, MPI_INTEGER, made, ierr)
    call try_out("contiguous", made)
    CALLED(MPI_Type_vector)(3, 2, 4, MPI_INTEGER, made, ierr)
    call try_out("vector", made)
    CALLED(MPI_Type_create_hvector)(3, 1, 3 * four, MPI_INTEGER, made, ierr)
    call try_out("hvector", made)
    CALLED(MPI_Type_indexed)(2, [1, 3], [7, 0], MPI_INTEGER, made, ierr)
    call try_out("indexed", made)
    CALLED(MPI_Type_create_hindexed)(2, [1, 3], [7 * four, 0 * four], MPI_INTEGER, made, ierr)
    call try_out("hindexed", made)
    CALLED(MPI_Type_create_indexed_block)(2, 2, [6, 1], MPI_INTEGER, made, ierr)
    call try_out("indexed_block", made)
    CALLED(MPI_Type_create_hindexed_block)(2, 2, [6 * four, four], MPI_INTEGER, made, ierr)
    call try_out("hindexed_block", made)
    CALLED(MPI_Type_create_subarray)(2, [4, 3], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierr)
    call try_out("subarray", made)
    CALLED(MPI_Type_vector)(2, 1, 2, MPI_INTEGER, inner, ierr)
    CALLED(MPI_Type_create_resized)(inner, 0 * four, 6 * four, made, ierr)
    call try_out("resized", made)
    CALLED(MPI_Type_dup)(inner, made, ierr)
    call try_out("dup", made)
    CALLED(MPI_Type_get_true_extent)(inner, lower, extent, ierr)
    call say("true extent", [int(lower), int(extent), ierr])
    CALLED(MPI_Type_free)(inner, ierr)
  end subroutine

  subroutine distributed()
    DATATYPE :: made
    integer :: distribution(2)
    distribution = [MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE]
    CALLED(MPI_Type_create_darray)(2, 1, 2, [4, 3], distribution, [MPI_DISTRIBUTE_DFLT_DARG, &
        MPI_DISTRIBUTE_DFLT_DARG], [2, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierr)
    call try_out("darray", made)
  end subroutine

  subroutine contents()
    DATATYPE :: made, types(1)
    integer :: integers, addresses, datatypes, combiner, numbers(3)
    integer(MPI_ADDRESS_KIND) :: places(1)
    CALLED(MPI_Type_vector)(3, 2, 4, MPI_INTEGER, made, ierr)
    CALLED(MPI_Type_get_envelope)(made, integers, addresses, datatypes, combiner, ierr)
    call say("envelope", [integers, addresses, datatypes, merge(1, 0, combiner == MPI_COMBINER_VECTOR), ierr])
    CALLED(MPI_Type_get_contents)(made, 3, 0, 1, numbers, places, types, ierr)
    call say("contents", [numbers, merge(1, 0, types(1) == MPI_INTEGER), ierr])
    CALLED(MPI_Type_free)(made, ierr)
  end subroutine

  ! A sequence type with an array, characters and a logical.
  subroutine mixed_record()
    type record
      sequence
      double precision :: real_one
      integer :: numbers(3)
      character(len=4) :: word
      logical :: flag
    end type
    type(record) :: mine(2), theirs(2)
    DATATYPE :: inner(4), made, whole
    integer(MPI_ADDRESS_KIND) :: places(4), start, next
    STATUS :: status
    CALLED(MPI_Get_address)(mine(1), start, ierr)
    CALLED(MPI_Get_address)(mine(2), next, ierr)
    CALLED(MPI_Get_address)(mine(1)%real_one, places(1), ierr)
    CALLED(MPI_Get_address)(mine(1)%numbers, places(2), ierr)
    CALLED(MPI_Get_address)(mine(1)%word, places(3), ierr)
    CALLED(MPI_Get_address)(mine(1)%flag, places(4), ierr)
    places = places - start
    inner(1) = MPI_DOUBLE_PRECISION
    inner(2) = MPI_INTEGER
    inner(3) = MPI_CHARACTER
    inner(4) = MPI_LOGICAL
    CALLED(MPI_Type_create_struct)(4, [1, 3, 4, 1], places, inner, made, ierr)
    CALLED(MPI_Type_create_resized)(made, 0_MPI_ADDRESS_KIND, next - start, whole, ierr)
    CALLED(MPI_Type_commit)(whole, ierr)
    CALLED(MPI_Type_free)(made, ierr)
    mine(1) = record(rank + 0.5d0, [rank, 2, 3], "abc ", .true.)
    mine(2) = record(rank + 1.5d0, [rank, 5, 6], " de ", .false.)
    CALLED(MPI_Sendrecv)(mine, 2, whole, right, 2, theirs, 2, whole, left, 2, MPI_COMM_WORLD, status, ierr)
    call say("record 1", [nint(2 * theirs(1)%real_one), theirs(1)%numbers, transfer(theirs(1)%flag, 0)])
    call say("record 2", [nint(2 * theirs(2)%real_one), theirs(2)%numbers, transfer(theirs(2)%flag, 0)])
    call say_text("words", theirs(1)%word // theirs(2)%word)
    CALLED(MPI_Type_free)(whole, ierr)
  end subroutine

  subroutine kinds()
    DATATYPE :: real_kind, complex_kind, integer_kind, matched
    integer :: sizes(5)
    double precision :: numbers(2)
    CALLED(MPI_Type_create_f90_real)(12, MPI_UNDEFINED, real_kind, ierr)
    CALLED(MPI_Type_create_f90_complex)(6, 30, complex_kind, ierr)
    CALLED(MPI_Type_create_f90_integer)(12, integer_kind, ierr)
    CALLED(MPI_Type_match_size)(MPI_TYPECLASS_REAL, 8, matched, ierr)
    CALLED(MPI_Type_size)(real_kind, sizes(1), ierr)
    CALLED(MPI_Type_size)(complex_kind, sizes(2), ierr)
    CALLED(MPI_Type_size)(integer_kind, sizes(3), ierr)
    CALLED(MPI_Type_size)(matched, sizes(4), ierr)
    CALLED(MPI_Type_size)(MPI_DOUBLE_COMPLEX, sizes(5), ierr)
    call say("kinds", [sizes, ierr])
    numbers = [rank, 2]
    CALLED(MPI_Bcast)(numbers, 2, real_kind, 0, MPI_COMM_WORLD, ierr)
    call say("broadcast", [nint(numbers), ierr])
  end subroutine

  subroutine names_and_attributes()
    DATATYPE :: made, copy
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length, key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    CALLED(MPI_Type_get_name)(MPI_DOUBLE_PRECISION, name, length, ierr)
    call say_text("name", name(1:length + 1))
    CALLED(MPI_Type_contiguous)(2, MPI_INTEGER, made, ierr)
    CALLED(MPI_Type_set_name)(made, "pair of integers  ", ierr)
    CALLED(MPI_Type_get_name)(made, name, length, ierr)
    call say_text("name", name(1:20))
    value = 0
    CALLED(MPI_Type_create_keyval)(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, key, value, ierr)
    value = 31
    CALLED(MPI_Type_set_attr)(made, key, value, ierr)
    CALLED(MPI_Type_dup)(made, copy, ierr)
    value = 0
    CALLED(MPI_Type_get_attr)(copy, key, value, found, ierr)
    call say("attribute", [int(value), transfer(found, 0), ierr])
    CALLED(MPI_Type_free)(copy, ierr)
    CALLED(MPI_Type_free)(made, ierr)
    CALLED(MPI_Type_free_keyval)(key, ierr)
  end subroutine

  subroutine external_form()
    character :: buffer(64)
    integer :: numbers(2)
    integer(MPI_ADDRESS_KIND) :: size, position
    size = 64
    position = 0
    numbers = [rank, 258]
    CALLED(MPI_Pack_external)("external32", numbers, 2, MPI_INTEGER, buffer, size, position, ierr)
    call say("external", [int(position), ichar(buffer(7:8)), ierr])
    position = 0
    numbers = 0
    CALLED(MPI_Unpack_external)("external32", buffer, size, position, numbers, 2, MPI_INTEGER, ierr)
    call say("unpacked", [numbers, int(position), ierr])
    CALLED(MPI_Pack_external_size)("external32", 3, MPI_DOUBLE_PRECISION, size, ierr)
    call say("size", [int(size), ierr])
  end subroutine

end program
