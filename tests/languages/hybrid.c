/* OpenMP and MPI. Usage: hybrid funneled | multiple. With `funneled` the master thread communicates, between parallel
 * regions and inside of one. With `multiple` every thread does, on its own communicator and with its own tag. */
#include "check.h"
#include <omp.h>
#include <string.h>

enum { thread_count = 4, numbers = 100, rounds = 25 };

static int next(MPI_Comm comm) { return (rank_in(comm) + 1) % size_of(comm); }
static int previous(MPI_Comm comm) { return (rank_in(comm) + size_of(comm) - 1) % size_of(comm); }

static void funneled(void) {
    double field[numbers], halo[numbers];
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel for
        for (int i = 0; i < numbers; i++) field[i] = i + round;
        MPI_Sendrecv(field, numbers, MPI_DOUBLE, next(MPI_COMM_WORLD), 1, halo, numbers, MPI_DOUBLE,
                     previous(MPI_COMM_WORLD), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel
        {
#pragma omp master
            MPI_Allreduce(MPI_IN_PLACE, field, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#pragma omp barrier
#pragma omp for
            for (int i = 0; i < numbers; i++) CHECK(halo[i] == i + round);
        }
    }
}

static void multiple(void) {
    MPI_Comm own[thread_count];
    for (int i = 0; i < thread_count; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
        MPI_Comm comm = own[thread];
        for (int round = 0; round < rounds; round++) {
            int mine[2] = {thread, round}, theirs[2];
            MPI_Request both[2];
            MPI_Irecv(theirs, 2, MPI_INT, previous(comm), 1, comm, &both[0]);
            MPI_Isend(mine, 2, MPI_INT, next(comm), 1, comm, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
            CHECK(memcmp(mine, theirs, sizeof mine) == 0);
            MPI_Sendrecv(mine, 2, MPI_INT, next(comm), 10 + thread, theirs, 2, MPI_INT, previous(comm), 10 + thread,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(memcmp(mine, theirs, sizeof mine) == 0);
        }
        MPI_Barrier(comm);
    }
    for (int i = 0; i < thread_count; i++) MPI_Comm_free(&own[i]);
}

int main(int argc, char** argv) {
    const int all = argc > 1 && strcmp(argv[1], "multiple") == 0;
    int provided;
    MPI_Init_thread(&argc, &argv, all ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
    CHECK(provided >= (all ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED));
    omp_set_dynamic(0);
    omp_set_num_threads(thread_count);
    if (all)
        multiple();
    else
        funneled();
    say_done("hybrid");
    MPI_Finalize();
    return 0;
}
