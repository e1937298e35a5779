/* Calls that ask the MPI for nothing but a number allocate nothing, traced or not: a signal handler that interrupts one
   may allocate, or call exit(). */
#include "check.h"
#include <stddef.h>

extern void* __libc_malloc(size_t size); /* the C library's own, behind the one below */

static _Thread_local int watched;
static int allocations;

void* malloc(size_t size) {
    if (watched) ++allocations;
    return __libc_malloc(size);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int rank = rank_in(MPI_COMM_WORLD);
    int own = 0;
    int flag = 0;
    watched = 1;
    for (int i = 0; i < 100000; ++i) {
        MPI_Comm_rank(i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD, &own);
        MPI_Initialized(&flag);
    }
    watched = 0;
    if (rank == 0) printf("%d allocations\n", allocations);
    CHECK(allocations == 0);
    MPI_Finalize();
    return 0;
}
