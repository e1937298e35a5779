/* Persistent point-to-point: every mode, restarted many times, completed by every function among inactive and null
 * requests; wildcards, MPI_PROC_NULL, cancelled and freed requests. Around a ring; any number of ranks. */
#include "say.h"

enum { modes = 4, rounds = 5, ints = 6 };

static int me, size, right, left;
static int sent[modes][ints], received[modes][ints];
static MPI_Request requests[2 * modes];

static void make(MPI_Comm comm) {
    for (int i = 0; i < modes; i++)
        MPI_Recv_init(received[i], ints, MPI_INT, i % 2 ? left : MPI_ANY_SOURCE, i == 3 ? MPI_ANY_TAG : i, comm,
                      &requests[i]);
    MPI_Send_init(sent[0], 1, MPI_INT, right, 0, comm, &requests[modes]);
    MPI_Bsend_init(sent[1], 2, MPI_INT, right, 1, comm, &requests[modes + 1]);
    MPI_Ssend_init(sent[2], 3, MPI_INT, right, 2, comm, &requests[modes + 2]);
    MPI_Rsend_init(sent[3], 4, MPI_INT, right, 3, comm, &requests[modes + 3]);
}

static void fill(int round) {
    memset(received, -1, sizeof received);
    for (int i = 0; i < modes; i++)
        for (int k = 0; k < ints; k++) sent[i][k] = 1000 * me + 100 * round + 10 * i + k;
}

static void say_received(const char* what) {
    for (int i = 0; i < modes; i++) say_ints(what, received[i], ints);
    int null = 0;
    for (int i = 0; i < 2 * modes; i++) null += requests[i] == MPI_REQUEST_NULL;
    say("%s: %d null", what, null);
}

/* All ranks start the receives first because of the ready send. MPI_ANY_TAG comes last. */
static void start(int round) {
    fill(round);
    if (round % 2) {
        MPI_Startall(modes, requests);
    } else {
        for (int i = 0; i < modes; i++) MPI_Start(&requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    TRY(MPI_Startall(modes, requests + modes));
}

static void with_waits(int round) {
    MPI_Status statuses[2 * modes];
    for (int i = 0; i < 2 * modes; i++) statuses[i] = untouched_status();
    start(round);
    if (round % 2) {
        TRY(MPI_Waitall(2 * modes, requests, statuses));
    } else {
        for (int i = 0; i < 2 * modes; i++) MPI_Wait(&requests[i], &statuses[i]);
    }
    for (int i = 0; i < modes; i++) say_status("waited", &statuses[i], MPI_INT);
    say_received("waited");
    /* Now all requests are inactive. */
    for (int i = 0; i < 2 * modes; i += 3) {
        int flag = 7;
        MPI_Status status = untouched_status();
        TRY(MPI_Wait(&requests[i], &status));
        say_status("inactive", &status, MPI_INT);
        TRY(MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE));
        TRY(MPI_Request_get_status(requests[i], &flag, &status));
        say("flag %d", flag);
    }
}

static void with_some(int round) {
    int indices[2 * modes], done, index, flag, found[2 * modes] = {0};
    MPI_Status statuses[2 * modes], kept[2 * modes], status;
    start(round);
    for (int total = 0; total < modes;) {
        for (int i = 0; i < modes; i++) statuses[i] = untouched_status();
        if (round % 2)
            MPI_Waitsome(modes, requests, &done, indices, statuses);
        else
            MPI_Testsome(modes, requests, &done, indices, statuses);
        for (int k = 0; k < done; k++) {
            kept[indices[k]] = statuses[k];
            found[indices[k]]++;
        }
        total += done;
    }
    for (int i = 0; i < modes; i++) say_status("some", &kept[i], MPI_INT);
    for (int total = 0; total < modes;) {
        status = untouched_status();
        flag = 1;
        if (round % 2)
            MPI_Waitany(2 * modes, requests, &index, &status);
        else
            MPI_Testany(2 * modes, requests, &index, &flag, &status);
        if (!flag) continue;
        CHECK(index >= 0 && index < 2 * modes);
        found[index]++;
        total++;
    }
    say_ints("found", found, 2 * modes);
    say_received("some");
    TRY(MPI_Waitany(2 * modes, requests, &index, &status));
    say("all inactive: undefined %d", index == MPI_UNDEFINED);
    TRY(MPI_Testany(2 * modes, requests, &index, &flag, &status));
    say("all inactive: undefined %d flag %d", index == MPI_UNDEFINED, flag);
    TRY(MPI_Waitsome(2 * modes, requests, &done, indices, statuses));
    say("all inactive: undefined %d", done == MPI_UNDEFINED);
    TRY(MPI_Testsome(2 * modes, requests, &done, indices, statuses));
    say("all inactive: undefined %d", done == MPI_UNDEFINED);
    TRY(MPI_Testall(2 * modes, requests, &flag, statuses));
    say_status("all inactive", &statuses[0], MPI_INT);
}

/* Inactive, null, active and non-persistent requests in one list. */
static void mixed(void) {
    int value = me, got = -1;
    MPI_Status statuses[5];
    MPI_Request list[5] = {MPI_REQUEST_NULL, requests[0], MPI_REQUEST_NULL, requests[modes], MPI_REQUEST_NULL};
    for (int i = 0; i < 5; i++) statuses[i] = untouched_status();
    fill(77);
    MPI_Irecv(&got, 1, MPI_INT, left, 50, MPI_COMM_WORLD, &list[2]);
    MPI_Start(&list[1]);
    MPI_Start(&list[3]);
    MPI_Send(&value, 1, MPI_INT, right, 50, MPI_COMM_WORLD);
    TRY(MPI_Waitall(5, list, statuses));
    for (int i = 0; i < 5; i++) say("mixed %d: null %d", i, list[i] == MPI_REQUEST_NULL);
    for (int i = 0; i < 3; i++) say_status("mixed", &statuses[i], MPI_INT);
    say("got %d", got);
    say_received("mixed");
}

static void to_nobody(void) {
    MPI_Request nobody[2];
    int value = 5;
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &nobody[0]);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, &nobody[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Status statuses[2] = {untouched_status(), untouched_status()};
        TRY(MPI_Startall(2, nobody));
        TRY(MPI_Waitall(2, nobody, statuses));
        say_status("nobody", &statuses[1], MPI_INT);
        say("null %d %d value %d", nobody[0] == MPI_REQUEST_NULL, nobody[1] == MPI_REQUEST_NULL, value);
    }
    TRY(MPI_Request_free(&nobody[0]));
    TRY(MPI_Request_free(&nobody[1]));
}

static void cancel_and_free(void) {
    int value = me + 70, got = -1, cancelled;
    MPI_Request receive, send;
    MPI_Status status = untouched_status();
    MPI_Recv_init(&got, 1, MPI_INT, left, 60, MPI_COMM_WORLD, &receive);
    for (int round = 0; round < 3; round++) {
        MPI_Start(&receive);
        TRY(MPI_Cancel(&receive));
        TRY(MPI_Wait(&receive, &status));
        MPI_Test_cancelled(&status, &cancelled);
        say("cancelled %d null %d", cancelled, receive == MPI_REQUEST_NULL);
    }
    /* Not earlier, because a receive that already has its message is not cancelled. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&receive);
    MPI_Send_init(&value, 1, MPI_INT, right, 60, MPI_COMM_WORLD, &send);
    MPI_Start(&send);
    /* It is freed while it is under way, and still arrives. */
    TRY(MPI_Request_free(&send));
    say("freed: null %d", send == MPI_REQUEST_NULL);
    TRY(MPI_Wait(&receive, &status));
    say_status("after that", &status, MPI_INT);
    say("got %d", got);
    TRY(MPI_Request_free(&receive));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    int room = 2 * (ints * (int)sizeof(int) + MPI_BSEND_OVERHEAD), detached;
    void *buffer = malloc((size_t)room), *returned;
    MPI_Buffer_attach(buffer, room);
    make(MPI_COMM_WORLD);
    for (int round = 0; round < rounds; round++) with_waits(round);
    for (int round = 0; round < rounds; round++) with_some(round);
    mixed();
    to_nobody();
    cancel_and_free();
    for (int i = 0; i < 2 * modes; i++) TRY(MPI_Request_free(&requests[i]));
    TRY(MPI_Buffer_detach(&returned, &detached));
    say("detached the same: %d %d", returned == buffer, detached == room);
    free(buffer);
    say_out();
    MPI_Finalize();
    return 0;
}
