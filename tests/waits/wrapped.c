/* Rank 1 sleeps before a sum in solve(). Other functions call the same wrappers. */
#include "calls.h"

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { rounds = 20, microseconds = 100000 };

__attribute__((noinline)) static double solve(int rank) {
    double error = 0;
    for (int i = 0; i < rounds; i++) {
        if (rank == 1) usleep(microseconds);
        error += sum_of(rank);
    }
    return error;
}

__attribute__((noinline)) static double read_input(void) {
    double values[8] = {1};
    share(values, 8);
    return values[0];
}

__attribute__((noinline)) static double energy(void) { return sum_of(1) + 1; }

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double input = read_input();
    const double error = solve(rank);
    const double after = energy();
    MPI_Finalize();
    puts(input == 1 && error == rounds && after == 3 ? "done" : "wrong");
    return 0;
}
