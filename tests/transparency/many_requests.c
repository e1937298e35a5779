/* Thousands of requests open at the same time, completed in mixed orders and by every function that completes lists;
 * and equal handles of sends that were complete at once (Open MPI returns one handle for all of them). Any number of
 * ranks. */
#include "say.h"

enum { open_requests = 20000, part = 1000, window = 64 };

static int me, right, left;
static int values[open_requests], received[open_requests];
static MPI_Request sends[open_requests], receives[open_requests];
static MPI_Status statuses[part];

static void post(int count) {
    for (int i = 0; i < count; i++) {
        received[i] = -1;
        values[i] = me * 100000 + i;
        MPI_Irecv(&received[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) MPI_Isend(&values[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
}

static void say_result(const char* what, const MPI_Request* requests, int count) {
    int open = 0;
    for (int i = 0; i < count; i++) open += requests[i] != MPI_REQUEST_NULL;
    say("%s: %d open", what, open);
    if (requests == receives) say_bytes(what, received, (size_t)count * sizeof *received);
}

/* 7919 is coprime to the number of requests, so every request is visited once. */
static void one_by_one(MPI_Request* requests, int from, int to) {
    MPI_Status status;
    long tags = 0, counts = 0;
    for (int i = from; i < to; i++) {
        int k = (int)((long)i * 7919 % open_requests), flag = 1, count = 0;
        status = untouched_status();
        if (requests[k] == MPI_REQUEST_NULL) continue;
        if (i % 3 == 0)
            for (flag = 0; !flag;) MPI_Test(&requests[k], &flag, &status);
        else
            MPI_Wait(&requests[k], &status);
        if (requests != receives) continue;
        MPI_Get_count(&status, MPI_INT, &count);
        tags += status.MPI_TAG;
        counts += count;
    }
    say("one by one: tags %ld counts %ld", tags, counts);
}

static void in_parts(MPI_Request* requests, int parts) {
    int indices[part], done, index, flag;
    long tags = 0;
    for (int p = parts - 1; p >= 0; p--) {
        MPI_Request* some = requests + p * part;
        int left_over = 0;
        for (int i = 0; i < part; i++) left_over += some[i] != MPI_REQUEST_NULL;
        if (p % 4 == 0) MPI_Waitall(part, some, statuses);
        if (p % 4 == 1) MPI_Waitall(part, some, MPI_STATUSES_IGNORE);
        while (p % 4 == 2 && left_over > 0) {
            MPI_Waitsome(part, some, &done, indices, statuses);
            left_over -= done;
            for (int i = 0; requests == receives && i < done; i++) tags += statuses[i].MPI_TAG;
        }
        for (flag = 0; p % 4 == 3 && !flag;) MPI_Testall(part, some, &flag, statuses);
        if (p % 4 == 3 || p % 4 == 0)
            for (int i = 0; requests == receives && i < part; i++)
                tags += statuses[i].MPI_TAG == MPI_ANY_TAG ? 0 : statuses[i].MPI_TAG;
        MPI_Waitany(part, some, &index, statuses);
        CHECK(index == MPI_UNDEFINED);
    }
    say("in parts: tags %ld", tags);
}

static void twenty_thousand(void) {
    post(open_requests);
    one_by_one(receives, 0, open_requests / 2);
    in_parts(receives, open_requests / part);
    say_result("receives", receives, open_requests);
    one_by_one(sends, open_requests / 3, open_requests);
    in_parts(sends, open_requests / part);
    say_result("sends", sends, open_requests);
}

/* The application sorts, copies and overwrites handles as it likes, because equal handles are interchangeable. */
static void equal_handles(int round) {
    int done, index, flag, indices[window];
    post(window);
    MPI_Waitall(window, receives, MPI_STATUSES_IGNORE);
    for (int i = 0; i < window / 2; i++) {
        MPI_Request swapped = sends[i];
        sends[i] = sends[window - 1 - i];
        sends[window - 1 - i] = swapped;
    }
    if (round % 2 == 0) MPI_Request_free(&sends[round % window]);
    MPI_Wait(&sends[7], MPI_STATUS_IGNORE);
    MPI_Waitany(window, sends, &index, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Testany(window, sends, &index, &flag, MPI_STATUS_IGNORE);
    for (done = 0; done == 0;) MPI_Testsome(window, sends, &done, indices, MPI_STATUSES_IGNORE);
    MPI_Waitall(window, sends, MPI_STATUSES_IGNORE);
    say_result("equal handles", sends, window);
    say_result("equal handles", receives, window);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    twenty_thousand();
    for (int round = 0; round < 10; round++) equal_handles(round);
    say_out();
    MPI_Finalize();
    return 0;
}
