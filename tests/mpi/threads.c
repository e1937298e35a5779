/* MPI_THREAD_MULTIPLE: threads that communicate on their own communicators, end, and are followed by new threads. Any
 * number of ranks. Each thread's ring, window and reduction check themselves: a mix-up of threads shows as a wrong
 * value. */
#include "check.h"
#include <pthread.h>

enum { threads = 4, generations = 3, rounds = 40, window = 8 };

struct Work {
    MPI_Comm comm;
    int id, generation;
};

static int stamp(const struct Work* work, int rank, int round, int item) {
    return ((work->generation * threads + work->id) * 100 + rank) * 10000 + round * window + item;
}

static void exchange(const struct Work* work, int me, int size, int round) {
    int right = (me + 1) % size, left = (me + size - 1) % size, sent[window], received[window];
    MPI_Request requests[2 * window];
    MPI_Status statuses[2 * window];
    for (int i = 0; i < window; i++) MPI_Irecv(&received[i], 1, MPI_INT, left, i, work->comm, &requests[i]);
    for (int i = 0; i < window; i++) {
        sent[i] = stamp(work, me, round, i);
        MPI_Isend(&sent[i], 1, MPI_INT, right, i, work->comm, &requests[window + i]);
    }
    MPI_Waitall(2 * window, requests, statuses);
    for (int i = 0; i < window; i++) {
        check_status(&statuses[i], left, i, 1);
        CHECK(received[i] == stamp(work, left, round, i));
    }
}

static void* talk(void* argument) {
    const struct Work* work = argument;
    int me = rank_in(work->comm), size = size_of(work->comm), is_main;
    MPI_Is_thread_main(&is_main);
    CHECK(!is_main);
    for (int round = 0; round < rounds; round++) exchange(work, me, size, round);
    int value = work->id + 1, sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, work->comm);
    CHECK(sum == size * (work->id + 1));
    return NULL;
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm comms[threads];
    for (int i = 0; i < threads; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int generation = 0; generation < generations; generation++) {
        pthread_t handles[threads];
        struct Work work[threads];
        for (int i = 0; i < threads; i++) {
            work[i] = (struct Work){comms[i], i, generation};
            CHECK(pthread_create(&handles[i], NULL, talk, &work[i]) == 0);
        }
        for (int i = 0; i < threads; i++) CHECK(pthread_join(handles[i], NULL) == 0);
    }
    for (int i = 0; i < threads; i++) MPI_Comm_free(&comms[i]);
    say_done("threads");
    MPI_Finalize();
    return 0;
}
