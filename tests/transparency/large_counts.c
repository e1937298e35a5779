/* The functions with MPI_Count arguments (MPI 4, `_c`), with counts that are actually small: point-to-point,
 * collectives, types, one-sided, files, packing. Any number of ranks. */
#include "say.h"

enum { most = 64, room = 256 };

static int me, size, right, left;
static int out[room], in[room];
static MPI_Count counts[most];
static MPI_Aint starts[most];
static MPI_Datatype types[most];

static void fresh(void) {
    for (int i = 0; i < room; i++) {
        out[i] = me * 1000 + i;
        in[i] = -1;
    }
}

static void done(const char* what, int code) {
    say_code(what, code);
    say_ints(what, in, 12);
    fresh();
}

static void received(const char* what, int code, const MPI_Status* status) {
    MPI_Count count = -1, elements = -1;
    MPI_Get_count_c(status, MPI_INT, &count);
    MPI_Get_elements_c(status, MPI_INT, &elements);
    say("%s: count %lld elements %lld", what, (long long)count, (long long)elements);
    say_status(what, status, MPI_INT);
    done(what, code);
}

static void point_to_point(void) {
    MPI_Request requests[2];
    MPI_Status status = untouched_status(), both[2] = {untouched_status(), untouched_status()};
    MPI_Message message;
    TRY(MPI_Isend_c(out, 5, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[0]));
    received("recv", MPI_Recv_c(in, room, MPI_INT, left, 1, MPI_COMM_WORLD, &status), &status);
    TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    TRY(MPI_Irecv_c(in, room, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Issend_c(out, 6, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]));
    received("irecv", MPI_Waitall(2, requests, both), &both[0]);
    received("sendrecv", MPI_Sendrecv_c(out, 3, MPI_INT, right, 3, in, room, MPI_INT, left, 3, MPI_COMM_WORLD, &status),
             &status);
    received("sendrecv_replace", MPI_Sendrecv_replace_c(in, 4, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &status),
             &status);
    /* MPICH 4.0 leaves the statuses of these three calls as they were. */
    TRY(MPI_Isendrecv_c(out, 3, MPI_INT, right, 5, in, room, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]));
    done("isendrecv", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    TRY(MPI_Isendrecv(out, 4, MPI_INT, right, 5, in, room, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[0]));
    done("isendrecv, small", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    TRY(MPI_Isendrecv_replace_c(in, 3, MPI_INT, right, 6, left, 6, MPI_COMM_WORLD, &requests[0]));
    done("isendrecv_replace", MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    TRY(MPI_Isend_c(out, 7, MPI_INT, right, 7, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Mprobe(left, 7, MPI_COMM_WORLD, &message, &status));
    received("mrecv", MPI_Mrecv_c(in, room, MPI_INT, &message, &status), &status);
    TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    TRY(MPI_Send_init_c(out, 2, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Recv_init_c(in, room, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[1]));
    for (int round = 0; round < 3; round++) {
        TRY(MPI_Startall(2, requests));
        received("persistent", MPI_Waitall(2, requests, both), &both[1]);
    }
    TRY(MPI_Request_free(&requests[0]));
    TRY(MPI_Request_free(&requests[1]));
}

static void buffered(void) {
    int length = 3 * (int)(sizeof(int) * 8 + MPI_BSEND_OVERHEAD);
    MPI_Count detached = -1;
    void *buffer = malloc((size_t)length), *returned;
    MPI_Status status = untouched_status();
    TRY(MPI_Buffer_attach_c(buffer, length));
    TRY(MPI_Bsend_c(out, 5, MPI_INT, right, 9, MPI_COMM_WORLD));
    received("bsend", MPI_Recv_c(in, room, MPI_INT, left, 9, MPI_COMM_WORLD, &status), &status);
    TRY(MPI_Buffer_detach_c(&returned, &detached));
    say("detached the same: %d %d", returned == buffer, detached == length);
    free(buffer);
}

static void collectives(void) {
    MPI_Request request;
    done("bcast", MPI_Bcast_c(in, 5, MPI_INT, size - 1, MPI_COMM_WORLD));
    done("gather", MPI_Gather_c(out, 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD));
    done("scatter", MPI_Scatter_c(out, 2, MPI_INT, in, 2, MPI_INT, 0, MPI_COMM_WORLD));
    done("allgatherv", MPI_Allgatherv_c(out, counts[me], MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD));
    done("gatherv", MPI_Gatherv_c(out, counts[me], MPI_INT, in, counts, starts, MPI_INT, 0, MPI_COMM_WORLD));
    done("alltoall", MPI_Alltoall_c(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD));
    MPI_Count equal[most];
    for (int rank = 0; rank < size; rank++) equal[rank] = 1 + (me + rank) % 3;
    done("alltoallv", MPI_Alltoallv_c(out, equal, starts, MPI_INT, in, equal, starts, MPI_INT, MPI_COMM_WORLD));
    MPI_Aint bytes[most];
    for (int rank = 0; rank < size; rank++) bytes[rank] = starts[rank] * (MPI_Aint)sizeof(int);
    done("alltoallw", MPI_Alltoallw_c(out, equal, bytes, types, in, equal, bytes, types, MPI_COMM_WORLD));
    done("allreduce", MPI_Allreduce_c(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    done("allreduce in place", MPI_Allreduce_c(MPI_IN_PLACE, in, 5, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    done("reduce_scatter", MPI_Reduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    done("scan", MPI_Scan_c(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Iallreduce_c(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    done("iallreduce", MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Ialltoallv_c(out, equal, starts, MPI_INT, in, equal, starts, MPI_INT, MPI_COMM_WORLD, &request));
    done("ialltoallv", MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Allreduce_init_c(out, in, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    for (int round = 0; round < 2; round++) {
        TRY(MPI_Start(&request));
        done("allreduce_init", MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    TRY(MPI_Request_free(&request));
    done("reduce_local", MPI_Reduce_local_c(out, in, 5, MPI_INT, MPI_SUM));
}

static void add(void* left_values, void* right_values, MPI_Count* count, MPI_Datatype* type) {
    (void)type;
    for (MPI_Count i = 0; i < *count; i++) ((int*)right_values)[i] += ((int*)left_values)[i];
}

static void types_and_operations(void) {
    MPI_Datatype vector, structure;
    MPI_Count lower, extent, bytes, integers, addresses, large, kinds, place = 0;
    int combiner;
    const MPI_Count lengths[2] = {1, 2}, places[2] = {0, 16};
    const MPI_Datatype members[2] = {MPI_INT, MPI_DOUBLE};
    TRY(MPI_Type_vector_c(3, 2, 5, MPI_INT, &vector));
    TRY(MPI_Type_commit(&vector));
    TRY(MPI_Type_create_struct_c(2, lengths, places, members, &structure));
    TRY(MPI_Type_get_extent_c(structure, &lower, &extent));
    TRY(MPI_Type_size_c(vector, &bytes));
    TRY(MPI_Type_get_envelope_c(vector, &integers, &addresses, &large, &kinds, &combiner));
    say("lower %lld extent %lld bytes %lld, %lld %lld %lld %lld, vector %d", (long long)lower, (long long)extent,
        (long long)bytes, (long long)integers, (long long)addresses, (long long)large, (long long)kinds,
        combiner == MPI_COMBINER_VECTOR);
    char packed[256];
    TRY(MPI_Pack_c(out, 1, vector, packed, sizeof packed, &place, MPI_COMM_WORLD));
    say("packed %lld", (long long)place);
    place = 0;
    done("unpack", MPI_Unpack_c(packed, sizeof packed, &place, in, 6, MPI_INT, MPI_COMM_WORLD));
    MPI_Type_free(&vector);
    MPI_Type_free(&structure);
    MPI_Op op;
    TRY(MPI_Op_create_c(add, 1, &op));
    done("own operation", MPI_Allreduce_c(out, in, 5, MPI_INT, op, MPI_COMM_WORLD));
    MPI_Op_free(&op);
}

static void windows_and_files(void) {
    MPI_Win win;
    MPI_File file;
    MPI_Status status = untouched_status();
    static int memory[room];
    TRY(MPI_Win_create_c(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put_c(out, 4, MPI_INT, right, 2, 4, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get_c(in, 6, MPI_INT, right, 0, 6, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    done("get", MPI_Win_free(&win));
    TRY(MPI_File_open(MPI_COMM_WORLD, "large", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    TRY(MPI_File_write_at_all_c(file, me * 32, out, 8, MPI_INT, &status));
    received("read_at_all", MPI_File_read_at_all_c(file, me * 32, in, 8, MPI_INT, &status), &status);
    TRY(MPI_File_close(&file));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    for (int rank = 0; rank < most; rank++) {
        counts[rank] = 1 + rank % 3;
        starts[rank] = rank * 4;
        types[rank] = MPI_INT;
    }
    fresh();
    point_to_point();
    buffered();
    collectives();
    types_and_operations();
    windows_and_files();
    say_out();
    MPI_Finalize();
    return 0;
}
