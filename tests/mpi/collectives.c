/* Every blocking collective, with its v and w variants and MPI_IN_PLACE, on MPI_COMM_WORLD, on its two halves, and on a
 * communicator with the ranks in reverse order, with every root. Any number of ranks. */
#include "check.h"

enum { most_ranks = 64, most_items = most_ranks * most_ranks };

static int mine[most_items], theirs[most_items], counts[most_ranks], places[most_ranks];

/* Block k of a v variant has k + 1 items. */
static int lay_out_blocks(int size) {
    int total = 0;
    for (int k = 0; k < size; k++) {
        counts[k] = k + 1;
        places[k] = total;
        total += counts[k];
    }
    return total;
}

static void broadcast_and_reduce(MPI_Comm comm, int root) {
    int me = rank_in(comm), size = size_of(comm), value = me == root ? 4711 + root : -1, sum = -1;
    MPI_Bcast(&value, 1, MPI_INT, root, comm);
    CHECK(value == 4711 + root);
    MPI_Reduce(&me, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    CHECK(sum == (me == root ? size * (size - 1) / 2 : -1));
    value = me + 1;
    MPI_Reduce(me == root ? MPI_IN_PLACE : &value, &value, 1, MPI_INT, MPI_MAX, root, comm);
    CHECK(value == (me == root ? size : me + 1));
}

static void gather_and_scatter(MPI_Comm comm, int root) {
    int me = rank_in(comm), size = size_of(comm), value = me * 10;
    MPI_Gather(&value, 1, MPI_INT, theirs, 1, MPI_INT, root, comm);
    for (int k = 0; me == root && k < size; k++) CHECK(theirs[k] == k * 10);
    theirs[me] = me * 10;
    MPI_Gather(me == root ? MPI_IN_PLACE : &value, 1, MPI_INT, theirs, 1, MPI_INT, root, comm);
    for (int k = 0; me == root && k < size; k++) CHECK(theirs[k] == k * 10);
    MPI_Scatter(theirs, 1, MPI_INT, me == root ? MPI_IN_PLACE : &value, 1, MPI_INT, root, comm);
    CHECK(value == me * 10);

    int total = lay_out_blocks(size);
    for (int k = 0; k < counts[me]; k++) mine[k] = me * 100 + k;
    MPI_Gatherv(mine, counts[me], MPI_INT, theirs, counts, places, MPI_INT, root, comm);
    for (int k = 0; me == root && k < size; k++) CHECK(theirs[places[k] + k] == k * 101);
    for (int k = 0; me == root && k < total; k++) theirs[k] += 7;
    MPI_Scatterv(theirs, counts, places, MPI_INT, mine, counts[me], MPI_INT, root, comm);
    for (int k = 0; k < counts[me]; k++) CHECK(mine[k] == me * 100 + k + 7);
}

static void allgather(MPI_Comm comm) {
    int me = rank_in(comm), size = size_of(comm), value = me * 3;
    MPI_Allgather(&value, 1, MPI_INT, theirs, 1, MPI_INT, comm);
    for (int k = 0; k < size; k++) CHECK(theirs[k] == k * 3);
    theirs[me] = me * 4;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, theirs, 1, MPI_INT, comm);
    for (int k = 0; k < size; k++) CHECK(theirs[k] == k * 4);
    lay_out_blocks(size);
    for (int k = 0; k < counts[me]; k++) mine[k] = me * 100 + k;
    MPI_Allgatherv(mine, counts[me], MPI_INT, theirs, counts, places, MPI_INT, comm);
    for (int k = 0; k < size; k++) CHECK(theirs[places[k]] == k * 100 && theirs[places[k] + k] == k * 101);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, theirs, counts, places, MPI_INT, comm);
    for (int k = 0; k < size; k++) CHECK(theirs[places[k] + k] == k * 101);
}

static void all_to_all(MPI_Comm comm) {
    int me = rank_in(comm), size = size_of(comm);
    for (int k = 0; k < size; k++) mine[k] = me * 100 + k;
    MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
    for (int k = 0; k < size; k++) CHECK(theirs[k] == k * 100 + me);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, theirs, 1, MPI_INT, comm);
    for (int k = 0; k < size; k++) CHECK(theirs[k] == me * 100 + k);

    /* Rank k gets k + 1 items from every rank, so every rank gives me + 1 items to this one. */
    int total = lay_out_blocks(size), from[most_ranks], at[most_ranks];
    for (int k = 0; k < total; k++) mine[k] = me;
    for (int k = 0; k < size; k++) from[k] = me + 1, at[k] = k * (me + 1);
    MPI_Alltoallv(mine, counts, places, MPI_INT, theirs, from, at, MPI_INT, comm);
    for (int k = 0; k < size * (me + 1); k++) CHECK(theirs[k] == k / (me + 1));

    MPI_Datatype types[most_ranks];
    for (int k = 0; k < size; k++) types[k] = MPI_INT, places[k] *= (int)sizeof(int), at[k] *= (int)sizeof(int);
    for (int k = 0; k < total; k++) mine[k] = me + 50;
    MPI_Alltoallw(mine, counts, places, types, theirs, from, at, types, comm);
    for (int k = 0; k < size * (me + 1); k++) CHECK(theirs[k] == 50 + k / (me + 1));
}

static void keep_larger(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}

static void reduce_everywhere(MPI_Comm comm) {
    int me = rank_in(comm), size = size_of(comm), sum, value = me;
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, comm);
    CHECK(value == 0);
    MPI_Op larger;
    MPI_Op_create(keep_larger, 1, &larger);
    MPI_Allreduce(&me, &value, 1, MPI_INT, larger, comm);
    CHECK(value == size - 1);
    MPI_Op_free(&larger);
    for (int k = 0; k < size; k++) mine[k] = me + k;
    MPI_Reduce_scatter_block(mine, &value, 1, MPI_INT, MPI_SUM, comm);
    CHECK(value == size * (size - 1) / 2 + size * me);
    int total = lay_out_blocks(size);
    for (int k = 0; k < total; k++) mine[k] = k;
    MPI_Reduce_scatter(mine, theirs, counts, MPI_INT, MPI_SUM, comm);
    for (int k = 0; k <= me; k++) CHECK(theirs[k] == size * (places[me] + k));
    for (int k = 0; k < total; k++) mine[k] = k;
    MPI_Reduce_scatter(MPI_IN_PLACE, mine, counts, MPI_INT, MPI_SUM, comm);
    for (int k = 0; k <= me; k++) CHECK(mine[k] == size * (places[me] + k));
}

static void prefixes(MPI_Comm comm) {
    int me = rank_in(comm), one = me + 1, value = -1;
    MPI_Scan(&one, &value, 1, MPI_INT, MPI_SUM, comm);
    CHECK(value == (me + 1) * (me + 2) / 2);
    value = -1;
    MPI_Exscan(&one, &value, 1, MPI_INT, MPI_SUM, comm);
    CHECK(me == 0 || value == me * (me + 1) / 2);
    MPI_Scan(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, comm);
    CHECK(one == me + 1);
}

static void everything_on(MPI_Comm comm) {
    for (int root = 0; root < size_of(comm); root++) {
        broadcast_and_reduce(comm, root);
        gather_and_scatter(comm, root);
    }
    allgather(comm);
    all_to_all(comm);
    reduce_everywhere(comm);
    prefixes(comm);
    MPI_Barrier(comm);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    CHECK(size <= most_ranks);
    MPI_Comm halves, reversed;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
    everything_on(MPI_COMM_WORLD);
    everything_on(halves);
    everything_on(reversed);
    everything_on(MPI_COMM_SELF);
    MPI_Comm_free(&halves);
    MPI_Comm_free(&reversed);
    say_done("collectives");
    MPI_Finalize();
    return 0;
}
