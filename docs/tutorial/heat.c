/* Heat in a plate, by rows over the ranks: heat chain|exchange|balanced [STEPS]. The plate is hot above, else cold.
 *
 *     chain      a rank waits for the row above it as it is after this step; rank 0 has most rows
 *     exchange   all take the row above as it was before; rank 0 still has most rows
 *     balanced   the same, and all have as many rows
 *
 * A row here is cheap. Where a real one would compute, sweep() sleeps, so that this runs as it should where there
 * are fewer cores than ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { all_rows = 400, columns = 400, nanoseconds_a_row = 25000 };

static int rank, size, rows;     /* rows of this rank, without the two that it has of its neighbors */
static double (*plate)[columns]; /* row 0 is the neighbor's above, row rows + 1 the neighbor's below */
static int above = MPI_PROC_NULL, below = MPI_PROC_NULL;

/* Blocks of 64 rows; rank 0 takes what remains. */
static int rows_in_blocks(void) {
    const int block = all_rows / size / 64 * 64;
    return rank == 0 ? all_rows - block * (size - 1) : block;
}

static int rows_evenly(void) { return all_rows / size + (rank < all_rows % size ? 1 : 0); }

/* Each point becomes the mean of its neighbors. Returns the largest change. */
static double sweep(void) {
    double change = 0;
    for (int row = 1; row <= rows; ++row)
        for (int i = 1; i + 1 < columns; ++i) {
            const double mean = 0.25 * (plate[row - 1][i] + plate[row + 1][i] + plate[row][i - 1] + plate[row][i + 1]);
            const double by = mean > plate[row][i] ? mean - plate[row][i] : plate[row][i] - mean;
            if (by > change) change = by;
            plate[row][i] = mean;
        }
    const struct timespec rest = {0, (long)rows * nanoseconds_a_row};
    nanosleep(&rest, NULL);
    return change;
}

static double step_in_chain(void) {
    MPI_Recv(plate[0], columns, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double change = sweep();
    MPI_Send(plate[rows], columns, MPI_DOUBLE, below, 0, MPI_COMM_WORLD);
    MPI_Send(plate[1], columns, MPI_DOUBLE, above, 1, MPI_COMM_WORLD);
    MPI_Recv(plate[rows + 1], columns, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return change;
}

static double step_by_exchange(void) {
    MPI_Sendrecv(plate[rows], columns, MPI_DOUBLE, below, 0, plate[0], columns, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(plate[1], columns, MPI_DOUBLE, above, 1, plate[rows + 1], columns, MPI_DOUBLE, below, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return sweep();
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char* variant = argc > 1 ? argv[1] : "chain";
    const int steps = argc > 2 ? atoi(argv[2]) : 100;
    rows = strcmp(variant, "balanced") == 0 ? rows_evenly() : rows_in_blocks();
    if (rank > 0) above = rank - 1;
    if (rank + 1 < size) below = rank + 1;
    plate = calloc((size_t)rows + 2, sizeof *plate);
    for (int i = 0; rank == 0 && i < columns; ++i) plate[0][i] = 100;

    double residual = 0;
    const double begin = MPI_Wtime();
    for (int step = 0; step < steps; ++step) {
        const double change = strcmp(variant, "chain") == 0 ? step_in_chain() : step_by_exchange();
        MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("%s: %d steps, %.3f s, residual %.6f\n", variant, steps, MPI_Wtime() - begin, residual);
    free(plate);
    MPI_Finalize();
    return 0;
}
