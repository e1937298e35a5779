/* Threads that are cancelled. A thread whose cancellation is pending when it makes its first calls ends where it asks
 * for that, and not in the middle of the tracer, which would leave a lock held for ever. */
#include "say.h"

#include <pthread.h>

enum { many = 10000 }; /* calls: more than two buffers of records hold */

static pthread_key_t key;

static void* first_call(void* arg) {
    pthread_cancel(pthread_self());
    MPI_Comm_rank(MPI_COMM_WORLD, arg);
    *(int*)arg += 100; /* the call returned */
    pthread_testcancel();
    return arg;
}

static void* many_calls(void* arg) {
    pthread_cancel(pthread_self());
    for (int i = 0; i < many; ++i) MPI_Comm_size(MPI_COMM_WORLD, arg);
    *(int*)arg += 100;
    pthread_testcancel();
    return arg;
}

static void* new_objects(void* arg) { /* what is known of them is written into the trace at once */
    pthread_cancel(pthread_self());
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&type);
    MPI_Comm_set_name(MPI_COMM_SELF, "named by a cancelled thread");
    *(int*)arg = 100;
    pthread_testcancel();
    return arg;
}

static void at_end(void* arg) { MPI_Comm_size(MPI_COMM_WORLD, arg); }

static void* call_at_end(void* arg) {
    pthread_setspecific(key, arg);
    *(int*)arg = 100;
    pthread_cancel(pthread_self());
    pthread_testcancel();
    return arg;
}

static void* not_cancelled(void* arg) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return arg;
}

static void cancel(const char* name, void* (*work)(void*)) {
    for (int i = 0; i < 20; ++i) {
        int value = -1;
        void* result;
        pthread_t thread, after;
        pthread_create(&thread, NULL, work, &value);
        pthread_join(thread, &result);
        pthread_create(&after, NULL, not_cancelled, NULL);
        pthread_join(after, NULL);
        say("%s %d: %s, value %d", name, i, result == PTHREAD_CANCELED ? "cancelled" : "not cancelled", value);
    }
}

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    say_begin();
    pthread_key_create(&key, at_end);
    cancel("first call", first_call);
    cancel("many calls", many_calls);
    cancel("new objects", new_objects);
    cancel("call at end", call_at_end);
    say_out();
    MPI_Finalize();
    return 0;
}
