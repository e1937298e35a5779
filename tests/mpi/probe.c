/* Probes around a ring: blocking, polling with many misses, and matched. Any number of ranks. A probe that hits comes
 * after a blocking probe for the same message, so that the number of calls is the same in every run. */
#include "check.h"

enum { misses = 5000, rounds = 20 };

static int right, left, me;
static int values[64];

static MPI_Request send_to_right(int tag, int count) {
    MPI_Request request;
    for (int i = 0; i < 64; i++) values[i] = me + i;
    MPI_Isend(values, count, MPI_INT, right, tag, MPI_COMM_WORLD, &request);
    return request;
}

static void check_values(const int* received, int count) {
    for (int i = 0; i < count; i++) CHECK(received[i] == left + i);
}

static void probe_then_receive(int round) {
    int received[64], flag = 0;
    MPI_Status status;
    MPI_Request request = send_to_right(10 + round, round);
    MPI_Probe(left, 10 + round, MPI_COMM_WORLD, &status);
    check_status(&status, left, 10 + round, round);
    MPI_Iprobe(MPI_ANY_SOURCE, 10 + round, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag);
    check_status(&status, left, 10 + round, round);
    MPI_Iprobe(left, 10 + round, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    MPI_Recv(received, 64, MPI_INT, left, 10 + round, MPI_COMM_WORLD, &status);
    check_status(&status, left, 10 + round, round);
    check_values(received, round);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void nothing_there(void) {
    int flag = 1;
    MPI_Message message;
    for (int i = 0; i < misses; i++) {
        MPI_Iprobe(i % 2 ? left : MPI_ANY_SOURCE, 5000, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    for (int i = 0; i < misses; i++) {
        MPI_Improbe(left, 5000, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        CHECK(!flag);
    }
    MPI_Status status;
    MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
    CHECK(flag && status.MPI_SOURCE == MPI_PROC_NULL);
}

static void matched(int round) {
    int received[64], flag = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Request requests[2];
    requests[0] = send_to_right(100 + round, 3);
    MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    check_status(&status, left, 100 + round, 3);
    CHECK(message != MPI_MESSAGE_NULL);
    MPI_Mrecv(received, 3, MPI_INT, &message, &status);
    check_status(&status, left, 100 + round, 3);
    check_values(received, 3);
    CHECK(message == MPI_MESSAGE_NULL);

    requests[1] = send_to_right(200 + round, 2);
    MPI_Probe(left, 200 + round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Improbe(left, 200 + round, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(flag);
    check_status(&status, left, 200 + round, 2);
    MPI_Request receive;
    MPI_Imrecv(received, 64, MPI_INT, &message, &receive);
    MPI_Wait(&receive, &status);
    check_status(&status, left, 200 + round, 2);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Mrecv(received, 1, MPI_INT, &message, &status);
    check_status(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    me = rank_in(MPI_COMM_WORLD);
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size, left = (me + size - 1) % size;
    for (int round = 0; round < rounds; round++) probe_then_receive(round);
    nothing_there();
    for (int round = 0; round < rounds; round++) {
        matched(round);
        /* A wildcard tag must not match the left neighbor's next round. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    say_done("probe");
    MPI_Finalize();
    return 0;
}
