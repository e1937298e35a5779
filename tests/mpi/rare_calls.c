/* Functions that hardly any program calls, so that each is called by some test: queries of topologies, types by
 * precision and range, file representations, and what only MPICH has. */
#include "check.h"

static int extent_function(MPI_Datatype type, MPI_Aint* extent, void* state) {
    (void)type, (void)state;
    *extent = 4;
    return MPI_SUCCESS;
}

static void topologies(int rank, int size) {
    int index[8], edges[8], nodes, count, place = -1;
    for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = (i + 1) % size;
    MPI_Comm ring;
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &ring);
    MPI_Graphdims_get(ring, &nodes, &count);
    int got_index[8] = {0}, got_edges[8] = {0};
    CHECK(MPI_Graph_get(ring, 8, 8, got_index, got_edges) == MPI_SUCCESS);
    CHECK(nodes == size && got_edges[rank] == (rank + 1) % size);
    CHECK(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &place) == MPI_SUCCESS);
    MPI_Comm_free(&ring);
}

static void types(void) {
    MPI_Datatype f90;
    MPI_Count lower = -1, extent = -1;
    CHECK(MPI_Type_get_true_extent_x(MPI_DOUBLE, &lower, &extent) == MPI_SUCCESS && lower == 0 && extent == 8);
    CHECK(MPI_Type_create_f90_real(6, 30, &f90) == MPI_SUCCESS);
    CHECK(MPI_Type_create_f90_complex(6, 30, &f90) == MPI_SUCCESS);
    CHECK(MPI_Type_create_f90_integer(5, &f90) == MPI_SUCCESS);
    MPI_Register_datarep("seldom", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_function,
                         NULL); /* rejected by Open MPI */
}

static void windows(void) {
    int keyval, memory = 0;
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL);
    MPI_Win_set_attr(win, keyval, &memory);
    CHECK(MPI_Win_delete_attr(win, keyval) == MPI_SUCCESS);
    MPI_Win_free_keyval(&keyval);
    MPI_Win_free(&win);
}

static void files(void) { CHECK(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)) == MPI_FILE_NULL); }

#if MPI_VERSION >= 4
static void standard_4(int rank, int size) {
    int value = rank;
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 3, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    CHECK(value >= 0 && value < size); /* the result of MPICH 4.0.2 is wrong */
    MPI_Info info;
    CHECK(MPI_Info_create_env(0, NULL, &info) == MPI_SUCCESS);
    MPI_Info_free(&info);
}
#else
static void standard_4(int rank, int size) { (void)rank, (void)size; }
#endif

int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    topologies(rank, size);
    types();
    windows();
    files();
    standard_4(rank, size);
    say_done("seldom");
    MPI_Finalize();
    return 0;
}
