/* Neighbors in a ring exchange data again and again. Usage: halo SECONDS [MICROSECONDS between exchanges] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { values = 64 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
    double mine[values] = {1}, left[values], right[values];
    int rank, size, go = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const double end = seconds() + (argc > 1 ? atof(argv[1]) : 1);
    const long pause_us = argc > 2 ? atol(argv[2]) : 300;
    const struct timespec pause = {0, 1000 * pause_us};
    const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
    for (long step = 0; go; ++step) {
        MPI_Request request[4];
        MPI_Status status[4];
        MPI_Irecv(left, values, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(right, values, MPI_DOUBLE, behind, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(mine, values, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(mine, values, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, status);
        for (int i = 0; i < values; ++i) mine[i] = 0.25 * (left[i] + right[i]) + 0.5 * mine[i];
        if (step % 20 == 0) {
            go = seconds() < end;
            MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
        if (pause_us > 0) nanosleep(&pause, NULL);
    }
    MPI_Finalize();
    if (rank == 0) printf("halo: done\n");
    return 0;
}
