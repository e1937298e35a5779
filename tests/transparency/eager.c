/* Two ranks that send to each other before they receive. Up to which size does that work? The size must be the same in
 * the traced run. */
#include "say.h"

enum { most = 12000 };
static char *out, *in;

/* Whether on both ranks a message is sent before its receive is posted. */
static int leaves(int size) {
    const double patience = 0.1;
    const int other = 1 - said_rank;
    int done = 0, both = 0;
    MPI_Request request;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, size, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request);
    for (double begin = MPI_Wtime(); !done && MPI_Wtime() - begin < patience;)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Allreduce(&done, &both, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Recv(in, size, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return both;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    out = calloc(1, most), in = calloc(1, most);
    int works = 0, fails = most;
    while (fails - works > 1) {
        const int size = works + (fails - works) / 2;
        leaves(size) ? (works = size) : (fails = size);
    }
    say("up to %d bytes", works);
    for (int size = works > 48 ? works - 48 : 0; size <= works; size += 8) say("%d: %d", size, leaves(size));
    say_out();
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
