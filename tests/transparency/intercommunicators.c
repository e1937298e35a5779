/* Intercommunicators: point-to-point, every collective that is allowed on them, blocking and non-blocking, and what is
 * made from them. There are two groups, so it needs at least two ranks. */
#include "say.h"

enum { most = 64, room = most * 4 };

static int me, mine, local, remote, side;
static MPI_Comm half, bridge;
static int out[room], in[room], counts[most], starts[most];
static MPI_Datatype types[most];

static void fresh(void) {
    for (int i = 0; i < room; i++) {
        out[i] = me * 1000 + i;
        in[i] = -1;
    }
}

static void done(const char* name, int code) {
    say_code(name, code);
    say_bytes(name, in, sizeof in);
    fresh();
}

static void finish(const char* name, int code, MPI_Request* request) {
    say_code(name, code);
    done(name, MPI_Wait(request, MPI_STATUS_IGNORE));
}

/* Every rank sends to the remote rank with the same number, or to the last one. */
static void point_to_point(void) {
    int to = mine < remote ? mine : remote - 1, expected = mine < remote, value = me, got;
    MPI_Request request;
    if (mine == local - 1 && remote > local) expected = remote - local + 1;
    MPI_Isend(&value, 1, MPI_INT, to, 3, bridge, &request);
    for (int i = 0; i < expected; i++) {
        MPI_Status status = untouched_status();
        int from = mine + i;
        got = -1;
        TRY(MPI_Probe(from, MPI_ANY_TAG, bridge, &status));
        say_status("probed", &status, MPI_INT);
        TRY(MPI_Recv(&got, 1, MPI_INT, from, 3, bridge, &status));
        say_status("received", &status, MPI_INT);
        say("got %d", got);
    }
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The root is rank 0 of side 0. */
static void rooted(void) {
    const int root = side == 1 ? 0 : mine == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Request request;
    done("bcast", MPI_Bcast(side == 0 ? out : in, 4, MPI_INT, root, bridge));
    done("gather", MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, root, bridge));
    done("gatherv", MPI_Gatherv(out, 1 + mine % 3, MPI_INT, in, counts, starts, MPI_INT, root, bridge));
    done("scatter", MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, bridge));
    done("scatterv", MPI_Scatterv(out, counts, starts, MPI_INT, in, 1 + mine % 3, MPI_INT, root, bridge));
    done("reduce", MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, root, bridge));
    finish("ibcast", MPI_Ibcast(side == 0 ? out : in, 4, MPI_INT, root, bridge, &request), &request);
    finish("igather", MPI_Igather(out, 2, MPI_INT, in, 2, MPI_INT, root, bridge, &request), &request);
    finish("iscatter", MPI_Iscatter(out, 2, MPI_INT, in, 2, MPI_INT, root, bridge, &request), &request);
    finish("ireduce", MPI_Ireduce(out, in, 3, MPI_INT, MPI_MAX, root, bridge, &request), &request);
}

static void to_all(void) {
    MPI_Request request;
    int bytes[most];
    for (int rank = 0; rank < most; rank++) bytes[rank] = rank * 8;
    TRY(MPI_Barrier(bridge));
    done("allgather", MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, bridge));
    done("allgatherv", MPI_Allgatherv(out, 1 + mine % 3, MPI_INT, in, counts, starts, MPI_INT, bridge));
    done("alltoall", MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, bridge));
    int equal[most];
    for (int rank = 0; rank < most; rank++) equal[rank] = 1 + (rank + mine) % 2;
    done("alltoallv", MPI_Alltoallv(out, equal, starts, MPI_INT, in, equal, starts, MPI_INT, bridge));
    done("alltoallw", MPI_Alltoallw(out, equal, bytes, types, in, equal, bytes, types, bridge));
    done("allreduce", MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, bridge));
    /* Both sides must contribute equally many: one for each pair of ranks. */
    for (int rank = 0; rank < local; rank++) equal[rank] = remote;
    done("reduce_scatter", MPI_Reduce_scatter(out, in, equal, MPI_INT, MPI_SUM, bridge));
    done("reduce_scatter_block", MPI_Reduce_scatter_block(out, in, remote, MPI_INT, MPI_SUM, bridge));
    finish("ibarrier", MPI_Ibarrier(bridge, &request), &request);
    finish("iallgather", MPI_Iallgather(out, 2, MPI_INT, in, 2, MPI_INT, bridge, &request), &request);
    finish("ialltoall", MPI_Ialltoall(out, 2, MPI_INT, in, 2, MPI_INT, bridge, &request), &request);
    finish("iallreduce", MPI_Iallreduce(out, in, 3, MPI_INT, MPI_SUM, bridge, &request), &request);
    TRY(MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, bridge)); /* not allowed */
}

static void say_comm(const char* what, MPI_Comm comm) {
    int inter = 7, ranks = 0, others = 0, result;
    if (comm == MPI_COMM_NULL) {
        say("%s: null", what);
        return;
    }
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_size(comm, &ranks);
    if (inter) MPI_Comm_remote_size(comm, &others);
    MPI_Comm_compare(comm, bridge, &result);
    say("%s: inter %d size %d rank %d remote %d compared %d", what, inter, ranks, rank_in(comm), others, result);
}

static void makers(void) {
    MPI_Comm made;
    MPI_Group group;
    TRY(MPI_Comm_dup(bridge, &made));
    say_comm("dup", made);
    MPI_Comm_free(&made);
    TRY(MPI_Comm_split(bridge, mine % 2, -mine, &made));
    say_comm("split", made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Comm_group(bridge, &group);
    TRY(MPI_Comm_create(bridge, group, &made));
    say_comm("create", made);
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    MPI_Group_free(&group);
    TRY(MPI_Comm_remote_group(bridge, &group));
    MPI_Group_size(group, &in[0]);
    say("remote group: %d", in[0]);
    MPI_Group_free(&group);
    TRY(MPI_Intercomm_merge(bridge, side, &made));
    say_comm("merge", made);
    MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    side = me % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, me, &half);
    TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 21, &bridge));
    mine = rank_in(bridge);
    local = size_of(bridge);
    MPI_Comm_remote_size(bridge, &remote);
    for (int rank = 0; rank < most; rank++) {
        counts[rank] = 1 + rank % 3;
        starts[rank] = rank * 3;
        types[rank] = MPI_INT;
    }
    fresh();
    point_to_point();
    fresh();
    rooted();
    to_all();
    makers();
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
    say_out();
    MPI_Finalize();
    return 0;
}
