// A master takes longer to choose a task than its two workers take to do it.
#include "planted.h"

namespace {

constexpr int tasks = 100;

struct Master {
    int left = tasks;
    int choose_task() { // here
        spend_ms(25);
        return left-- > 0 ? 1 : 0;
    }
};

void lead() {
    Master master;
    int result = 0;
    for (int working = ranks - 1; working > 0;) {
        MPI_Status status;
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        const int task = master.choose_task();
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD); // here
        if (task == 0) --working;
    }
}

void work() {
    int task = 0;
    do {
        MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // here
        compute_ms(5);
    } while (task != 0);
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    begin(argc, argv);
    if (rank == 0)
        lead();
    else
        work();
    MPI_Finalize();
}
