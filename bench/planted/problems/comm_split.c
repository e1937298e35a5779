/* Each step makes its communicator anew, which takes longer than the sum that it is made for. */
#include "planted.h"

int main(int argc, char** argv) {
    double part = 1, all = 0;
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    for (int step = 0; step < 40000; ++step) {
        MPI_Comm row;
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &row); /* here */
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, row);
        MPI_Comm_free(&row);
    }
    MPI_Finalize();
}
