/* Every size around the size from which messages may travel in another way, received into every amount of space around
 * it, by every way to receive, in and out of order, with too little space, and with datatypes that have gaps. A tool
 * that puts something before messages must neither show it in a length nor leave it in a buffer. Around a ring; any
 * number of ranks. */
#include "say.h"
#include <stddef.h>

#ifndef SIZE /* in bytes */
#define SIZE 2048
#endif
#include "wide_types.h"

enum { first = SIZE - 3, last = SIZE + 54, most = 8192, several = 6 };

static int me, right, left;
static char out[most], in[several][most];
static MPI_Comm other;

static void fill(int salt) {
    for (int i = 0; i < most; i++) out[i] = (char)(i * 7 + i / 251 + me + salt);
    memset(in, 0x77, sizeof in);
}

/* The buffer must contain the message of the left neighbor, and nothing after it may have been touched. */
static void look(const char* what, const char* buffer, int size, int salt) {
    for (int i = 0; i < most; i++) {
        const char wanted = i < size ? (char)(i * 7 + i / 251 + left + salt) : (char)0x77;
        if (buffer[i] == wanted) continue;
        say("%s: %d bytes, wrong from %d on", what, size, i);
        return;
    }
}

static void one_size(int size, int room) {
    MPI_Status status = untouched_status(), both[2];
    MPI_Request requests[2];
    int flag = 0;
    MPI_Message message;

    fill(1);
    MPI_Isend(out, size, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    say_status("probe", &status, MPI_CHAR);
    MPI_Recv(in[0], room, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    say_status("recv", &status, MPI_CHAR);
    look("recv", in[0], size, 1);

    fill(2);
    MPI_Irecv(in[0], room, MPI_CHAR, left, MPI_ANY_TAG, other, &requests[0]);
    MPI_Isend(out, size, MPI_CHAR, right, 2, other, &requests[1]);
    both[0] = untouched_status();
    for (flag = 0; !flag;) MPI_Request_get_status(requests[0], &flag, &both[0]);
    say_status("asked", &both[0], MPI_CHAR);
    look("asked", in[0], size, 2);
    MPI_Waitall(2, requests, both);
    say_status("irecv", &both[0], MPI_CHAR);
    look("irecv", in[0], size, 2);

    fill(3);
    MPI_Isend(out, size, MPI_CHAR, right, 3, other, &requests[1]);
    MPI_Mprobe(left, 3, other, &message, &status);
    say_status("mprobe", &status, MPI_CHAR);
    MPI_Mrecv(in[0], room, MPI_CHAR, &message, &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    say_status("mrecv", &status, MPI_CHAR);
    look("mrecv", in[0], size, 3);
    fill(4);
    MPI_Isend(out, size, MPI_CHAR, right, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Mprobe(left, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in[0], room, MPI_CHAR, &message, &requests[0]);
    MPI_Waitall(2, requests, both);
    say_status("imrecv", &both[0], MPI_CHAR);
    look("imrecv", in[0], size, 4);

    fill(5);
    MPI_Sendrecv(out, size, MPI_CHAR, right, 4, in[0], room, MPI_CHAR, left, 4, MPI_COMM_WORLD, &status);
    say_status("sendrecv", &status, MPI_CHAR);
    look("sendrecv", in[0], size, 5);

    fill(6);
    MPI_Send_init(out, size, MPI_CHAR, right, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Recv_init(in[0], room, MPI_CHAR, left, 5, MPI_COMM_WORLD, &requests[0]);
    for (int i = 0; i < 3; i++) {
        fill(6 + i);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, both);
        say_status("persistent", &both[0], MPI_CHAR);
        look("persistent", in[0], size, 6 + i);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    fill(9);
    MPI_Irecv(in[0], room, MPI_CHAR, left, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Ssend(out, size, MPI_CHAR, right, 6, MPI_COMM_WORLD);
    for (int i = 0; i < 60; i++) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 60; i++) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    look("freed receive", in[0], size, 9);
}

/* A buffer that is both sent from and received into, with messages of both sizes. */
static void replaced(int size, int other_size) {
    MPI_Status status = untouched_status();
    MPI_Request request;
    fill(1);
    for (int i = 0; i < size; i++) in[0][i] = out[i];
    MPI_Sendrecv_replace(in[0], size, MPI_CHAR, right, 1, left, 1, MPI_COMM_WORLD, &status);
    say_status("replace", &status, MPI_CHAR);
    look("replace", in[0], size, 1);

    fill(2);
    memcpy(in[0], out, most);
    MPI_Isend(out, other_size, MPI_CHAR, right, 2, MPI_COMM_WORLD, &request);
    MPI_Sendrecv_replace(in[0], size, MPI_CHAR, MPI_PROC_NULL, 2, left, 2, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_status("replace shorter", &status, MPI_CHAR);
    say_bytes("replace shorter", in[0], most);
    MPI_Irecv(in[1], most, MPI_CHAR, left, 3, MPI_COMM_WORLD, &request);
    MPI_Sendrecv_replace(in[0], size, MPI_CHAR, right, 3, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, &status);
    say_status("replace to", &status, MPI_CHAR);
    say_bytes("replace to", in[1], most);
    fill(3);
    MPI_Sendrecv_replace(out, size, MPI_CHAR, 0, 1, 0, 1, MPI_COMM_SELF, &status);
    say_status("with oneself", &status, MPI_CHAR);
    say_bytes("with oneself", out, most);
#if MPI_VERSION >= 4
    fill(4);
    memcpy(in[0], out, most);
    MPI_Isendrecv_replace(in[0], size, MPI_CHAR, right, 1, left, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_bytes("isendrecv_replace", in[0], most);
    fill(5);
    MPI_Isendrecv(out, size, MPI_CHAR, right, 1, in[0], size + 100, MPI_CHAR, left, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    look("isendrecv", in[0], size, 5);
    fill(6);
    MPI_Isendrecv(out, size, MPI_CHAR, me == 0 ? MPI_PROC_NULL : me - 1, 1, in[0], size + 9, MPI_CHAR,
                  right == 0 ? MPI_PROC_NULL : right, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_bytes("isendrecv in a row", in[0], most);
#endif
}

/* Several messages of one size that are under way at the same time, and are taken in every order. */
static void out_of_order(int size, int wildcard) {
    MPI_Request receives[several];
    MPI_Status statuses[several];
    memset(statuses, 0x5a, sizeof statuses);
    for (int turn = 0; turn < 3; turn++) {
        fill(0);
        for (int i = 0; i < several; i++)
            MPI_Irecv(in[i], size + 30 * (i % 2), MPI_CHAR, wildcard ? MPI_ANY_SOURCE : left,
                      wildcard ? MPI_ANY_TAG : 7, MPI_COMM_WORLD, &receives[i]);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < several; i++) {
            out[0] = (char)(100 + i);
            MPI_Ssend(out, size, MPI_CHAR, right, 7, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < several; i++) {
            const int which = turn == 0 ? several - 1 - i : turn == 1 ? (i * 5 + 2) % several : i;
            MPI_Wait(&receives[which], &statuses[which]);
        }
        for (int i = 0; i < several; i++) {
            say_status("out of order", &statuses[i], MPI_CHAR);
            say_bytes("out of order", in[i], most);
        }
    }
}

/* A message that is too long for its receive: the error, as far as both MPIs report it, and the messages after it. */
static void too_short(int size, int room) {
    MPI_Status status = untouched_status(), both[2];
    MPI_Request requests[2];
    fill(1);
    MPI_Isend(out, size, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[1]);
    TRY(MPI_Recv(in[0], room, MPI_CHAR, left, 1, MPI_COMM_WORLD, &status));
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    say("recv: source %d tag %d", status.MPI_SOURCE, status.MPI_TAG);
    say_bytes("recv", in[0], (size_t)room);
    fill(2);
    MPI_Irecv(in[0], room, MPI_CHAR, left, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, size, MPI_CHAR, right, 2, MPI_COMM_WORLD, &requests[1]);
    both[0] = both[1] = untouched_status();
    TRY(MPI_Waitall(2, requests, both));
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE); /* it may still be pending */
    say_code("irecv", both[0].MPI_ERROR);
    say_bytes("irecv", in[0], (size_t)room);
    fill(3);
    MPI_Irecv(in[0], room, MPI_CHAR, left, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, size, MPI_CHAR, right, 3, MPI_COMM_WORLD, &requests[1]);
    TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    say_bytes("wait", in[0], (size_t)room);
    fill(4);
    MPI_Isend(out, size, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[1]);
    TRY(MPI_Recv(in[0], most, MPI_CHAR, left, 1, MPI_COMM_WORLD, &status));
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    look("behind it", in[0], size, 4);
}

/* Elements with gaps. A receive may be for long data, while its message is short. */
static void with_gaps(int elements, int more) {
    MPI_Datatype pairs, row;
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Type_vector(3, 1, 2, MPI_SHORT, &pairs); /* 6 bytes each */
    MPI_Type_commit(&pairs);
    MPI_Type_vector(elements + more, 2, 3, MPI_SHORT, &row); /* one element that contains everything */
    MPI_Type_commit(&row);
    fill(1);
    MPI_Isend(out, elements, pairs, right, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(in[0], elements + more, pairs, left, 1, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_status("gaps", &status, pairs);
    say_bytes("gaps", in[0], most);
    fill(2);
    MPI_Irecv(in[0], 1, row, left, 2, MPI_COMM_WORLD, &request);
    MPI_Type_free(&row);
    MPI_Send(out, 2 * elements, MPI_SHORT, right, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    say_status("row", &status, MPI_SHORT);
    say_bytes("row", in[0], most);
    fill(3);
    MPI_Sendrecv_replace(out, elements, pairs, right, 3, left, 3, MPI_COMM_WORLD, &status);
    say_status("gaps replaced", &status, pairs);
    say_bytes("gaps replaced", out, most);
    MPI_Type_free(&pairs);
}

/* Elements whose basic types differ in size. A length on the wire may end within one of them. */
static void mixed(int elements, int more) {
    struct two {
        double a;
        int b;
    };
    const MPI_Aint places[2] = {offsetof(struct two, a), offsetof(struct two, b)};
    const int lengths[2] = {1, 1};
    const MPI_Datatype members[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype two;
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Type_create_struct(2, lengths, places, members, &two);
    MPI_Type_commit(&two);
    fill(1);
    MPI_Isend(out, elements, two, right, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(in[0], elements + more, two, left, 1, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_status("mixed", &status, two);
    say_bytes("mixed", in[0], most);
    fill(2);
    MPI_Irecv(in[0], elements + more, two, left, 2, MPI_COMM_WORLD, &request);
    MPI_Send(out, 12 * elements - 4, MPI_BYTE, right, 2, MPI_COMM_WORLD); /* the last element is incomplete */
    MPI_Wait(&request, &status);
    say_status("part of one", &status, two);
    say_bytes("part of one", in[0], most);
    fill(3);
    MPI_Sendrecv_replace(out, elements + more, two, right, 3, left, 3, MPI_COMM_WORLD, &status);
    say_status("mixed replaced", &status, two);
    say_bytes("mixed replaced", out, most);
    MPI_Type_free(&two);
}

/* Messages with the same envelope except for the communicator, which is freed while a receive waits. */
static void two_communicators(int size) {
    MPI_Comm one, two;
    MPI_Request requests[3];
    MPI_Status status = untouched_status();
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_dup(MPI_COMM_WORLD, &two);
    fill(1);
    MPI_Irecv(in[2], most, MPI_CHAR, MPI_ANY_SOURCE, 1, two, &requests[2]);
    MPI_Isend(out, size, MPI_CHAR, right, 2, one, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* therefore it is sent at once */
    out[0]++;
    MPI_Isend(out, size, MPI_CHAR, right, 2, two, &requests[0]);
    MPI_Recv(in[0], most, MPI_CHAR, left, 2, two, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Recv(in[1], most, MPI_CHAR, left, 2, one, &status);
    say_bytes("two", in[0], most);
    say_bytes("one", in[1], most);
    MPI_Isend(out, size, MPI_CHAR, right, 1, two, &requests[0]);
    MPI_Comm_free(&one);
    MPI_Comm_free(&two);
    MPI_Comm_dup(MPI_COMM_SELF, &one); /* it may be the same handle */
    MPI_Wait(&requests[2], &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    say_status("freed", &status, MPI_CHAR);
    say_bytes("freed", in[2], most);
    MPI_Comm_free(&one);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    const int ranks = size_of(MPI_COMM_WORLD);
    me = said_rank;
    right = (me + 1) % ranks;
    left = (me + ranks - 1) % ranks;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &other);
    MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
    const int rooms[] = {0, 1, 7, 23, 24, 25, 48, 1000};
    for (int size = first; size <= last; size++)
        for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) one_size(size, size + rooms[i]);
    for (int size = 0; size <= 60; size++) one_size(size, SIZE + size);
    for (int size = 0; size <= 60; size++) one_size(size, size % 2 ? most : SIZE - 10 + size);
    for (int size = first; size <= last; size++) replaced(size, size - (size % 7) * 8);
    for (int size = 1; size < 34; size++) replaced(size, size / 2);
    say_out();
    for (int size = first; size <= last; size++) out_of_order(size, size % 2);
    for (int size = 1; size < 34; size++) out_of_order(size, size % 2);
    for (int size = first; size <= last; size++) two_communicators(size);
    for (int size = 0; size < 34; size++) two_communicators(size);
    out_of_order(100, 1);
    for (int size = first; size <= last; size++)
        for (int less = 1; less < 60; less += 19) too_short(size, size - less);
    too_short(2 * SIZE, SIZE);
    for (int size = 1; size < 34; size++)
        for (int room = 0; room < size; room += 1 + size / 4) too_short(size, room);
    for (int room = 0; room < 34; room++) too_short(SIZE + 1 + room % 24, room);
    for (int elements = SIZE / 6 - 2; elements < SIZE / 6 + 12; elements++)
        for (int more = 0; more < 9; more += 4) with_gaps(elements, more);
    for (int elements = SIZE / 12 - 2; elements < SIZE / 12 + 12; elements++)
        for (int more = 0; more < 9; more += 4) mixed(elements, more);
    mixed(3, 300);
    with_gaps(3, 600);
    with_gaps(600, 0);
    for (int elements = 1; elements < 4; elements++) with_gaps(elements, elements % 2);
    wide_types(left, right);
    MPI_Comm_free(&other);
    say_out();
    MPI_Finalize();
    return 0;
}
