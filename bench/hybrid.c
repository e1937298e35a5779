/* A program of ranks with threads, for bench/programs: relaxes a square grid with OpenMP. After each sweep the rank
 * sends its rim to itself and adds up the change with all others.   hybrid SWEEPS | SLICES UNMEASURED MEASURED, which
 * are numbers of sweeps in slices (slices.h) */
#include "slices.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { width = 1024 };
static double grid[2][width][width];

static double relax(double (*from)[width], double (*to)[width]) {
    double change = 0;
#pragma omp parallel for reduction(+ : change)
    for (int row = 1; row < width - 1; ++row)
        for (int at = 1; at < width - 1; ++at) {
            const double mean = 0.25 * (from[row - 1][at] + from[row + 1][at] + from[row][at - 1] + from[row][at + 1]);
            change += fabs(mean - from[row][at]);
            to[row][at] = mean;
        }
    return change;
}

static void make_sweeps(void* change, int sweeps) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        const double own = relax(grid[sweep % 2], grid[1 - sweep % 2]);
        double rim[width];
        MPI_Sendrecv(grid[1 - sweep % 2][1], width, MPI_DOUBLE, rank, 0, rim, width, MPI_DOUBLE, rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&own, change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int at = 0; at < width; ++at) grid[0][0][at] = grid[1][0][at] = 1;
    double change = 0;
    if (argc == 4)
        run_slices(atoi(argv[1]), make_sweeps, &change, atoi(argv[2]), atoi(argv[3]));
    else
        make_sweeps(&change, argc > 1 ? atoi(argv[1]) : 100);
    if (rank == 0) printf("change %g\n", change);
    MPI_Finalize();
    return 0;
}
