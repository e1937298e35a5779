/* Problems with windows, for planted.c. */
#include "marks.h"

static void fence_late(void) {
    int memory[8] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        meet();
        if (rank == 0) work(seconds);
        mark();
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
}

/* Rank 1 puts into the memory of rank 0, and completes the access late. */
static void late_complete(void) {
    int memory[1024] = {0}, other = 1 - rank;
    MPI_Win win;
    MPI_Group all, group;
    MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &other, &group);
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        if (rank == 0) {
            MPI_Win_post(group, 0, win);
            meet();
            mark();
            MPI_Win_wait(win);
        } else {
            MPI_Win_start(group, 0, win);
            MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
            meet();
            work(seconds);
            mark();
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}

/* Rank 0 holds the lock of rank 2's memory for longer than it needs, and rank 1 wants the lock, too. */
static void held_lock(void) {
    int* memory;
    MPI_Win win;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) work(seconds / 4);
        if (rank == 1) mark();
        if (rank <= 1) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
            MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
            MPI_Win_flush(2, win);
            if (rank == 0) work(seconds);
            if (rank == 0) mark();
            MPI_Win_unlock(2, win);
        } else {
            mark();
            work(seconds);
        }
    }
    MPI_Win_free(&win);
}
