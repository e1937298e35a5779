/* Threads that use VT.h while MPI_Finalize ends the recording. Nothing must break, and the trace must be complete. It
 * is run plain and traced. */
#include <VT.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { threads = 3, enough = 1000 };

static atomic_int over;
static atomic_llong beats[threads];

static void* beat(void* own_beats) {
    atomic_llong* const done = own_beats;
    int region, counter;
    VT_funcdef("beat", VT_NOCLASS, &region);
    VT_countdef("beats", VT_NOCLASS, VT_COUNT_INTEGER64, VT_ME, NULL, NULL, &counter);
    for (long long i = 0; !atomic_load(&over); i++) {
        VT_begin(region);
        VT_countval(1, &counter, &i);
        VT_end(region);
        atomic_store(done, i + 1);
    }
    return NULL;
}

static void wait_for_more_beats(void) {
    for (int i = 0; i < threads; i++) {
        const long long before = atomic_load(&beats[i]);
        while (atomic_load(&beats[i]) < before + enough) usleep(1000);
    }
}

int main(int argc, char** argv) {
    int rank;
    pthread_t crowd[threads];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&crowd[i], NULL, beat, &beats[i]) != 0) exit(1);
    wait_for_more_beats();
    MPI_Finalize();
    wait_for_more_beats();
    atomic_store(&over, 1);
    for (int i = 0; i < threads; i++) pthread_join(crowd[i], NULL);
    if (rank == 0) printf("done\n");
    return 0;
}
