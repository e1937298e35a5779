/* Many calls that compress badly, for tests of full disks: argv[1] messages to itself, with changing tags. */
#include "check.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int messages = argc > 1 ? atoi(argv[1]) : 10000;
    unsigned random = 12345;
    for (int i = 0; i < messages; ++i) {
        random = random * 1664525U + 1013904223U;
        int sent = i;
        int received = -1;
        const int tag = (int)(random >> 12 & 0x7fff);
        MPI_Request request;
        MPI_Irecv(&received, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
        MPI_Send(&sent, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(received == i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_in(MPI_COMM_WORLD) == 0) printf("many: done\n");
    MPI_Finalize();
    return 0;
}
