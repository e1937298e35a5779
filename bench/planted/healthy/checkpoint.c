/* Ranks compute long between two small checkpoints, which they write together. */
#include "planted.h"

int main(int argc, char** argv) {
    static double state[8192];
    MPI_File file;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    MPI_File_open(MPI_COMM_WORLD, "state.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (int step = 0; step < 10; ++step) {
        compute_for_ms(250);
        MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof state, state, 8192, MPI_DOUBLE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
}
