/* Thread levels; argv[1] is the requested level. `multiple`: four threads send, receive and probe, on their own
 * communicators and on a common one. `serialized`: they do the same in turns. Threads end before MPI does. Any number
 * of ranks. */
#include "say.h"
#include <pthread.h>

enum { threads = 4, rounds = 12, calls = 2000 };

/* What a thread saw. The main thread prints it at the end. */
struct Seen {
    int id, is_main, level, failures, last_count;
    long values, tags;
};

static int me, right, left, level;
static MPI_Comm own[threads], common;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t everyone_sent;

static void begin_turn(void) {
    if (level == MPI_THREAD_SERIALIZED) pthread_mutex_lock(&turn);
}

static void end_turn(void) {
    if (level == MPI_THREAD_SERIALIZED) pthread_mutex_unlock(&turn);
}

static void saw(struct Seen* seen, const MPI_Status* status, int value) {
    MPI_Get_count(status, MPI_INT, &seen->last_count);
    seen->failures += status->MPI_SOURCE != left || seen->last_count != 1;
    seen->values += value;
    seen->tags += status->MPI_TAG;
}

/* Each thread sends to the right and receives from the left, in every way to receive. */
static void exchange(struct Seen* seen, MPI_Comm comm, int tag, int round) {
    int sent = me * 1000 + seen->id * 100 + round, got = -1, flag = 0;
    MPI_Request requests[2];
    MPI_Message message;
    MPI_Status status = untouched_status(), pair[2];
    MPI_Isend(&sent, 1, MPI_INT, right, tag, comm, &requests[0]);
    if (round % 4 == 0) {
        MPI_Irecv(&got, 1, MPI_INT, left, tag, comm, &requests[1]);
        MPI_Waitall(2, requests, pair);
        status = pair[1];
        requests[0] = MPI_REQUEST_NULL;
    }
    if (round % 4 == 1) {
        MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, tag, comm, &status);
    }
    if (round % 4 == 2) {
        MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);
        MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    }
    if (round % 4 == 3) {
        while (!flag) MPI_Iprobe(left, tag, comm, &flag, &status);
        MPI_Recv(&got, 1, MPI_INT, left, tag, comm, &status);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    saw(seen, &status, got);
}

/* The first thread that comes takes a message; together the threads take all. */
static void first_come(struct Seen* seen) {
    int sent = seen->id + 1, got = -1;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(&sent, 1, MPI_INT, right, 700 + seen->id, common, &request);
    pthread_barrier_wait(&everyone_sent);
    MPI_Mprobe(left, MPI_ANY_TAG, common, &message, &status);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    saw(seen, &status, got);
}

static void* work(void* argument) {
    struct Seen* seen = argument;
    begin_turn();
    MPI_Is_thread_main(&seen->is_main);
    MPI_Query_thread(&seen->level);
    end_turn();
    for (int round = 0; round < rounds && level == MPI_THREAD_MULTIPLE; round++) {
        exchange(seen, own[seen->id], round, round);
        exchange(seen, common, 100 + seen->id, round);
    }
    if (level == MPI_THREAD_MULTIPLE) first_come(seen);
    for (int round = 0; round < calls && level == MPI_THREAD_SERIALIZED; round++) {
        int got = -1;
        MPI_Status status = untouched_status();
        begin_turn();
        MPI_Sendrecv(&round, 1, MPI_INT, 0, seen->id, &got, 1, MPI_INT, 0, seen->id, MPI_COMM_SELF, &status);
        status.MPI_SOURCE = left;
        saw(seen, &status, got);
        end_turn();
    }
    return NULL;
}

static void run_threads(void) {
    pthread_t handles[threads];
    struct Seen seen[threads], all = {0};
    for (int i = 0; i < threads; i++) seen[i] = (struct Seen){.id = i, .is_main = 7, .level = 7};
    for (int i = 0; i < threads; i++) CHECK(pthread_create(&handles[i], NULL, work, &seen[i]) == 0);
    for (int i = 0; i < threads; i++) CHECK(pthread_join(handles[i], NULL) == 0);
    for (int i = 0; i < threads; i++) {
        say("thread %d: main %d level %d failures %d last count %d", i, seen[i].is_main, seen[i].level,
            seen[i].failures, seen[i].last_count);
        all.values += seen[i].values;
        all.tags += seen[i].tags;
    }
    say("together: values %ld tags %ld", all.values, all.tags);
}

static void tell_levels(int asked, int provided) {
    int is_main = 7, found = 7;
    say("asked for %d, provided %d", asked, provided);
    TRY(MPI_Is_thread_main(&is_main));
    TRY(MPI_Query_thread(&found));
    say("main %d level %d", is_main, found);
}

int main(int argc, char** argv) {
    static const char* const names[] = {"single", "funneled", "serialized", "multiple"};
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    int provided;
    level = MPI_THREAD_SINGLE;
    for (int i = 0; i < 4; i++)
        if (argc > 1 && strcmp(argv[1], names[i]) == 0) level = levels[i];
    MPI_Init_thread(&argc, &argv, level, &provided);
    say_begin();
    me = said_rank;
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    tell_levels(level, provided);
    for (int i = 0; i < threads; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
    MPI_Comm_dup(MPI_COMM_WORLD, &common);
    pthread_barrier_init(&everyone_sent, NULL, threads);
    if (level >= MPI_THREAD_SERIALIZED)
        for (int generation = 0; generation < 3; generation++) run_threads();
    for (int i = 0; i < threads; i++) MPI_Comm_free(&own[i]);
    MPI_Comm_free(&common);
    tell_levels(level, provided);
    say_out();
    MPI_Finalize();
    return 0;
}
