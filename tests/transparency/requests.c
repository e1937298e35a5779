/* Requests: queried without being completed, cancelled, freed while active, and errors in lists of them. Each rank
 * talks to itself, so any number of ranks will do. */
#include "say.h"

static int me;

static void say_request(const char* what, MPI_Request request) {
    say("%s: request is %s", what, request == MPI_REQUEST_NULL ? "null" : "something");
}

static void get_status(void) {
    int value = me + 1, received[4] = {-1, -1, -1, -1}, flag = 7;
    MPI_Request request;
    MPI_Status status = untouched_status();
    MPI_Irecv(received, 4, MPI_INT, me, 1, MPI_COMM_WORLD, &request);
    TRY(MPI_Request_get_status(request, &flag, &status));
    say("flag %d", flag);
    TRY(MPI_Send(&value, 1, MPI_INT, me, 1, MPI_COMM_WORLD));
    for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    for (int again = 0; again < 3; again++) {
        status = untouched_status();
        TRY(MPI_Request_get_status(request, &flag, &status));
        say_status("asked", &status, MPI_INT);
        say_request("asked", request);
    }
    status = untouched_status();
    TRY(MPI_Test(&request, &flag, &status));
    say_status("tested", &status, MPI_INT);
    say_request("tested", request);
    say_ints("received", received, 4);
    status = untouched_status();
    TRY(MPI_Request_get_status(MPI_REQUEST_NULL, &flag, &status));
    say_status("the null request", &status, MPI_INT);
}

static void cancelled_receive(void) {
    int received = -1, flag = 7;
    MPI_Request request;
    MPI_Status status = untouched_status();
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
    TRY(MPI_Cancel(&request));
    say_request("cancelled", request);
    for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
    MPI_Test_cancelled(&status, &flag);
    say("asked: cancelled %d", flag);
    status = untouched_status();
    TRY(MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &flag);
    say("waited: cancelled %d received %d", flag, received);
    MPI_Irecv(&received, 1, MPI_INT, me, 2, MPI_COMM_WORLD, &request);
    TRY(MPI_Cancel(&request));
    TRY(MPI_Request_free(&request));
    say_request("cancelled and freed", request);
}

/* Too late, because the message has arrived already. */
static void cancelled_after_match(void) {
    int value = 3, received = -1, flag;
    MPI_Request request;
    MPI_Status status = untouched_status();
    MPI_Send(&value, 1, MPI_INT, me, 3, MPI_COMM_WORLD);
    MPI_Irecv(&received, 1, MPI_INT, me, 3, MPI_COMM_WORLD, &request);
    for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    TRY(MPI_Cancel(&request));
    TRY(MPI_Waitall(1, &request, &status));
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d received %d", flag, received);
}

/* Neither MPI cancels a send here. The program prints whether it does, and receives the message if it does not. */
static void cancelled_send(void) {
    int value = 4, received = -1, flag;
    MPI_Request request;
    MPI_Status status = untouched_status();
    MPI_Isend(&value, 1, MPI_INT, me, 4, MPI_COMM_WORLD, &request);
    TRY(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &flag);
    say("send cancelled %d", flag);
    if (!flag) TRY(MPI_Recv(&received, 1, MPI_INT, me, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say("received %d", received);
}

static void freed_while_active(void) {
    int values[2] = {5, 6}, flag, fence = 0;
    static volatile int received[2];
    MPI_Request requests[2];
    received[0] = received[1] = -1;
    for (int i = 0; i < 2; i++) {
        MPI_Irecv((int*)&received[i], 1, MPI_INT, me, 5 + i, MPI_COMM_WORLD, &requests[i]);
        TRY(MPI_Request_free(&requests[i]));
        say_request("freed receive", requests[i]);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Isend(&values[i], 1, MPI_INT, me, 5 + i, MPI_COMM_WORLD, &requests[i]);
        TRY(MPI_Request_free(&requests[i]));
        say_request("freed send", requests[i]);
    }
    while (received[0] < 0 || received[1] < 0) MPI_Iprobe(me, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    say("arrived: %d %d", received[0], received[1]);
    MPI_Sendrecv(&me, 1, MPI_INT, me, 7, &fence, 1, MPI_INT, me, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

enum { three = 3, sent_ints = 4 };

/* Three messages to itself have arrived. The receives that follow have space for four, two (too few) and four ints. */
static void post_truncated(int tag, int received[three][sent_ints], MPI_Request* requests, MPI_Status* statuses) {
    static const int sent[sent_ints] = {1, 2, 3, 4};
    MPI_Request sends[three];
    for (int i = 0; i < three; i++) MPI_Isend(sent, sent_ints, MPI_INT, me, tag + i, MPI_COMM_WORLD, &sends[i]);
    for (int i = 0; i < three; i++) {
        memset(received[i], -1, sizeof received[i]);
        statuses[i] = untouched_status();
        MPI_Irecv(received[i], i == 1 ? 2 : sent_ints, MPI_INT, me, tag + i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(three, sends, MPI_STATUSES_IGNORE);
}

static void say_truncated(int received[three][sent_ints], MPI_Request* requests, MPI_Status* statuses) {
    char texts[3][16];
    for (int i = 0; i < three; i++) {
        say_request("after the error", requests[i]);
        if (statuses == NULL) continue;
        int class = statuses[i].MPI_ERROR;
        if (class != untouched) MPI_Error_class(class, &class);
        say("status %d: source %s tag %s class %s", i, said_int(statuses[i].MPI_SOURCE, texts[0]),
            said_int(statuses[i].MPI_TAG, texts[1]), said_int(class, texts[2]));
    }
    for (int i = 0; i < three; i++) {
        MPI_Status status = untouched_status();
        TRY(MPI_Wait(&requests[i], &status));
        say("tag %s", said_int(status.MPI_TAG, texts[0]));
        /* The MPI chooses how much of the short one arrived, but it must be the same in the traced run. */
        say_ints("received", received[i], sent_ints);
    }
}

static void truncated_lists(void) {
    int received[three][sent_ints], index = untouched, flag, done, indices[three];
    MPI_Request requests[three];
    MPI_Status statuses[three];
    post_truncated(10, received, requests, statuses);
    TRY(MPI_Waitall(three, requests, statuses));
    say_truncated(received, requests, statuses);
    post_truncated(20, received, requests, statuses);
    TRY(MPI_Waitall(three, requests, MPI_STATUSES_IGNORE));
    say_truncated(received, requests, NULL);
    post_truncated(30, received, requests, statuses);
    TRY(MPI_Waitany(1, requests + 1, &index, statuses + 1));
    say("index %d", index);
    say_truncated(received, requests, statuses);
    post_truncated(40, received, requests, statuses);
    TRY(MPI_Wait(&requests[1], &statuses[1]));
    say_truncated(received, requests, statuses);
    post_truncated(50, received, requests, statuses);
    for (flag = 0; !flag;) MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
    TRY(MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE));
    say_truncated(received, requests, statuses);
    post_truncated(60, received, requests, statuses);
    for (int i = 0; i < three; i++)
        for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    TRY(MPI_Waitsome(three, requests, &done, indices, statuses));
    say("done %d", done);
    say_truncated(received, requests, statuses);
    post_truncated(70, received, requests, statuses);
    for (int i = 0; i < three; i++)
        for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
    TRY(MPI_Testall(three, requests, &flag, statuses));
    say("flag %d", flag);
    say_truncated(received, requests, statuses);
}

static void wrong_arguments(void) {
    int index = 7, flag = 7, done = 7;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Status status = untouched_status();
    TRY(MPI_Waitall(-1, &none, &status));
    TRY(MPI_Waitany(-1, &none, &index, &status));
    TRY(MPI_Testsome(-1, &none, &done, &index, &status));
    TRY(MPI_Cancel(&none));
    TRY(MPI_Request_free(&none));
    TRY(MPI_Start(&none));
    TRY(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    TRY(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
    say("flag %d", flag);
    TRY(MPI_Waitany(0, NULL, &index, &status));
    say("index is undefined: %d", index == MPI_UNDEFINED);
    TRY(MPI_Testany(0, NULL, &index, &flag, &status));
    say("index is undefined: %d, flag %d", index == MPI_UNDEFINED, flag);
    TRY(MPI_Waitsome(0, NULL, &done, NULL, MPI_STATUSES_IGNORE));
    say("done is undefined: %d", done == MPI_UNDEFINED);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    get_status();
    cancelled_receive();
    cancelled_after_match();
    cancelled_send();
    freed_while_active();
    truncated_lists();
    wrong_arguments();
    say_out();
    MPI_Finalize();
    return 0;
}
