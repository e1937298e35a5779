/* Part of lengths.c: small messages received into large elements with gaps of every kind. */
#include "say.h"

enum { wide = 3 << 20 };
static char wide_out[wide], wide_in[wide];

static void into_wide(const char* what, MPI_Datatype type, int elements, int left, int right) {
    const int sizes[] = {0, 2, 4, 6, 8, 30, 100, SIZE - 24, SIZE, SIZE + 2, SIZE + 12, SIZE + 24, SIZE + 26, 40000};
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Aint lower, extent;
    MPI_Type_commit(&type);
    MPI_Type_get_true_extent(type, &lower, &extent);
    char* const place = wide_in + (lower < 0 ? -lower : 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(wide_in, 0x77, sizeof wide_in);
        for (int j = 0; j < sizes[i]; j++) wide_out[j] = (char)(j * 11 + j / 253 + said_rank);
        MPI_Irecv(place, elements, type, left, 1, MPI_COMM_WORLD, &request);
        MPI_Send(wide_out, sizes[i] / 2, MPI_SHORT, right, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        say_status(what, &status, MPI_SHORT);
        say_bytes(what, wide_in, sizeof wide_in);
    }
    MPI_Type_free(&type);
}

static void wide_types(int left, int right) {
    enum { blocks = 9000 };
    static int lengths[blocks], places[blocks];
    static MPI_Aint addresses[blocks];
    static MPI_Datatype types[blocks];
    MPI_Datatype type, inner, outer;
    MPI_Aint at = 0;
    for (int i = 0; i < blocks; i++) {
        lengths[i] = 3 + i % 4;
        places[i] = (blocks - i) * 9; /* from the end backward */
        addresses[i] = at;
        at += 13 + i % 5;
        types[i] = MPI_SHORT;
    }
    MPI_Type_vector(blocks, 4, 7, MPI_SHORT, &type);
    into_wide("vector", type, 1, left, right);
    MPI_Type_vector(30, 4, -7, MPI_SHORT, &type);
    into_wide("many backwards", type, 700, left, right);
    MPI_Type_create_hvector(blocks, 4, 11, MPI_SHORT, &type);
    into_wide("hvector", type, 1, left, right);
    MPI_Type_indexed(blocks, lengths, places, MPI_SHORT, &type);
    into_wide("indexed", type, 1, left, right);
    MPI_Type_create_hindexed(blocks, lengths, addresses, MPI_SHORT, &type);
    into_wide("hindexed", type, 1, left, right);
    MPI_Type_create_indexed_block(blocks, 5, places, MPI_SHORT, &type);
    into_wide("indexed_block", type, 1, left, right);
    MPI_Type_create_hindexed_block(blocks, 5, addresses, MPI_SHORT, &type);
    into_wide("hindexed_block", type, 1, left, right);
    MPI_Type_create_struct(blocks, lengths, addresses, types, &type);
    into_wide("struct", type, 1, left, right);

    const int extents[3] = {30, 40, 70}, parts[3] = {28, 33, 41}, begins[3] = {1, 3, 7};
    MPI_Type_create_subarray(3, extents, parts, begins, MPI_ORDER_C, MPI_SHORT, &type);
    into_wide("subarray of C", type, 1, left, right);
    MPI_Type_create_subarray(3, extents, parts, begins, MPI_ORDER_FORTRAN, MPI_SHORT, &type);
    into_wide("subarray of Fortran", type, 2, left, right);

    MPI_Type_vector(3, 2, 3, MPI_SHORT, &inner);
    MPI_Type_create_resized(inner, -4, 30, &outer);
    MPI_Type_contiguous(blocks, outer, &type);
    into_wide("nested", type, 1, left, right);
    MPI_Type_vector(100, 3, 5, outer, &type);
    into_wide("more nested", type, 60, left, right);
    MPI_Type_free(&outer);
    MPI_Type_free(&inner);

    const int all[1] = {100000}, how[1] = {MPI_DISTRIBUTE_CYCLIC}, chunk[1] = {3}, grid[1] = {2};
    MPI_Type_create_darray(2, 1, 1, all, how, chunk, grid, MPI_ORDER_C, MPI_SHORT, &type);
    into_wide("darray", type, 1, left, right);
}
