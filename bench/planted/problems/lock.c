/* Four threads of each rank need the same lock for nearly all of their work, so that one of them works at a time. */
#include "planted.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void add_to_table(void) {      /* here */
    pthread_mutex_lock(&lock); /* here */
    compute_ms(2);
    pthread_mutex_unlock(&lock);
}

static void* work(void* nothing) {
    for (int i = 0; i < 50; ++i) add_to_table();
    return nothing;
}

int main(int argc, char** argv) {
    double part = 1, all = 0;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    begin(argc, argv);
    for (int step = 0; step < 6; ++step) {
        pthread_t threads[4];
        for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
        MPI_Allreduce(&part, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
