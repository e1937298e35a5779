/* Epochs of a window in a ring, which the ranks enter at different times. Usage: epochs ROUNDS. Each round has a put
 * between two fences, a put between MPI_Win_start and MPI_Win_complete, and a put under a lock. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { page = 4096 }; /* MPICH 4.0 mixes the ranks' memory up in windows of 12 bytes. */

static int rank, size;

static void somewhat_later(void) {
    const struct timespec pause = {0, rand() % 400 * 1000};
    nanosleep(&pause, NULL);
}

static void put(const int* value, MPI_Win win, int to, int slot) {
    MPI_Put(value, 1, MPI_INT, to, slot, 1, MPI_INT, win);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand((unsigned)rank);
    const int rounds = argc > 1 ? atoi(argv[1]) : 10, next = (rank + 1) % size, before = (rank + size - 1) % size;
    int *memory, wrong = 0;
    MPI_Win win;
    MPI_Group world, to, from;
    MPI_Win_allocate(page, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &before, &from);
    for (int round = 0; round < rounds; ++round) {
        const int value = round * size + rank, expected = round * size + before;
        MPI_Win_fence(round % 2 ? MPI_MODE_NOPRECEDE : 0, win);
        somewhat_later();
        put(&value, win, next, 0);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        wrong += memory[0] != expected;
        MPI_Win_post(from, 0, win);
        somewhat_later();
        MPI_Win_start(to, 0, win);
        put(&value, win, next, 1);
        somewhat_later();
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        wrong += memory[1] != expected;
        MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
        put(&value, win, next, 2);
        MPI_Win_unlock(next, win);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong != 0;
}
