/* Rank 1 gives its buffer back after each step, so that it has a page fault for every page of the next step. */
#include "planted.h"

#include <sys/mman.h>

enum { bytes = 64 << 20, page = 4096 };
static char* buffer;

void fill_buffer(void) { /* here */
    for (int at = 0; at < bytes; at += page) buffer[at] = 1;
}

int main(int argc, char** argv) {
    double part = 1, all = 0;
    buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(buffer, bytes, MADV_NOHUGEPAGE);
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 80; ++step) {
        fill_buffer();
        compute_for_ms(10);
        if (rank == 1) madvise(buffer, bytes, MADV_DONTNEED);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* here */
    }
    MPI_Finalize();
}
