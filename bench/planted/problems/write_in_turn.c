/* Ranks write one after the other: each waits until the one before it hands over. */
#include "planted.h"

#include <stdio.h>

static char data[1 << 16];

void write_part(void) { /* here */
    FILE* file = fopen("parts.out", "a");
    fwrite(data, 1, sizeof data, file);
    spend_ms(40);
    fclose(file);
}

int main(int argc, char** argv) {
    int turn = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 25; ++step) {
        compute_for_ms(10);
        if (rank > 0) MPI_Recv(&turn, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
        write_part();
        if (rank + 1 < ranks) MPI_Send(&turn, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD); /* here */
    }
    MPI_Finalize();
}
