/* Communicators: everything that makes one, and all queries. With the argument `threads`, four threads make them at the
 * same time, each from its own parent. Any number of ranks. */
#include "say.h"
#include <pthread.h>

enum { threads = 4, most = 64 };

static int me, size;

static void say_comm(const char* what, MPI_Comm comm) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = -1, inter = 7, topology = 7, compared = 7, sum = -1;
    if (comm == MPI_COMM_NULL) {
        say("%s: null", what);
        return;
    }
    MPI_Comm_get_name(comm, name, &length);
    MPI_Comm_test_inter(comm, &inter);
    MPI_Topo_test(comm, &topology);
    MPI_Comm_compare(MPI_COMM_WORLD, comm, &compared);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    say("%s: rank %d of %d, name \"%s\" (%d) inter %d topology %d compared %d sum %d", what, rank_in(comm),
        size_of(comm), name, length, inter, topology, compared, sum);
}

static void done(const char* what, int code, MPI_Comm* comm) {
    say_code(what, code);
    say_comm(what, *comm);
    if (*comm != MPI_COMM_NULL) {
        MPI_Comm_set_name(*comm, "to be freed");
        say_code("free", MPI_Comm_free(comm));
    }
    say("null %d", *comm == MPI_COMM_NULL);
}

static void duplicates(MPI_Info info) {
    MPI_Comm made = MPI_COMM_NULL, other;
    MPI_Request request;
    done("dup", MPI_Comm_dup(MPI_COMM_WORLD, &made), &made);
    done("dup_with_info", MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made), &made);
    int code = MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    done("idup", code, &made);
    /* Two at the same time. */
    MPI_Request both[2];
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &both[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &other, &both[1]);
    TRY(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    done("second idup", MPI_SUCCESS, &other);
    done("first idup", MPI_SUCCESS, &made);
#if MPI_VERSION >= 4
    code = MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    done("idup_with_info", code, &made);
#endif
    done("dup of self", MPI_Comm_dup(MPI_COMM_SELF, &made), &made);
}

static void splits(void) {
    MPI_Comm made = MPI_COMM_NULL;
    done("split", MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &made), &made);
    done("split, one left out", MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 3, 0, &made), &made);
    done("split_type", MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -me, MPI_INFO_NULL, &made), &made);
    done("split_type, undefined", MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &made), &made);
}

static void from_groups(void) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group world, part;
    int range[1][3] = {{size - 1, 0, -2}};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &part);
    int rank = MPI_UNDEFINED;
    MPI_Group_rank(part, &rank);
    done("create", MPI_Comm_create(MPI_COMM_WORLD, part, &made), &made);
    made = MPI_COMM_NULL;
    if (rank != MPI_UNDEFINED) done("create_group", MPI_Comm_create_group(MPI_COMM_WORLD, part, 5, &made), &made);
    done("create of nobody", MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &made), &made);
    MPI_Group_free(&part);
    MPI_Group_free(&world);
}

static void grids(void) {
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2] = {-1, -1}, got[2], wrapped[2], keep[2] = {1, 0};
    int dimensions = -1, rank = -1, source, target;
    MPI_Comm grid, made = MPI_COMM_NULL;
    TRY(MPI_Dims_create(size, 2, dims));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid));
    say_comm("cart", grid);
    MPI_Cartdim_get(grid, &dimensions);
    MPI_Cart_get(grid, 2, got, wrapped, coords);
    MPI_Cart_rank(grid, coords, &rank);
    say("cart: %d dimensions %d x %d, wrapped %d %d, at %d %d, rank %d", dimensions, got[0], got[1], wrapped[0],
        wrapped[1], coords[0], coords[1], rank);
    for (int dimension = 0; dimension < 2; dimension++) {
        MPI_Cart_shift(grid, dimension, 1, &source, &target);
        char texts[2][16];
        say("shift: from %s to %s", said_int(source, texts[0]), said_int(target, texts[1]));
    }
    TRY(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &rank));
    say("mapped %d", rank);
    done("cart_sub", MPI_Cart_sub(grid, keep, &made), &made);
    done("dup of a cart", MPI_Comm_dup(grid, &made), &made);
    int one[1] = {1};
    done("cart of one", MPI_Cart_create(MPI_COMM_WORLD, 1, one, periods, 0, &made), &made);
    done("cart of no dimension", MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &made), &made);
    /* Open MPI 5.0 takes these for grids, too, and crashes where it is asked for the graph's dimensions. */
    int before = (me + size - 1) % size, after = (me + 1) % size;
    done("graph of a cart",
         MPI_Dist_graph_create_adjacent(grid, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                        &made),
         &made);
    MPI_Group all;
    MPI_Comm_group(grid, &all);
    done("create_group of a cart", MPI_Comm_create_group(grid, all, 5, &made), &made);
    MPI_Group_free(&all);
    MPI_Comm_free(&grid);
}

static void graphs(void) {
    int index[most], edges[2 * most], nodes = -1, links = -1, count = -1, neighbors[most], in, out, weighted;
    int weights[2] = {3, 4}, around[2] = {(me + size - 1) % size, (me + 1) % size}, degree[1] = {2}, in_weights[most];
    int out_weights[most], sources[most], targets[most];
    MPI_Comm graph, made = MPI_COMM_NULL;
    for (int rank = 0; rank < size; rank++) {
        index[rank] = 2 * (rank + 1);
        edges[2 * rank] = (rank + size - 1) % size;
        edges[2 * rank + 1] = (rank + 1) % size;
    }
    TRY(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph));
    say_comm("graph", graph);
    MPI_Graphdims_get(graph, &nodes, &links);
    MPI_Graph_neighbors_count(graph, me, &count);
    MPI_Graph_neighbors(graph, me, most, neighbors);
    say("graph: %d nodes %d edges %d neighbors", nodes, links, count);
    say_ints("neighbors", neighbors, count);
    done("dup of a graph", MPI_Comm_dup(graph, &made), &made);
    MPI_Comm_free(&graph);
    for (int weight = 0; weight < 2; weight++) {
        int* given = weight ? weights : MPI_UNWEIGHTED;
        TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, around, given, 2, around, given, MPI_INFO_NULL, 0,
                                           &graph));
        MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
        say("dist_graph: in %d out %d weighted %d", in, out, weighted);
        MPI_Dist_graph_neighbors(graph, 2, sources, weight ? in_weights : MPI_UNWEIGHTED, 2, targets,
                                 weight ? out_weights : MPI_UNWEIGHTED);
        say_ints("sources", sources, 2);
        say_ints("targets", targets, 2);
        if (weight) say_ints("weights", in_weights, 2);
        done("dist_graph_create_adjacent", MPI_SUCCESS, &graph);
    }
    int nobody = me == 0 ? 0 : 1, to_all[2] = {(me + 1) % size, me};
    TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, nobody, &me, degree, to_all, nobody ? weights : MPI_WEIGHTS_EMPTY,
                              MPI_INFO_NULL, 0, &graph));
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    say("dist_graph_create: in %d out %d weighted %d", in, out, weighted);
    done("dist_graph_create", MPI_SUCCESS, &graph);
}

static void names_and_info(MPI_Info info) {
    char name[MPI_MAX_OBJECT_NAME] = "", value[64] = "";
    int length = -1, flag = 7, compared = 7;
    MPI_Comm comm, other;
    MPI_Info got;
    TRY(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    TRY(MPI_Comm_set_name(comm, "halo"));
    TRY(MPI_Comm_get_name(comm, name, &length));
    say("name \"%s\" (%d)", name, length);
    TRY(MPI_Comm_dup(comm, &other));
    TRY(MPI_Comm_get_name(other, name, &length));
    say("name of the duplicate \"%s\" (%d)", name, length);
    TRY(MPI_Comm_compare(comm, other, &compared));
    say("compared %d", compared);
    TRY(MPI_Comm_set_info(comm, info));
    TRY(MPI_Comm_get_info(comm, &got));
    TRY(MPI_Info_get(got, "mpi_assert_allow_overtaking", 63, value, &flag));
    say("info: flag %d value \"%s\"", flag, flag ? value : "");
    MPI_Info_free(&got);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    say("name \"%s\"", name);
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
}

struct Work {
    MPI_Comm parent;
    int id, failures;
};

static void* make_many(void* argument) {
    struct Work* work = argument;
    for (int round = 0; round < 3; round++) {
        MPI_Comm made, again;
        MPI_Request request;
        int sum = -1, one = 1, members = -1;
        if (round % 3 == 0) MPI_Comm_dup(work->parent, &made);
        if (round % 3 == 1) MPI_Comm_split(work->parent, 0, (work->id % 2 ? -1 : 1) * me, &made);
        if (round % 3 == 2) {
            MPI_Comm_idup(work->parent, &made, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Comm_dup(made, &again);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, again);
        MPI_Comm_size(again, &members);
        work->failures += sum != size || members != size;
        MPI_Comm_free(&made);
        MPI_Comm_free(&again);
    }
    return NULL;
}

static void by_threads(void) {
    pthread_t handles[threads];
    struct Work work[threads];
    for (int i = 0; i < threads; i++) {
        work[i] = (struct Work){.id = i};
        MPI_Comm_dup(MPI_COMM_WORLD, &work[i].parent);
    }
    for (int i = 0; i < threads; i++) CHECK(pthread_create(&handles[i], NULL, make_many, &work[i]) == 0);
    for (int i = 0; i < threads; i++) CHECK(pthread_join(handles[i], NULL) == 0);
    for (int i = 0; i < threads; i++) {
        say("thread %d: %d failures", i, work[i].failures);
        MPI_Comm_free(&work[i].parent);
    }
}

int main(int argc, char** argv) {
    int provided, with_threads = argc > 1;
    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_allow_overtaking", "false");
    if (with_threads) by_threads();
    duplicates(info);
    splits();
    from_groups();
    grids();
    graphs();
    names_and_info(info);
    MPI_Info_free(&info);
    say_out();
    MPI_Finalize();
    return 0;
}
