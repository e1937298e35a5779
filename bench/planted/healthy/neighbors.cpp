// A ring in which each rank gives its neighbors their halos with a neighborhood collective.
#include "planted.h"

#include <vector>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    const int extent[] = {ranks};
    const int periodic[] = {1};
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, extent, periodic, 0, &ring);
    std::vector<double> edges(2048), halos(2048);
    for (int step = 0; step < 150; ++step) {
        compute_for_ms(16);
        MPI_Neighbor_alltoall(edges.data(), 1024, MPI_DOUBLE, halos.data(), 1024, MPI_DOUBLE, ring);
    }
    MPI_Comm_free(&ring);
    MPI_Finalize();
}
