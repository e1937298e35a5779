/* The floating-point environment of the program's thread. Calls of all kinds leave its flags as the MPI leaves them,
 * work while a raised flag would end the program, and neither change nor heed its rounding mode. */
#include "say.h"

#include <fenv.h>
#include <pthread.h>

enum { rounds = 5000 }; /* more than a buffer of records holds */

#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 40200000
enum { watched = FE_ALL_EXCEPT & ~FE_INEXACT }; /* UCX raises that one when it first sends a message of some kind */
#else
enum { watched = FE_ALL_EXCEPT };
#endif

static int peer;

static void exchange(int bytes, int tag) {
    static char out[4096], in[4096];
    MPI_Request requests[2];
    MPI_Irecv(in, sizeof in, MPI_BYTE, peer, tag, MPI_COMM_WORLD, requests);
    MPI_Isend(out, bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, requests + 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void calls(void) {
    static const int sizes[] = {0, 4, 8, 100, 2048, 2060, 4000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) exchange(sizes[i], (int)i);
    for (int i = 0; i < rounds; ++i) exchange(8, 9);
    int sum = 0;
    MPI_Allreduce(&peer, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "copy");
    MPI_Comm_free(&copy);
    MPI_Pcontrol(1);
}

static void* with_thread(void* arg) { /* its first call makes what a thread needs */
    exchange(8, 11);
    *(int*)arg = fetestexcept(watched);
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    say_begin();
    peer = 1 - rank_in(MPI_COMM_WORLD);
    feclearexcept(FE_ALL_EXCEPT);
    calls();
    say("flags %x", fetestexcept(watched));
    int flags = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, with_thread, &flags);
    pthread_join(thread, NULL);
    say("flags of a thread %x", flags);
    fesetround(FE_UPWARD);
    calls();
    say("rounding %x", fegetround());
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(watched);
    calls();
    say("trapping %x", fegetexcept());
    fedisableexcept(FE_ALL_EXCEPT);
    say_out();
    MPI_Finalize();
    return 0;
}
