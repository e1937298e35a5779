/* Every non-blocking collective on an intracommunicator: plain, in place, with counts per rank and types per rank, many
 * at the same time and completed out of order; user-defined operations that do not commute. Any number of ranks. */
#include "say.h"

enum { most = 64, per_rank = 3, room = most * per_rank * 2 };

static int me, size;
static int out[room], in[room], counts[most], starts[most], byte_starts[most];
static MPI_Datatype types[most];
static MPI_Request request;

/* Gives the left value if it is odd, else the right value. This is associative, but does not commute. */
static void first_odd(void* left, void* right, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; i++)
        if (((int*)left)[i] % 2) ((int*)right)[i] = ((int*)left)[i];
}

static void fresh(void) {
    for (int i = 0; i < room; i++) {
        out[i] = me * 1001 + i;
        in[i] = -1 - i;
    }
}

static void finish(const char* name, int code) {
    MPI_Status status = untouched_status();
    int flag = 0;
    say_code(name, code);
    if (said_lines % 2 == 0) {
        while (!flag) MPI_Test(&request, &flag, &status);
    } else {
        say_code("wait", MPI_Wait(&request, &status));
    }
    say("error %s null %d", status.MPI_ERROR == untouched ? "untouched" : "set", request == MPI_REQUEST_NULL);
    say_bytes(name, in, sizeof in);
    fresh();
}

static void rooted(int root) {
    void* in_place_out = me == root ? MPI_IN_PLACE : (void*)out;
    void* in_place_in = me == root ? MPI_IN_PLACE : (void*)in;
    finish("ibcast", MPI_Ibcast(in, 5, MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("igather", MPI_Igather(out, per_rank, MPI_INT, in, per_rank, MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("igather in place",
           MPI_Igather(in_place_out, per_rank, MPI_INT, in, per_rank, MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("igatherv",
           MPI_Igatherv(out, counts[me], MPI_INT, in, counts, starts, MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("iscatter", MPI_Iscatter(out, per_rank, MPI_INT, in, per_rank, MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("iscatter in place",
           MPI_Iscatter(out, per_rank, MPI_INT, in_place_in, per_rank, MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("iscatterv",
           MPI_Iscatterv(out, counts, starts, MPI_INT, in, counts[me], MPI_INT, root, MPI_COMM_WORLD, &request));
    finish("ireduce", MPI_Ireduce(out, in, 7, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD, &request));
    finish("ireduce in place", MPI_Ireduce(me == root ? MPI_IN_PLACE : (void*)out, in, 7, MPI_INT, MPI_SUM, root,
                                           MPI_COMM_WORLD, &request));
}

static void to_all(void) {
    finish("ibarrier", MPI_Ibarrier(MPI_COMM_WORLD, &request));
    finish("iallgather", MPI_Iallgather(out, per_rank, MPI_INT, in, per_rank, MPI_INT, MPI_COMM_WORLD, &request));
    finish("iallgather in place",
           MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, in, per_rank, MPI_INT, MPI_COMM_WORLD, &request));
    finish("iallgatherv",
           MPI_Iallgatherv(out, counts[me], MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD, &request));
    finish("iallgatherv in place",
           MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, starts, MPI_INT, MPI_COMM_WORLD, &request));
    finish("ialltoall", MPI_Ialltoall(out, per_rank, MPI_INT, in, per_rank, MPI_INT, MPI_COMM_WORLD, &request));
    finish("ialltoall in place",
           MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_INT, in, per_rank, MPI_INT, MPI_COMM_WORLD, &request));
    int equal[most];
    for (int rank = 0; rank < size; rank++) equal[rank] = 1 + (me + rank) % 3;
    finish("ialltoallv",
           MPI_Ialltoallv(out, equal, starts, MPI_INT, in, equal, starts, MPI_INT, MPI_COMM_WORLD, &request));
    finish("ialltoallv in place",
           MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, in, equal, starts, MPI_INT, MPI_COMM_WORLD, &request));
    finish("ialltoallw",
           MPI_Ialltoallw(out, equal, byte_starts, types, in, equal, byte_starts, types, MPI_COMM_WORLD, &request));
    finish("ialltoallw in place",
           MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, equal, byte_starts, types, MPI_COMM_WORLD, &request));
}

static void reducing(MPI_Op op) {
    finish("iallreduce", MPI_Iallreduce(out, in, 7, MPI_INT, op, MPI_COMM_WORLD, &request));
    finish("iallreduce in place", MPI_Iallreduce(MPI_IN_PLACE, in, 7, MPI_INT, op, MPI_COMM_WORLD, &request));
    finish("ireduce_scatter", MPI_Ireduce_scatter(out, in, counts, MPI_INT, op, MPI_COMM_WORLD, &request));
    finish("ireduce_scatter_block", MPI_Ireduce_scatter_block(out, in, 2, MPI_INT, op, MPI_COMM_WORLD, &request));
    finish("iscan", MPI_Iscan(out, in, 7, MPI_INT, op, MPI_COMM_WORLD, &request));
    finish("iscan in place", MPI_Iscan(MPI_IN_PLACE, in, 7, MPI_INT, op, MPI_COMM_WORLD, &request));
    finish("iexscan", MPI_Iexscan(out, in, 7, MPI_INT, op, MPI_COMM_WORLD, &request));
}

/* Started in the same order on all ranks, completed in a different order on each rank. */
static void many_at_once(void) {
    enum { open = 12 };
    MPI_Request requests[open];
    MPI_Status statuses[open];
    int sums[open], values[open], everyone[open][most], index;
    for (int i = 0; i < open; i++) {
        values[i] = me + i;
        statuses[i] = untouched_status();
        if (i % 3 == 0) MPI_Iallreduce(&values[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
        if (i % 3 == 1) MPI_Ibcast(&values[i], 1, MPI_INT, i % size, MPI_COMM_WORLD, &requests[i]);
        if (i % 3 == 2) MPI_Iallgather(&values[i], 1, MPI_INT, everyone[i], 1, MPI_INT, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 4; i++) MPI_Wait(&requests[(i * 5 + me) % open], &statuses[i]);
    MPI_Waitany(open, requests, &index, MPI_STATUS_IGNORE);
    TRY(MPI_Waitall(open, requests, statuses));
    for (int i = 0; i < open; i++) {
        if (i % 3 == 0) say("sum %d", sums[i]);
        if (i % 3 == 1) say("value %d", values[i]);
        if (i % 3 == 2) say_ints("everyone", everyone[i], size);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    CHECK(size <= most);
    for (int rank = 0; rank < size; rank++) {
        counts[rank] = 1 + rank % 3;
        starts[rank] = rank * (per_rank + 1);
        byte_starts[rank] = starts[rank] * (int)sizeof(int);
        types[rank] = MPI_INT;
    }
    MPI_Op odd;
    MPI_Op_create(first_odd, 0, &odd);
    fresh();
    rooted(0);
    rooted(size - 1);
    to_all();
    reducing(MPI_SUM);
    reducing(odd);
    many_at_once();
    MPI_Op_free(&odd);
    say_out();
    MPI_Finalize();
    return 0;
}
