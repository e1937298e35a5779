/* Every way to make a communicator, names, and 300 communicators made and freed (both MPIs reuse freed handles). Any
 * number of ranks. An intercommunicator needs two sides, so it is left out with one rank. */
#include "check.h"
#include <string.h>

static int me, size;

/* Checks that a communicator works and has the expected members, by the sum of their world ranks. */
static void check_sum(MPI_Comm comm, int expected) {
    int sum;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == expected);
}

static int sum_of_all(void) { return size * (size - 1) / 2; }

static int sum_of_half(int half) {
    int sum = 0;
    for (int rank = half; rank < size; rank += 2) sum += rank;
    return sum;
}

static void duplicates(void) {
    MPI_Comm copy;
    MPI_Request request;
    int result;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    check_sum(copy, sum_of_all());
    MPI_Comm_free(&copy);
    CHECK(copy == MPI_COMM_NULL);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &copy);
    check_sum(copy, sum_of_all());
    MPI_Comm_free(&copy);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_sum(copy, sum_of_all());
    MPI_Comm_free(&copy);
}

static void splits(void) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &part);
    check_sum(part, sum_of_half(me % 2));
    CHECK(rank_in(part) == size_of(part) - 1 - me / 2);
    MPI_Comm_free(&part);
    MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? 0 : MPI_UNDEFINED, 0, &part);
    CHECK((part == MPI_COMM_NULL) == (me != 0));
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
    check_sum(part, sum_of_all());
    MPI_Comm_free(&part);
}

static void from_groups(void) {
    MPI_Group world, even;
    MPI_Comm made;
    int range[1][3] = {{0, size - 1, 2}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &even);
    MPI_Comm_create(MPI_COMM_WORLD, even, &made);
    CHECK((made == MPI_COMM_NULL) == (me % 2 == 1));
    if (made != MPI_COMM_NULL) {
        check_sum(made, sum_of_half(0));
        MPI_Comm_free(&made);
    }
    if (me % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 11, &made);
        check_sum(made, sum_of_half(0));
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&even);
    MPI_Group_free(&world);
}

static void cartesian(void) {
    int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1}, coords[2], source, target, topology;
    MPI_Comm grid, row;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Topo_test(grid, &topology);
    CHECK(topology == MPI_CART);
    MPI_Cart_coords(grid, rank_in(grid), 2, coords);
    CHECK(coords[0] * dims[1] + coords[1] == me);
    MPI_Cart_shift(grid, 0, 1, &source, &target);
    int received = -1;
    MPI_Sendrecv(&me, 1, MPI_INT, target, 3, &received, 1, MPI_INT, source, 3, grid, MPI_STATUS_IGNORE);
    CHECK(received == source);
    MPI_Cart_sub(grid, keep, &row);
    CHECK(size_of(row) == dims[1]);
    check_sum(row, dims[1] * coords[0] * dims[1] + dims[1] * (dims[1] - 1) / 2);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
}

/* A ring: each rank has a left and a right neighbor. */
static void graphs(void) {
    int index[64], edges[128], around[2] = {(me + size - 1) % size, (me + 1) % size}, received[2], topology, neighbors;
    MPI_Comm graph;
    CHECK(size <= 64);
    for (int rank = 0; rank < size; rank++) {
        index[rank] = 2 * (rank + 1);
        edges[2 * rank] = (rank + size - 1) % size;
        edges[2 * rank + 1] = (rank + 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
    MPI_Topo_test(graph, &topology);
    MPI_Graph_neighbors_count(graph, me, &neighbors);
    CHECK(topology == MPI_GRAPH && neighbors == 2);
    check_sum(graph, sum_of_all());
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, MPI_UNWEIGHTED, 2, around, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &graph);
    MPI_Neighbor_allgather(&me, 1, MPI_INT, received, 1, MPI_INT, graph);
    CHECK(received[0] == around[0] && received[1] == around[1]);
    MPI_Comm_free(&graph);
}

static void intercommunicator(void) {
    MPI_Comm half, bridge, merged;
    int is_bridge, other_side = 0;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 21, &bridge);
    MPI_Comm_test_inter(bridge, &is_bridge);
    CHECK(is_bridge);
    /* On an intercommunicator a reduction gives the other side's sum. */
    MPI_Allreduce(&me, &other_side, 1, MPI_INT, MPI_SUM, bridge);
    CHECK(other_side == sum_of_half(1 - me % 2));
    int remote, partner = me ^ 1;
    MPI_Comm_remote_size(bridge, &remote);
    if (partner < size) {
        int received = -1;
        MPI_Sendrecv(&me, 1, MPI_INT, partner / 2, 4, &received, 1, MPI_INT, partner / 2, 4, bridge, MPI_STATUS_IGNORE);
        CHECK(received == partner && remote >= 1);
    }
    MPI_Intercomm_merge(bridge, me % 2, &merged);
    CHECK(size_of(merged) == size);
    check_sum(merged, sum_of_all());
    MPI_Comm_free(&merged);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

static void names(void) {
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm copy;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "halo exchange");
    MPI_Comm_get_name(copy, name, &length);
    CHECK(strcmp(name, "halo exchange") == 0 && length == (int)strlen(name));
    MPI_Comm_free(&copy);
}

/* A few communicators exist at a time, and are freed out of order, so that a handle is reused for other members. Most
 * have only one member, because making larger ones is slow where ranks share cores. */
static void many(void) {
    enum { alive = 5, made = 300 };
    MPI_Comm comms[alive];
    int expected[alive];
    for (int i = 0; i < made; i++) {
        int slot = (i * 3) % alive;
        if (i >= alive) {
            check_sum(comms[slot], expected[slot]);
            MPI_Comm_free(&comms[slot]);
        }
        MPI_Comm_split(i % 6 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF, i % 12 == 0 ? me % 2 : 0, me, &comms[slot]);
        expected[slot] = i % 12 == 0 ? sum_of_half(me % 2) : i % 6 == 0 ? sum_of_all() : me;
    }
    for (int slot = 0; slot < alive; slot++) {
        check_sum(comms[slot], expected[slot]);
        MPI_Comm_free(&comms[slot]);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    me = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    duplicates();
    splits();
    from_groups();
    cartesian();
    graphs();
    if (size > 1) intercommunicator();
    names();
    many();
    say_done("communicators");
    MPI_Finalize();
    return 0;
}
