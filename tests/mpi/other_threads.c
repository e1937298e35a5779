/* Requests that one thread begins and another one ends: each of three threads begins for each of them, one after the
 * other, so that a beginning is in a lane before that of its end, and in a lane after it. At last, threads are gone
 * when the requests end that they began. Two ranks. */
#include "check.h"
#include <pthread.h>

enum { threads = 3, kinds = 5, pairs = threads * threads, tag_of_send = 1000 };

/* What one thread leaves to the other. */
static struct Begun {
    MPI_Request requests[2];
    int count, sent, received, sum;
} begun;
static MPI_Request prepared[2];
static int prepared_sent, prepared_received;
static pthread_barrier_t turn;
static int me, other;

static void begin(int kind, int tag) {
    begun = (struct Begun){.count = 2, .sent = tag + me, .received = -1};
    MPI_Message message;
    MPI_Status status;
    switch (kind) {
    case 0: /* a receive and a send */
        MPI_Irecv(&begun.received, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &begun.requests[1]);
        MPI_Isend(&begun.sent, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &begun.requests[0]);
        break;
    case 1: /* the receive takes a message that was probed for */
        MPI_Isend(&begun.sent, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &begun.requests[0]);
        MPI_Mprobe(other, tag, MPI_COMM_WORLD, &message, &status);
        MPI_Imrecv(&begun.received, 1, MPI_INT, &message, &begun.requests[1]);
        break;
    case 2: /* another thread may have prepared them */
        prepared_sent = begun.sent;
        prepared_received = -1;
        MPI_Startall(2, prepared);
        break;
    case 3: /* a collective */
        begun.count = 1;
        MPI_Iallreduce(&begun.sent, &begun.sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &begun.requests[0]);
        break;
    default: /* from anywhere */
        MPI_Irecv(&begun.received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &begun.requests[1]);
        MPI_Isend(&begun.sent, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &begun.requests[0]);
    }
}

static void end(int kind, int tag) {
    MPI_Status statuses[2];
    MPI_Request* const requests = kind == 2 ? prepared : begun.requests;
    if (tag % 2 == 0) {
        MPI_Waitall(begun.count, requests, statuses);
    } else {
        for (int i = 0; i < begun.count; i++) MPI_Wait(&requests[i], &statuses[i]);
    }
    if (kind == 3) {
        CHECK(begun.sum == 2 * tag + 1);
        return;
    }
    check_status(&statuses[1], other, kind == 2 ? tag_of_send : tag, 1);
    CHECK((kind == 2 ? prepared_received : begun.received) == tag + other);
}

static void* take_turns(void* argument) {
    const int thread = *(int*)argument;
    for (int i = 0; i < threads; i++) { /* so that they have their lanes in this order */
        if (i == thread) CHECK(rank_in(MPI_COMM_WORLD) == me);
        pthread_barrier_wait(&turn);
    }
    if (thread == threads - 1) {
        MPI_Recv_init(&prepared_received, 1, MPI_INT, other, tag_of_send, MPI_COMM_WORLD, &prepared[1]);
        MPI_Send_init(&prepared_sent, 1, MPI_INT, other, tag_of_send, MPI_COMM_WORLD, &prepared[0]);
    }
    pthread_barrier_wait(&turn);
    for (int pair = 0; pair < pairs; pair++)
        for (int kind = 0; kind < kinds; kind++) {
            if (thread == pair / threads) begin(kind, pair * kinds + kind);
            pthread_barrier_wait(&turn);
            if (thread == pair % threads) end(kind, pair * kinds + kind);
            pthread_barrier_wait(&turn);
        }
    if (thread == 0)
        for (int i = 0; i < 2; i++) MPI_Request_free(&prepared[i]);
    return NULL;
}

static void* begin_and_go(void* argument) {
    begin(0, *(int*)argument);
    return NULL;
}

static void run(int count, void* (*body)(void*), int* arguments) {
    pthread_t handles[threads];
    for (int i = 0; i < count; i++) CHECK(pthread_create(&handles[i], NULL, body, &arguments[i]) == 0);
    for (int i = 0; i < count; i++) CHECK(pthread_join(handles[i], NULL) == 0);
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    me = rank_in(MPI_COMM_WORLD);
    other = 1 - me;
    CHECK(size_of(MPI_COMM_WORLD) == 2);
    pthread_barrier_init(&turn, NULL, threads);
    int numbers[threads] = {0, 1, 2};
    run(threads, take_turns, numbers);
    for (int tag = 500; tag < 502; tag++) {
        int number = tag;
        run(1, begin_and_go, &number);
        end(0, tag);
    }
    say_done("other_threads");
    MPI_Finalize();
    return 0;
}
