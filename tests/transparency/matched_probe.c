/* Probes, matched or not: Probe, Iprobe, Mprobe, Improbe, Mrecv, Imrecv, MPI_MESSAGE_NO_PROC, wildcards, and counts of
 * waiting messages. Around a ring; any number of ranks. */
#include "say.h"

static int me, right, left;

static void say_message(const char* what, MPI_Message message) {
    say("%s: message is %s", what,
        message == MPI_MESSAGE_NULL      ? "null"
        : message == MPI_MESSAGE_NO_PROC ? "from no process"
                                         : "something");
}

static void send_some(int tag, int count) {
    static const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    MPI_Send(values, count, MPI_INT, right, tag, MPI_COMM_WORLD);
}

static void probe(void) {
    int got[8] = {0}, flag = 7;
    MPI_Status status = untouched_status();
    TRY(MPI_Iprobe(left, 98, MPI_COMM_WORLD, &flag, &status));
    say("nothing: flag %d source untouched %d", flag, status.MPI_SOURCE == untouched);
    send_some(1, 5);
    TRY(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    say_status("probe", &status, MPI_INT);
    say_status("probe, in bytes", &status, MPI_BYTE);
    say_status("probe, in doubles", &status, MPI_DOUBLE);
    TRY(MPI_Probe(left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    status = untouched_status();
    for (flag = 0; !flag;) MPI_Iprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
    say_status("iprobe", &status, MPI_INT);
    TRY(MPI_Recv(got, 8, MPI_INT, left, 1, MPI_COMM_WORLD, &status));
    say_status("received", &status, MPI_INT);
    say_ints("got", got, 8);
    send_some(2, 0);
    TRY(MPI_Probe(left, 2, MPI_COMM_WORLD, &status));
    say_status("empty", &status, MPI_INT);
    TRY(MPI_Recv(NULL, 0, MPI_INT, left, 2, MPI_COMM_WORLD, &status));
    say_status("empty", &status, MPI_INT);
}

static void matched(void) {
    int got[8] = {0}, flag = 7;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status = untouched_status();
    TRY(MPI_Improbe(left, 97, MPI_COMM_WORLD, &flag, &message, &status));
    say("nothing: flag %d source untouched %d", flag, status.MPI_SOURCE == untouched);
    say_message("nothing", message);
    for (int way = 0; way < 4; way++) {
        memset(got, 0, sizeof got);
        send_some(10 + way, 3 + way);
        status = untouched_status();
        if (way % 2) {
            TRY(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
        } else {
            for (flag = 0; !flag;) MPI_Improbe(left, 10 + way, MPI_COMM_WORLD, &flag, &message, &status);
        }
        say_message("found", message);
        say_status("found", &status, MPI_INT);
        /* The message was taken already, so no other probe finds it. */
        TRY(MPI_Iprobe(MPI_ANY_SOURCE, 10 + way, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        say("still there %d", flag);
        status = untouched_status();
        if (way < 2) {
            TRY(MPI_Mrecv(got, 8, MPI_INT, &message, &status));
        } else {
            TRY(MPI_Imrecv(got, 8, MPI_INT, &message, &request));
            TRY(MPI_Wait(&request, &status));
        }
        say_message("received", message);
        say_status("received", &status, MPI_INT);
        say_ints("got", got, 8);
    }
}

/* The second message is received first, because the first is held by a matched probe. */
static void held(void) {
    int first[8] = {0}, second[8] = {0};
    MPI_Message message;
    MPI_Status status = untouched_status();
    send_some(20, 1);
    send_some(20, 2);
    TRY(MPI_Mprobe(left, 20, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    TRY(MPI_Recv(second, 8, MPI_INT, left, 20, MPI_COMM_WORLD, &status));
    say_status("second", &status, MPI_INT);
    TRY(MPI_Mrecv(first, 8, MPI_INT, &message, &status));
    say_status("first", &status, MPI_INT);
}

static void nobody(void) {
    int got = 5, flag = 7;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    MPI_Status status = untouched_status();
    TRY(MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
    say_status("probe", &status, MPI_INT);
    TRY(MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status));
    say("flag %d", flag);
    TRY(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status));
    say_message("mprobe", message);
    say_status("mprobe", &status, MPI_INT);
    TRY(MPI_Mrecv(&got, 1, MPI_INT, &message, &status));
    say_message("mrecv", message);
    say_status("mrecv", &status, MPI_INT);
    TRY(MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status));
    say_message("improbe", message);
    TRY(MPI_Imrecv(&got, 1, MPI_INT, &message, &request));
    TRY(MPI_Wait(&request, &status));
    say_message("imrecv", message);
    say("got %d", got);
}

static void errors(void) {
    int got[2] = {0};
    MPI_Message message;
    MPI_Status status = untouched_status();
    send_some(30, 4);
    TRY(MPI_Mprobe(left, 30, MPI_COMM_WORLD, &message, &status));
    TRY(MPI_Mrecv(got, 2, MPI_INT, &message, &status));
    say_message("too short", message);
    say_ints("got", got, 2);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    void (*const parts[])(void) = {probe, matched, held, nobody, errors};
    for (int i = 0; i < 5; i++) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD); /* wildcards of one part must not match messages of the next part */
    }
    say_out();
    MPI_Finalize();
    return 0;
}
