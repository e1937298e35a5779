/* The program that made the traces in this folder: some records of every kind, on 4 ranks, in a few milliseconds. */
#include "VT.h"

#include <mpi.h>
#include <stdlib.h>

static int rank, size;

static void messages(void) {
    int out[64] = {0}, in[64];
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int i = 0; i < 5; i++) {
        MPI_Sendrecv(out, 64, MPI_INT, right, 1, in, 64, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request requests[2];
        MPI_Irecv(in, 64, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 8 * i, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Status statuses[2];
        MPI_Waitall(2, requests, statuses);
    }
    MPI_Request persistent[2];
    MPI_Send_init(out, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &persistent[0]);
    MPI_Recv_init(in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &persistent[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, persistent);
        MPI_Status statuses[2];
        MPI_Waitall(2, persistent, statuses);
    }
    MPI_Request_free(&persistent[0]);
    MPI_Request_free(&persistent[1]);
    int flag;
    MPI_Iprobe(left, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Request canceled;
    MPI_Irecv(in, 1, MPI_INT, left, 10, MPI_COMM_WORLD, &canceled);
    MPI_Cancel(&canceled);
    MPI_Wait(&canceled, MPI_STATUS_IGNORE);
    static char large[100000];
    if (rank == 0) MPI_Send(large, sizeof large, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Status status;
        MPI_Probe(0, 4, MPI_COMM_WORLD, &status);
        MPI_Recv(large, sizeof large, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
    }
}

static void collectives(void) {
    double mine = rank, sum, all[4];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(&mine, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD);
    MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scan(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    int counts[4] = {1, 0, 1, 1}, starts[4] = {0, 1, 1, 2};
    MPI_Allgatherv(&mine, counts[rank], MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void) {
    MPI_Comm half, bridge;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &bridge);
    int value = rank, other;
    MPI_Sendrecv(&value, 1, MPI_INT, rank / 2, 6, &other, 1, MPI_INT, rank / 2, 6, bridge, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_SUM, bridge);
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

static void window_and_file(const char* path) {
    int memory[4] = {0}, value = rank;
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, rank, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 4 || argc != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    int physics, solve, counter;
    VT_classdef("physics", &physics);
    VT_funcdef("solve", physics, &solve);
    const double bounds[2] = {0, 100};
    VT_countdef("temperature", physics, VT_COUNT_FLOAT, VT_ME, bounds, "K", &counter);
    VT_enter(solve, VT_NOSCL);
    messages();
    collectives();
    double temperature = 20 + rank;
    VT_countval(1, &counter, &temperature);
    VT_leave(VT_NOSCL);
    VT_traceoff();
    MPI_Barrier(MPI_COMM_WORLD);
    VT_traceon();
    communicators();
    window_and_file(argv[1]);
    if (rank == 3) MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
