/* Neighborhood collectives on a grid, a graph and a distributed graph (unweighted, and one in which most ranks have no
 * neighbor): blocking, non-blocking and, with MPI 4, persistent. Any number of ranks. */
#include "say.h"

enum { most = 64, room = 64 };

static int me, size, in_degree, out_degree;
static int out[room], in[room], counts[most], starts[most];
static MPI_Aint bytes[most];
static MPI_Datatype types[most];
static MPI_Comm comm;
static MPI_Request request;

static void fresh(void) {
    for (int i = 0; i < room; i++) {
        out[i] = me * 1000 + i;
        in[i] = -1;
    }
}

static void done(const char* name, int code) {
    say_code(name, code);
    say_ints(name, in, 24);
    fresh();
}

static void finish(const char* name, int code) {
    say_code(name, code);
    done(name, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void blocking(void) {
    done("allgather", MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm));
    done("allgatherv", MPI_Neighbor_allgatherv(out, 3, MPI_INT, in, counts, starts, MPI_INT, comm));
    done("alltoall", MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm));
    done("alltoallv", MPI_Neighbor_alltoallv(out, counts, starts, MPI_INT, in, counts, starts, MPI_INT, comm));
    done("alltoallw", MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm));
}

static void nonblocking(void) {
    finish("iallgather", MPI_Ineighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm, &request));
    finish("iallgatherv", MPI_Ineighbor_allgatherv(out, 3, MPI_INT, in, counts, starts, MPI_INT, comm, &request));
    finish("ialltoall", MPI_Ineighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm, &request));
    finish("ialltoallv",
           MPI_Ineighbor_alltoallv(out, counts, starts, MPI_INT, in, counts, starts, MPI_INT, comm, &request));
    finish("ialltoallw", MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, comm, &request));
}

#if MPI_VERSION >= 4
static void repeat(const char* name, int code) {
    say_code(name, code);
    for (int round = 0; round < 2; round++) {
        say_code("start", MPI_Start(&request));
        done(name, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    say_code("free", MPI_Request_free(&request));
}

#define ON comm, MPI_INFO_NULL, &request

static void persistent(void) {
    repeat("allgather_init", MPI_Neighbor_allgather_init(out, 2, MPI_INT, in, 2, MPI_INT, ON));
    repeat("allgatherv_init", MPI_Neighbor_allgatherv_init(out, 3, MPI_INT, in, counts, starts, MPI_INT, ON));
    repeat("alltoall_init", MPI_Neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, ON));
    repeat("alltoallv_init",
           MPI_Neighbor_alltoallv_init(out, counts, starts, MPI_INT, in, counts, starts, MPI_INT, ON));
    repeat("alltoallw_init", MPI_Neighbor_alltoallw_init(out, counts, bytes, types, in, counts, bytes, types, ON));
}
#else
static void persistent(void) {}
#endif

static void all_on(const char* name, MPI_Comm given) {
    say("--- %s", name);
    comm = given;
    fresh();
    blocking();
    nonblocking();
    persistent();
    MPI_Comm_free(&comm);
}

static void on_grid(int periodic) {
    int dims[2] = {0, 0}, periods[2] = {periodic, 0};
    MPI_Comm grid;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    all_on("cart", grid);
}

static void on_graph(void) {
    int index[most], edges[2 * most];
    MPI_Comm graph;
    for (int rank = 0; rank < size; rank++) {
        index[rank] = 2 * (rank + 1);
        edges[2 * rank] = (rank + size - 1) % size;
        edges[2 * rank + 1] = (rank + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
    all_on("graph", graph);
}

static void on_distributed_graphs(void) {
    int around[2] = {(me + size - 1) % size, (me + 1) % size}, zero = 0;
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &graph);
    all_on("unweighted", graph);
    /* Only the last rank sends to rank 0. The other ranks have empty lists. */
    const int to = me == size - 1, from = me == 0;
    int last = size - 1, weight = 7;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, from, &last, from ? &weight : MPI_WEIGHTS_EMPTY, to, &zero,
                                   to ? &weight : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in_degree, &out_degree, &weight);
    say("in %d out %d weighted %d", in_degree, out_degree, weight);
    all_on("almost empty", graph);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    CHECK(size <= most);
    for (int i = 0; i < most; i++) {
        counts[i] = 3;
        starts[i] = (i % 8) * 4;
        bytes[i] = (i % 8) * 16;
        types[i] = MPI_INT;
    }
    on_grid(0);
    on_grid(1);
    on_graph();
    on_distributed_graphs();
    say_out();
    MPI_Finalize();
    return 0;
}
