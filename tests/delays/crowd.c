/* Each of two ranks has four threads, which send to and receive from the four threads of the other rank, all with the
 * same envelope, blocking or not. All messages of a rank differ in size, so that a trace can be checked. Usage: crowd
 * MESSAGES (of each thread) */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, largest = 1 << 16 };

static int rank, messages;

static void fail(const char* what) {
    fprintf(stderr, "crowd: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* sends(void* number) {
    char* buffer = calloc(1, largest);
    for (int i = 0; i < messages; ++i) {
        const int size = 8 + i * threads + (int)(intptr_t)number;
        MPI_Request request;
        if (i % 3 == 0) {
            MPI_Isend(buffer, size, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Send(buffer, size, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD);
        }
    }
    free(buffer);
    return NULL;
}

static void* receives(void* number) {
    char* buffer = malloc(largest);
    for (int i = 0; i < messages; ++i) {
        MPI_Request request;
        if ((i + (int)(intptr_t)number) % 2 == 0) {
            MPI_Irecv(buffer, largest, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, largest, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    free(buffer);
    return NULL;
}

int main(int argc, char** argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    messages = argc > 1 ? atoi(argv[1]) : 100;
    if (level != MPI_THREAD_MULTIPLE || 8 + messages * threads > largest)
        fail("needs MPI_THREAD_MULTIPLE, and less messages");
    pthread_t all[2 * threads];
    for (intptr_t i = 0; i < 2 * threads; ++i)
        pthread_create(&all[i], NULL, i < threads ? sends : receives, (void*)(i % threads));
    for (int i = 0; i < 2 * threads; ++i) pthread_join(all[i], NULL);
    MPI_Finalize();
    return 0;
}
