/* Non-blocking point-to-point, and every way to complete it, around a ring. Any number of ranks (a single one talks to
 * itself). Whether a Test finds its message is chance, but how often each function is called is not: every polling loop
 * has a fixed number of iterations, and calls on requests that are complete already are allowed. */
#include "check.h"
#include <string.h>

enum { window = 64, polls = 50 };

static int right, left, me;
static int sent[window][4], received[window][4];
static MPI_Request sends[window], receives[window];
static MPI_Status statuses[window];

static void start_window(int tag) {
    memset(received, -1, sizeof received);
    for (int i = 0; i < window; i++) MPI_Irecv(received[i], 4, MPI_INT, left, tag + i, MPI_COMM_WORLD, &receives[i]);
    for (int i = 0; i < window; i++) {
        for (int k = 0; k < 4; k++) sent[i][k] = me * 1000 + i + k;
        MPI_Isend(sent[i], 1 + i % 4, MPI_INT, right, tag + i, MPI_COMM_WORLD, &sends[i]);
    }
}

static void check_received(int i) { CHECK(received[i][0] == left * 1000 + i); }

static void check_window(const MPI_Status* given, int tag) {
    for (int i = 0; i < window; i++) {
        check_received(i);
        CHECK(receives[i] == MPI_REQUEST_NULL);
        if (given != NULL) check_status(&given[i], left, tag + i, 1 + i % 4);
    }
}

static void finish_sends(void) {
    MPI_Waitall(window, sends, MPI_STATUSES_IGNORE);
    for (int i = 0; i < window; i++) CHECK(sends[i] == MPI_REQUEST_NULL);
}

static void waits(void) {
    start_window(100);
    MPI_Waitall(window, receives, statuses);
    check_window(statuses, 100);
    finish_sends();

    start_window(200);
    MPI_Waitall(window, receives, MPI_STATUSES_IGNORE);
    check_window(NULL, 200);
    finish_sends();

    start_window(300);
    for (int i = window - 1; i >= 0; i--) MPI_Wait(&receives[i], i % 2 ? &statuses[i] : MPI_STATUS_IGNORE);
    for (int i = 1; i < window; i += 2) check_status(&statuses[i], left, 300 + i, 1 + i % 4);
    check_window(NULL, 300);
    for (int i = 0; i < window; i++) MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
}

static void waitany(void) {
    int index;
    MPI_Status status;
    start_window(400);
    for (int i = 0; i < window; i++) {
        MPI_Waitany(window, receives, &index, &status);
        CHECK(index >= 0 && index < window);
        check_status(&status, left, 400 + index, 1 + index % 4);
        check_received(index);
    }
    check_window(NULL, 400);
    MPI_Waitany(window, receives, &index, &status);
    CHECK(index == MPI_UNDEFINED);
    for (int i = 0; i < window; i++) MPI_Waitany(window, sends, &index, MPI_STATUS_IGNORE);
    finish_sends();
}

static void waitsome(void) {
    int done, indices[window], total = 0;
    start_window(500);
    for (int i = 0; i < window; i++) {
        MPI_Waitsome(window, receives, &done, indices, statuses);
        CHECK((done == MPI_UNDEFINED) == (total == window));
        for (int k = 0; k < done; k++) check_status(&statuses[k], left, 500 + indices[k], 1 + indices[k] % 4);
        total += done == MPI_UNDEFINED ? 0 : done;
    }
    CHECK(total == window);
    check_window(NULL, 500);
    MPI_Waitsome(window, sends, &done, indices, MPI_STATUSES_IGNORE);
    CHECK(done >= 1);
    finish_sends();
}

static void test_and_testall(void) {
    int flag, found = 0;
    MPI_Status status, kept;
    start_window(600);
    for (int i = 0; i < polls; i++) {
        MPI_Test(&receives[0], &flag, &status);
        if (flag && !found++) kept = status;
    }
    MPI_Wait(&receives[0], &status);
    /* A request that was complete already gives the empty status. */
    if (found)
        CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    else
        kept = status;
    check_status(&kept, left, 600, 1);
    found = 0;
    for (int i = 0; i < polls; i++) {
        MPI_Testall(window, receives, &flag, i % 2 ? MPI_STATUSES_IGNORE : statuses);
        if (flag && !found++ && i % 2 == 0) CHECK(statuses[5].MPI_SOURCE == left && statuses[5].MPI_TAG == 605);
    }
    MPI_Waitall(window, receives, MPI_STATUSES_IGNORE);
    check_window(NULL, 600);
    for (int i = 0; i < polls; i++) MPI_Test(&sends[1], &flag, MPI_STATUS_IGNORE);
    finish_sends();
}

static void testany_and_testsome(void) {
    int flag, index, done, indices[window], active[window];
    MPI_Status status, kept[window];
    start_window(700);
    for (int i = 0; i < polls; i++) {
        MPI_Testany(window, receives, &index, &flag, &status);
        if (flag && index != MPI_UNDEFINED) kept[index] = status;
    }
    for (int i = 0; i < polls; i++) {
        MPI_Testsome(window, receives, &done, indices, statuses);
        for (int k = 0; done != MPI_UNDEFINED && k < done; k++) kept[indices[k]] = statuses[k];
    }
    for (int i = 0; i < window; i++) active[i] = receives[i] != MPI_REQUEST_NULL;
    MPI_Waitall(window, receives, statuses);
    for (int i = 0; i < window; i++) kept[i] = active[i] ? statuses[i] : kept[i];
    check_window(kept, 700);
    MPI_Testany(window, sends, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(window, sends, &done, indices, MPI_STATUSES_IGNORE);
    finish_sends();
}

static void modes(void) {
    int room = 4 * ((int)sizeof sent[0] + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)room), *returned;
    MPI_Buffer_attach(buffer, room);
    for (int i = 0; i < 3; i++) MPI_Irecv(received[i], 4, MPI_INT, left, 800 + i, MPI_COMM_WORLD, &receives[i]);
    /* This is because of the ready send: now every receive is posted. */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) sent[i][0] = me * 1000 + i;
    MPI_Issend(sent[0], 4, MPI_INT, right, 800, MPI_COMM_WORLD, &sends[0]);
    MPI_Irsend(sent[1], 4, MPI_INT, right, 801, MPI_COMM_WORLD, &sends[1]);
    MPI_Ibsend(sent[2], 4, MPI_INT, right, 802, MPI_COMM_WORLD, &sends[2]);
    MPI_Waitall(3, receives, statuses);
    for (int i = 0; i < 3; i++) {
        check_status(&statuses[i], left, 800 + i, 4);
        check_received(i);
    }
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&returned, &room);
    CHECK(returned == buffer);
    free(buffer);
}

/* A freed send still arrives. A cancelled receive to which nobody sends is complete, and its status says that it was
 * cancelled. */
static void free_and_cancel(void) {
    int value = me + 5, cancelled, count;
    MPI_Request request;
    MPI_Status status;
    MPI_Isend(&value, 1, MPI_INT, right, 900, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Recv(received[0], 4, MPI_INT, left, 900, MPI_COMM_WORLD, &status);
    check_status(&status, left, 900, 1);
    CHECK(received[0][0] == left + 5);

    MPI_Irecv(received[0], 4, MPI_INT, left, 901, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);

    MPI_Irecv(received[0], 4, MPI_INT, MPI_PROC_NULL, 901, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    /* MPICH 4.0 leaves the source of such a status unset, so only the count is checked. */
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 0);
}

/* Small sends that start while the receiver waits for them are often complete at once. Open MPI then returns the same
 * handle for all of them. Each must still be completed once, in any mixture with incomplete ones. */
static void finished_at_once(void) {
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < window; i++) MPI_Irecv(received[i], 4, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < window; i++) {
            sent[i][0] = me * 1000 + i;
            MPI_Isend(sent[i], 4, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
        }
        MPI_Request all[2 * window];
        MPI_Status both[2 * window];
        for (int i = 0; i < window; i++) all[2 * i] = sends[i], all[2 * i + 1] = receives[i];
        MPI_Waitall(2 * window, all, both);
        for (int i = 0; i < window; i++) {
            check_status(&both[2 * i + 1], left, i, 4);
            check_received(i);
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    me = rank_in(MPI_COMM_WORLD);
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size, left = (me + size - 1) % size;
    waits();
    waitany();
    waitsome();
    test_and_testall();
    testany_and_testsome();
    modes();
    free_and_cancel();
    finished_at_once();
    say_done("nonblocking");
    MPI_Finalize();
    return 0;
}
