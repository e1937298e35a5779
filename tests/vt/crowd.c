/* Threads that use VT.h while MPI_Finalize ends the recording. Nothing must break, and the trace must be complete. It
 * is run plain and traced. */
#include <VT.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { threads = 3 };

static atomic_int over;

static void* beat(void* unused) {
    int region, counter;
    VT_funcdef("beat", VT_NOCLASS, &region);
    VT_countdef("beats", VT_NOCLASS, VT_COUNT_INTEGER64, VT_ME, NULL, NULL, &counter);
    for (long long i = 0; !atomic_load(&over); i++) {
        VT_begin(region);
        VT_countval(1, &counter, &i);
        VT_end(region);
    }
    return unused;
}

int main(int argc, char** argv) {
    int rank;
    pthread_t crowd[threads];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&crowd[i], NULL, beat, NULL) != 0) exit(1);
    usleep(20000);
    MPI_Finalize();
    usleep(20000);
    atomic_store(&over, 1);
    for (int i = 0; i < threads; i++) pthread_join(crowd[i], NULL);
    if (rank == 0) printf("done\n");
    return 0;
}
