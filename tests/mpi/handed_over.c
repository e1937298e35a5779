/* Several threads begin sends, and one thread completes them all. The MPI reuses a handle as soon as it is free, while
 * the thread that completed it is still returning. Every message must arrive as it was sent. Two ranks. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { length = 6000, senders = 3, messages = 15000, queue = 1000 };

struct Sent {
    MPI_Request request;
    char* data;
};
static struct Sent sent[queue];
static int waiting;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* begin_sends(void* argument) {
    const int sender = *(int*)argument;
    for (int i = 0; i < messages; i++) {
        struct Sent message = {.data = malloc(length)};
        memset(message.data, (sender * 41 + i) & 127, length);
        MPI_Isend(message.data, length, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &message.request);
        for (int handed_over = 0; !handed_over;) {
            pthread_mutex_lock(&lock);
            handed_over = waiting < queue;
            if (handed_over) sent[waiting++] = message;
            pthread_mutex_unlock(&lock);
            if (!handed_over) sched_yield();
        }
    }
    return NULL;
}

static void complete_sends(void) {
    struct Sent own[64];
    MPI_Request requests[64];
    int indices[64], count = 0, done;
    for (int completed = 0; completed < senders * messages;) {
        pthread_mutex_lock(&lock);
        while (count < 64 && waiting > 0) own[count] = sent[--waiting], requests[count] = own[count].request, count++;
        pthread_mutex_unlock(&lock);
        MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; done != MPI_UNDEFINED && i < done; i++, completed++) free(own[indices[i]].data);
        int left = 0;
        for (int i = 0; i < count; i++)
            if (requests[i] != MPI_REQUEST_NULL) own[left] = own[i], requests[left++] = requests[i];
        count = left;
        if (count == 0) sched_yield();
    }
}

static void receive_all(void) {
    static char data[length];
    MPI_Status status;
    for (int i = 0; i < senders * messages; i++) {
        int count = 0, wrong = 0;
        MPI_Recv(data, length, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_CHAR, &count);
        for (int k = 1; k < length; k++) wrong |= data[k] != data[0];
        CHECK(count == length && !wrong);
    }
}

int main(int argc, char** argv) {
    int level, numbers[senders];
    pthread_t threads[senders];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CHECK(level == MPI_THREAD_MULTIPLE);
    if (rank_in(MPI_COMM_WORLD) == 1) {
        receive_all();
    } else {
        for (int i = 0; i < senders; i++) {
            numbers[i] = i;
            pthread_create(&threads[i], NULL, begin_sends, &numbers[i]);
        }
        complete_sends();
        for (int i = 0; i < senders; i++) pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
