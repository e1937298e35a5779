/* Rank 1 reads its input for two seconds before it calls MPI_Init, and the others wait there. */
#include "planted.h"

void read_input(void) { spend_ms(2000); }

int main(int argc, char** argv) {
    double part = 1, all = 0;
    const char* mpich = getenv("PMI_RANK");
    const char* openmpi = getenv("OMPI_COMM_WORLD_RANK");
    sleeps = argc > 1 && strcmp(argv[1], "sleep") == 0;
    if (atoi(mpich != NULL ? mpich : openmpi) == 1) read_input();
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 50; ++step) {
        compute_for_ms(20);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
