/* Generalized requests: when their callbacks are called and with what, callbacks that call MPI or return errors, and
 * completion through every function. With the argument `threads` one is completed by another thread, and callbacks do
 * not communicate, because MPICH with MPI_THREAD_MULTIPLE would abort. Any number of ranks. */
#include "say.h"
#include <pthread.h>

static int threads;

struct Work {
    const char* name;
    int query_result, ints;
    MPI_Request request;
};

static int query(void* extra, MPI_Status* status) {
    struct Work* work = extra;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Status_set_elements(status, MPI_INT, work->ints);
    MPI_Status_set_cancelled(status, work->ints == 0);
    status->MPI_SOURCE = 41;
    status->MPI_TAG = 42;
    say("%s: query, %d ranks", work->name, size);
    return work->query_result;
}

static int freed(void* extra) {
    struct Work* work = extra;
    int sent = 8, received = 0;
    if (!threads) MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &received, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    say("%s: free, received %d", work->name, received);
    return MPI_SUCCESS;
}

static int cancel(void* extra, int complete) {
    struct Work* work = extra;
    say("%s: cancel, complete %d", work->name, complete);
    if (!complete) {
        work->ints = 0;
        MPI_Grequest_complete(work->request);
    }
    return MPI_SUCCESS;
}

static struct Work start(const char* name, int ints) {
    return (struct Work){name, MPI_SUCCESS, ints, MPI_REQUEST_NULL};
}

static void start_request(struct Work* work) { TRY(MPI_Grequest_start(query, freed, cancel, work, &work->request)); }

static void one_by_one(void) {
    int flag = 7;
    MPI_Status status = untouched_status();
    struct Work waited = start("waited", 3), tested = start("tested", 4), dropped = start("dropped", 5);
    start_request(&waited);
    start_request(&tested);
    start_request(&dropped);
    MPI_Request handle = waited.request, other = tested.request;
    TRY(MPI_Test(&other, &flag, &status));
    say("flag %d", flag);
    TRY(MPI_Request_get_status(other, &flag, &status));
    say("flag %d", flag);
    TRY(MPI_Grequest_complete(waited.request));
    TRY(MPI_Wait(&handle, &status));
    say_status("waited", &status, MPI_INT);
    say("null: %d", handle == MPI_REQUEST_NULL);
    TRY(MPI_Grequest_complete(tested.request));
    status = untouched_status();
    TRY(MPI_Request_get_status(other, &flag, &status));
    say_status("asked", &status, MPI_INT);
    TRY(MPI_Test(&other, &flag, MPI_STATUS_IGNORE));
    say("flag %d null %d", flag, other == MPI_REQUEST_NULL);
    handle = dropped.request;
    TRY(MPI_Request_free(&handle));
    say("freed: null %d", handle == MPI_REQUEST_NULL);
    TRY(MPI_Grequest_complete(dropped.request));
}

static void cancelled(void) {
    MPI_Status status = untouched_status();
    struct Work early = start("cancelled early", 3), late = start("cancelled late", 3);
    start_request(&early);
    TRY(MPI_Cancel(&early.request));
    TRY(MPI_Wait(&early.request, &status));
    say_status("early", &status, MPI_INT);
    start_request(&late);
    TRY(MPI_Grequest_complete(late.request));
    TRY(MPI_Cancel(&late.request));
    status = untouched_status();
    TRY(MPI_Wait(&late.request, &status));
    say_status("late", &status, MPI_INT);
}

static void in_lists(void) {
    int sent = 5, received = -1, index, flag, done, indices[3];
    MPI_Status statuses[3];
    MPI_Request requests[3];
    for (int way = 0; way < 6; way++) {
        struct Work work = start("listed", 10 + way);
        for (int i = 0; i < 3; i++) statuses[i] = untouched_status();
        start_request(&work);
        MPI_Irecv(&received, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]);
        requests[1] = work.request;
        requests[2] = MPI_REQUEST_NULL;
        MPI_Send(&sent, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
        if (way != 0) MPI_Wait(&requests[0], &statuses[0]);
        TRY(MPI_Grequest_complete(work.request));
        if (way == 0) TRY(MPI_Waitall(3, requests, statuses));
        if (way == 1) TRY(MPI_Waitany(3, requests, &index, &statuses[1]));
        if (way == 2) TRY(MPI_Waitsome(3, requests, &done, indices, statuses));
        if (way == 3) TRY(MPI_Testall(3, requests, &flag, statuses));
        if (way == 4) TRY(MPI_Testany(3, requests, &index, &flag, &statuses[1]));
        if (way == 5) TRY(MPI_Testsome(3, requests, &done, indices, statuses));
        for (int i = 0; i < 3; i++) {
            say("way %d: null %d", way, requests[i] == MPI_REQUEST_NULL);
            say_status("listed", &statuses[i], MPI_INT);
        }
    }
}

static void query_fails(void) {
    MPI_Status status = untouched_status();
    struct Work alone = start("fails", 1), listed = start("fails in a list", 2);
    alone.query_result = listed.query_result = MPI_ERR_OTHER;
    start_request(&alone);
    TRY(MPI_Grequest_complete(alone.request));
    TRY(MPI_Wait(&alone.request, &status));
    say("null %d", alone.request == MPI_REQUEST_NULL);
    start_request(&listed);
    TRY(MPI_Grequest_complete(listed.request));
    status = untouched_status();
    TRY(MPI_Waitall(1, &listed.request, &status));
    say_status("fails in a list", &status, MPI_INT);
}

static void* complete_later(void* extra) {
    struct Work* work = extra;
    MPI_Grequest_complete(work->request);
    return NULL;
}

static void from_another_thread(void) {
    pthread_t thread;
    MPI_Status status = untouched_status();
    struct Work work = start("by a thread", 6);
    start_request(&work);
    MPI_Request handle = work.request;
    CHECK(pthread_create(&thread, NULL, complete_later, &work) == 0);
    TRY(MPI_Wait(&handle, &status));
    pthread_join(thread, NULL);
    say_status("by a thread", &status, MPI_INT);
}

int main(int argc, char** argv) {
    int provided;
    threads = argc > 1;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    say_begin();
    one_by_one();
    cancelled();
    in_lists();
    query_fails();
    if (threads) from_another_thread();
    say_out();
    MPI_Finalize();
    return 0;
}
