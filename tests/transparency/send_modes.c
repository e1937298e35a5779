/* Blocking sends in every mode with buffers of exactly the right size: to oneself, to MPI_PROC_NULL, and empty; partial
 * derived types, undefined counts, messages that are too long. Any number of ranks. */
#include "say.h"
#include <stddef.h>

enum { many = 20, ints = 50 };

static int me, right, left;

static void say_received(const char* what, MPI_Datatype type, void* into, int room, int tag) {
    MPI_Status status = untouched_status();
    say_code(what, MPI_Recv(into, room, type, left, tag, MPI_COMM_WORLD, &status));
    say_status(what, &status, type);
}

/* The buffer is exactly as large as MPI_Pack_size and MPI_BSEND_OVERHEAD say, and is used completely. */
static void buffered(void) {
    int sent[many][ints], got[ints], packed, room, detached = -1;
    void *buffer, *returned;
    MPI_Request requests[many];
    MPI_Pack_size(ints, MPI_INT, MPI_COMM_WORLD, &packed);
    room = many * (packed + MPI_BSEND_OVERHEAD);
    for (int round = 0; round < 3; round++) {
        buffer = malloc((size_t)room);
        TRY(MPI_Buffer_attach(buffer, room));
        for (int i = 0; i < many; i++) {
            for (int k = 0; k < ints; k++) sent[i][k] = me * 1000 + i + k;
            if (i % 3 == 0) TRY(MPI_Bsend(sent[i], ints, MPI_INT, right, i, MPI_COMM_WORLD));
            if (i % 3 == 1) TRY(MPI_Ibsend(sent[i], ints, MPI_INT, right, i, MPI_COMM_WORLD, &requests[i]));
            if (i % 3 == 2) {
                MPI_Bsend_init(sent[i], ints, MPI_INT, right, i, MPI_COMM_WORLD, &requests[i]);
                TRY(MPI_Start(&requests[i]));
            }
            if (i % 3) TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
            memset(sent[i], 0, sizeof sent[i]);
            if (i % 3 == 2) MPI_Request_free(&requests[i]);
        }
        for (int i = many - 1; i >= 0; i--) {
            say_received("buffered", MPI_INT, got, ints, i);
            say_bytes("buffered", got, sizeof got);
        }
        TRY(MPI_Buffer_detach(&returned, &detached));
        say("detached the same: %d %d", returned == buffer, detached == room);
        free(buffer);
    }
}

static void no_room(void) {
    char buffer[MPI_BSEND_OVERHEAD + 16];
    int sent[1000] = {0}, detached;
    void* returned;
    TRY(MPI_Bsend(sent, 1000, MPI_INT, right, 1, MPI_COMM_WORLD));
    TRY(MPI_Buffer_attach(buffer, sizeof buffer));
    TRY(MPI_Buffer_attach(buffer, sizeof buffer));
    TRY(MPI_Bsend(sent, 1000, MPI_INT, right, 1, MPI_COMM_WORLD));
    TRY(MPI_Bsend(sent, 1000, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    TRY(MPI_Buffer_detach(&returned, &detached));
    say("detached %d", detached == (int)sizeof buffer);
}

static void modes(void) {
    int sent = me + 40, got[2] = {-1, -1};
    MPI_Status status = untouched_status();
    MPI_Request request;
    for (int way = 0; way < 4; way++) {
        MPI_Irecv(got, 2, MPI_INT, left, 30 + way, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (way == 0) TRY(MPI_Send(&sent, 1, MPI_INT, right, 30, MPI_COMM_WORLD));
        if (way == 1) TRY(MPI_Ssend(&sent, 1, MPI_INT, right, 31, MPI_COMM_WORLD));
        if (way == 2) TRY(MPI_Rsend(&sent, 1, MPI_INT, right, 32, MPI_COMM_WORLD));
        if (way == 3) TRY(MPI_Send(&sent, 0, MPI_INT, right, 33, MPI_COMM_WORLD));
        TRY(MPI_Wait(&request, &status));
        say_status("mode", &status, MPI_INT);
        say_ints("got", got, 2);
    }
    MPI_Issend(&sent, 1, MPI_INT, right, 34, MPI_COMM_WORLD, &request);
    say_received("issend", MPI_INT, got, 2, 34);
    status = untouched_status();
    TRY(MPI_Wait(&request, &status));
    int cancelled;
    MPI_Test_cancelled(&status, &cancelled);
    say("cancelled %d", cancelled);
}

static void both_ways(void) {
    int sent[3] = {me, me + 1, me + 2}, got[4] = {-1, -1, -1, -1};
    MPI_Status status = untouched_status();
    TRY(MPI_Sendrecv(sent, 3, MPI_INT, right, 40, got, 4, MPI_INT, left, 40, MPI_COMM_WORLD, &status));
    say_status("sendrecv", &status, MPI_INT);
    say_ints("got", got, 4);
    status = untouched_status();
    TRY(MPI_Sendrecv_replace(sent, 3, MPI_INT, right, 41, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    say_status("sendrecv_replace", &status, MPI_INT);
    say_ints("replaced", sent, 3);
    status = untouched_status();
    TRY(MPI_Sendrecv(sent, 3, MPI_INT, MPI_PROC_NULL, 42, got, 4, MPI_INT, MPI_PROC_NULL, 42, MPI_COMM_WORLD, &status));
    say_status("with nobody", &status, MPI_INT);
    TRY(MPI_Sendrecv_replace(sent, 3, MPI_INT, MPI_PROC_NULL, 43, MPI_PROC_NULL, 43, MPI_COMM_WORLD, &status));
    say_ints("not replaced", sent, 3);
    TRY(MPI_Sendrecv(sent, 3, MPI_INT, me, 44, got, 4, MPI_INT, me, 44, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Send(sent, 3, MPI_INT, MPI_PROC_NULL, 45, MPI_COMM_WORLD));
    TRY(MPI_Recv(got, 3, MPI_INT, MPI_PROC_NULL, 45, MPI_COMM_WORLD, &status));
    say_status("from nobody", &status, MPI_INT);
    say_ints("got", got, 4);
}

struct Pair {
    int number;
    double value;
};

/* Five ints are two and a half pairs. */
static void partial(void) {
    struct Pair sent[4] = {{1, 1.5}, {2, 2.5}, {3, 3.5}, {4, 4.5}}, got[4];
    const int lengths[2] = {1, 1};
    const MPI_Aint places[2] = {offsetof(struct Pair, number), offsetof(struct Pair, value)};
    const MPI_Datatype members[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype pair, pairs_and_int, triple;
    MPI_Status status;
    MPI_Type_create_struct(2, lengths, places, members, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, 2 * sizeof(struct Pair)}, (MPI_Datatype[]){pair, MPI_INT},
                           &pairs_and_int);
    MPI_Type_commit(&pairs_and_int);
    MPI_Type_contiguous(3, MPI_INT, &triple);
    MPI_Type_commit(&triple);
    memset(got, 0, sizeof got);
    status = untouched_status();
    TRY(MPI_Sendrecv(sent, 1, pairs_and_int, right, 50, got, 4, pair, left, 50, MPI_COMM_WORLD, &status));
    say_status("half a pair", &status, pair);
    say("got %d %.1f %d %.1f %d %.1f", got[0].number, got[0].value, got[1].number, got[1].value, got[2].number,
        got[2].value);
    int five[6] = {1, 2, 3, 4, 5, 6}, six[6] = {0};
    TRY(MPI_Sendrecv(five, 5, MPI_INT, right, 51, six, 2, triple, left, 51, MPI_COMM_WORLD, &status));
    say_status("of triples", &status, triple);
    say_status("of ints", &status, MPI_INT);
    MPI_Count elements = -1;
    TRY(MPI_Get_elements_x(&status, triple, &elements));
    say("elements %lld", (long long)elements);
    MPI_Type_free(&pair);
    MPI_Type_free(&pairs_and_int);
    MPI_Type_free(&triple);
}

/* Too long for its receive. It is not larger, because Open MPI 4.1 crashes when a message of 400 KB meets two ints. */
static void too_long(void) {
    static const int sent[500];
    int got[2] = {-1, -1};
    MPI_Request request;
    MPI_Isend(sent, 500, MPI_INT, right, 60, MPI_COMM_WORLD, &request);
    MPI_Probe(left, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    TRY(MPI_Recv(got, 2, MPI_INT, left, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    say_ints("got", got, 2);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    void (*const parts[])(void) = {buffered, no_room, modes, both_ways, partial, too_long};
    for (int i = 0; i < 6; i++) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    say_out();
    MPI_Finalize();
    return 0;
}
