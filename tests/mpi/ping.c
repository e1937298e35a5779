/* Blocking point-to-point in every mode. Ranks talk in pairs (0 with 1, 2 with 3, ...). If their number is odd, the
 * last rank talks to MPI_PROC_NULL only, so any number of ranks will do. */
#include "check.h"

enum { rounds = 100, ping_tag = 5, largest = 30000 };

static int partner_of(int rank) {
    int partner = rank ^ 1;
    return partner < size_of(MPI_COMM_WORLD) ? partner : MPI_PROC_NULL;
}

static void check_null(const MPI_Status* status) { check_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0); }

static void ping_pong(int rank, int partner) {
    for (int round = 0; round < rounds; round++) {
        int ball = round, count = 1;
        MPI_Status status;
        if (rank % 2 == 0) {
            MPI_Send(&ball, count, MPI_INT, partner, ping_tag, MPI_COMM_WORLD);
            MPI_Recv(&ball, count, MPI_INT, partner, ping_tag, MPI_COMM_WORLD, &status);
            CHECK(ball == (partner == MPI_PROC_NULL ? round : round + 1));
        } else {
            MPI_Recv(&ball, count, MPI_INT, partner, ping_tag, MPI_COMM_WORLD, &status);
            CHECK(ball++ == round);
            MPI_Send(&ball, count, MPI_INT, partner, ping_tag, MPI_COMM_WORLD);
        }
        if (partner == MPI_PROC_NULL)
            check_null(&status);
        else
            check_status(&status, partner, ping_tag, 1);
    }
}

/* From a few bytes to well beyond the eager limits of both MPIs, with receives that are larger than the message. */
static void sizes(int rank, int partner) {
    static int sent[largest], received[largest + 10];
    for (int count = 0; count <= largest; count += 5000) {
        MPI_Status status;
        for (int i = 0; i < count; i++) sent[i] = i + count;
        if (rank % 2 == 0)
            MPI_Send(sent, count, MPI_INT, partner, count, MPI_COMM_WORLD);
        else
            MPI_Recv(received, largest + 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (rank % 2 == 0) continue;
        check_status(&status, partner, count, count);
        for (int i = 0; i < count; i++) CHECK(received[i] == sent[i]);
    }
}

static void synchronous_and_ready(int rank, int partner) {
    int values[4] = {rank, 1, 2, 3};
    if (rank % 2 == 0) {
        MPI_Ssend(values, 4, MPI_INT, partner, 1, MPI_COMM_WORLD);
        /* A ready send needs a posted receive, so the partner says when it is posted. */
        MPI_Recv(NULL, 0, MPI_INT, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(values, 4, MPI_INT, partner, 3, MPI_COMM_WORLD);
    } else {
        MPI_Request request;
        MPI_Recv(values, 4, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(values[0] == partner && values[3] == 3);
        values[0] = -1;
        MPI_Irecv(values, 4, MPI_INT, partner, 3, MPI_COMM_WORLD, &request);
        MPI_Send(NULL, 0, MPI_INT, partner, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(values[0] == partner);
    }
}

static void buffered(int rank, int partner) {
    int room = 10 * (int)(sizeof(int) * 8 + MPI_BSEND_OVERHEAD), returned_size;
    char *buffer = malloc((size_t)room), *returned;
    MPI_Buffer_attach(buffer, room);
    for (int i = 0; i < 10; i++) {
        int values[8] = {i, rank}, received[8];
        MPI_Bsend(values, 8, MPI_INT, partner, i, MPI_COMM_WORLD);
        if (partner == MPI_PROC_NULL) continue;
        MPI_Recv(received, 8, MPI_INT, partner, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(received[0] == i && received[1] == partner);
    }
    MPI_Buffer_detach(&returned, &returned_size);
    CHECK(returned == buffer && returned_size == room);
    free(buffer);
}

static void both_ways(int rank) {
    int size = size_of(MPI_COMM_WORLD), right = (rank + 1) % size, left = (rank + size - 1) % size;
    int received = -1, value = rank;
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, right, 7, &received, 1, MPI_INT, left, 7, MPI_COMM_WORLD, &status);
    CHECK(received == left);
    check_status(&status, left, 7, 1);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 8, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(value == left);
    check_status(&status, left, 8, 1);
    MPI_Sendrecv(NULL, 0, MPI_INT, right, 9, NULL, 0, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 9, &received, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD,
                 &status);
    check_null(&status);
    CHECK(received == left);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), partner = partner_of(rank);
    ping_pong(rank, partner);
    if (partner != MPI_PROC_NULL) sizes(rank, partner);
    synchronous_and_ready(rank, partner);
    buffered(rank, partner);
    /* No wildcard receive may take what another test sends. */
    MPI_Barrier(MPI_COMM_WORLD);
    both_ways(rank);
    say_done("ping");
    MPI_Finalize();
    return 0;
}
