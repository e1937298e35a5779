! Communicators and what belongs to them: groups, topologies, names with blanks, attributes and error handlers whose
! callbacks are in Fortran and call MPI, info objects.
#include "binding.inc"
program communicators
  USE_MPI
  use observe
  use callbacks
  implicit none
  INCLUDE_MPI
  integer :: rank, ranks, ierr, i

  call begin_program(rank, ranks)
  call made_of_others()
  call of_groups()
  call cartesian()
  call graphs()
  call across()
  call names()
  call attributes()
  call predefined_attributes()
  call error_handlers()
  call infos()
  call finish_program()

contains

  subroutine describe(label, comm)
    character(len=*), intent(in) :: label
    COMM, intent(in) :: comm
    integer :: own_rank, own_size, sum
    logical :: inter
    CALLED(MPI_Comm_rank)(comm, own_rank, ierr)
    CALLED(MPI_Comm_size)(comm, own_size, ierr)
    CALLED(MPI_Comm_test_inter)(comm, inter, ierr)
    CALLED(MPI_Allreduce)(rank, sum, 1, MPI_INTEGER, MPI_SUM, comm, ierr)
    call say(label, [own_rank, own_size, sum, transfer(inter, 0), ierr])
  end subroutine

  subroutine made_of_others()
    COMM :: made
    REQUEST :: request
    integer :: result
    CALLED(MPI_Comm_dup)(MPI_COMM_WORLD, made, ierr)
    call describe("dup", made)
    CALLED(MPI_Comm_compare)(MPI_COMM_WORLD, made, result, ierr)
    call say_logical("congruent", result == MPI_CONGRUENT)
    CALLED(MPI_Comm_free)(made, ierr)
    call say_logical("freed", made == MPI_COMM_NULL)
    CALLED(MPI_Comm_split)(MPI_COMM_WORLD, mod(rank, 2), -rank, made, ierr)
    call describe("split", made)
    CALLED(MPI_Comm_free)(made, ierr)
    CALLED(MPI_Comm_split)(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 1, rank == 0), 0, made, ierr)
    call say_logical("left out", made == MPI_COMM_NULL)
    if (rank /= 0) then
      CALLED(MPI_Comm_free)(made, ierr)
    end if
    CALLED(MPI_Comm_split_type)(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, made, ierr)
    call describe("shared", made)
    CALLED(MPI_Comm_free)(made, ierr)
    call duplicate_later(made, request)
    CALLED(MPI_Wait)(request, MPI_STATUS_IGNORE, ierr)
    call describe("idup", made)
    CALLED(MPI_Comm_free)(made, ierr)
  end subroutine

  subroutine duplicate_later(made, request)
    COMM, intent(inout) :: made
    REQUEST, intent(inout) :: request
    CALLED(MPI_Comm_idup)(MPI_COMM_WORLD, made, request, ierr)
  end subroutine

  subroutine of_groups()
    GROUP :: whole, first, others, joined
    COMM :: made
    integer :: size, own, translated(2)
    CALLED(MPI_Comm_group)(MPI_COMM_WORLD, whole, ierr)
    CALLED(MPI_Group_incl)(whole, 2, [1, 0], first, ierr)
    CALLED(MPI_Group_difference)(whole, first, others, ierr)
    CALLED(MPI_Group_union)(others, first, joined, ierr)
    CALLED(MPI_Group_size)(others, size, ierr)
    CALLED(MPI_Group_rank)(first, own, ierr)
    call say("group", [size, merge(-1, own, own == MPI_UNDEFINED), ierr])
    CALLED(MPI_Group_translate_ranks)(first, 2, [0, 1], joined, translated, ierr)
    call say("translated", [translated, ierr])
    CALLED(MPI_Group_range_excl)(whole, 1, reshape([0, 0, 1], [3, 1]), joined, ierr)
    CALLED(MPI_Group_size)(joined, size, ierr)
    call say("without 0", [size, ierr])
    CALLED(MPI_Comm_create)(MPI_COMM_WORLD, first, made, ierr)
    call say_logical("in it", made /= MPI_COMM_NULL)
    if (made /= MPI_COMM_NULL) then
      call describe("create", made)
      CALLED(MPI_Comm_free)(made, ierr)
    end if
    if (rank < 2) then
      CALLED(MPI_Comm_create_group)(MPI_COMM_WORLD, first, 3, made, ierr)
      call describe("create_group", made)
      CALLED(MPI_Comm_free)(made, ierr)
    end if
    CALLED(MPI_Group_free)(whole, ierr)
    CALLED(MPI_Group_free)(first, ierr)
    call say_logical("freed", first == MPI_GROUP_NULL)
  end subroutine

  subroutine cartesian()
    COMM :: grid, row
    integer :: dims(2), coords(2), source, dest, there, count
    logical :: periods(2)
    dims = [0, 1]
    CALLED(MPI_Dims_create)(ranks, 2, dims, ierr)
    call say("dims", [dims, ierr])
    CALLED(MPI_Cart_create)(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierr)
    periods = [.false., .true.]
    CALLED(MPI_Cart_get)(grid, 2, dims, periods, coords, ierr)
    call say("cart_get", [dims, coords, transfer(periods, [0]), ierr])
    CALLED(MPI_Cart_shift)(grid, 0, 1, source, dest, ierr)
    call say("shift", [source, dest, ierr])
    CALLED(MPI_Cart_shift)(grid, 1, 1, source, dest, ierr)
    call say_logical("edge", source == MPI_PROC_NULL .and. dest == MPI_PROC_NULL)
    CALLED(MPI_Cart_rank)(grid, coords, there, ierr)
    CALLED(MPI_Cart_coords)(grid, there, 2, coords, ierr)
    CALLED(MPI_Cartdim_get)(grid, count, ierr)
    CALLED(MPI_Topo_test)(grid, source, ierr)
    call say("position", [there, coords, count, merge(1, 0, source == MPI_CART), ierr])
    CALLED(MPI_Cart_sub)(grid, [.true., .false.], row, ierr)
    call describe("cart_sub", row)
    CALLED(MPI_Comm_free)(row, ierr)
    CALLED(MPI_Comm_free)(grid, ierr)
  end subroutine

  subroutine graphs()
    COMM :: graph
    integer :: in, out, sources(2), dests(2), count, right, left, weights(2)
    logical :: weighted
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    CALLED(MPI_Graph_create)(MPI_COMM_WORLD, ranks, [(i, i = 1, ranks)], [(mod(i, ranks), i = 1, ranks)], .false., &
        graph, ierr)
    CALLED(MPI_Graph_neighbors_count)(graph, rank, count, ierr)
    CALLED(MPI_Graph_neighbors)(graph, rank, 1, dests, ierr)
    call say("graph", [count, dests(1), ierr])
    CALLED(MPI_Comm_free)(graph, ierr)
    CALLED(MPI_Dist_graph_create_adjacent)(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
        MPI_INFO_NULL, .false., graph, ierr)
    CALLED(MPI_Dist_graph_neighbors_count)(graph, in, out, weighted, ierr)
    call say("adjacent", [in, out, transfer(weighted, 0), ierr])
    CALLED(MPI_Dist_graph_neighbors)(graph, 1, sources, MPI_UNWEIGHTED, 1, dests, MPI_UNWEIGHTED, ierr)
    call say("neighbors", [sources(1), dests(1), ierr])
    CALLED(MPI_Comm_free)(graph, ierr)
    CALLED(MPI_Dist_graph_create)(MPI_COMM_WORLD, 1, [rank], [1], [right], [7], MPI_INFO_NULL, .false., graph, ierr)
    CALLED(MPI_Dist_graph_neighbors)(graph, 1, sources, weights, 1, dests, weights(2:), ierr)
    call say("weighted", [sources(1), dests(1), weights, ierr])
    CALLED(MPI_Comm_free)(graph, ierr)
    call lonely()
  end subroutine

  ! Only rank 0 has a neighbor, itself. The others have empty lists of weights.
  subroutine lonely()
    COMM :: graph
    integer :: in, out
    logical :: weighted
    if (rank == 0) then
      CALLED(MPI_Dist_graph_create_adjacent)(MPI_COMM_WORLD, 1, [0], [5], 1, [0], [5], MPI_INFO_NULL, .false., graph, &
          ierr)
    else
      CALLED(MPI_Dist_graph_create_adjacent)(MPI_COMM_WORLD, 0, [0], MPI_WEIGHTS_EMPTY, 0, [0], MPI_WEIGHTS_EMPTY, &
          MPI_INFO_NULL, .false., graph, ierr)
    end if
    CALLED(MPI_Dist_graph_neighbors_count)(graph, in, out, weighted, ierr)
    call say("lonely", [in, out, transfer(weighted, 0), ierr])
    CALLED(MPI_Comm_free)(graph, ierr)
  end subroutine

  ! Rank 0 is on one side, all others are on the other.
  subroutine across()
    COMM :: half, both, merged
    integer :: number, size
    STATUS :: status
    CALLED(MPI_Comm_split)(MPI_COMM_WORLD, merge(0, 1, rank == 0), rank, half, ierr)
    CALLED(MPI_Intercomm_create)(half, 0, MPI_COMM_WORLD, merge(1, 0, rank == 0), 6, both, ierr)
    CALLED(MPI_Comm_remote_size)(both, size, ierr)
    call say("remote", [size, ierr])
    call describe("inter", both)
    number = rank
    if (rank == 0) then
      CALLED(MPI_Send)(number, 1, MPI_INTEGER, 0, 8, both, ierr)
    else if (rank == 1) then
      CALLED(MPI_Recv)(number, 1, MPI_INTEGER, MPI_ANY_SOURCE, 8, both, status, ierr)
      call say_status("across", status)
    end if
    number = 40 + rank
    CALLED(MPI_Bcast)(number, 1, MPI_INTEGER, merge(MPI_ROOT, 0, rank == 0), both, ierr)
    call say("across", [number, ierr])
    CALLED(MPI_Intercomm_merge)(both, rank == 0, merged, ierr)
    call describe("merged", merged)
    CALLED(MPI_Comm_free)(merged, ierr)
    CALLED(MPI_Comm_free)(both, ierr)
    CALLED(MPI_Comm_free)(half, ierr)
  end subroutine

  subroutine names()
    COMM :: made
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_PROCESSOR_NAME) :: processor
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length
    CALLED(MPI_Comm_get_name)(MPI_COMM_WORLD, name, length, ierr)
    call say_text("world", name(1:length + 2))
    CALLED(MPI_Comm_dup)(MPI_COMM_WORLD, made, ierr)
    name = "  two words   "
    CALLED(MPI_Comm_set_name)(made, name, ierr)
    name = repeat("x", len(name))
    CALLED(MPI_Comm_get_name)(made, name, length, ierr)
    call say_text("name", name(1:16))
    call say("length", [length, len_trim(name), ierr])
    CALLED(MPI_Comm_set_name)(made, "constant", ierr)
    CALLED(MPI_Comm_get_name)(made, name, length, ierr)
    call say_text("name", name(1:12))
    CALLED(MPI_Comm_free)(made, ierr)
    processor = repeat("x", len(processor))
    CALLED(MPI_Get_processor_name)(processor, length, ierr)
    call say_logical("processor", len_trim(processor) == length)
    text = repeat("x", len(text))
    CALLED(MPI_Error_string)(MPI_ERR_TRUNCATE, text, length, ierr)
    call say_text("error", text(1:length))
    call say("length", [len_trim(text) - length, ierr])
  end subroutine

  subroutine attributes()
    COMM :: made, copy
    integer :: key
    integer(MPI_ADDRESS_KIND) :: extra, value
    logical :: found
    extra = 1000
    CALLED(MPI_Comm_create_keyval)(copy_attribute, delete_attribute, key, extra, ierr)
    CALLED(MPI_Comm_dup)(MPI_COMM_WORLD, made, ierr)
    CALLED(MPI_Comm_get_attr)(made, key, value, found, ierr)
    call say_logical("found", found)
    value = -5
    CALLED(MPI_Comm_set_attr)(made, key, value, ierr)
    CALLED(MPI_Comm_dup)(made, copy, ierr)
    call say("callbacks", callbacks_seen())
    CALLED(MPI_Comm_get_attr)(copy, key, value, found, ierr)
    call say("copied", [int(value), transfer(found, 0), ierr])
    CALLED(MPI_Comm_delete_attr)(copy, key, ierr)
    call say("callbacks", callbacks_seen())
    CALLED(MPI_Comm_free)(copy, ierr)
    CALLED(MPI_Comm_free)(made, ierr)
    call say("callbacks", callbacks_seen())
    value = 77
    CALLED(MPI_Comm_set_attr)(MPI_COMM_SELF, key, value, ierr)
    CALLED(MPI_Comm_free_keyval)(key, ierr)
    call say_logical("key", key == MPI_KEYVAL_INVALID)
    call own_copies()
  end subroutine

  subroutine own_copies()
    COMM :: made, copy
    integer :: key
    integer(MPI_ADDRESS_KIND) :: extra, value
    logical :: found
    extra = 0
    CALLED(MPI_Comm_create_keyval)(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
    CALLED(MPI_Comm_dup)(MPI_COMM_WORLD, made, ierr)
    value = 123456789012_MPI_ADDRESS_KIND
    CALLED(MPI_Comm_set_attr)(made, key, value, ierr)
    CALLED(MPI_Comm_dup)(made, copy, ierr)
    CALLED(MPI_Comm_get_attr)(copy, key, value, found, ierr)
    call say_logical("same", found .and. value == 123456789012_MPI_ADDRESS_KIND)
    CALLED(MPI_Comm_free)(copy, ierr)
    CALLED(MPI_Comm_free)(made, ierr)
    CALLED(MPI_Comm_free_keyval)(key, ierr)
  end subroutine

  subroutine predefined_attributes()
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    CALLED(MPI_Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierr)
    call say("tag_ub", [int(value), transfer(found, 0), ierr])
    CALLED(MPI_Comm_get_attr)(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, found, ierr)
    call say("wtime_is_global", [int(value), transfer(found, 0), ierr])
  end subroutine

  subroutine error_handlers()
    COMM :: made
    ERRHANDLER :: mine, current
    integer :: error, class
    CALLED(MPI_Comm_dup)(MPI_COMM_WORLD, made, ierr)
    CALLED(MPI_Comm_create_errhandler)(handle_error, mine, ierr)
    CALLED(MPI_Comm_set_errhandler)(made, mine, ierr)
    CALLED(MPI_Comm_get_errhandler)(made, current, ierr)
    call say_logical("mine", current == mine)
    CALLED(MPI_Errhandler_free)(mine, ierr)
    call say_logical("freed", mine == MPI_ERRHANDLER_NULL)
    CALLED(MPI_Send)(rank, 1, MPI_INTEGER, ranks + 5, 1, made, error)
    CALLED(MPI_Error_class)(error, class, ierr)
    call say_logical("bad rank", class == MPI_ERR_RANK)
    call say("handled", handled())
    CALLED(MPI_Comm_call_errhandler)(made, MPI_ERR_OTHER, ierr)
    call say("handled", handled())
    CALLED(MPI_Comm_free)(made, ierr)
    CALLED(MPI_Add_error_class)(class, ierr)
    CALLED(MPI_Add_error_code)(class, error, ierr)
    CALLED(MPI_Add_error_string)(error, "of our own  ", ierr)
    call say_own_error(error)
  end subroutine

  subroutine say_own_error(error)
    integer, intent(in) :: error
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length
    CALLED(MPI_Error_string)(error, text, length, ierr)
    call say_text("own error", text(1:length))
  end subroutine

  subroutine infos()
    INFO :: made, copy
    character(len=20) :: value
    character(len=MPI_MAX_INFO_KEY) :: key
    integer :: count, length
    logical :: found
    CALLED(MPI_Info_create)(made, ierr)
    CALLED(MPI_Info_set)(made, " first ", " one  ", ierr)
    CALLED(MPI_Info_set)(made, "second", "2", ierr)
    CALLED(MPI_Info_dup)(made, copy, ierr)
    CALLED(MPI_Info_get_nkeys)(copy, count, ierr)
    call say("keys", [count, ierr])
    value = repeat("x", len(value))
    CALLED(MPI_Info_get)(copy, "first", 20, value, found, ierr)
    call say_text("value", value)
    call say_logical("found", found)
    CALLED(MPI_Info_get)(copy, "third", 20, value, found, ierr)
    call say_logical("third", found)
    CALLED(MPI_Info_get_valuelen)(copy, "second  ", length, found, ierr)
    call say("length", [length, transfer(found, 0), ierr])
    key = repeat("x", len(key))
    CALLED(MPI_Info_get_nthkey)(copy, 1, key, ierr)
    call say_text("key", key(1:10))
    CALLED(MPI_Info_delete)(copy, "second", ierr)
    CALLED(MPI_Info_free)(copy, ierr)
    CALLED(MPI_Info_free)(made, ierr)
    call say_logical("freed", made == MPI_INFO_NULL)
  end subroutine

end program
