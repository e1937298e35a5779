/* Persistent collectives (MPI 4), each restarted: plain, in place, with counts and types per rank, and several started
 * at once. Any number of ranks. */
#include "say.h"

enum { most = 64, room = most * 8, rounds = 3 };

static int me, size;
static int out[room], in[room], counts[most], starts[most], bytes[most];
static MPI_Datatype types[most];
static MPI_Request request;

/* Runs the persistent operation that `code` made a few times, over new values. */
static void run(const char* name, int code) {
    say_code(name, code);
    for (int round = 0; round < rounds; round++) {
        MPI_Status status = untouched_status();
        int flag = 0;
        for (int i = 0; i < room; i++) {
            out[i] = me * 1000 + round * 100 + i;
            in[i] = me - i;
        }
        say_code("start", round % 2 ? MPI_Start(&request) : MPI_Startall(1, &request));
        if (round % 2)
            say_code("wait", MPI_Wait(&request, &status));
        else
            while (!flag) MPI_Test(&request, &flag, &status);
        say("error %s null %d", status.MPI_ERROR == untouched ? "untouched" : "set", request == MPI_REQUEST_NULL);
        say_bytes(name, in, sizeof in);
    }
    say_code("free", MPI_Request_free(&request));
}

#define ON MPI_COMM_WORLD, MPI_INFO_NULL, &request

static void rooted(int root) {
    const void* out_or_in_place = me == root ? MPI_IN_PLACE : (void*)out;
    run("bcast", MPI_Bcast_init(in, 5, MPI_INT, root, ON));
    run("gather", MPI_Gather_init(out, 3, MPI_INT, in, 3, MPI_INT, root, ON));
    run("gather in place", MPI_Gather_init(out_or_in_place, 3, MPI_INT, in, 3, MPI_INT, root, ON));
    run("gatherv", MPI_Gatherv_init(out, counts[me], MPI_INT, in, counts, starts, MPI_INT, root, ON));
    /* MPICH 4.0 hangs in a persistent scatter of more than two ranks. */
    if (size <= 2) run("scatter", MPI_Scatter_init(out, 3, MPI_INT, in, 3, MPI_INT, root, ON));
    run("scatterv", MPI_Scatterv_init(out, counts, starts, MPI_INT, in, counts[me], MPI_INT, root, ON));
    run("reduce", MPI_Reduce_init(out, in, 5, MPI_INT, MPI_SUM, root, ON));
}

static void to_all(void) {
    int equal[most];
    for (int rank = 0; rank < size; rank++) equal[rank] = 1 + (me + rank) % 3;
    run("barrier", MPI_Barrier_init(ON));
    run("allgather", MPI_Allgather_init(out, 3, MPI_INT, in, 3, MPI_INT, ON));
    run("allgather in place", MPI_Allgather_init(MPI_IN_PLACE, 0, MPI_INT, in, 3, MPI_INT, ON));
    run("allgatherv", MPI_Allgatherv_init(out, counts[me], MPI_INT, in, counts, starts, MPI_INT, ON));
    run("alltoall", MPI_Alltoall_init(out, 3, MPI_INT, in, 3, MPI_INT, ON));
    run("alltoallv", MPI_Alltoallv_init(out, equal, starts, MPI_INT, in, equal, starts, MPI_INT, ON));
    run("alltoallw", MPI_Alltoallw_init(out, equal, bytes, types, in, equal, bytes, types, ON));
    run("allreduce", MPI_Allreduce_init(out, in, 5, MPI_INT, MPI_MAX, ON));
    run("reduce_scatter", MPI_Reduce_scatter_init(out, in, counts, MPI_INT, MPI_SUM, ON));
    run("reduce_scatter_block", MPI_Reduce_scatter_block_init(out, in, 2, MPI_INT, MPI_SUM, ON));
    run("scan", MPI_Scan_init(out, in, 5, MPI_INT, MPI_SUM, ON));
    run("exscan", MPI_Exscan_init(out, in, 5, MPI_INT, MPI_SUM, ON));
}

/* Not with MPI_Waitany, which does not wait for persistent collectives in MPICH 4.0. */
static void several(void) {
    enum { open = 4 };
    MPI_Request requests[open];
    int sums[open];
    MPI_Status statuses[open];
    for (int i = 0; i < open; i++)
        MPI_Allreduce_init(&out[i], &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < open; i++) out[i] = me + round + i;
        TRY(MPI_Startall(open, requests));
        if (round == 0) TRY(MPI_Waitall(open, requests, statuses));
        for (int flag = 0; round == 1 && !flag;) MPI_Testall(open, requests, &flag, statuses);
        for (int i = open - 1; round == 2 && i >= 0; i--) TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        say_ints("sums", sums, open);
    }
    for (int i = 0; i < open; i++) TRY(MPI_Request_free(&requests[i]));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    CHECK(size <= most);
    for (int rank = 0; rank < size; rank++) {
        counts[rank] = 1 + rank % 3;
        starts[rank] = rank * 4;
        bytes[rank] = rank * 16;
        types[rank] = MPI_INT;
    }
    rooted(0);
    rooted(size - 1);
    to_all();
    several();
    say_out();
    MPI_Finalize();
    return 0;
}
